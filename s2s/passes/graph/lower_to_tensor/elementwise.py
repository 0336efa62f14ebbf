"""Lower the unary elementwise operators.

    %y = graph.exp %x : tensor<8xf32>
->
    %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
    ^bb0(%x: f32):
      %0 = math.exp %x : f32
      tensor.yield %0 : f32
    }
"""

import math
from collections.abc import Callable, Mapping

from xdsl.dialects import math as libm
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import number, type_of
from s2s.passes.graph.lower_to_tensor.compute import aligned, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import Number, limits
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.dtypes import is_float, is_unsigned

Unary = Callable[[Scalars, Scalar], Scalar]


def _function(build: Callable[[SSAValue], Operation]) -> Unary:
    return lambda s, x: s.unary(build, x)


def _absolute(s: Scalars, x: Scalar) -> Scalar:
    if is_unsigned(x.element):
        return x
    return s.unary(libm.AbsFOp, x) if is_float(x.element) else s.select(s.less(x, 0), -x, x)


def _sign(s: Scalars, x: Scalar) -> Scalar:
    """Zero and NaN, neither above nor below zero, are their own sign."""
    positive = s.select(s.greater(x, 0), s.constant(1, x.element), x)
    return positive if is_unsigned(x.element) else s.select(s.less(x, 0), s.constant(-1, x.element), positive)


def _sigmoid(s: Scalars, x: Scalar) -> Scalar:
    """`1 / (1 + exp(-x))`: where `exp(-x)` overflows to infinity, the quotient is correctly zero."""
    return 1 / (s.unary(libm.ExpOp, -x) + 1)


FUNCTIONS: Mapping[type[graph.UnaryElementwiseOp], Unary] = {
    graph.AbsOp: _absolute,
    graph.AcosOp: _function(libm.AcosOp),
    graph.AcoshOp: _function(libm.AcoshOp),
    graph.AsinOp: _function(libm.AsinOp),
    graph.AsinhOp: _function(libm.AsinhOp),
    graph.AtanOp: _function(libm.AtanOp),
    graph.AtanhOp: _function(libm.AtanhOp),
    graph.BitwiseNotOp: lambda s, x: ~x,
    graph.CeilOp: _function(libm.CeilOp),
    graph.CountLeadingZerosOp: _function(libm.CountLeadingZerosOp),
    graph.CosOp: _function(libm.CosOp),
    graph.CoshOp: _function(libm.CoshOp),
    graph.ErfOp: _function(libm.ErfOp),
    graph.ExpOp: _function(libm.ExpOp),
    graph.FloorOp: _function(libm.FloorOp),
    graph.IdentityOp: lambda s, x: x,
    graph.LogicalNotOp: lambda s, x: ~x,
    graph.LogOp: _function(libm.LogOp),
    graph.NegOp: lambda s, x: -x,
    graph.ReciprocalOp: lambda s, x: 1 / x,
    graph.RoundOp: _function(libm.RoundEvenOp),
    graph.RsqrtOp: lambda s, x: 1 / s.unary(libm.SqrtOp, x),
    graph.SigmoidOp: _sigmoid,
    graph.SignOp: _sign,
    graph.SinOp: _function(libm.SinOp),
    graph.SinhOp: _function(libm.SinhOp),
    graph.SqrtOp: _function(libm.SqrtOp),
    graph.TanOp: _function(libm.TanOp),
    graph.TanhOp: _function(libm.TanhOp),
}
"""The scalar function of every unary operator without parameters."""


def lower(rewriter: PatternRewriter, op: graph.ElementwiseOp, function: Unary) -> None:
    """Replace `op` by `function` of every element of its operand."""
    x, shape = op.operands[0], op.y.type.get_shape()
    y = compute(rewriter, op, shape, epilogue=[aligned(x, dims(len(shape)))], apply=function)
    rewriter.replace(op, [], [y])


class LowerUnaryElementwise(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.UnaryElementwiseOp, rewriter: PatternRewriter) -> None:
        if type(op) in FUNCTIONS:
            lower(rewriter, op, FUNCTIONS[type(op)])


class LowerNonpositiveExp(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ExpOp, rewriter: PatternRewriter) -> None:
        if op.nonpositive is not None:
            lower(rewriter, op, _function(tensor.ExpNonpositiveOp))


def _convert(
    rewriter: PatternRewriter, op: graph.CastOp | graph.BitcastOp, convert: Callable[[Scalars, Scalar], Scalar]
) -> None:
    """Lower a conversion to another type, element by element."""
    shape = shape_of(op.x)
    epilogue = [aligned(op.x, dims(len(shape)))]
    rewriter.replace(op, [], [compute(rewriter, op, shape, epilogue=epilogue, apply=convert, widen=False)])


class LowerCast(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        _convert(rewriter, op, lambda s, x: s.cast(x, op.y.type.element_type))


class LowerBitcast(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BitcastOp, rewriter: PatternRewriter) -> None:
        _convert(rewriter, op, lambda s, x: s.reinterpreted(x, op.y.type.element_type))


class LowerClamp(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ClampOp, rewriter: PatternRewriter) -> None:
        low, high = _limit(op, number(op.min)), _limit(op, number(op.max))

        def clamp(s: Scalars, x: Scalar) -> Scalar:
            raised = x if low is None else s.maximum(x, low)
            return raised if high is None else s.minimum(raised, high)

        lower(rewriter, op, clamp)


def _limit(op: graph.ClampOp, bound: Number | None) -> Number | None:
    """`bound` if it limits values of the element type, else None: an integer bound may exceed its range."""
    if bound is None or isinstance(bound, float):
        return bound
    least, most = limits(type_of(op.x).element_type)
    return min(max(bound, least), most)


class LowerIsNan(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.IsNanOp, rewriter: PatternRewriter) -> None:
        lower(rewriter, op, lambda s, x: s.not_equal(x, x))


class LowerIsInf(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.IsInfOp, rewriter: PatternRewriter) -> None:
        wanted = {-math.inf: op.detect_negative, math.inf: op.detect_positive}
        infinities = [infinity for infinity, flag in wanted.items() if flag is not None]

        def is_inf(s: Scalars, x: Scalar) -> Scalar:
            if len(infinities) == 2:
                return s.equal(s.unary(libm.AbsFOp, x), math.inf)
            return s.equal(x, infinities[0]) if infinities else s.constant(0, op.y.type.element_type)

        lower(rewriter, op, is_inf)


PATTERNS: tuple[RewritePattern, ...] = (
    LowerNonpositiveExp(),
    LowerUnaryElementwise(),
    LowerCast(),
    LowerBitcast(),
    LowerClamp(),
    LowerIsNan(),
    LowerIsInf(),
)
