"""Lower matrix products, and determinants to a routine of the runtime.

    %y = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
->
    %y = tensor.compute [4, 3 | 8] reads(%a at …(d0, d2), %b at …(d2, d1)) inits [0.0 : f32] reduce { acc + a * b }

    %y = graph.determinant %x : (tensor<8x5x5xf32>) -> tensor<8xf32>
->
    %y = tensor.extern "determinant_f32"(%x) {numbers = [8, 5], scratch = [tensor<25xf32>]} : …
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.c_syntax.types import element_name
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import type_of
from s2s.passes.graph.lower_to_tensor.compute import Operand, aligned, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.products import product_step
from s2s.passes.graph.lower_to_tensor.reduce import state_fills
from s2s.types.dtypes import tensor_type


class LowerMatmul(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        shape = op.y.type.get_shape()
        inner = shape_of(op.a)[-2 if op.transpose_a is not None else -1]
        *batch, row, column, k = dims(len(shape) + 1)
        a = _matrix(op.a, batch, row, k, transposed=op.transpose_a is not None)
        b = _matrix(op.b, batch, k, column, transposed=op.transpose_b is not None)
        element = op.y.type.element_type
        factors = type_of(op.a).element_type, type_of(op.b).element_type
        y = compute(
            rewriter,
            op,
            shape,
            [inner],
            reads=[a, b],
            inits=[(0, widened(element))],
            reduce=product_step(*factors, element, op.accumulation, inner),
            apply=lambda s, acc: acc,
            names=[*(f"b{number}" for number in range(len(batch))), "m", "n", "k"],
        )
        rewriter.replace(op, [], [y])


def _matrix(
    value: SSAValue, batch: Sequence[AffineExpr], row: AffineExpr, column: AffineExpr, *, transposed: bool
) -> Operand:
    return aligned(value, [*batch, column, row] if transposed else [*batch, row, column])


class LowerDeterminant(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DeterminantOp, rewriter: PatternRewriter) -> None:
        *batch, _, size = shape_of(op.x)
        element = op.y.type.element_type
        scratch = [tensor_type(element, (size * size,))]
        made = tensor.ExternOp(
            f"determinant_{element_name(element)}", [op.x], [prod(batch), size], [op.y.type], scratch
        )
        graph.copy_provenance(made, op)
        state_fills(made, op, [UnitAttr()])
        rewriter.replace(op, made)


PATTERNS: tuple[RewritePattern, ...] = (LowerMatmul(), LowerDeterminant())
