"""Attributes of the tensor dialect: access maps of operands, and layouts of packed constants."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects.builtin import I64, AffineMapAttr, DenseArrayBase, StringAttr, i64
from xdsl.ir import ParametrizedAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

GUARDED = "guarded"
TOTAL = "total"
BLOCK = "floordiv"
PLACE = "mod"


def integers(values: Sequence[int]) -> DenseArrayBase[I64]:
    """`values` as a dense array of i64."""
    return _array(tuple(values))


@lru_cache(maxsize=4096)
def _array(values: tuple[int, ...]) -> DenseArrayBase[I64]:
    return DenseArrayBase.from_list(i64, values)


def values_of(attribute: DenseArrayBase[I64]) -> tuple[int, ...]:
    """Return the numbers of a dense array of i64, which `get_values` takes longer to unpack."""
    data = attribute.data.data
    return struct.unpack(f"<{len(data) // 8}q", data)


@irdl_attr_definition
class AccessAttr(ParametrizedAttribute):
    """The element of an operand that a point of the domain reads.

    Dimension `k` of the operand is read at `map.results[k] / divisors[k]`. A guarded access may be out of bounds, or
    between elements where the division is not exact: a reduction skips such a point, an `apply` region sees an
    unspecified value and asks `tensor.in_bounds`.

        #tensor.access<affine_map<(d0, d1) -> (d0 + d1 - 1)>, guarded>
        #tensor.access<affine_map<(d0, d1) -> (d0 - d1)>, guarded, divisors [2]>
    """

    name = "tensor.access"

    map: AffineMapAttr
    guard: StringAttr
    divisors: DenseArrayBase[I64]

    @staticmethod
    def of(affine_map: AffineMap, *, guarded: bool = False, divisors: Sequence[int] | None = None) -> AccessAttr:
        """Create an access by `affine_map`, in bounds everywhere unless `guarded`."""
        rank = len(affine_map.results)
        return AccessAttr(
            AffineMapAttr(affine_map),
            StringAttr(GUARDED if guarded else TOTAL),
            integers(divisors if divisors is not None else [1] * rank),
        )

    @property
    def is_guarded(self) -> bool:
        """Whether the access may be out of bounds."""
        return self.guard.data == GUARDED

    @property
    def division(self) -> tuple[int, ...]:
        """The divisor of each operand dimension."""
        return values_of(self.divisors)

    def verify(self) -> None:
        if len(self.map.data.results) != len(self.division):
            raise VerifyException(
                f"tensor.access: {len(self.map.data.results)} map results, {len(self.division)} divisors"
            )
        if any(divisor < 1 for divisor in self.division):
            raise VerifyException(f"tensor.access: divisors {list(self.division)} are not all positive")
        if any(divisor > 1 for divisor in self.division) and not self.is_guarded:
            raise VerifyException("tensor.access: a division may leave a rest, so the access must be guarded")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.map)
            if self.is_guarded:
                printer.print_string(", guarded")
            if any(divisor > 1 for divisor in self.division):
                printer.print_string(f", divisors {list(self.division)}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[AffineMapAttr | StringAttr | DenseArrayBase[I64]]:
        with parser.in_angle_brackets():
            affine_map = parser.parse_attribute()
            if not isinstance(affine_map, AffineMapAttr):
                parser.raise_error("expected an affine map")
            guarded, divisors = False, [1] * len(affine_map.data.results)
            while parser.parse_optional_punctuation(","):
                if parser.parse_optional_keyword("guarded"):
                    guarded = True
                else:
                    parser.parse_keyword("divisors")
                    divisors = parse_integers(parser)
        access = cls.of(affine_map.data, guarded=guarded, divisors=divisors)
        return [access.map, access.guard, access.divisors]


def parse_integers(parser: AttrParser) -> list[int]:
    """Parse `[1, 2, 3]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


class PackedAxis(NamedTuple):
    """One axis of a packed constant: a digit of the position along an axis of the operand, or along several in a row.

    0                       all of axis 0
    0 floordiv 8            the blocks of 8 along it
    0 mod 8                 the place in a block
    (2 3 1) floordiv 4      blocks of 4 along axes 2, 3 and 1 taken as one, the last running fastest
    0 floordiv 2 mod 2      a digit between two others
    """

    axes: tuple[int, ...]
    divisor: int = 1
    modulus: int = 0

    @staticmethod
    def blocks(axis: int, size: int) -> PackedAxis:
        """Return the axis of blocks of `size` along `axis`."""
        return PackedAxis((axis,), size)

    @staticmethod
    def place(axis: int, size: int) -> PackedAxis:
        """Return the axis of positions in a block of `size` along `axis`."""
        return PackedAxis((axis,), 1, size)

    def __str__(self) -> str:
        name = str(self.axes[0]) if len(self.axes) == 1 else f"({' '.join(map(str, self.axes))})"
        block = f" {BLOCK} {self.divisor}" if self.divisor > 1 else ""
        return f"{name}{block} {PLACE} {self.modulus}" if self.modulus else f"{name}{block}"


def layout_of(text: str) -> tuple[PackedAxis, ...]:
    """Parse the axes of a layout, outermost first."""
    return tuple(_packed_axis(axis) for axis in text.split(", "))


def parse_layout(parser: AttrParser) -> list[PackedAxis]:
    """Parse `[0 floordiv 8, 1, 0 mod 8]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_packed_axis(parser))


def _packed_axis(text: str) -> PackedAxis:
    names, _, rest = text.partition(")") if text.startswith("(") else text.partition(" ")
    words = rest.split()
    numbers = {word: int(number) for word, number in zip(words[::2], words[1::2], strict=True)}
    return PackedAxis(tuple(map(int, names.strip("(").split())), numbers.get(BLOCK, 1), numbers.get(PLACE, 0))


def _parse_packed_axis(parser: AttrParser) -> PackedAxis:
    axes: list[int] = []
    if parser.parse_optional_punctuation("("):
        while not parser.parse_optional_punctuation(")"):
            axes.append(parser.parse_integer())
    else:
        axes.append(parser.parse_integer())
    divisor = parser.parse_integer() if parser.parse_optional_keyword(BLOCK) else 1
    modulus = parser.parse_integer() if parser.parse_optional_keyword(PLACE) else 0
    return PackedAxis(tuple(axes), divisor, modulus)
