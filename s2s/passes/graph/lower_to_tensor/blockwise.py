"""Lower the matrix product with weights that are quantised by blocks.

    %y = graph.blockwise_matmul %x, %w, %scales {bits = 4}
      : (tensor<1x64xf32>, tensor<8x2x16xi8>, tensor<8x2xf32>) -> tensor<1x8xf32>
->
    %y = tensor.compute [1, 8 | 2, 16] reads(%x at …(d0, d2 * 32 + d3 * 2), %x at …(d0, d2 * 32 + d3 * 2 + 1),
      %w at …(d1, d2, d3), %scales at …(d1, d2)) inits [0.0 : f32]
      reduce { acc + (x0 * float(w << 28 >> 28) + x1 * float(w >> 4)) * scale }

The innermost dimension runs over bytes: with 4 bits a byte holds the weights of two neighbouring columns of `x`.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.scalars import SHIFT_LEFT, SHIFT_RIGHT, SUB, Scalar, Scalars
from s2s.types.dtypes import is_float

HALF, ABOVE = 4, 28
"""The bits of a weight where a byte holds two, and the other bits of an i32."""


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

        y = compute(
            rewriter,
            op,
            shape,
            [blocks, size],
            reads=[*columns, at(op.w, j, block, byte), scales, *zero_points],
            inits=[(0, element)],
            reduce=step,
            apply=lambda s, acc: acc,
            names=[*_row_names(rows), "j", "block", "byte"],
        )
        rewriter.replace(op, [], [y])


def _row_names(rows: Sequence[object]) -> list[str]:
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


PATTERNS: tuple[RewritePattern, ...] = (LowerBlockwiseMatmul(),)
