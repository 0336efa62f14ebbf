"""Lower the sum of an image's patches (`col2im`).

    %y = graph.sum_patches %x {sizes = [42, 42], strides = [1, 1], low = [0, 0], dilations = [1, 1]} : …
->
    %y = tensor.compute [N, C, h, w | kh, kw] reads(%x at …(n, c, kh, kw, (h - kh) / stride, (w - kw) / stride)) …
"""

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.reduce import FOLDS


class LowerSumPatches(RewritePattern):
    """A sum over all taps; taps and places outside of a patch miss the operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SumPatchesOp, rewriter: PatternRewriter) -> None:
        shape, rank = op.y.type.get_shape(), len(op.sizes)
        kernel = shape_of(op.x)[2 : 2 + rank]
        n, channel, *rest = dims(2 + 2 * rank)
        places, taps, strides = rest[:rank], rest[rank:], op.strides.get_values()
        spatial = [
            place + low - tap * dilation
            for place, low, tap, dilation in zip(
                places, op.low.get_values(), taps, op.dilations.get_values(), strict=True
            )
        ]
        element, fold = widened(op.y.type.element_type), FOLDS[graph.ReduceSumOp]
        y = compute(
            rewriter,
            op,
            shape,
            kernel,
            reads=[at(op.x, n, channel, *taps, *spatial, divisors=[1] * (2 + rank) + list(strides))],
            inits=[(fold.start(element), element)],
            reduce=fold.step,
            apply=lambda s, acc: acc,
        )
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerSumPatches(),)
