"""Whether a computation on bytes and integers has a form in lanes of 32 bits."""

from collections.abc import Iterable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, f32, i8, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.dtypes import as_tensor_type
from s2s.analysis.strides import VECTOR_OPS
from s2s.dialects import loop, tensor

WORD_OPS = (arith.AddiOp, arith.AndIOp, arith.MuliOp, arith.OrIOp, arith.SubiOp, arith.XOrIOp)
"""What wraps around at 32 bits."""
PLAIN_OPS = (
    *VECTOR_OPS,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.SIToFPOp,
    math.RoundEvenOp,
    tensor.InBoundsOp,
    tensor.SaturateOp,
    tensor.YieldOp,
)
"""What lanes do as scalars do."""


def in_lanes(op: tensor.ComputeOp) -> bool:
    """Whether all of `op` runs in vectors of bytes, 32-bit integers and floats."""
    if op.tables or not op.rank or not are_signed([*op.reads, *op.points, *op.res]):
        return False
    return _all_in_lanes([op.apply, *([op.reduce] if op.reduce is not None else [])])


def results_in_lanes(op: tensor.ComputeOp) -> bool:
    """Whether what follows the reduction does."""
    return are_signed([*op.points, *op.res]) and _all_in_lanes([op.apply])


def are_signed(values: Iterable[SSAValue]) -> bool:
    """Whether vectors can read and write these tensors: floats, and integers that are signed in memory, too.

    Scalars lose their sign, which is the matter of the operations on them; memory keeps it, and vectors have no
    unsigned form of it.
    """
    return all(as_tensor_type(value.type).element_type in (i8, i32, f32) for value in values)


def _all_in_lanes(regions: Iterable[Region]) -> bool:
    return all(_has_lanes(inner) for region in regions for inner in region.block.ops)


def _has_lanes(op: Operation) -> bool:
    if any(result.type not in (i8, i32, f32) for result in op.results) and not isinstance(op, tensor.InBoundsOp):
        return False
    match op:
        case tensor.RescaleOp():
            return op.rounding.data in loop.LANE_ROUNDINGS
        case arith.ExtSIOp():
            return op.input.type == i8
        case arith.TruncIOp():
            return is_byte(op.input) or all(isinstance(use.operation, tensor.YieldOp) for use in op.result.uses)
        case arith.FPToSIOp():
            return op.result.type == i32 or is_byte(op.input)
        case arith.ShRSIOp():
            return isinstance(op.rhs.owner, arith.ConstantOp)
        case arith.SelectOp():
            return isinstance(op.cond.owner, tensor.InBoundsOp)
        case _ if isinstance(op, WORD_OPS):
            return op.results[0].type == i32
        case _:
            return isinstance(op, PLAIN_OPS)


def is_byte(value: SSAValue) -> bool:
    """Whether a number is known to lie within -128 and 127: it is limited to that."""
    upper = value.owner
    if not isinstance(upper, arith.MinSIOp | arith.MinimumfOp):
        return False
    lower = upper.lhs.owner
    if not isinstance(lower, arith.MaxSIOp | arith.MaximumfOp):
        return False
    low, high = _constant(lower.rhs), _constant(upper.rhs)
    return low is not None and high is not None and -128 <= low <= high <= 127


def _constant(value: SSAValue) -> float | None:
    """The number that every lane of `value` is."""
    op = value.owner
    if isinstance(op, loop.BroadcastOp):
        op = op.scalar.owner
    if not isinstance(op, arith.ConstantOp) or isinstance(op.value, DenseIntOrFPElementsAttr):
        return None
    return op.value.value.data if isa(op.value, IntegerAttr | FloatAttr) else None


__all__ = ["are_signed", "in_lanes", "is_byte", "results_in_lanes"]
