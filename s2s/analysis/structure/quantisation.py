"""Match the operations that quantise a float: round it, add a zero point, limit the sum to 8 or 16 bits, and convert
it.

%v = arith.divf %x, %divisor : f32                                   // perhaps
%r = math.roundeven %v : f32
%z = arith.addf %r, %zero_point : f32                                // left out for a zero point of 0
%q = arith.fptosi (arith.minimumf (arith.maximumf %z, -128.0), 127.0) : f32 to i8

The limits may be left out, because the conversion saturates. TFLite rounds halves away from zero, and limits before:

%c = arith.minimumf (arith.maximumf %v, -128.0), 127.0 : f32         // less the zero point
%f = math.floor (math.absf %c)
%a = arith.addf %f, (arith.select (|%c| - %f < 0.5), 0.0, 1.0)
%q = arith.trunci (arith.fptosi (arith.select (%c < 0.0), -%a, %a) : f32 to i32 + %zero_point) : i32 to i8

and limits to 0 and 255 for bytes without sign.
"""

from collections.abc import Container, Iterator

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f32, i8, i16, i32
from xdsl.ir import Operation, SSAValue

from s2s.dialects import tensor
from s2s.support.frozen import frozen
from s2s.types.hints import isa

FINITE = (arith.AddfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MulfOp, arith.SubfOp)
"""Operations that give a NaN for a NaN only, unless they overflow."""


@frozen
class Quotient:
    """`x / divisor`, which only a quantisation uses."""

    x: SSAValue
    divisor: float
    op: Operation


@frozen
class Quantisation:
    """`x` rounded to an integer plus `zero_point`, saturated to `element`; halves go to even, and NaN gives 0, or, with
    `away`, away from zero, and NaN gives `zero_point`. Numbers begin at `low`, -128 for bytes, or 0 without a sign."""

    x: SSAValue
    zero_point: int
    maybe_nan: bool
    away: bool
    steps: tuple[Operation, ...]
    """The operations between `x` and the conversion, the last one first."""
    low: int
    element: IntegerType

    @property
    def signed_low(self) -> int:
        """The least number of `element` with a sign."""
        return -_half(self.element)

    @property
    def quotient(self) -> Quotient | None:
        """The division by a constant that `x` is; None if it is none."""
        op = self.x.owner
        if not isinstance(op, arith.DivfOp) or (divisor := _constant(op.rhs)) is None:
            return None
        uses = {use.operation for use in op.result.uses}
        return Quotient(op.lhs, divisor, op) if uses <= set(self.steps) or len(uses) == 1 else None


def quantisation_of(op: Operation, numbers: Container[SSAValue]) -> Quantisation | None:
    """Return the quantisation that `op` ends; None if it ends none. `numbers` are floats that are no NaN."""
    element = op.results[0].type if op.results else None
    if not isa(element, IntegerType) or element not in (i8, i16):
        return None
    if isinstance(op, arith.FPToSIOp | arith.FPToUIOp):
        return _to_even(op, element, numbers, -_half(element) if isinstance(op, arith.FPToSIOp) else 0)
    return _away(op, element) if isinstance(op, arith.TruncIOp) else None


def _half(element: IntegerType) -> int:
    return 1 << (element.width.data - 1)


def quantisations(op: tensor.Computation, constants: Container[SSAValue]) -> Iterator[tuple[Operation, Quantisation]]:
    """Yield the operations of `op` that end a quantisation; `constants` are the weights among its operands."""
    arguments = op.apply.block.args[1 if isinstance(op, tensor.TransformOp) else len(op.inits) :]
    numbers = {argument for argument, operand in zip(arguments, op.epilogue, strict=False) if operand in constants}
    for inner in list(op.apply.block.ops):
        if (found := quantisation_of(inner, numbers)) is not None:
            yield inner, found


