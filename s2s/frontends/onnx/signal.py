"""Fourier transforms, and the matrix of a mel filter bank."""

from collections.abc import Mapping
from math import log

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, equal, less, reshape, select, take, transpose
from s2s.frontends.fourier import fourier, fourier_matrix, has_routine
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype


def _check(node: Node, count: int, parts: int, length: int) -> None:
    """Refuse numbers of other than one or two parts, and a matrix that is too large."""
    if parts not in (1, 2) or length < 1:
        raise node.invalid(f"{count} numbers of {parts} parts, length {length}", "give real or complex numbers")
    if not has_routine(length, parts):
        node.require_small(count * parts * length * 2, "the Fourier matrix")


def _known_int(node: Node, position: int, what: str, default: int) -> int:
    """A constant whole number, `default` when it is left out."""
    number = node.known_number(position, what)
    return default if number is None else int(number)


def _dft(node: Node) -> Value:
    x = node.input(0)
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    chosen = node.optional(2)
    if node.since >= 20 and chosen is not None and chosen.array is None and not onesided:
        return _along_any_axis(node, x, reshape(chosen, []), inverse=inverse)
    if node.since >= 20 and chosen is not None and chosen.array is None:
        axis = _changed_axis(node, x, inverse=inverse)
    else:
        axis = node.integer("axis") if node.since < 20 else _known_int(node, 2, "axis", -2)
    return _along(node, x, node.axis(axis, x.rank), inverse=inverse, onesided=onesided)


