"""Arithmetic of words of 32 bits of which some bits are known.

    00000xx0 + 1 = 00000xx1        x stands for a bit that may be either
    00000xx1 + 1 = 0000xxx0        and no carry leaves the word

Addition keeps track of carries as Vishwanathan, Shachnai, Narayana and Nagarakatte describe ("Sound, precise, and fast
abstract interpretation with tristate numbers", 2022).
"""

from s2s.support.frozen import frozen

WIDTH = 32
ONES = 2**WIDTH - 1
SIGN = 1 << (WIDTH - 1)


@frozen
class Bits:
    """A word."""

    value: int
    """The known bits; the others are zero here."""
    unknown: int = 0
    """A one for each bit that is not known."""

    @property
    def is_known(self) -> bool:
        """Whether every bit is known."""
        return self.unknown == 0

    @property
    def is_zero(self) -> bool | None:
        """Whether the word is zero; None if it may be or not."""
        return False if self.value else (True if self.is_known else None)

    @property
    def greatest(self) -> int:
        """The greatest number without sign that it may be."""
        return self.value | self.unknown

    def bit(self, number: int) -> bool | None:
        """Return a bit; None if it is not known."""
        return None if self.unknown >> number & 1 else bool(self.value >> number & 1)

    def __and__(self, other: "Bits") -> "Bits":
        value = self.value & other.value
        return Bits(value, self.greatest & other.greatest & ~value)

    def __or__(self, other: "Bits") -> "Bits":
        value = self.value | other.value
        return Bits(value, (self.unknown | other.unknown) & ~value)

    def __xor__(self, other: "Bits") -> "Bits":
        unknown = self.unknown | other.unknown
        return Bits((self.value ^ other.value) & ~unknown, unknown)

    def __invert__(self) -> "Bits":
        return Bits(~self.greatest & ONES, self.unknown)

    def joined(self, other: "Bits") -> "Bits":
        """Return what is known of a word that is one of two."""
        unknown = self.unknown | other.unknown | (self.value ^ other.value)
        return Bits(self.value & ~unknown, unknown)


ANY = Bits(0, ONES)


def exactly(number: int) -> Bits:
    """Return a word of which every bit is known."""
    return Bits(number & ONES)


def total(left: Bits, right: Bits, carry: bool | None = False) -> tuple[Bits, bool | None, bool | None]:
    """Return a sum with a carry into it, the carry out of it and whether it overflows as a sum of signed numbers."""
    add = Bits(0, 1) if carry is None else Bits(int(carry))
    least, most = (
        left.value + right.value + add.value,
        left.greatest + right.greatest + add.greatest,
    )
    unknown = (least ^ most) | left.unknown | right.unknown | add.unknown
    word = Bits(least & ~unknown & ONES, unknown & ONES)
    out = bool(least >> WIDTH) if least >> WIDTH == most >> WIDTH else None
    signs = left.bit(WIDTH - 1), right.bit(WIDTH - 1), word.bit(WIDTH - 1)
    overflows = None if None in signs else signs[0] == signs[1] != signs[2]
    return word, out, overflows


def shifted_left(word: Bits, count: int) -> tuple[Bits, bool | None]:
    """Return a word shifted left by 1 to 32 bits, and the last bit that left it."""
    out = word.bit(WIDTH - count)
    return Bits(word.value << count & ONES, word.unknown << count & ONES), out


def shifted_right(word: Bits, count: int) -> tuple[Bits, bool | None]:
    """Return a word shifted right by 1 to 32 bits, with zeros behind it, and the last bit that left it."""
    return Bits(word.value >> count, word.unknown >> count), word.bit(count - 1)


def shifted_signed(word: Bits, count: int) -> tuple[Bits, bool | None]:
    """Return a word shifted right by 1 to 32 bits, with its sign behind it, and the last bit that left it."""
    fill = ONES & ~(ONES >> count)
    sign = word.bit(WIDTH - 1)
    behind = Bits(0, fill) if sign is None else Bits(fill if sign else 0)
    moved, out = shifted_right(word, count)
    return moved | behind, out


def extended(word: Bits, width: int, *, is_signed: bool) -> Bits:
    """Return the lowest bits of a word, extended by zeros or by their sign."""
    low, _ = shifted_left(word, WIDTH - width)
    return (shifted_signed if is_signed else shifted_right)(low, WIDTH - width)[0]


__all__ = [
    "ANY",
    "ONES",
    "WIDTH",
    "Bits",
    "exactly",
    "extended",
    "shifted_left",
    "shifted_right",
    "shifted_signed",
    "total",
]
