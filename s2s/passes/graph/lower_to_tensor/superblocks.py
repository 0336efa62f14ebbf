"""Lower the matrix products with weights in blocks whose scales are quantised by superblocks.

    %y = graph.superblock_dot %x, %x_scales, %w, %scales, %mins, %super_scales, %super_mins
      : (tensor<1x8x2x16xi8>, tensor<1x8xf32>, tensor<4x8x16xi8>, tensor<4x8xi8>, …) -> tensor<1x4xf32>
->
    %t = tensor.compute [1, 8 | 2, 16] reads(%x at …) inits [0 : i32] reduce { acc + x }
    %p = tensor.compute [1, 8, 4 | 2, 16] reads(%x at …, %w at …) inits [0 : i32]
      reduce { acc + x * (w >> 4 * d3 & 15) }
    %y = tensor.compute [1, 4 | 8] reads(%p …, %x_scales …, %t …, %scales at …(d1, d2), %mins …,
      %super_scales at …(d1, d2 floordiv 8), %super_mins …) inits [0.0 : f32]
      reduce { acc + x_scale * (float(p) * (super_scale * scale) - float(t) * (super_min * min)) }

Sums in blocks are integers, as those of `graph.blockwise_dot`. A product of floats is one computation, in floats.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.blockwise import HALF, MASK, block_products, block_totals, replace_by_sums
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.scalars import AND, SHIFT_RIGHT, Scalar, Scalars


class LowerSuperblockMatmul(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SuperblockMatmulOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.y)
        _, blocks, size = shape_of(op.w)
        *rows, j, block, byte = dims(len(shape) + 2)
        per_byte = op.block // size
        first = block * op.block + byte * per_byte
        columns = [at(op.x, *rows, first + number) for number in range(per_byte)]
        element = widened(op.y.type.element_type)

        def step(s: Scalars, *values: Scalar) -> Scalar:
            *xs, byte = values[: per_byte + 1]
            scale, least = _both_levels(s, values[per_byte + 1 : -1], element)
            wide = s.cast(byte, i32)
            parts = [wide]
            if per_byte > 1:
                parts = [s.binary(AND, wide, MASK), s.binary(AND, s.binary(SHIFT_RIGHT, wide, HALF), MASK)]
            terms = [x * (s.cast(q, element) * scale - least) for x, q in zip(xs, parts, strict=True)]
            return values[-1] + sum(terms[1:], start=terms[0])

        reads = [*columns, at(op.w, j, block, byte), *_levels(op, j, block)]
        replace_by_sums(rewriter, op, [blocks, size], reads, step)


class LowerSuperblockDot(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SuperblockDotOp, rewriter: PatternRewriter) -> None:
        element = widened(op.y.type.element_type)
        *rows, j, b = dims(len(shape_of(op.y)) + 1)
        totals = at(block_totals(op, rewriter), *rows, b)
        products = at(block_products(op, rewriter), *rows, b, j)

        def step(s: Scalars, product: Scalar, x_scale: Scalar, total: Scalar, *values: Scalar) -> Scalar:
            *levels, acc = values
            scale, least = _both_levels(s, levels, element)
            return acc + s.cast(x_scale, element) * (s.cast(product, element) * scale - s.cast(total, element) * least)

        reads = [products, at(op.x_scales, *rows, b), totals, *_levels(op, j, b)]
        replace_by_sums(rewriter, op, [shape_of(op.w)[1]], reads, step)


def _levels(op: graph.SuperblockMatmulOp | graph.SuperblockDotOp, j: AffineExpr, block: AffineExpr) -> list[Operand]:
    """Return the reads of the four constants that scale a block of row `j`."""
    count = shape_of(op.scales)[1] // shape_of(op.super_scales)[1]
    outer = block // count
    return [
        at(op.scales, j, block),
        at(op.mins, j, block),
        at(op.super_scales, j, outer),
        at(op.super_mins, j, outer),
    ]


def _both_levels(s: Scalars, levels: Sequence[Scalar], element: Attribute) -> tuple[Scalar, Scalar]:
    """Return scale and least value of a block: products of the two levels' scales and least values."""
    scale, least, outer_scale, outer_least = (s.cast(each, element) for each in levels)
    return outer_scale * scale, outer_least * least


PATTERNS: tuple[RewritePattern, ...] = (LowerSuperblockMatmul(), LowerSuperblockDot())
