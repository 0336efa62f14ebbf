"""Store the scales of weights in blocks as float16, where every one of them is a float16.

    %s = graph.weight "w.scales" : tensor<8x2xf32>
    %y = graph.blockwise_dot %x, %x_scales, %w, %s {bits = 4}
->
    %s = graph.weight "w.scales_f16" : tensor<8x2xf16>
    %y = graph.blockwise_dot %x, %x_scales, %w, %s {bits = 4}

GGML's formats store a scale in two bytes. A product that reads all weights for one token is bound by memory: of a block
of 32 weights with 4 bits, 18 bytes are read in place of 20. The conversion back is exact, so results do not change.

Declined for scales that are computed, and for those of which one does not fit.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import new_constant, weight_name
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class ProductOfScaledBlocks(WeightPattern):
    """A product with constant scales of float32."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BlockwiseDotOp | graph.BlockwiseMatmulOp, rewriter: PatternRewriter) -> None:
        scales = known_value(op.scales, self.store)
        narrow = None if scales is None else _narrow(scales)
        if narrow is None:
            return
        made = new_constant(narrow, f"{weight_name(op.scales) or 'scales'}_f16", self.store)
        rewriter.insert(made)
        op.operands[list(op.operands).index(op.scales)] = made.y
        rewriter.notify_op_modified(op)


def _narrow(scales: Array) -> Array | None:
    """Return `scales` as float16; None if that changes one of them."""
    if scales.dtype != np.float32:
        return None
    with np.errstate(over="ignore"):
        narrow = scales.astype(np.float16)
    return narrow if np.array_equal(narrow.astype(np.float32), scales) else None


@frozen
class NarrowScalesPass(ModulePass):
    name = "graph-narrow-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, ProductOfScaledBlocks(weights_of(ctx)))
