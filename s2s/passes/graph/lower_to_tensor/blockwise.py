"""Lower the matrix products with weights that are quantised by blocks.

    %y = graph.blockwise_matmul %x, %w, %scales {bits = 4}
      : (tensor<1x64xf32>, tensor<8x2x16xi8>, tensor<8x2xf32>) -> tensor<1x8xf32>
->
    %y = tensor.compute [1, 8 | 2, 16] reads(%x at …(d0, d2 * 32 + d3 * 2), %x at …(d0, d2 * 32 + d3 * 2 + 1),
      %w at …(d1, d2, d3), %scales at …(d1, d2)) inits [0.0 : f32]
      reduce { acc + (x0 * float(w << 28 >> 28) + x1 * float(w >> 4)) * scale }

The innermost dimension runs over bytes: with 4 bits a byte holds the weights of two neighbouring columns of `x`. Those
of `graph.codebook_matmul` are codes, by which the weights are taken from a table.

    %y = graph.blockwise_dot %x, %x_scales, %w, %scales {bits = 4}
      : (tensor<1x2x2x16xi8>, tensor<1x2xf32>, tensor<8x2x16xi8>, tensor<8x2xf32>) -> tensor<1x8xf32>
->
    %t = tensor.compute [1, 2 | 2, 16] reads(%x at …) inits [0 : i32] reduce { acc + x }
    %p = tensor.compute [1, 2, 8 | 2, 16] reads(%x at …(d0, d1, d3, d4), %w at …(d2, d1, d4)) inits [0 : i32]
      reduce { acc + x * (w >> 4 * d3 & 15) }
    %y = tensor.compute [1, 8 | 2] reads(%p at …(d0, d2, d1), %x_scales …, %scales …, %t …) inits [0.0 : f32]
      reduce { acc + float(p - 8 * t) * (x_scale * scale) }

The products of a block are summed as integers, and these sums as floats. `%t` exists if weights have zero points.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.scalars import ADD, AND, MUL, SHIFT_LEFT, SHIFT_RIGHT, SUB, Scalar, Scalars
from s2s.types.dtypes import is_float

HALF, ABOVE, MASK = 4, 28, 15
"""The bits of a weight where a byte holds two, the other bits of an i32, and a mask of the former."""


class LowerBlockwiseMatmul(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BlockwiseMatmulOp, rewriter: PatternRewriter) -> None:
        shape = op.y.type.get_shape()
        _, blocks, size = shape_of(op.w)
        *rows, j, block, byte = dims(len(shape) + 2)
        per_byte = op.block // size
        first = block * op.block + byte * per_byte
        columns = [at(op.x, *rows, first + number) for number in range(per_byte)]
        scales = at(op.scales, j, block)
        zero_points = [] if op.zero_points is None else [at(op.zero_points, j, block)]
        element = widened(op.y.type.element_type)

        def step(s: Scalars, *values: Scalar) -> Scalar:
            *xs, byte, scale = values[: per_byte + 2]
            zero = values[per_byte + 2] if zero_points else None
            weights = [_moved(s, q, zero) for q in _parts(s, byte, per_byte)]
            terms = [x * s.cast(weight, element) for x, weight in zip(xs, weights, strict=True)]
            return values[-1] + sum(terms[1:], start=terms[0]) * scale

        reads = [*columns, at(op.w, j, block, byte), scales, *zero_points]
        replace_by_sums(rewriter, op, [blocks, size], reads, step)


class LowerCodebookMatmul(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CodebookMatmulOp, rewriter: PatternRewriter) -> None:
        shape = op.y.type.get_shape()
        _, blocks, size = shape_of(op.w)
        *rows, j, block, byte = dims(len(shape) + 2)
        columns = [at(op.x, *rows, block * op.block + byte * 2 + number) for number in range(2)]
        element = widened(op.y.type.element_type)

        def step(s: Scalars, *values: Scalar) -> Scalar:
            x, second, byte, scale, acc, table = values
            wide = s.cast(byte, i32)
            codes = s.binary(AND, wide, MASK), s.binary(AND, s.binary(SHIFT_RIGHT, wide, HALF), MASK)
            low, high = (s.cast(s.extract(table, [code]), element) for code in codes)
            return acc + (x * low + second * high) * scale

        reads = [*columns, at(op.w, j, block, byte), at(op.scales, j, block)]
        replace_by_sums(rewriter, op, [blocks, size], reads, step, [op.table])


class LowerBlockwiseDot(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BlockwiseDotOp, rewriter: PatternRewriter) -> None:
        element = widened(op.y.type.element_type)
        *rows, j, b = dims(len(shape_of(op.y)) + 1)
        has_zero = op.half or op.zero_points is not None
        zero_points = [] if op.zero_points is None else [at(op.zero_points, j, b)]
        totals = [at(block_totals(op, rewriter), *rows, b)] if has_zero else []
        products = at(block_products(op, rewriter), *rows, b, j)

        def step(s: Scalars, product: Scalar, x_scale: Scalar, scale: Scalar, *values: Scalar) -> Scalar:
            *more, acc = values
            if totals:
                product = _without_zero(s, product, more[0], more[1] if zero_points else None, op.half)
            scales = s.cast(x_scale, element) * s.cast(scale, element)
            return acc + s.cast(product, element) * scales

        reads = [products, at(op.x_scales, *rows, b), at(op.scales, j, b), *totals, *zero_points]
        replace_by_sums(rewriter, op, [shape_of(op.w)[1]], reads, step)


def replace_by_sums(
    rewriter: PatternRewriter,
    op: Operation,
    reduction: Sequence[int],
    reads: Sequence[Operand],
    step: Callable[..., Scalar],
    tables: Sequence[SSAValue] = (),
) -> None:
    """Replace `op`, `y[…, j]`, by the sum over blocks, and the bytes in each if `reduction` has their number, of what
    `step` adds of the elements of `reads`."""
    type = type_of(op.results[0])
    y = compute(
        rewriter,
        op,
        type.get_shape(),
        reduction,
        reads=reads,
        tables=tables,
        inits=[(0, widened(type.element_type))],
        reduce=step,
        apply=_total,
        names=[*row_names(type.get_shape()[1:]), "j", *("block", "byte")[: len(reduction)]],
    )
    rewriter.replace(op, [], [y])


def _total(_: Scalars, acc: Scalar, *__: Scalar) -> Scalar:
    return acc


def block_products(op: graph.BlockwiseDotOp | graph.SuperblockDotOp, rewriter: PatternRewriter) -> SSAValue:
    """Return `[…, blocks, rows of w]`: the sum of the products in each block."""
    *rows, blocks, parts, size = shape_of(op.x)
    *i, b, j, part, byte = dims(len(rows) + 4)

    def step(s: Scalars, x: Scalar, w: Scalar, acc: Scalar) -> Scalar:
        wide = s.cast(w, i32)
        if parts > 1:
            shift = s.bounded(MUL, s.position(len(rows) + 2), HALF)
            wide = s.binary(AND, s.binary(SHIFT_RIGHT, wide, shift), MASK)
        return s.bounded(ADD, acc, s.bounded(MUL, s.cast(x, i32), wide))

    return compute(
        rewriter,
        op,
        [*rows, blocks, shape_of(op.w)[0]],
        [parts, size],
        element=i32,
        hint="products",
        reads=[at(op.x, *i, b, part, byte), at(op.w, j, b, byte)],
        inits=[(0, i32)],
        reduce=step,
        apply=lambda s, acc: acc,
        names=[*row_names(i), "block", "j", "part", "byte"],
    )


def block_totals(op: graph.BlockwiseDotOp | graph.SuperblockDotOp, rewriter: PatternRewriter) -> SSAValue:
    """Return `[…, blocks]`: the sum of the activations in each block."""
    shape = shape_of(op.x)
    *outer, part, byte = dims(len(shape))
    return compute(
        rewriter,
        op,
        shape[:-2],
        shape[-2:],
        element=i32,
        hint="totals",
        reads=[at(op.x, *outer, part, byte)],
        inits=[(0, i32)],
        reduce=lambda s, x, acc: s.bounded(ADD, acc, s.cast(x, i32)),
        apply=lambda s, acc: acc,
        names=[*row_names(outer[:-1]), "block", "part", "byte"],
    )


def _without_zero(s: Scalars, product: Scalar, total: Scalar, zero: Scalar | None, half: int) -> Scalar:
    """Return `product - (zero + half) * total`: an integer, or a float if the zero point is one."""
    if zero is None:
        return s.bounded(SUB, product, s.bounded(MUL, total, half))
    if is_float(zero.element):
        moved = zero + half if half else zero
        return s.cast(product, zero.element) - moved * s.cast(total, zero.element)
    moved = s.bounded(ADD, s.cast(zero, i32), half) if half else s.cast(zero, i32)
    return s.bounded(SUB, product, s.bounded(MUL, moved, total))


def row_names(rows: Sequence[object]) -> list[str]:
    """Return names for the dimensions of the activations outside of a row."""
    return [*(f"b{number}" for number in range(len(rows) - 1)), *(["i"] if rows else [])]


def _parts(s: Scalars, byte: Scalar, count: int) -> list[Scalar]:
    """Return the integers in a byte, the lowest bits first."""
    wide = s.cast(byte, i32)
    if count == 1:
        return [wide]
    return [
        s.binary(SHIFT_RIGHT, s.binary(SHIFT_LEFT, wide, ABOVE), ABOVE),
        s.binary(SHIFT_RIGHT, wide, HALF),
    ]


def _moved(s: Scalars, q: Scalar, zero: Scalar | None) -> Scalar:
    """Return `q` minus its zero point: an integer, or a float if the zero point is one."""
    if zero is None:
        return q
    if is_float(zero.element):
        return s.cast(q, zero.element) - zero
    return s.bounded(SUB, q, s.cast(zero, i32))


PATTERNS: tuple[RewritePattern, ...] = (LowerBlockwiseMatmul(), LowerCodebookMatmul(), LowerBlockwiseDot())
