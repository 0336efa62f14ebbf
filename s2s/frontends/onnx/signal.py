"""Fourier transforms as products with constant matrices, and the matrix of a mel filter bank."""

from collections.abc import Mapping
from math import log

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import equal, reshape, select, transpose
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.dtypes import Array


def fourier_matrix(count: int, parts: int, length: int, inverse: bool, onesided: bool) -> Array:
    """`y[m, part] = sum x[n, part'] * matrix[n, part', m, part]` for `count` numbers of one (real) or two parts.

    `length` is that of the transform: the numbers are cut or filled up with zeros. Onesided keeps the half of the
    spectrum that a real signal has, or makes a real signal of it.
    """
    basis = np.eye(count)
    signals = np.stack([basis, 1j * basis][:parts], 1)  # [n, part', position]
    if onesided and inverse:
        return np.fft.irfft(signals, length)[..., None]
    spectrum = np.fft.ifft(signals, length) if inverse else np.fft.fft(signals, length)
    if onesided:
        spectrum = spectrum[..., : length // 2 + 1]
    return np.stack([spectrum.real, spectrum.imag], -1)


def _checked_matrix(node: Node, count: int, parts: int, length: int, inverse: bool, onesided: bool) -> Array:
    if parts not in (1, 2) or length < 1:
        raise node.invalid(f"{count} numbers of {parts} parts, length {length}", "give real or complex numbers")
    node.require_small(count * parts * length * 2, "the Fourier matrix")
    return fourier_matrix(count, parts, length, inverse, onesided)


def _known_int(node: Node, position: int, what: str, default: int) -> int:
    """A constant whole number, `default` when it is left out."""
    number = node.known_number(position, what)
    return default if number is None else int(number)


def _dft(node: Node) -> Value:
    x = node.input(0)
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    if node.since >= 20 and (chosen := node.optional(2)) is not None and chosen.array is None and not onesided:
        return _along_any_axis(node, x, reshape(chosen, []), inverse=inverse)
    axis = node.integer("axis") if node.since < 20 else _known_int(node, 2, "axis", -2)
    return _along(node, x, node.axis(axis, x.rank), inverse=inverse, onesided=onesided)


def _along_any_axis(node: Node, x: Value, chosen: Value, *, inverse: bool) -> Value:
    """The transform along an axis that is computed at run time: all of them, where they have one shape."""
    axes = range(x.rank - 1)
    made = [_along(node, x, axis, inverse=inverse, onesided=False) for axis in axes]
    if not made or len({each.shape for each in made}) != 1:
        raise node.unsupported("axis is computed at run time, and decides the shape", "make axis a constant")
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
    matrix = _checked_matrix(node, count, parts, length, inverse, onesided)
    others = [dim for dim in range(x.rank - 1) if dim != axis]
    perm = [*others, axis, x.rank - 1]
    rows = transpose(x, perm)
    flat = reshape(rows, [*rows.shape[:-2], count * parts])
    weights = node.constant(matrix.reshape(count * parts, -1), x.dtype)
    if flat.rank == 1:
        product = reshape(emit(graph.MatmulOp, reshape(flat, [1, *flat.shape]), weights), weights.shape[1:])
    else:
        product = emit(graph.MatmulOp, flat, weights)
    spectrum = reshape(product, [*rows.shape[:-2], *matrix.shape[2:]])
    return transpose(spectrum, [perm.index(dim) for dim in range(x.rank)])


def _stft(node: Node) -> Value:
    """One strided convolution of the signal with the windowed rows of the Fourier matrix."""
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
    parts = signal.shape[2]
    matrix = _checked_matrix(node, length, parts, length, False, node.flag("onesided"))
    bins = matrix.shape[2]
    kernel = node.constant(matrix.transpose(2, 3, 1, 0).reshape(bins * 2, parts, length), signal.dtype)
    spectrum = emit(
        graph.ConvOp,
        transpose(signal, [0, 2, 1]),
        kernel if window is None else kernel * window,
        strides=[int(step)],
        pads=[0, 0],
        dilations=[1],
        groups=1,
    )
    batch, _, frames = spectrum.shape
    return transpose(reshape(spectrum, [batch, bins, 2, frames]), [0, 3, 1, 2])


def _mel_weight_matrix(node: Node) -> Value:
    names = ("num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz")
    bins, length, rate, lowest, highest = (float(node.known_number(i, name) or 0) for i, name in enumerate(names))
    if not (bins >= 1 and length >= 1 and rate > 0 and 0 <= lowest <= highest <= rate / 2):
        raise node.invalid(f"{bins:g} bins from {lowest:g} to {highest:g} Hz at {rate:g} Hz", "fix the filter bank")
    shape = (int(length) // 2 + 1, int(bins))
    node.require_small(shape[0] * (shape[1] + 2), "the filter bank")
    low, high = (2595 * np.log1p(edge / 700) / log(10) for edge in (lowest, highest))
    mels = np.arange(int(bins) + 2) * ((high - low) / (bins + 2)) + low
    edges = ((length + 1) * (700 * np.expm1(mels / 2595 * log(10))) // rate).astype(np.int64)
    left, center, right = edges[:-2], edges[1:-1], edges[2:]
    at = np.arange(shape[0])[:, None]
    with np.errstate(all="ignore"):
        rising = np.where((at >= left) & (at <= center), (at - left) / (center - left), 0)
        falling = np.where((at >= center) & (at < right), (right - at) / (right - center), 0)
    weights = np.where(center == left, at == center, rising)
    weights = np.where((at >= center) & (at < right) & (right > center), falling, weights)
    dtype = element_dtype(node.integer("output_datatype"), f"{node.place}: attribute 'output_datatype'")
    return node.constant(weights, dtype)


IMPORTERS: Mapping[str, Importer] = {
    "DFT": _dft,
    "MelWeightMatrix": _mel_weight_matrix,
    "STFT": _stft,
}