def _to_even(
    op: arith.FPToSIOp | arith.FPToUIOp, element: IntegerType, numbers: Container[SSAValue], low: int
) -> Quantisation | None:
    high = low + 2 * _half(element) - 1
    if op.input.type != f32:
        return None
    step, steps, zero_point = op.input.owner, list[Operation](), 0.0
    for kind, limit in ((arith.MinimumfOp, high), (arith.MaximumfOp, low)):
        if isinstance(step, kind) and _constant(step.rhs) == limit:
            steps.append(step)
            step = step.lhs.owner
    if isinstance(step, arith.AddfOp) and (zero_point := _constant(step.rhs)) is not None:
        steps.append(step)
        step = step.lhs.owner
    if not isinstance(step, math.RoundEvenOp):
        return None
    if zero_point is None or not low <= zero_point <= high or zero_point != int(zero_point):
        return None
    finite = _is_finite(step.operand, numbers)
    if low == 0 and not finite:
        return None  # NaN gives 0, which is 128 lower
    return Quantisation(step.operand, int(zero_point), not finite, False, (*steps, step), low, element)


def _away(op: arith.TruncIOp, element: IntegerType) -> Quantisation | None:
    step, steps, zero_point = op.input.owner, list[Operation](), 0
    if isinstance(step, arith.AddiOp):
        zero_point = _constant(step.rhs)
        steps.append(step)
        step = step.lhs.owner
    if not isinstance(step, arith.FPToSIOp) or step.result.type != i32 or step.input.type != f32:
        return None
    rounding = _half_away(step.input)
    if rounding is None or zero_point is None:
        return None
    x, rounded = rounding
    upper = x.owner
    if not isinstance(upper, arith.MinimumfOp) or not isinstance(lower := upper.lhs.owner, arith.MaximumfOp):
        return None
    limits = _constant(lower.rhs), _constant(upper.rhs)
    most = 2 * _half(element) - 1
    low = next((low for low in (-_half(element), 0) if limits == (low - zero_point, low + most - zero_point)), None)
    if low is None:
        return None
    return Quantisation(lower.lhs, int(zero_point), False, True, (*steps, step, *rounded, upper, lower), low, element)


def _half_away(value: SSAValue) -> tuple[SSAValue, list[Operation]] | None:
    """Return the float that is rounded to `value`, halves away from zero, and the operations of that."""
    signed = value.owner
    if not isinstance(signed, arith.SelectOp) or not isinstance(negated := signed.lhs.owner, arith.NegfOp):
        return None
    size, x = signed.rhs, _below(signed.cond, 0.0)
    total = size.owner
    if x is None or negated.operand != size or not isinstance(total, arith.AddfOp):
        return None
    floor, step = total.lhs.owner, total.rhs.owner
    if not isinstance(floor, math.FloorOp) or not isinstance(step, arith.SelectOp):
        return None
    rest, absolute = _below(step.cond, 0.5), floor.operand.owner
    if rest is None or not isinstance(absolute, math.AbsFOp) or absolute.operand != x:
        return None
    difference = rest.owner
    if not isinstance(difference, arith.SubfOp) or tuple(difference.operands) != (absolute.result, floor.result):
        return None
    if (_constant(step.lhs), _constant(step.rhs)) != (0.0, 1.0):
        return None
    tests = [each for each in (signed.cond.owner, step.cond.owner) if isinstance(each, Operation)]
    return x, [signed, tests[0], negated, total, step, tests[1], difference, floor, absolute]


def _below(condition: SSAValue, limit: float) -> SSAValue | None:
    """Return what `condition` asks to be less than `limit`."""
    test = condition.owner
    if not isinstance(test, arith.CmpfOp) or _constant(test.rhs) != limit:
        return None
    return test.lhs if arith.CMPF_COMPARISON_OPERATIONS[test.predicate.value.data] == "olt" else None


def _constant(value: SSAValue) -> float | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isa(owner.value, FloatAttr | IntegerAttr):
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