def _changed_axis(node: Node, x: Value, *, inverse: bool) -> int:
    """The one axis whose size changes as the size of half a spectrum does, by the declared shape of the result."""
    shape = node.declared_shape("axis")
    axes = [
        axis
        for axis, (size, end) in enumerate(zip(x.shape[:-1], shape, strict=False))
        if [*x.shape[:axis], *x.shape[axis + 1 : -1]] == [*shape[:axis], *shape[axis + 1 : -1]]
        and (node.optional(1) is not None or end == (2 * (size - 1) if inverse else size // 2 + 1))
    ]
    if len(axes) != 1:
        raise node.waits("axis is computed at run time, and decides the shape", "make axis a constant")
    return axes[0]


def _along_any_axis(node: Node, x: Value, chosen: Value, *, inverse: bool) -> Value:
    """The transform along an axis that is computed at run time: all of them, where they have one shape."""
    axes = range(x.rank - 1)
    made = [_along(node, x, axis, inverse=inverse, onesided=False) for axis in axes]
    if not made or len({each.shape for each in made}) != 1:
        raise node.waits("axis is computed at run time, and decides the shape", "make axis a constant")
    found = made[-1]
    for axis in axes[:-1]:
        is_it = emit(graph.LogicalOrOp, equal(chosen, axis), equal(chosen, axis - x.rank))
        found = select(is_it, made[axis], found)
    return found


def _along(node: Node, x: Value, axis: int, *, inverse: bool, onesided: bool) -> Value:
    """The transform along `axis`."""
    if x.rank < 2 or axis == x.rank - 1:
        raise node.invalid(f"axis {axis} of shape {list(x.shape)} holds the parts of a number", "choose another axis")
    count, parts = x.shape[axis], x.shape[-1]
    default = 2 * (count - 1) if inverse and onesided else count
    length = _known_int(node, 1, "dft_length", default)
    _check(node, count, parts, length)
    others = [dim for dim in range(x.rank - 1) if dim != axis]
    perm = [*others, axis, x.rank - 1]
    spectrum = fourier(transpose(x, perm), length, inverse=inverse, onesided=onesided)
    return transpose(spectrum, [perm.index(dim) for dim in range(x.rank)])


def _stft(node: Node) -> Value:
    """Transforms of windowed frames."""
    signal, window = node.input(0), node.optional(2)
    step = node.known_number(1, "frame_step")
    if signal.rank != 3 or step is None or step < 1:
        raise node.invalid(f"signal {list(signal.shape)} with step {step}", "give [batch, samples, 1 or 2] and a step")
    default = window.shape[0] if window is not None and window.rank else signal.shape[1]
    length = _known_int(node, 3, "frame_length", default)
    if not 0 < length <= signal.shape[1] or (window is not None and window.shape != (length,)):
        raise node.invalid(
            f"frames of {length} do not fit {signal.shape[1]} samples and the window", "fix frame_length"
        )
    _check(node, length, signal.shape[2], length)
    onesided = node.flag("onesided")
    if not has_routine(length, signal.shape[2]):
        return _convolved(node, signal, window, length, int(step), onesided=onesided)
    starts = np.arange(0, signal.shape[1] - length + 1, int(step))
    node.require_small(len(starts) * length, "the list of frames")
    places = node.constant(starts[:, None] + np.arange(length), np.int32)
    frames = emit(graph.GatherOp, signal, places, axis=1)
    windowed = frames if window is None else frames * reshape(window, [length, 1])
    return fourier(windowed, length, inverse=False, onesided=onesided)


def _convolved(node: Node, signal: Value, window: Value | None, length: int, step: int, *, onesided: bool) -> Value:
    """One strided convolution of the signal with the windowed rows of the Fourier matrix."""
    parts = signal.shape[2]
    matrix = fourier_matrix(length, parts, length, False, onesided)
    bins = matrix.shape[2]
    kernel = node.constant(matrix.transpose(2, 3, 1, 0).reshape(bins * 2, parts, length), signal.dtype)
    spectrum = emit(
        graph.ConvOp,
        transpose(signal, [0, 2, 1]),
        kernel if window is None else kernel * window,
        strides=[step],
        pads=[0, 0],
        dilations=[1],
        groups=1,
    )
    batch, _, frames = spectrum.shape
    return transpose(reshape(spectrum, [batch, bins, 2, frames]), [0, 3, 1, 2])


def _mel_weight_matrix(node: Node) -> Value:
    """Triangles between edges that are equally far apart on the mel scale; rates and edges may come at run time."""
    bins, length = (node.known_number(i, name) or 0 for i, name in enumerate(("num_mel_bins", "dft_length")))
    if bins < 1 or length < 1:
        raise node.invalid(f"{bins} bins of {length} numbers", "give positive counts")
    shape = (int(length) // 2 + 1, int(bins))
    node.require_small(shape[0] * (shape[1] + 2), "the filter bank")
    rate, lowest, highest = (_real(node, position) for position in (2, 3, 4))
    _check_band(node, rate, lowest, highest)
    low, high = _mel(lowest), _mel(highest)
    mels = node.constant(np.arange(shape[1] + 2), np.float64) * ((high - low) / (shape[1] + 2)) + low
    hertz = (emit(graph.ExpOp, mels * (log(10) / 2595)) - 1) * 700
    edges = emit(graph.FloorOp, hertz * (int(length) + 1) / rate)
    left, center, right = (take(edges, 0, first, shape[1]) for first in range(3))
    at = node.constant(np.arange(shape[0])[:, None], np.float64)
    rises = _both(emit(graph.GreaterEqualOp, at, left), emit(graph.LessEqualOp, at, center))
    rising = select(rises, (at - left) / (center - left), 0)
    weights = select(equal(center, left), cast(equal(at, center), at.dtype), rising)
    falls = _both(emit(graph.GreaterEqualOp, at, center), less(at, right))
    weights = select(falls, (right - at) / (right - center), weights)
    return cast(weights, element_dtype(node.integer("output_datatype"), f"{node.place}: attribute 'output_datatype'"))


def _real(node: Node, position: int) -> Value:
    """One number as f64."""
    value = node.input(position)
    if value.type.element_count() != 1:
        raise node.invalid(f"input {position} has shape {list(value.shape)}", "give one number")
    return cast(reshape(value, []), np.dtype(np.float64))


def _check_band(node: Node, *numbers: Value) -> None:
    """Refuse a sample rate and edges that are constant and do not fit each other."""
    arrays = [number.array for number in numbers]
    if any(array is None for array in arrays):
        return
    rate, lowest, highest = (float(array) for array in arrays if array is not None)
    if not (rate > 0 and 0 <= lowest <= highest <= rate / 2):
        raise node.invalid(f"a band from {lowest:g} to {highest:g} Hz at {rate:g} Hz", "fix the filter bank")


def _mel(hertz: Value) -> Value:
    return emit(graph.LogOp, hertz / 700 + 1) * (2595 / log(10))


def _both(a: Value, b: Value) -> Value:
    return emit(graph.LogicalAndOp, a, b)


IMPORTERS: Mapping[str, Importer] = {
    "DFT": _dft,
    "MelWeightMatrix": _mel_weight_matrix,
    "STFT": _stft,
}
