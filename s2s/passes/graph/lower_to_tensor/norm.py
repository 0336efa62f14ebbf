"""Lower each normalisation to several computations; statistics of narrow floats are computed in f32, but for softmax.

    %y = graph.softmax %x {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
->
    %largest = tensor.compute [4 | 8] …
    %powers = tensor.compute [4, 8] …      exp(x - largest)
    %scale = tensor.compute [4 | 8] …      1 / sum(powers)
    %y = tensor.compute [4, 8] …           powers * scale
"""

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.dialects import graph, tensor
from s2s.dialects.graph.norm import AxisNormOp
from s2s.passes.graph.lower_to_tensor.compute import Body, Operand, aligned, at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.reduce import MAXIMUM, SUM, Fold, elements_along, reduced_indices
from s2s.passes.graph.lower_to_tensor.scalars import POWER, Scalar, Scalars


class AlongAxis:
    """Builds computations over the shape of `op`, and statistics along its axis, which lack that dimension."""

    def __init__(self, rewriter: PatternRewriter, op: AxisNormOp, *, narrow: bool = False) -> None:
        self.rewriter, self.op = rewriter, op
        self.axis, self.shape = op.axis.value.data, op.y.type.get_shape()
        self.element = widened(op.y.type.element_type)
        self.stored = op.y.type.element_type if narrow else self.element
        """The type of intermediate results."""

    def statistic(self, hint: str, fold: Fold, x: SSAValue, apply: Body) -> SSAValue:
        """Reduce `x` along the axis by `fold`, then apply `apply`."""
        return compute(
            self.rewriter,
            self.op,
            self.shape[: self.axis] + self.shape[self.axis + 1 :],
            [self.shape[self.axis]],
            reads=[at(x, *reduced_indices(len(self.shape), [self.axis], keepdims=False))],
            inits=[(fold.start(self.element), self.element)],
            reduce=fold.step,
            apply=apply,
            element=self.stored,
            hint=hint,
        )

    def elements(self, hint: str, epilogue: Sequence[Operand], apply: Body) -> SSAValue:
        """An intermediate result: `apply` at every element."""
        return compute(
            self.rewriter, self.op, self.shape, epilogue=epilogue, apply=apply, element=self.stored, hint=hint
        )

    def finish(self, epilogue: Sequence[Operand], apply: Body) -> None:
        """Replace the operation by `apply` at every element."""
        self.rewriter.replace(
            self.op, [], [compute(self.rewriter, self.op, self.shape, epilogue=epilogue, apply=apply)]
        )

    def whole(self, x: SSAValue) -> Operand:
        """`x`, of the shape of the result, read at the current element."""
        return at(x, *dims(len(self.shape)))

    def along(self, statistic: SSAValue) -> Operand:
        """`statistic` read for the current element."""
        d = dims(len(self.shape))
        return at(statistic, *d[: self.axis], *d[self.axis + 1 :])


