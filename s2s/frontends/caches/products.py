"""Products with rows of a cache that share a scale: the scales move out of them, so that rows are read as they are.

    %y = graph.matmul %q, (%keys * %scales) {transpose_b}      keys [2, 128, 8], scales [2, 128, 1]
->
    %y = (graph.matmul %q, %keys {transpose_b}) * (graph.reshape %scales : tensor<2x1x128xf32>)

    %y = graph.matmul %p, (%values * %scales)
->
    %y = graph.matmul (%p * (graph.reshape %scales : tensor<2x1x128xf32>)), %values
"""

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.frontends.caches.moves import Place


def is_product(op: object, value: SSAValue) -> bool:
    """Return whether `op` multiplies floats by `value`."""
    if not isinstance(op, graph.MatmulOp) or op.b is not value or op.a is value:
        return False
    plain = op.a_zp is None and op.b_zp is None and op.acc_type is None
    return plain and type_of(op.a).element_type == f32


def scaled_product(op: graph.MatmulOp, numbers: SSAValue, scales: SSAValue, axis: int, place: Place) -> SSAValue:
    """Return the product of `op` with `numbers`, as floats, of which rows along `axis` have a scale."""
    *outer, first, second = shape_of(scales)
    row = place(graph.ReshapeOp(scales, [*outer, 1, first * second]))
    summed = len(outer) + (1 if op.transpose_b is not None else 0)
    transposed_a, transposed_b = op.transpose_a is not None, op.transpose_b is not None
    if axis == summed:
        product = place(graph.MatmulOp(op.a, numbers, transpose_a=transposed_a, transpose_b=transposed_b))
        return place(graph.MulOp(product, row))
    a = op.a
    if transposed_a:
        rank = len(shape_of(a))
        a = place(graph.TransposeOp(a, perm=[*range(rank - 2), rank - 1, rank - 2]))
    weighted = place(graph.MulOp(a, row))
    return place(graph.MatmulOp(weighted, numbers, transpose_b=transposed_b))
