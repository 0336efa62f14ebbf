"""Discrete Fourier transforms, as products with a constant matrix or by the routine of the runtime."""

from math import pi
from operator import index

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, pad, reshape, take
from s2s.types.dtypes import Array
from s2s.types.size import all_plain

MIN_SIZE = {1: 64, 2: 8}
"""The least size of a transform of real (1 part) and of complex numbers (2 parts) that the routine computes. A product
with the matrix takes half the time for a hundred rows of 64 real numbers. For complex ones it has four times the steps
and the larger error: the routine adds in the order of numpy's pocketfft, so that what cancels there cancels here."""
LARGEST_FACTOR = 13
"""The largest prime factor of a size for which it does: the steps of a row grow with the sum of the factors."""


def has_routine(size: int, parts: int) -> bool:
    """Return whether the routine computes transforms of `size` numbers of this many parts, instead of a matrix."""
    if size < MIN_SIZE[parts]:
        return False
    for factor in range(2, LARGEST_FACTOR + 1):
        while size % factor == 0:
            size //= factor
    return size == 1


def fourier(x: Value, size: int, *, inverse: bool, onesided: bool) -> Value:
    """Return Fourier transforms of `size` numbers along the last dimension but one of `x`; the last one holds the parts
    of a number, one if it is real.

    The numbers are cut, or filled up with zeros. `onesided` keeps the half of the spectrum that a real signal has, or
    makes a real signal of it. The routine takes a constant number of rows; a varying one is multiplied by the matrix.
    """
    transform = _by_routine if all_plain(x.shape) and has_routine(size, x.shape[-1]) else _product
    return transform(x, size, inverse, onesided)


def fourier_matrix(count: int, parts: int, size: int, inverse: bool, onesided: bool) -> Array:
    """`y[m, part] = sum x[n, part'] * matrix[n, part', m, part]` for `count` numbers of one (real) or two parts.

    The matrix is of one size: a size that varies is taken as a plain number, which its guard says.
    """
    count, size = index(count), index(size)
    basis = np.eye(count)
    signals = np.stack([basis, 1j * basis][:parts], 1)  # [n, part', position]
    if onesided and inverse:
        return np.fft.irfft(signals, size)[..., None]
    spectrum = np.fft.ifft(signals, size) if inverse else np.fft.fft(signals, size)
    if onesided:
        spectrum = spectrum[..., : size // 2 + 1]
    return np.stack([spectrum.real, spectrum.imag], -1)


def _product(x: Value, size: int, inverse: bool, onesided: bool) -> Value:
    *outer, count, parts = x.shape
    matrix = fourier_matrix(count, parts, size, inverse, onesided)
    weights = x.builder.constant(matrix.reshape(count * parts, -1).astype(x.dtype))
    rows = reshape(x, [*(outer or [1]), count * parts])
    return reshape(emit(graph.MatmulOp, rows, weights), [*outer, *matrix.shape[2:]])


def _by_routine(x: Value, size: int, inverse: bool, onesided: bool) -> Value:
    wide = cast(x, np.dtype(np.float64 if x.dtype == np.float64 else np.float32))
    mirrored = onesided and inverse
    rows = _both_halves(wide, size) if mirrored else _of_size(wide, size)
    angles = 2 * pi * np.arange(size) / size
    roots = x.builder.constant(np.stack([np.cos(angles), -np.sin(angles)], -1).astype(wide.dtype))
    bins = size // 2 + 1 if onesided and not inverse else size
    found = emit(graph.DftOp, rows, roots, bins=bins, inverse=inverse)
    if mirrored:
        found = take(found, found.rank - 1, 0, 1)
    return cast(found * (1 / size) if inverse else found, x.dtype)


def _of_size(x: Value, size: int) -> Value:
    """The first `size` numbers, zeros behind the last one."""
    axis, count = x.rank - 2, x.shape[-2]
    if count >= size:
        return take(x, axis, 0, size)
    return pad(x, [0] * x.rank, [size - count if dim == axis else 0 for dim in range(x.rank)])


def _both_halves(x: Value, size: int) -> Value:
    """The whole spectrum of a real signal: number `size - k` is the conjugate of number `k`."""
    half = _of_size(x, size // 2 + 1)
    numbers = np.arange(size)
    places = np.minimum(numbers, size - numbers)
    signs = np.stack([np.ones(size), np.where(numbers == places, 1, -1)], -1)
    whole = emit(graph.GatherOp, half, x.builder.constant(places.astype(np.int32)), axis=x.rank - 2)
    return whole * x.builder.constant(signs.astype(x.dtype))
