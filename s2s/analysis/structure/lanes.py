"""Decide whether a computation on bytes and integers can be vectorized with lanes of 32 bits."""

from collections.abc import Iterable, Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, f16, f32, i8, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from s2s.analysis.affine.strides import VECTOR_OPS
from s2s.dialects import loop, tensor
from s2s.types.dtypes import as_tensor_type, ui8
from s2s.types.hints import isa

WORD_OPS = (arith.AddiOp, arith.AndIOp, arith.MuliOp, arith.OrIOp, arith.SubiOp, arith.XOrIOp)
"""Operations that wrap around at 32 bits."""
BIT_OPS = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)
"""Bitwise operations, whose results are the same on bytes as on sign-extended bytes."""
CASTS = (
    arith.ExtFOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
    arith.TruncFOp,
    arith.TruncIOp,
    arith.UIToFPOp,
)
"""Conversions that exist in lanes for some pairs of types."""
PLAIN_OPS = (
    *VECTOR_OPS,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.SIToFPOp,
    math.RoundEvenOp,
    tensor.InBoundsOp,
    tensor.QuantizeOp,
    tensor.SaturateOp,
    tensor.YieldOp,
)
"""Operations that do the same in lanes as on scalars."""

LANE_FUNCTIONS: Mapping[type[Operation], str] = {
    arith.AddfOp: "add",
    arith.SubfOp: "sub",
    arith.MulfOp: "mul",
    arith.DivfOp: "div",
    arith.MinimumfOp: "min",
    arith.MaximumfOp: "max",
    arith.NegfOp: "neg",
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.MinSIOp: "min",
    arith.MaxSIOp: "max",
    arith.AndIOp: "bit_and",
    arith.OrIOp: "bit_or",
    math.AbsFOp: "abs",
    math.AbsIOp: "abs",
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.AtanhOp: "atanh",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    tensor.ExpNonpositiveOp: "exp_nonpositive",
    math.LogOp: "log",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.SqrtOp: "sqrt",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
}
"""Functions of operations lane by lane, behind the name of a vector: `s2s_f32x4_add`, and in strips `s2s_f32xn_add`."""


def in_lanes(op: tensor.ComputeOp) -> bool:
    """Return whether all of `op` can run in vectors of bytes, 32-bit integers and floats."""
    if not op.rank or not _are_carried([*op.reads, *op.epilogue, *op.res], op.tables):
        return False
    return _all_in_lanes([op.apply, *([op.reduce] if op.reduce is not None else [])])


def results_in_lanes(op: tensor.ComputeOp) -> bool:
    """Return whether the `apply` region of `op` can run in such vectors."""
    return _are_carried([*op.epilogue, *op.res], op.tables) and _all_in_lanes([op.apply])


def _are_carried(values: Iterable[SSAValue], tables: Iterable[SSAValue]) -> bool:
    """Return whether vectors can load and store these tensors, and gather from these lookup tables."""
    types = [as_tensor_type(table.type) for table in tables]
    if any(type.element_type != i8 or type.get_shape() != (loop.TABLE,) for type in types):
        return False
    return all(as_tensor_type(value.type).element_type in (i8, ui8, i32, f32, f16) for value in values)


def _all_in_lanes(regions: Iterable[Region]) -> bool:
    return all(_converts_halves(region.block) and all(map(_has_lanes, region.block.ops)) for region in regions)


def _converts_halves(block: Block) -> bool:
    """Return whether halves are only widened, and rounded where they are yielded: lanes carry them as floats."""
    widened = all(
        isinstance(use.operation, arith.ExtFOp) for each in block.args if each.type == f16 for use in each.uses
    )
    yielded = [each for op in block.ops if isinstance(op, tensor.YieldOp) for each in op.arguments]
    return widened and all(isinstance(each.owner, arith.TruncFOp) for each in yielded if each.type == f16)


def _has_lanes(op: Operation) -> bool:
    if isinstance(op, arith.IndexCastOp):
        return op.input.type == i32 and all(isinstance(use.operation, tensor.ExtractOp) for use in op.result.uses)
    if isinstance(op, CASTS):
        return _is_cast_in_lanes(op)
    if any(result.type not in (i8, i32, f32) for result in op.results) and not isinstance(op, tensor.InBoundsOp):
        return False
    match op:
        case tensor.RescaleOp():
            return op.rounding.data in loop.LANE_ROUNDINGS
        case tensor.ExtractOp():
            return len(op.indices) == 1 and isinstance(op.indices[0].owner, arith.IndexCastOp)
        case arith.ShLIOp() | arith.ShRSIOp():
            return isinstance(op.rhs.owner, arith.ConstantOp)
        case arith.SelectOp():
            return isinstance(op.cond.owner, tensor.InBoundsOp)
        case _ if isinstance(op, WORD_OPS):
            return op.results[0].type == i32 or isinstance(op, BIT_OPS)
        case _:
            return isinstance(op, PLAIN_OPS)


def _is_cast_in_lanes(op: Operation) -> bool:
    given, wanted = op.operands[0], op.results[0].type
    match op:
        case arith.ExtFOp():
            return given.type == f16 and wanted == f32
        case arith.TruncFOp():
            return given.type == f32 and wanted == f16 and _is_yielded_or_widened(op.result)
        case _ if wanted not in (i8, i32, f32):
            return False
        case arith.TruncIOp():
            return is_byte(given) or _is_only_yielded(op.result)
        case arith.FPToSIOp():
            return True
        case arith.FPToUIOp():
            return wanted == i8
        case _:
            return given.type == i8


def _is_only_yielded(value: SSAValue) -> bool:
    return all(isinstance(use.operation, tensor.YieldOp) for use in value.uses)


def _is_yielded_or_widened(value: SSAValue) -> bool:
    return all(isinstance(use.operation, tensor.YieldOp | arith.ExtFOp) for use in value.uses)


def is_byte(value: SSAValue, *, unsigned: bool = False) -> bool:
    """Return whether a value is known to lie in [-128, 127], or in [0, 255] if `unsigned`, because it is clamped to
    that."""
    upper = value.owner
    if not isinstance(upper, arith.MinSIOp | arith.MinimumfOp):
        return False
    lower = upper.lhs.owner
    if not isinstance(lower, arith.MaxSIOp | arith.MaximumfOp):
        return False
    low, high = _constant(lower.rhs), _constant(upper.rhs)
    least = 0 if unsigned else -128
    return low is not None and high is not None and least <= low <= high <= least + 255


def _constant(value: SSAValue) -> float | None:
    """Return the number that every lane of `value` holds; None if it is not constant."""
    op = value.owner
    if isinstance(op, loop.BroadcastOp):
        op = op.scalar.owner
    if not isinstance(op, arith.ConstantOp) or isinstance(op.value, DenseIntOrFPElementsAttr):
        return None
    return op.value.value.data if isa(op.value, IntegerAttr | FloatAttr) else None


__all__ = ["LANE_FUNCTIONS", "in_lanes", "is_byte", "results_in_lanes"]
