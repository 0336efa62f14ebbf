"""Lower the operators of quantised networks.

    %y = graph.rescale %x, %m, %s {rounding = "double", output_zp = 3} : (tensor<8xi32>, tensor<i32>, tensor<i8>) -> …
->
    %y = tensor.compute [8] epilogue(%x at …(d0), %m at …(), %s at …()) apply {
      %0 = tensor.rescale %x, %m, %s {rounding = "double"} : i32
      %1 = arith.addi %0, 3 : i32
      … clamped to the range of i8 and truncated
    }

    %y = graph.table %x, %t : (tensor<8xi8>, tensor<256xi8>) -> tensor<8xi8>
->
    %y = tensor.compute [8] epilogue(%x at …(d0)) tables(%t) apply { tensor.extract %t[%x + 128] }
"""

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import type_of
from s2s.passes.graph.lower_to_tensor.compute import Operand, aligned, at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.conversion import limits
from s2s.passes.graph.lower_to_tensor.scalars import ADD, SUB, Scalar, Scalars
from s2s.types.dtypes import size_in_bytes


class LowerRescale(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.RescaleOp, rewriter: PatternRewriter) -> None:
        shape, element = shape_of(op.x), op.y.type.element_type
        d = dims(len(shape))

        def rescale(s: Scalars, x: Scalar, multiplier: Scalar, shift: Scalar) -> Scalar:
            moved = _moved(s, op, x)
            made = tensor.RescaleOp(moved.value, multiplier.value, shift.value, op.rounding.data)
            moved = s.insert(made, i32) + op.zero_points[1]
            return s.cast(limited(s, moved, op.limits), element)

        parameters = [_parameter(value, op.channel_axis, d) for value in (op.multiplier, op.shift)]
        y = compute(rewriter, op, shape, epilogue=[aligned(op.x, d), *parameters], apply=rescale)
        rewriter.replace(op, [], [y])


def _parameter(value: SSAValue, axis: int | None, d: tuple[AffineExpr, ...]) -> Operand:
    return at(value, d[axis]) if axis is not None and shape_of(value) else at(value)


def _moved(s: Scalars, op: graph.RescaleOp, x: Scalar) -> Scalar:
    """`x - input_zp`, which wraps around only if `x` is as wide as the result."""
    wide = i64 if op.rounding.data == "reduced" else i32
    fits = size_in_bytes(type_of(op.x).element_type) < size_in_bytes(wide)
    value, zero_point = s.cast(x, wide), op.zero_points[0]
    if not zero_point:
        return value
    return s.bounded(SUB, value, zero_point) if fits else value - zero_point


def limited(s: Scalars, x: Scalar, bounds: tuple[int, int]) -> Scalar:
    """Clamp `x` to `bounds`; a bound that is the limit of its type needs no operation."""
    low, high = limits(x.element)
    raised = x if bounds[0] == low else s.maximum(x, bounds[0])
    return raised if bounds[1] == high else s.minimum(raised, bounds[1])


class LowerTable(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TableOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.x)
        lowest = int(limits(type_of(op.x).element_type)[0])

        def look_up(s: Scalars, x: Scalar, table: Scalar) -> Scalar:
            wide = s.cast(x, i32)
            return s.extract(table, [s.bounded(ADD, wide, -lowest) if lowest else wide])

        y = move(rewriter, op, shape, [aligned(op.x, dims(len(shape)))], tables=[op.table], apply=look_up)
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerRescale(), LowerTable())
