"""Fourier transforms in fixed point in numpy, bit for bit as KissFFT computes them.

A complex array is a pair of real and imaginary part, as `int64`. Numbers of `bits` fractional bits wrap around where
they are stored; a product of two is shifted back by `bits` to nearest, ties up. A step of radix `p` first multiplies by
`(2 ** bits - 1) // p`, so that nothing overflows that has a modulus below one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class Complex(NamedTuple):
    """Real and imaginary parts of some numbers."""

    r: Array
    i: Array

    def at(self, place: int | slice | Array) -> "Complex":
        """Some of the numbers."""
        return Complex(np.asarray(self.r[..., place]), np.asarray(self.i[..., place]))


def radices_of(size: int) -> list[int]:
    """The radices of the steps for `size` complex numbers, the last step first; empty if they do not make it up."""
    found, rest = list[int](), size
    for radix in (4, 2, 3, 5):
        while rest % radix == 0:
            rest //= radix
            found.append(radix)
    return found if rest == 1 else []


def fixed_fourier(x: Array, roots: Array, turns: Array) -> Array:
    """Return the spectra `[rows, n / 2 + 1, 2]` of rows of `n` real numbers."""
    fixed = _Fixed(8 * x.itemsize - 1)
    half = x.shape[1] // 2
    z = fixed.transform(_pairs(x.reshape(-1, half, 2)), radices_of(half), _pairs(roots), inverse=False)
    low, high = np.arange(1, half // 2 + 1), half - np.arange(1, half // 2 + 1)
    first, mirrored = fixed.shares(z.at(low), 2), fixed.shares(fixed.stored(z.r[:, high], -z.i[:, high]), 2)
    even = fixed.stored(first.r + mirrored.r, first.i + mirrored.i)
    odd = fixed.times(fixed.stored(first.r - mirrored.r, first.i - mirrored.i), _pairs(turns))
    y = np.zeros((x.shape[0], half + 1, 2), np.int64)
    ends = fixed.shares(z.at(0), 2)
    y[:, 0, 0], y[:, half, 0] = ends.r + ends.i, ends.r - ends.i
    y[:, low, 0], y[:, low, 1] = fixed.half(even.r + odd.r), fixed.half(even.i + odd.i)
    y[:, high, 0], y[:, high, 1] = fixed.half(even.r - odd.r), fixed.half(odd.i - even.i)
    return y.astype(x.dtype)


def fixed_inverse(x: Array, roots: Array, turns: Array) -> Array:
    """Return the rows of `n` real numbers of spectra `[rows, n / 2 + 1, 2]`."""
    fixed, half = _Fixed(8 * x.itemsize - 1), x.shape[1] - 1
    given, z = _pairs(x), np.zeros((x.shape[0], half, 2), np.int64)
    low, high = np.arange(1, half // 2 + 1), half - np.arange(1, half // 2 + 1)
    ends = fixed.shares(fixed.stored(given.r[:, 0] + given.r[:, half], given.r[:, 0] - given.r[:, half]), 2)
    z[:, 0, 0], z[:, 0, 1] = ends
    first = fixed.shares(given.at(low), 2)
    mirrored = fixed.shares(fixed.stored(given.r[:, high], -given.i[:, high]), 2)
    even = fixed.stored(first.r + mirrored.r, first.i + mirrored.i)
    odd = fixed.times(fixed.stored(first.r - mirrored.r, first.i - mirrored.i), _pairs(turns))
    z[:, low, 0], z[:, low, 1] = fixed.stored(even.r + odd.r, even.i + odd.i)
    z[:, high, 0], z[:, high, 1] = fixed.stored(even.r - odd.r, odd.i - even.i)
    y = fixed.transform(_pairs(z), radices_of(half), _pairs(roots), inverse=True)
    return np.stack([y.r, y.i], -1).reshape(x.shape[0], 2 * half).astype(x.dtype)


def _pairs(x: Array) -> Complex:
    return Complex(x[..., 0].astype(np.int64), x[..., 1].astype(np.int64))


@frozen
class _Fixed:
    """Arithmetic on numbers of `bits` fractional bits and a sign."""

    bits: int

    def wrapped(self, x: Array) -> Array:
        """`x` as it is stored."""
        return x.astype(f"int{self.bits + 1}").astype(np.int64)

    def stored(self, r: Array, i: Array) -> Complex:
        """A complex number of what is stored."""
        return Complex(self.wrapped(r), self.wrapped(i))

    def rounded(self, product: Array) -> Array:
        """A product shifted back to nearest, ties up."""
        return self.wrapped((product + (1 << (self.bits - 1))) >> self.bits)

    def half(self, x: Array) -> Array:
        """Half of a sum of two numbers, which wraps around at 32 bits."""
        return x.astype(np.int32).astype(np.int64) >> 1

    def times(self, a: Complex, b: Complex) -> Complex:
        """Complex products."""
        return Complex(self.rounded(a.r * b.r - a.i * b.i), self.rounded(a.r * b.i + a.i * b.r))

    def shares(self, x: Complex, radix: int) -> Complex:
        """`x / radix`."""
        share = ((1 << self.bits) - 1) // radix
        return Complex(self.rounded(x.r * share), self.rounded(x.i * share))

    def transform(self, x: Complex, radices: Sequence[int], roots: Complex, *, inverse: bool, unit: int = 1) -> Complex:
        """Transform rows of complex numbers; root `k` of a row is number `k * unit` of `roots`."""
        radix, size = radices[0], x.r.shape[-1]
        parts = [x.at(slice(start, None, radix)) for start in range(radix)]
        if len(radices) > 1:
            parts = [self.transform(part, radices[1:], roots, inverse=inverse, unit=unit * radix) for part in parts]
        places = np.arange(size // radix) * unit
        shares = [self.shares(part, radix) for part in parts]
        rotated = [shares[0], *(self.times(part, roots.at(places * k)) for k, part in enumerate(shares[1:], 1))]
        corner = [roots.at(k * unit * (size // radix)) for k in (1, 2) if k < radix]
        found = [self.stored(*number) for number in _STEPS[radix](self, rotated, corner, inverse)]
        return Complex(np.concatenate([part.r for part in found], -1), np.concatenate([part.i for part in found], -1))


def _radix_2(fixed: _Fixed, x: Sequence[Complex], corner: Sequence[Complex], inverse: bool) -> list[Complex]:
    a, b = x
    return [Complex(a.r + b.r, a.i + b.i), Complex(a.r - b.r, a.i - b.i)]


def _radix_3(fixed: _Fixed, x: Sequence[Complex], corner: Sequence[Complex], inverse: bool) -> list[Complex]:
    a, b, c = x
    total, difference = fixed.stored(b.r + c.r, b.i + c.i), fixed.stored(b.r - c.r, b.i - c.i)
    middle = Complex(a.r - (total.r >> 1), a.i - (total.i >> 1))
    rotated = Complex(fixed.rounded(difference.r * corner[0].i), fixed.rounded(difference.i * corner[0].i))
    return [
        Complex(a.r + total.r, a.i + total.i),
        Complex(middle.r - rotated.i, middle.i + rotated.r),
        Complex(middle.r + rotated.i, middle.i - rotated.r),
    ]


def _radix_4(fixed: _Fixed, x: Sequence[Complex], corner: Sequence[Complex], inverse: bool) -> list[Complex]:
    a, b, c, d = x
    total, rest = Complex(a.r + c.r, a.i + c.i), Complex(a.r - c.r, a.i - c.i)
    others, difference = Complex(b.r + d.r, b.i + d.i), Complex(b.r - d.r, b.i - d.i)
    back = Complex(rest.r - difference.i, rest.i + difference.r)
    forth = Complex(rest.r + difference.i, rest.i - difference.r)
    return [
        Complex(total.r + others.r, total.i + others.i),
        back if inverse else forth,
        Complex(total.r - others.r, total.i - others.i),
        forth if inverse else back,
    ]


def _radix_5(fixed: _Fixed, x: Sequence[Complex], corner: Sequence[Complex], inverse: bool) -> list[Complex]:
    a, b, c, d, e = x
    near, near_rest = fixed.stored(b.r + e.r, b.i + e.i), fixed.stored(b.r - e.r, b.i - e.i)
    far, far_rest = fixed.stored(c.r + d.r, c.i + d.i), fixed.stored(c.r - d.r, c.i - d.i)
    u, v = corner

    def even(one: Array, other: Array) -> Complex:
        r = a.r + fixed.rounded(near.r * one) + fixed.rounded(far.r * other)
        return Complex(r, a.i + fixed.rounded(near.i * one) + fixed.rounded(far.i * other))

    first, second = even(u.r, v.r), even(v.r, u.r)
    odd_r = fixed.rounded(near_rest.i * u.i) + fixed.rounded(far_rest.i * v.i)
    odd_i = -fixed.rounded(near_rest.r * u.i) - fixed.rounded(far_rest.r * v.i)
    other_r = fixed.rounded(far_rest.i * u.i) - fixed.rounded(near_rest.i * v.i)
    other_i = fixed.rounded(near_rest.r * v.i) - fixed.rounded(far_rest.r * u.i)
    return [
        Complex(a.r + near.r + far.r, a.i + near.i + far.i),
        Complex(first.r - odd_r, first.i - odd_i),
        Complex(second.r + other_r, second.i + other_i),
        Complex(second.r - other_r, second.i - other_i),
        Complex(first.r + odd_r, first.i + odd_i),
    ]


_STEPS = {2: _radix_2, 3: _radix_3, 4: _radix_4, 5: _radix_5}
