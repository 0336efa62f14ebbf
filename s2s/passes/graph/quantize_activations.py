"""Quantise the activations of products with weights in blocks, by the same blocks, so that products are of integers.

    %y = graph.blockwise_matmul %x, %w, %scales {bits = 4, int8_activations}
->
    %b = graph.reshape %x                                          // [1, 64] -> [1, 2 blocks, 2 parts, 16 bytes]
    %s = max(|%b|) / 127 over each block
    %q = graph.cast (round (%b / %s))                              // tensor<1x2x2x16xi8>
    %y = graph.blockwise_dot %q, %s, %w_unsigned, %scales {bits = 4}

Weights of 4 bits are packed again, on the host: without sign, and a byte holds those of two columns that are half a
block apart, so that four neighbouring bytes hold twice four neighbouring columns.

A block of activations is 8-bit integers with one float scale, as GGML's Q8_0. Rounding moves each activation by half
its scale at most, so that a result moves by at most

    sum over blocks of max|x in the block| / 254 * sum over the block of |w|

The pipeline rewrites only products whose model asks for it (MatMulNBits with accuracy_level 4), unless the user says
`int8-blocks`, which rewrites all of them, or `float`, none.

Declined for weights that are computed, for floats other than f32, and for blocks of more than 512 columns.
"""

from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.weights import WeightStore

MAX_BYTE = 127
"""The largest absolute value of a quantised activation."""
MIN_SCALE = 1e-32
"""The scale of a block of zeros, which has a reciprocal."""
SIGNS = np.int8(-0x78)
"""Both bits of a byte of two weights that tell the halves of their range apart."""
LONGEST = 512
"""Columns of a block: a sum of this many products of bytes is in range on every target."""


class ProductOfBlocks(WeightPattern):
    """A product with constant weights in blocks."""

    def __init__(self, store: WeightStore, *, only_marked: bool) -> None:
        super().__init__(store)
        self.only_marked = only_marked

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: graph.BlockwiseMatmulOp | graph.SuperblockMatmulOp, rewriter: PatternRewriter
    ) -> None:
        if self.only_marked and op.int8_activations is None:
            return
        weights = known_value(op.w, self.store)
        if weights is None or as_tensor_type(op.x.type).element_type != f32 or op.block > LONGEST:
            return
        maker = Maker.of(rewriter, self.store, op)
        x = _in_blocks(maker, op)
        largest = maker(graph.ReduceMaxOp(maker(graph.AbsOp(x)), axes=_inside(x), keepdims=True))
        scales = maker(graph.ClampOp(maker(graph.MulOp(largest, maker.real(1 / MAX_BYTE))), min=MIN_SCALE))
        scaled = maker(graph.MulOp(x, maker(graph.ReciprocalOp(scales))))
        q = maker.cast(maker(graph.RoundOp(scaled)), i8)
        scales = maker(graph.ReshapeOp(scales, shape=_shape(x)[:-2]))
        rewriter.replace(op, [], [maker(_dot(maker, op, q, scales, weights))])


def _dot(
    maker: Maker,
    op: graph.BlockwiseMatmulOp | graph.SuperblockMatmulOp,
    x: SSAValue,
    x_scales: SSAValue,
    weights: Array,
) -> graph.BlockwiseDotOp | graph.SuperblockDotOp:
    """Return the product of integers `x`, quantised by `x_scales`, with the weights of `op`."""
    if isinstance(op, graph.SuperblockMatmulOp):
        w = op.w if op.bits.value.data == 8 else maker.constant(_apart(weights ^ SIGNS), "apart")
        return graph.SuperblockDotOp(x, x_scales, w, op.scales, op.mins, op.super_scales, op.super_mins)
    bits = op.bits.value.data
    w = op.w if bits == 8 else maker.constant(_apart(weights), "apart")
    return graph.BlockwiseDotOp(x, x_scales, w, op.scales, op.zero_points, bits=bits)


def _in_blocks(maker: Maker, op: graph.BlockwiseMatmulOp | graph.SuperblockMatmulOp) -> SSAValue:
    """Return the activations as `[…, blocks, parts, bytes]`, with zeros behind the last column."""
    x = op.x
    *rows, columns = _shape(x)
    _, blocks, size = _shape(op.w)
    parts = op.block // size
    missing = blocks * op.block - columns
    if missing:
        none = [0] * len(rows)
        x = maker(graph.PadOp(x, low=[*none, 0], high=[*none, missing], value=0.0))
    return maker(graph.ReshapeOp(x, shape=[*rows, blocks, parts, size]))


def _apart(w: Array) -> Array:
    """Pack the weights of 4 bits `[rows, blocks, bytes]` without sign: byte `n` holds columns `n` and `n + bytes`."""
    halves = np.stack([w & 15, (w >> 4) & 15], axis=-1).reshape(*w.shape[:-1], 2, -1) ^ 8
    return (halves[..., 0, :] | halves[..., 1, :] << 4).astype(np.int8)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(as_tensor_type(value.type).get_shape())


def _inside(x: SSAValue) -> list[int]:
    """Return the axes inside a block."""
    rank = len(_shape(x))
    return [rank - 2, rank - 1]


@frozen
class QuantizeActivationsPass(ModulePass):
    name = "graph-quantize-activations"

    activations: Literal["model", "float", "int8-blocks"] = "int8-blocks"
    """The products to quantise: the ones whose model asks for it, none, or all."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.activations != "float":
            rewrite(op, ProductOfBlocks(weights_of(ctx), only_marked=self.activations == "model"))
