"""Take the zero point of constants out of a matrix product.

    %y = graph.matmul %a, %w {acc_type = i32, b_zp = 3, …} : (tensor<4x64xi8>, tensor<64x32xi8>) -> tensor<4x32xi32>
->
    %p = graph.matmul %a, %w {acc_type = i32, …} : (tensor<4x64xi8>, tensor<64x32xi8>) -> tensor<4x32xi32>
    %s = graph.reduce_sum (graph.cast %a) {axes = [1], keepdims} : tensor<4x1xi32>
    %y = graph.sub %p, 3 * %s

`sum(a * (w - zp)) = sum(a * w) - zp * sum(a)`: all columns share the sum of a row. Instructions that multiply bytes
then take the constants as they lie in memory, and no loop subtracts a zero point in each step. Sums wrap around, so
that the result is the same for all inputs.

Declined for factors that are computed, for few columns, and where the other factor has a zero point too, of which
`graph-fold-zero-points` has left none beside a constant.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import as_tensor_type, to_numpy

MIN_COLUMNS = 16
"""The fewest columns among which the sum of a row is shared."""


class SplitZeroPoint(WeightPattern):
    """A product with a constant that has a zero point."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        rule = op.accumulation
        if not rule.w_zp or rule.x_zp or known_value(op.b, self.store) is None:
            return
        if len(shape_of(op.a)) < 2 or len(shape_of(op.b)) != 2 or shape_of(op.y)[-1] < MIN_COLUMNS:
            return
        properties = {name: value for name, value in op.properties.items() if name != "b_zp"}
        product = graph.MatmulOp.create(
            operands=op.operands, result_types=op.result_types, properties=properties, attributes=dict(op.attributes)
        )
        summed = len(shape_of(op.a)) - (1 if op.transpose_a is None else 2)
        element = as_tensor_type(op.y.type).element_type
        numbers = graph.CastOp(op.a, element)
        sums = graph.ReduceSumOp(numbers.y, axes=[summed])
        rows = graph.ReshapeOp(sums.y, (*shape_of(sums.y), 1))
        factor = graph.ConstantOp(np.array(rule.w_zp, to_numpy(element)))
        share = graph.MulOp(rows.y, factor.y)
        made = [product, numbers, sums, rows, factor, share, graph.SubOp(product.y, share.y)]
        for each in made:
            copy_provenance(each, op)
        rewriter.replace(op, made)


class SplitZeroPointsPass(ModulePass):
    """Take the zero points of constants out of matrix products."""

    name = "graph-split-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, SplitZeroPoint(weights_of(ctx)))
