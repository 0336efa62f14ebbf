"""Sums and products of two tensors of one shape.

    rescale(rescale((a - za) * 2**20) + rescale((b - zb) * 2**20))   arm_elementwise_add_s8
    rescale((a - za) * (b - zb))                                     arm_elementwise_mul_s8

TFLite brings the operands of a sum to a common scale with 20 more bits, `LEFT_SHIFT`. The operand whose scale is the
larger one is halved, for which the frontend shifts by 19 in place of the rescale.
"""

from math import prod

from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.external.cmsis_nn.function import (
    Function,
    known,
    limits,
    output_zp,
    refused_rescale,
    result_scale,
    scale_of,
)
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.support.frozen import frozen
from s2s.targets import Target

LEFT_SHIFT = 20
"""Bits that operands of a sum gain. The library's form for cores with DSP instructions drops the sign if they are fewer
than 16."""
HALF = 2**30


@frozen
class Addend:
    """An operand of a sum or a product: `((x[input] - zero_point) << LEFT_SHIFT) * multiplier * 2**(shift - 31)`."""

    input: int
    zero_point: int
    factor: int
    """By which it is multiplied before it is rescaled; 1 in a product."""
    multiplier: int = HALF
    shift: int = 1


def _centered() -> Pattern:
    wide = is_op("cast")(wildcard().has_dtype("int8")).has_dtype("int32")
    return is_op("sub")(wide, is_constant()) | wide


def _addend() -> Pattern:
    shifted = is_op("mul")(_centered(), is_constant())
    return is_op("rescale")(shifted, is_constant(), is_constant()) | shifted


def addend_of(composite: Composite, value: SSAValue) -> Addend:
    """How an operand of the sum or product is made."""
    multiplier, shift, factor = HALF, 1, 1
    op = _owner(value)
    if isinstance(op, graph.RescaleOp):
        multiplier, shift = scale_of(composite, op)
        op = _owner(op.x)
    if isinstance(op, graph.MulOp):
        wide, constant = (op.a, op.b) if composite.value(op.a) is None else (op.b, op.a)
        factor, op = int(known(composite, constant).reshape(-1)[0]), _owner(wide)
    zero_point = 0
    if isinstance(op, graph.SubOp):
        zero_point, op = int(known(composite, op.b).reshape(-1)[0]), _owner(op.a)
    assert isinstance(op, graph.CastOp)
    number = composite.number(op.x)
    assert number is not None
    return Addend(number, zero_point, factor, multiplier, shift)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _addends(composite: Composite) -> tuple[Addend, Addend]:
    op = result_scale(composite).x.owner
    assert isinstance(op, graph.AddOp | graph.MulOp)
    return addend_of(composite, op.a), addend_of(composite, op.b)


def _refused_shapes(composite: Composite) -> str | None:
    """Why the library cannot combine the operands; None if it can."""
    shapes = {composite.shape(each.input) for each in _addends(composite)}
    if shapes != {composite.outputs[0].get_shape()}:
        return "its operands differ in shape"
    if any(not -128 <= each.zero_point <= 127 for each in _addends(composite)):
        return "a zero point beyond 8 bits"
    return None


def _refused_sum(composite: Composite) -> str | None:
    for each in _addends(composite):
        scale = each.multiplier, each.shift
        if each.factor != 2**LEFT_SHIFT and (each.factor, *scale) != (2 ** (LEFT_SHIFT - 1), HALF, 1):
            return f"its operands gain other than {LEFT_SHIFT} bits"
    return _refused_shapes(composite) or refused_rescale(composite)


def _refused_product(composite: Composite) -> str | None:
    return _refused_shapes(composite) or refused_rescale(composite)


def _sum(step: Step, target: Target) -> Code:
    first, second = _addends(step.composite)
    return _call(step, "arm_elementwise_add_s8", f"{_scaled(first)}, {_scaled(second)}, {LEFT_SHIFT}")


def _product(step: Step, target: Target) -> Code:
    first, second = _addends(step.composite)
    return _call(step, "arm_elementwise_mul_s8", f"{-first.zero_point}, {-second.zero_point}")


def _call(step: Step, function: str, operands: str) -> Code:
    """Call a function of the library: `operands` are what it has to know of both, besides their places."""
    first, second = _addends(step.composite)
    multiplier, shift = scale_of(step.composite, result_scale(step.composite))
    low, high = limits(step.composite)
    return Code(
        "\n".join(
            [
                f"(void){function}({step.inputs[first.input]}, {step.inputs[second.input]},",
                f"    {operands}, y0,",
                f"    {output_zp(step.composite)}, {multiplier}, {shift}, {low}, {high}, {_size(step.composite)});",
            ]
        )
    )


def _scaled(operand: Addend) -> str:
    """Offset, multiplier and shift of an operand of a sum that gains `LEFT_SHIFT` bits."""
    halved = operand.factor != 2**LEFT_SHIFT
    return f"{-operand.zero_point}, {operand.multiplier}, {0 if halved else operand.shift}"


def _size(composite: Composite) -> int:
    return prod(composite.outputs[0].get_shape())


ADD = Function(
    "add",
    is_op("rescale")(is_op("add")(_addend(), _addend()), is_constant(), is_constant()),
    _refused_sum,
    _sum,
)
MULTIPLY = Function(
    "multiply",
    is_op("rescale")(is_op("mul")(_centered(), _centered()), is_constant(), is_constant()),
    _refused_product,
    _product,
)
