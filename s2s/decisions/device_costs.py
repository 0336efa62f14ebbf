"""Estimate the cycles of an operator on a target, before it has a kernel: its work by what an instruction does."""

from math import prod

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from s2s.dialects.graph.interfaces import multiply_adds
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type, size_in_bytes


def cycles_on(op: Operation, target: Target) -> float:
    """Return the cycles of `op`: one for each instruction's share of its multiply-adds, or of the elements it reads and
    writes."""
    sums = multiply_adds(op)
    if sums:
        factor = as_tensor_type(op.operands[0].type).element_type
        return sums / (target.lanes if isinstance(factor, AnyFloat) else _products(size_in_bytes(factor), target))
    return max(map(_elements, (*op.operands, *op.results)), default=0) / max(target.lanes, 1)


def bytes_of(value: SSAValue) -> int:
    """Return the bytes of a tensor."""
    return _elements(value) * size_in_bytes(as_tensor_type(value.type).element_type)


def _products(size: int, target: Target) -> int:
    """Return the products of integers that an instruction adds up."""
    plain = max(target.lanes, target.integer_lanes, 1)
    if size > 1:
        return plain
    return max([plain, *(each.group * max(each.lanes, default=1) for each in target.intrinsics)])


def _elements(value: SSAValue) -> int:
    return prod(as_tensor_type(value.type).get_shape())
