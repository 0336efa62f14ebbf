"""Match the operations that quantise a float: round it, add a zero point, limit the sum to bytes, and convert it.

%r = math.roundeven %v : f32
%z = arith.addf %r, %zero_point : f32                                // left out for a zero point of 0
%q = arith.fptosi (arith.minimumf (arith.maximumf %z, -128.0), 127.0) : f32 to i8

The limits may be left out, because the conversion saturates.
"""

from collections.abc import Container

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, f32, i8
from xdsl.ir import Operation, SSAValue

from s2s.dialects import tensor
from s2s.support.frozen import frozen
from s2s.types.hints import isa

LOW, HIGH = -128, 127
FINITE = (arith.AddfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MulfOp, arith.SubfOp)
"""Operations that give a NaN for a NaN only, unless they overflow."""


@frozen
class Quantisation:
    """`x` rounded to an integer, halves to even, plus `zero_point`, saturated to a byte; NaN gives 0."""

    x: SSAValue
    zero_point: int
    maybe_nan: bool
    steps: tuple[Operation, ...]
    """The operations between `x` and the conversion, the last one first."""


def quantisation_of(op: arith.FPToSIOp, numbers: Container[SSAValue]) -> Quantisation | None:
    """Return the quantisation that `op` ends; None if it ends none. `numbers` are floats that are no NaN."""
    if op.result.type != i8 or op.input.type != f32:
        return None
    step, steps, zero_point = op.input.owner, list[Operation](), 0.0
    for kind, limit in ((arith.MinimumfOp, HIGH), (arith.MaximumfOp, LOW)):
        if isinstance(step, kind) and _constant(step.rhs) == limit:
            steps.append(step)
            step = step.lhs.owner
    if isinstance(step, arith.AddfOp) and (zero_point := _constant(step.rhs)) is not None:
        steps.append(step)
        step = step.lhs.owner
    if not isinstance(step, math.RoundEvenOp):
        return None
    if zero_point is None or not LOW <= zero_point <= HIGH or zero_point != int(zero_point):
        return None
    return Quantisation(step.operand, int(zero_point), not _is_finite(step.operand, numbers), (*steps, step))


def constant_numbers(op: tensor.ComputeOp, constants: Container[SSAValue]) -> set[SSAValue]:
    """Return the arguments of the region of `op` that stand for elements of `constants`."""
    arguments = op.apply.block.args[len(op.inits) :]
    return {argument for argument, operand in zip(arguments, op.epilogue, strict=False) if operand in constants}


def _constant(value: SSAValue) -> float | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isa(owner.value, FloatAttr):
        return owner.value.value.data
    return None


def _is_finite(value: SSAValue, numbers: Container[SSAValue]) -> bool:
    """Return whether a float is computed from integers, constants, and `numbers` by such operations."""
    owner = value.owner
    if value.type != f32:
        return False
    if isinstance(owner, FINITE):
        return all(_is_finite(operand, numbers) for operand in owner.operands)
    if isinstance(owner, arith.DivfOp):
        return bool(_constant(owner.rhs)) and _is_finite(owner.lhs, numbers)
    return isinstance(owner, arith.SIToFPOp | arith.ConstantOp) or value in numbers
