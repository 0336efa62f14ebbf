"""The types of numbers in C that kernels use: integers, and floats of 32 bits."""

from s2s.prove.faults import Unprovable
from s2s.support.frozen import frozen

REAL = 64
"""The mark of floats in the width of a cell."""


def bytes_of(width: int) -> int:
    """The bytes of a number from the mark of its cell."""
    return width & (REAL - 1)


@frozen
class IntType:
    """An integer type of `bits` bits in two's complement; F32 has the keys of floats (`s2s.prove.floats`)."""

    bits: int
    signed: bool
    real: bool = False

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return max(1, self.bits // 8)

    @property
    def width(self) -> int:
        """What cells of memory that hold such a number are marked with: its bytes, and whether it is a float."""
        return self.size | (REAL if self.real else 0)

    @property
    def least(self) -> int:
        """The least value; the one of 64 unsigned bits is a residue, see `s2s.prove.intervals`."""
        if self.real:
            return ~self.most
        return -(1 << (self.bits - 1)) if self.signed or self.bits == 64 else 0

    @property
    def most(self) -> int:
        """The greatest value, for 64 unsigned bits the greatest residue."""
        if self.real:
            return 0x7F800000
        return (1 << (self.bits - 1)) - 1 if self.signed or self.bits == 64 else (1 << self.bits) - 1


BOOL = IntType(1, signed=False)
I8, I16, I32, I64 = (IntType(bits, signed=True) for bits in (8, 16, 32, 64))
F32 = IntType(32, signed=True, real=True)
U8, U16, U32, U64 = (IntType(bits, signed=False) for bits in (8, 16, 32, 64))

NAMES: dict[str, IntType] = {
    "int8_t": I8,
    "int16_t": I16,
    "int32_t": I32,
    "int64_t": I64,
    "uint8_t": U8,
    "uint16_t": U16,
    "uint32_t": U32,
    "uint64_t": U64,
    "_Bool": BOOL,
    "bool": BOOL,
    "signed char": I8,
    "unsigned char": U8,
    "short": I16,
    "int": I32,
    "unsigned": U32,
    "unsigned int": U32,
    "long long": I64,
    "unsigned long long": U64,
    "size_t": U32,
    "uintptr_t": U32,
    "ptrdiff_t": I32,
    "float": F32,
}
"""`size_t` is taken as 32 bits: kernels count with it far below that. `char` and `long` differ between compilers."""


def promoted(ctype: IntType) -> IntType:
    """The type after the integer promotions."""
    return I32 if ctype.bits < 32 else ctype


def common(a: IntType, b: IntType) -> IntType:
    """The type of an arithmetic operation on `a` and `b`, by the usual arithmetic conversions."""
    if a.real or b.real:
        return F32
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return IntType(a.bits, a.signed and b.signed)


def named(words: list[str]) -> IntType:
    """The type that C spells with these words."""
    name = " ".join(words)
    if name not in NAMES:
        msg = f"numbers of type {name} are not known to the prover"
        raise Unprovable(msg)
    return NAMES[name]
