"""Replace powers with a small constant exponent by products, quotients and roots.

    %y = graph.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
->
    %a = graph.mul %x, %x : …
    %y = graph.mul %a, %x : …

Covers 2, 3, 4, 1/2 and their negatives. The product of four factors has an error of at most 1.5 units in the last
place. The square root differs from the power in two cases: for -inf it is NaN, for -0.0 it is -0.0.

Declined for integers, for 3 and 4 in half precision, where each product is rounded again, and when the exponent is not
the same number everywhere or makes the result larger than the operand.
"""

from collections.abc import Callable, Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import splat_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import GraphOp, Value, type_of
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import is_float

Steps = list[GraphOp]
"""Operations in order, each on results of earlier ones; the last one yields the power."""


def _square(x: Value) -> Steps:
    return [graph.MulOp(x, x)]


def _cube(x: Value) -> Steps:
    square = graph.MulOp(x, x)
    return [square, graph.MulOp(square.y, x)]


def _fourth(x: Value) -> Steps:
    square = graph.MulOp(x, x)
    return [square, graph.MulOp(square.y, square.y)]


POWERS: Mapping[float, Callable[[Value], Steps]] = {
    1.0: lambda x: [],
    2.0: _square,
    3.0: _cube,
    4.0: _fourth,
    0.5: lambda x: [graph.SqrtOp(x)],
}
"""The replacement of a power, by the absolute value of the exponent."""


class KnownExponent(WeightPattern):
    """`x ** c`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.PowOp, rewriter: PatternRewriter) -> None:
        element, exponent = type_of(op.y).element_type, splat_value(op.b, self.store)
        if exponent is None or abs(exponent) not in POWERS or op.a.type != op.y.type or not is_float(element):
            return
        if abs(exponent) > 2 and not isinstance(element, Float32Type | Float64Type):
            return
        steps = POWERS[abs(exponent)](op.a)
        if exponent < 0:
            steps.append(graph.ReciprocalOp(steps[-1].results[0] if steps else op.a))
        for step in steps:
            copy_provenance(step, op)
        rewriter.replace(op, steps, [steps[-1].results[0] if steps else op.a])


class ExpandPowersPass(ModulePass):
    """Replace powers by products and roots."""

    name = "graph-expand-powers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, KnownExponent(weights_of(ctx)))
