"""Lower the insertion of new frames into a window to a scatter at known positions.

    %y = graph.insert_slice %x, %u {starts = [0, 32]} : (tensor<64x34xf32>, tensor<64x2xf32>) -> tensor<64x34xf32>
->
    %base = tensor.compute [64, 34] epilogue(%x at …(d0, d1)) apply { yield %x }
    %y = tensor.scatter [64, 2] base(%base at …(d0, d1 + 32)) axes [] epilogue(%u at …(d0, d1)) apply { yield %u }

In place, as on the state of a stream, the copy of `%x` is nothing to do (`loop-remove-self-copies`).
"""

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import at, dims
from s2s.passes.graph.lower_to_tensor.scatter import Updates, replace_by_scatter


class LowerInsertSlice(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.InsertSliceOp, rewriter: PatternRewriter) -> None:
        sizes = shape_of(op.u)
        d = dims(len(sizes))
        into = [index + start for index, start in zip(d, op.starts.get_values(), strict=True)]
        replace_by_scatter(rewriter, op, "none", Updates(sizes, at(op.x, *into), [], [], at(op.u, *d)))


PATTERNS: tuple[RewritePattern, ...] = (LowerInsertSlice(),)
