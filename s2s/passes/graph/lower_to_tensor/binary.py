"""Lower the elementwise operators with several operands and numpy broadcasting.

    %y = graph.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
->
    %y = tensor.compute [4, 8] epilogue(%a at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>,
                                      %b at #tensor.access<affine_map<(d0, d1) -> (d1)>>) apply { arith.addf }
"""

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.passes.graph.lower_to_tensor.compute import Body, aligned, compute, dims
from s2s.passes.graph.lower_to_tensor.scalars import (
    AND,
    DIV,
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    OR,
    POWER,
    REM,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    XOR,
    Choice,
    Scalar,
    Scalars,
)
from s2s.types.dtypes import is_unsigned, size_in_bytes

Binary = Callable[[Scalars, Scalar, Scalar], Scalar]


def _choice(choice: Choice) -> Binary:
    return lambda s, a, b: s.binary(choice, a, b)


def _comparison(choice: Choice) -> Binary:
    return lambda s, a, b: s.compare(choice, a, b)


def _power(s: Scalars, a: Scalar, b: Scalar) -> Scalar:
    """Widen an unsigned exponent: `math.ipowi` takes it as signed."""
    if not is_unsigned(a.element):
        return s.binary(POWER, a, b)
    wide = i32 if size_in_bytes(a.element) < 4 else i64
    return s.cast(s.binary(POWER, s.cast(a, wide), s.cast(b, wide)), a.element)


def _floored_remainder(s: Scalars, a: Scalar, b: Scalar) -> Scalar:
    """The remainder with the sign of `b`, as in Python: C's remainder, plus `b` where the signs differ."""
    rest = s.binary(REM, a, b)
    if is_unsigned(a.element):
        return rest
    moved = s.not_equal(rest, 0) & (s.less(rest, 0) ^ s.less(b, 0))
    return s.select(moved, rest + b, rest)


FUNCTIONS: Mapping[type[graph.BinaryElementwiseOp], Binary] = {
    graph.AddOp: lambda s, a, b: a + b,
    graph.BitwiseAndOp: _choice(AND),
    graph.BitwiseOrOp: _choice(OR),
    graph.BitwiseXorOp: _choice(XOR),
    graph.DivOp: _choice(DIV),
    graph.EqualOp: _comparison(EQUAL),
    graph.GreaterEqualOp: _comparison(GREATER_EQUAL),
    graph.GreaterOp: _comparison(GREATER),
    graph.LessEqualOp: _comparison(LESS_EQUAL),
    graph.LessOp: _comparison(LESS),
    graph.LogicalAndOp: _choice(AND),
    graph.LogicalOrOp: _choice(OR),
    graph.LogicalXorOp: _choice(XOR),
    graph.MaximumOp: lambda s, a, b: s.maximum(a, b),
    graph.MinimumOp: lambda s, a, b: s.minimum(a, b),
    graph.MulOp: lambda s, a, b: a * b,
    graph.PowOp: _power,
    graph.ShiftLeftOp: _choice(SHIFT_LEFT),
    graph.ShiftRightOp: _choice(SHIFT_RIGHT),
    graph.SubOp: lambda s, a, b: a - b,
}
"""The scalar function of every binary operator without parameters."""


def lower(rewriter: PatternRewriter, op: GraphOp, function: Body, *, widen: bool = True) -> None:
    """Replace `op` by `function` of its operands' elements, broadcast to its shape."""
    shape = op.y.type.get_shape()
    epilogue = [aligned(operand, dims(len(shape))) for operand in op.operands]
    rewriter.replace(op, [], [compute(rewriter, op, shape, epilogue=epilogue, apply=function, widen=widen)])


class LowerBinaryElementwise(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BinaryElementwiseOp, rewriter: PatternRewriter) -> None:
        if type(op) in FUNCTIONS:
            lower(rewriter, op, FUNCTIONS[type(op)])


class LowerMod(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ModOp, rewriter: PatternRewriter) -> None:
        lower(rewriter, op, _choice(REM) if op.fmod is not None else _floored_remainder)


class LowerPrelu(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.PreluOp, rewriter: PatternRewriter) -> None:
        lower(rewriter, op, lambda s, x, slope: s.select(s.less(x, 0), x * slope, x))


class LowerSelect(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SelectOp, rewriter: PatternRewriter) -> None:
        lower(rewriter, op, lambda s, condition, a, b: s.select(condition, a, b), widen=False)


PATTERNS: tuple[RewritePattern, ...] = (
    LowerBinaryElementwise(),
    LowerMod(),
    LowerPrelu(),
    LowerSelect(),
)
