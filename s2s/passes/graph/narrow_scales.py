"""Store the scales of weights in blocks as float16, where every one of them is a float16.

    %s = graph.weight "w.scales" : tensor<8x2xf32>
    %y = graph.blockwise_dot %x, %x_scales, %w, %s {bits = 4}
    %z = graph.gather %s, %token
->
    %s = graph.weight "w.scales_f16" : tensor<8x2xf16>
    %y = graph.blockwise_dot %x, %x_scales, %w, %s {bits = 4}
    %z = graph.cast (graph.gather %s, %token)

GGML's formats store a scale in two bytes. A product that reads all weights for one token is bound by memory: of a block
of 32 weights with 4 bits, 18 bytes are read in place of 20. The conversion back is exact, so results do not change.
Lookups of the same scales, of an embedding that is the last layer too, read the same array.

Declined for scales that are computed, and for those of which one does not fit.
"""

from collections.abc import Set

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import new_constant, weight_name
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore


class ProductOfScaledBlocks(WeightPattern):
    """A product with constant scales of float32."""

    def __init__(self, store: WeightStore) -> None:
        super().__init__(store)
        self.narrowed = set[str]()
        """The hashes of the scales that have become float16."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BlockwiseDotOp | graph.BlockwiseMatmulOp, rewriter: PatternRewriter) -> None:
        scales = known_value(op.scales, self.store)
        narrow = None if scales is None else _narrow(scales)
        if narrow is None:
            return
        if isinstance(op.scales.owner, graph.WeightOp):
            self.narrowed.add(op.scales.owner.hash.data)
        made = new_constant(narrow, f"{weight_name(op.scales) or 'scales'}_f16", self.store)
        rewriter.insert(made)
        op.operands[list(op.operands).index(op.scales)] = made.y
        rewriter.notify_op_modified(op)


class LookupOfScales(WeightPattern):
    """A lookup of rows of scales that products take as float16."""

    def __init__(self, store: WeightStore, narrowed: Set[str]) -> None:
        super().__init__(store)
        self.narrowed = narrowed

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        table = op.x.owner
        if not isinstance(table, graph.WeightOp) or table.hash.data not in self.narrowed:
            return
        narrow = _narrow(self.store.get(table.weight_name.data))
        assert narrow is not None
        maker = Maker.of(rewriter, self.store, op)
        made = maker(new_constant(narrow, f"{table.weight_name.data}_f16", self.store))
        rows = maker(graph.GatherOp(made, op.indices, axis=op.axis.value.data, nonnegative_indices=op.is_nonnegative))
        rewriter.replace(op, [], [maker.cast(rows, f32)])


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
        products = ProductOfScaledBlocks(weights_of(ctx))
        rewrite(op, products)
        if products.narrowed:
            rewrite(op, LookupOfScales(weights_of(ctx), products.narrowed))