class LowerSoftmax(RewritePattern):
    """Powers and sums of halves are halves, as ONNX defines the operator by others of its type: half the scratch."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SoftmaxOp, rewriter: PatternRewriter) -> None:
        over = AlongAxis(rewriter, op, narrow=True)
        largest = over.statistic("largest", MAXIMUM, op.x, lambda s, acc: acc)
        powers = over.elements(
            "powers", [over.whole(op.x), over.along(largest)], lambda s, x, m: s.unary(tensor.ExpNonpositiveOp, x - m)
        )
        if over.stored != over.element:
            total = over.statistic("total", SUM, powers, lambda s, acc: acc)
            over.finish([over.whole(powers), over.along(total)], lambda s, power, total: power / total)
            return
        scale = over.statistic("scale", SUM, powers, lambda s, acc: 1 / acc)
        over.finish([over.whole(powers), over.along(scale)], lambda s, power, factor: power * factor)


class LowerLogSoftmax(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.LogSoftmaxOp, rewriter: PatternRewriter) -> None:
        over = AlongAxis(rewriter, op)
        largest = over.statistic("largest", MAXIMUM, op.x, lambda s, acc: acc)
        shifted = over.elements("shifted", [over.whole(op.x), over.along(largest)], lambda s, x, m: x - m)
        powers = Fold(SUM.start, lambda s, x, acc: acc + s.unary(tensor.ExpNonpositiveOp, x))
        log_sum = over.statistic("log_sum", powers, shifted, lambda s, acc: s.unary(math.LogOp, acc))
        over.finish([over.whole(shifted), over.along(log_sum)], lambda s, x, total: x - total)


class LowerLayerNorm(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.LayerNormOp, rewriter: PatternRewriter) -> None:
        axis, shape = op.axis.value.data, op.y.type.get_shape()
        outer, inner, d = shape[:axis], shape[axis:], dims(len(shape))
        element = widened(op.y.type.element_type)
        epsilon = op.epsilon.value.data

        def mean_of(s: Scalars, total: Scalar) -> Scalar:
            count = elements_along(s, op, range(axis, len(shape)))
            return total / (count if isinstance(count, int) else s.cast(count, element))

        mean = compute(
            rewriter,
            op,
            outer,
            inner,
            reads=[at(op.x, *d)],
            inits=[(0, element)],
            reduce=SUM.step,
            apply=mean_of,
            element=element,
            hint="mean",
        )
        factor = compute(
            rewriter,
            op,
            outer,
            inner,
            reads=[at(op.x, *d), at(mean, *d[:axis])],
            inits=[(0, element)],
            reduce=_add_squared_difference,
            apply=lambda s, acc: 1 / s.unary(math.SqrtOp, mean_of(s, acc) + epsilon),
            element=element,
            hint="factor",
        )
        parameters = [aligned(value, d) for value in (op.scale, op.bias) if value is not None]

        def normalised(s: Scalars, *values: Scalar) -> Scalar:
            x, middle, scale, *given = values
            y = (x - middle) * scale
            y = y * given.pop(0) if op.scale is not None else y
            return y + given.pop(0) if op.bias is not None else y

        epilogue = [at(op.x, *d), at(mean, *d[:axis]), at(factor, *d[:axis]), *parameters]
        rewriter.replace(op, [], [compute(rewriter, op, shape, epilogue=epilogue, apply=normalised)])


def _add_squared_difference(s: Scalars, x: Scalar, mean: Scalar, acc: Scalar) -> Scalar:
    difference = x - mean
    return acc + difference * difference


class LowerBatchNorm(RewritePattern):
    """`(x - mean) * factor + bias` with one factor per channel, `scale / sqrt(var + epsilon)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BatchNormOp, rewriter: PatternRewriter) -> None:
        shape, epsilon = op.y.type.get_shape(), op.epsilon.value.data
        (position,) = dims(1)
        factor = compute(
            rewriter,
            op,
            [shape[1]],
            epilogue=[at(op.scale, position), at(op.var, position)],
            apply=lambda s, scale, var: scale / s.unary(math.SqrtOp, var + epsilon),
            element=widened(op.y.type.element_type),
            hint="factor",
        )
        d = dims(len(shape))
        y = compute(
            rewriter,
            op,
            shape,
            epilogue=[at(op.x, *d), at(op.mean, d[1]), at(factor, d[1]), at(op.bias, d[1])],
            apply=lambda s, x, mean, scale, bias: (x - mean) * scale + bias,
        )
        rewriter.replace(op, [], [y])


class LowerLrn(RewritePattern):
    """Channels before the first and after the last are skipped; they contribute nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.LrnOp, rewriter: PatternRewriter) -> None:
        shape, size = op.y.type.get_shape(), op.size.value.data
        alpha, beta, bias = op.alpha.value.data / size, op.beta.value.data, op.bias.value.data
        *d, step = dims(len(shape) + 1)
        neighbour: list[AffineExpr] = [d[0], d[1] + step - (size - 1) // 2, *d[2:]]
        y = compute(
            rewriter,
            op,
            shape,
            [size],
            reads=[at(op.x, *neighbour)],
            epilogue=[at(op.x, *d)],
            inits=[(0, widened(op.y.type.element_type))],
            reduce=lambda s, x, acc: acc + x * x,
            apply=lambda s, acc, x: x / s.binary(POWER, acc * alpha + bias, beta),
        )
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (
    LowerSoftmax(),
    LowerLogSoftmax(),
    LowerLayerNorm(),
    LowerBatchNorm(),
    LowerLrn(),
)
