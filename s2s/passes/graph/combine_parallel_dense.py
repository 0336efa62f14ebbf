"""Combine products of one matrix with constant matrices into one product, if there are at least three.

    %q = graph.matmul %x, %wq : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %k = graph.matmul %x, %wk : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %v = graph.matmul %x, %wv : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
->
    %y = graph.matmul %x, %wqkv : (tensor<128x64xf32>, tensor<64x192xf32>) -> tensor<128x192xf32>
    %q = graph.slice %y {starts = [0, 0], sizes = [128, 64]}, and so on

Biases (additions of constants per column) and activations are combined too where all branches go on alike.

Sums of integers are rescaled together, each column by its factor. Declined for constants that are no matrices, for
transposed operands or zero points that differ, and for integers whose sums become narrow in different ways.
"""

from collections.abc import Hashable

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.analysis.numbers.known_values import is_known, known_values
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.parallel_branches import MIN_BRANCHES, Combination, joined_type, narrowing, parallel_layers
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore


def _key(op: graph.MatmulOp) -> Hashable | None:
    """What combined products have in common."""
    narrowed = narrowing(op)
    if not is_known(op.b) or type_of(op.b).get_num_dims() != 2 or narrowed is None:
        return None
    return (op.a, type_of(op.b).element_type, frozenset(op.properties.items()), narrowed)


def _combine(layers: list[graph.MatmulOp], store: WeightStore) -> None:
    first = layers[0]
    weights = known_values([op.b for op in layers], store) or []
    axis = type_of(first).get_num_dims() - 1
    combination = Combination(layers, first, axis, store)
    columns = 0 if first.transpose_b is not None else 1
    joined = combination.constant(np.concatenate(weights, columns), "joined_weight")
    result = joined_type(layers, axis)
    combination.replace(
        graph.MatmulOp.create(operands=[first.a, joined.y], result_types=[result], properties=dict(first.properties))
    )


@frozen
class CombineParallelDensePass(ModulePass):
    """Combine dense layers of one input."""

    name = "graph-combine-parallel-dense"

    min_branches: int = MIN_BRANCHES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for layers in parallel_layers(op, graph.MatmulOp, _key, self.min_branches):
            _combine(layers, weights_of(ctx))
