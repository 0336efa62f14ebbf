"""Positions behind the end of an axis of varying size that hold a known number."""

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from s2s.types.hints import isa

MARGINS = "margins"
"""Discardable attribute of a computation: the margins of its result."""


class Margin(NamedTuple):
    """The elements at `positions` places from `size` on along `axis` of a result hold `value`, as far as the axis has
    room."""

    axis: int
    size: str
    positions: int
    value: Attribute


def margins_attribute(margins: Iterable[Margin]) -> ArrayAttr[DictionaryAttr]:
    """Return `margins` as an attribute."""
    return ArrayAttr(
        DictionaryAttr(
            {
                "axis": IntegerAttr(each.axis, i64),
                "count": IntegerAttr(each.positions, i64),
                "size": StringAttr(each.size),
                "value": each.value,
            }
        )
        for each in margins
    )


def margins_of(attribute: Attribute | None) -> list[Margin]:
    """Return the margins that an attribute holds."""
    found = list[Margin]()
    for each in attribute if isa(attribute, ArrayAttr[DictionaryAttr]) else ():
        axis, count, size = (each.data[key] for key in ("axis", "count", "size"))
        assert isa(axis, IntegerAttr)
        assert isa(count, IntegerAttr)
        assert isinstance(size, StringAttr)
        found.append(Margin(axis.value.data, size.data, count.value.data, each.data["value"]))
    return found
