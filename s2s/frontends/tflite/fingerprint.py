"""FarmHash's Fingerprint64 (Pike and Alakuijala, 2014) of byte strings of one length, many at once.

A key is a list of parts in the order of its bytes, the lowest byte of a number first; the arithmetic is that of 64-bit
integers that wrap around. The hash of a length is one formula: 1 to 16, 17 to 32, 33 to 64 bytes, and blocks of 64.
"""

from collections.abc import Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast
from s2s.support.frozen import frozen

_WIDE = np.dtype(np.uint64)
_MASK = 2**64 - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_BLOCK, _SEED = 64, 81
Pair = tuple[Value, Value]


@frozen
class Key:
    """Byte strings; `parts` are unsigned integers whose shapes broadcast."""

    parts: Sequence[Value]

    @property
    def length(self) -> int:
        """Bytes of each string."""
        return sum(part.dtype.itemsize for part in self.parts)

    def word(self, place: int) -> Value:
        """The eight bytes from `place` on, zeros behind the end."""
        found: list[Value] = []
        start = -place
        for part in self.parts:
            if -part.dtype.itemsize < start < 8:
                found.append(_shifted(cast(part, _WIDE), 8 * start))
            start += part.dtype.itemsize
        word = found[0]
        for other in found[1:]:
            word = emit(graph.BitwiseOrOp, word, other)
        return word

    def half(self, place: int) -> Value:
        """The four bytes from `place` on."""
        return _and(self.word(place), 2**32 - 1)

    def byte(self, place: int) -> Value:
        """The byte at `place`."""
        return _and(self.word(place), 255)


def fingerprint(key: Key) -> Value:
    """The hash of each string, as uint64."""
    length = key.length
    if length <= 16:
        return _short(key)
    if length <= 32:
        return _medium(key)
    return _long(key) if length <= _BLOCK else _blocks(key)


def _shifted(x: Value, bits: int) -> Value:
    """`x * 2 ** bits`, for negative ones to the right."""
    if bits == 0:
        return x
    return emit(graph.ShiftLeftOp if bits > 0 else graph.ShiftRightOp, x, x.like(abs(bits)))


def _and(x: Value, mask: int) -> Value:
    return emit(graph.BitwiseAndOp, x, x.like(mask))


def _xor(a: Value, b: Value) -> Value:
    return emit(graph.BitwiseXorOp, a, b)


def _rotated(x: Value, bits: int) -> Value:
    return emit(graph.BitwiseOrOp, _shifted(x, -bits), _shifted(x, 64 - bits))


def _mixed(x: Value) -> Value:
    return _xor(x, _shifted(x, -47))


def _of_pair(u: Value, v: Value, factor: Value | int) -> Value:
    a = _mixed(_xor(u, v) * factor)
    return _mixed(_xor(v, a) * factor) * factor


def _short(key: Key) -> Value:
    """Up to 16 bytes."""
    length, factor = key.length, _K2 + 2 * key.length & _MASK
    if length >= 8:
        a, b = key.word(0) + _K2, key.word(length - 8)
        return _of_pair(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if length >= 4:
        return _of_pair(_shifted(key.half(0), 3) + length, key.half(length - 4), factor)
    y = key.byte(0) + _shifted(key.byte(length >> 1), 8)
    z = _shifted(key.byte(length - 1), 2) + length
    return _mixed(_xor(y * _K2, z * _K0)) * _K2


def _medium(key: Key) -> Value:
    """17 to 32 bytes."""
    length, factor = key.length, _K2 + 2 * key.length & _MASK
    a, b = key.word(0) * _K1, key.word(8)
    c, d = key.word(length - 8) * factor, key.word(length - 16) * _K2
    return _of_pair(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, factor)


def _long(key: Key) -> Value:
    """33 to 64 bytes."""
    length, factor = key.length, _K2 + 2 * key.length & _MASK
    a, b = key.word(0) * _K2, key.word(8)
    c, d = key.word(length - 8) * factor, key.word(length - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _of_pair(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = key.word(16) * factor, key.word(24)
    g, h = (y + key.word(length - 32)) * factor, (z + key.word(length - 24)) * factor
    return _of_pair(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _weak(key: Key, place: int, a: Value, b: Value) -> Pair:
    """A hash of 32 bytes into two numbers."""
    first, second, third, last = (key.word(place + 8 * n) for n in range(4))
    a = a + first
    b, c = _rotated(b + a + last, 21), a
    a = a + second + third
    return a + last, b + _rotated(a, 44) + c


def _blocks(key: Key) -> Value:
    """More than 64 bytes: a state of seven numbers over blocks, then the last 64 bytes."""
    length, zero = key.length, key.word(0) * 0
    y = zero + (_SEED * _K1 + 113 & _MASK)
    z = _mixed(y * _K2 + 113) * _K2
    x = key.word(0) + (_SEED * _K2 & _MASK)
    v, w = (zero, zero), (zero, zero)
    for place in range(0, (length - 1) // _BLOCK * _BLOCK, _BLOCK):
        x, y, z, v, w = _step(key, place, (x, y, z), v, w, zero + _K1, 1)
    factor = _shifted(_and(z, 255), 1) + _K1
    w = w[0] + (length - 1) % _BLOCK, w[1]
    v = v[0] + w[0], v[1]
    w = w[0] + v[0], w[1]
    x, y, z, v, w = _step(key, length - _BLOCK, (x, y, z), v, w, factor, 9)
    first = _of_pair(v[0], w[0], factor) + _mixed(y) * _K0 + z
    return _of_pair(first, _of_pair(v[1], w[1], factor) + x, factor)


def _step(
    key: Key, place: int, state: tuple[Value, Value, Value], v: Pair, w: Pair, factor: Value, times: int
) -> tuple[Value, Value, Value, Pair, Pair]:
    """Take 64 bytes into the state; `times` weighs what the block before has left."""
    x, y, z = state
    x = _rotated(x + y + v[0] + key.word(place + 8), 37) * factor
    y = _rotated(y + v[1] + key.word(place + 48), 42) * factor
    x = _xor(x, w[1] * times)
    y = y + v[0] * times + key.word(place + 40)
    z = _rotated(z + w[0], 33) * factor
    v = _weak(key, place, v[1] * factor, x + w[0])
    w = _weak(key, place + 32, z + w[1], y + key.word(place + 16))
    return z, y, x, v, w
