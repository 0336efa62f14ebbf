"""The attribute that numbers the zero points of a kernel which a pack of weights brings.

Operations that one computation of the tensor level becomes, tile by tile, keep the number; equal zero points of two
tensors have two numbers, since those of a retrained model may differ.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation

from s2s.types.hints import isa

PACKED_NUMBER = "packed_number"
"""Attribute of an operation that adds a zero point, or is one."""


def number_of(op: Operation) -> int | None:
    """Return the number of the zero point that `op` adds or is; None if the pack brings none for it."""
    number = op.attributes.get(PACKED_NUMBER)
    return number.value.data if isa(number, IntegerAttr) else None


def numbered(number: int | None) -> Mapping[str, Attribute]:
    """Return the attributes of an operation that adds zero point `number`."""
    return {} if number is None else {PACKED_NUMBER: IntegerAttr(number, i64)}


__all__ = ["PACKED_NUMBER", "number_of", "numbered"]
