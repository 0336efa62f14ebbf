"""Import windows, Fourier transforms and energies of TFLite-Micro's signal library.

Integers equal the reference bit for bit. Transforms of floats are compared with a tolerance of 1e-6 of the largest
magnitude: their steps are ordered differently.
"""

import math
from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, equal, greater, less, pad, reshape, select, take
from s2s.frontends.fourier import fourier
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.fixed_point import I32, leading_zeros, shifted_right
from s2s.frontends.tflite.micro.flexbuffer import options_of
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import Array
from s2s.types.shapes.signal import has_small_factors

_I16 = np.dtype(np.int16)
_LONGEST = 2**20
"""The most numbers of a transform."""


def _window(node: Node) -> Value:
    """`x * weights >> shift`, saturated; rows of `x` hold one or more windows."""
    x, weights = node.input(0), node.input(1)
    require_kinds(node, (x, weights), "int16")
    shift = options_of(node).bits("shift", 31)
    if weights.rank != 1 or x.rank < 1 or not weights.shape[0] or math.prod(x.shape) % weights.shape[0]:
        raise node.invalid(f"weights {list(weights.shape)} do not fit {list(x.shape)}", "fix the shapes")
    rows = reshape(x.value, [math.prod(x.shape) // weights.shape[0], weights.shape[0]])
    return reshape(windowed(rows, weights.value, shift), x.shape)


def windowed(rows: Value, weights: Value, shift: int) -> Value:
    """`rows * weights >> shift` of numbers of 16 bits, saturated."""
    y = shifted_right(cast(rows, I32) * cast(weights, I32), shift)
    return cast(clamp(y, -(2**15), 2**15 - 1), _I16)


def _fft_auto_scale(node: Node) -> list[Value]:
    x = node.input(0)
    require_kinds(node, (x,), "int16")
    if x.rank != 1:
        raise node.invalid(f"scales numbers of shape {list(x.shape)}", "give one row")
    y, bits = auto_scaled(x.value)
    return [y, reshape(bits, [])]


def auto_scaled(x: Value) -> tuple[Value, Value]:
    """`x << bits` of a row, with as many bits as the largest magnitude has to spare, and the bits, `[1]`.

    The reference keeps the magnitude in 16 bits, where that of -32768 wraps around and is below all others. Behind
    such a number it forgets what came before, and takes numbers as they are as long as they are negative and grow.

        -32768, -300, -200, -250, 100    the largest magnitude counts as 250
    """
    count, wide = x.shape[0], cast(x, I32)
    places = x.builder.constant(np.arange(1, count + 1, dtype=np.int32))
    wrapped = emit(graph.ReduceMaxOp, select(equal(wide, -(2**15)), places, 0), axes=[0], keepdims=True)
    grows = greater(wide, take(pad(wide, [1], [0]), 0, 0, count))
    ends = emit(graph.LogicalNotOp, emit(graph.LogicalAndOp, less(wide, 0), grows))
    ends = emit(graph.LogicalAndOp, ends, greater(places, wrapped))
    start = emit(graph.ReduceMinOp, select(ends, places, count + 1), axes=[0], keepdims=True)
    start = select(greater(wrapped, 0), start, 0)
    sizes = select(less(places, start), places.like(0), abs(wide))
    largest = emit(graph.ReduceMaxOp, sizes, axes=[0], keepdims=True)
    bits = select(greater(largest, 0), leading_zeros(largest) - 17, 0)
    return cast(emit(graph.ShiftLeftOp, wide, bits), _I16), bits


def _length(node: Node, x: Value, kinds: tuple[str, ...]) -> int:
    """The numbers of a transform of the last dimension of `x`."""
    require_kinds(node, (node.input(0),), *kinds)
    size = options_of(node).positive("fft_length")
    if x.rank < 1 or size < 4 or size % 2 or size > _LONGEST or not has_small_factors(size // 2):
        raise node.invalid(f"transforms {size} numbers", f"give twice a product of 2, 3 and 5, at most {_LONGEST}")
    return size


_KINDS = ("int16", "int32", "float32")


def _rfft(node: Node) -> Value:
    """The spectrum of rows of real numbers, which are filled up with zeros."""
    x = node.input(0).value
    size, count = _length(node, x, _KINDS), x.shape[-1]
    if count > size:
        raise node.invalid(f"transforms {size} of {count} numbers", "give rows of at most as many")
    x = pad(x, [0] * x.rank, [*[0] * (x.rank - 1), size - count])
    if x.is_float:
        y = fourier(reshape(x, [*x.shape, 1]), size, inverse=False, onesided=True)
    else:
        y = fixed_spectrum(x, size)
    return reshape(y, [*x.shape[:-1], size + 2])


def fixed_spectrum(x: Value, size: int) -> Value:
    """The transform of rows of `size` integers, `[…, size / 2 + 1, 2]`."""
    return emit(graph.FixedDftOp, x, *_tables(x, size, -1))


def _irfft(node: Node) -> Value:
    """The real numbers of spectra."""
    x = node.input(0).value
    size, count = _length(node, x, _KINDS), x.shape[-1]
    if count != size + 2:
        raise node.invalid(f"makes {size} numbers of {count}", f"give {size // 2 + 1} complex numbers")
    x = reshape(x, [*x.shape[:-1], size // 2 + 1, 2])
    if x.is_float:
        return reshape(fourier(x, size, inverse=True, onesided=True), [*x.shape[:-2], size])
    return emit(graph.FixedDftOp, x, *_tables(x, size, 1), inverse=True)


def _tables(x: Value, size: int, sign: int) -> tuple[Value, Value]:
    """The roots of unity of a transform in fixed point, and the roots that part two real signals."""
    half, most = size // 2, int(np.iinfo(x.dtype.str).max)
    angles = [sign * 2 * math.pi * k / half for k in range(half)]
    turns = [sign * math.pi * ((k + 1) / half + 0.5) for k in range(half // 2)]
    circles = (_circle(each, most).astype(x.dtype) for each in (angles, turns))
    roots, turning = map(x.builder.constant, circles)
    return roots, turning


def _circle(angles: list[float], most: int) -> Array:
    """Cosine and sine of angles times `most`, to nearest."""
    return np.floor([[0.5 + most * math.cos(angle), 0.5 + most * math.sin(angle)] for angle in angles])


def _energy(node: Node) -> Value:
    """`re ** 2 + im ** 2` of the numbers from one to another; zero of the others, which the reference leaves alone."""
    x = node.input(0)
    require_kinds(node, (x,), "int16")
    options, count = options_of(node), node.output_type().shape[0] if len(node.output_type().shape) == 1 else 0
    start, end = options.integer("start_index"), options.integer("end_index")
    if x.rank != 1 or not 0 <= start < end <= min(count, x.shape[0] // 2):
        raise node.invalid(f"takes numbers {start} to {end} of {x.shape[0] // 2} to {count}", "fix the options")
    part = reshape(take(x.value, 0, 2 * start, 2 * (end - start)), [end - start, 2])
    return pad(energies(part), [start], [count - end])


def energies(parts: Value) -> Value:
    """`re ** 2 + im ** 2` of rows of two numbers of 16 bits, in 32 bits."""
    wide = cast(parts, I32)
    squares = wide * wide
    y = take(squares, 1, 0, 1) + take(squares, 1, 1, 1)
    return cast(reshape(y, [parts.shape[0]]), np.dtype(np.uint32))


IMPORTERS: Mapping[str, Importer] = {
    "SignalEnergy": _energy,
    "SignalFftAutoScale": _fft_auto_scale,
    "SignalIrfft": _irfft,
    "SignalRfft": _rfft,
    "SignalWindow": _window,
}
