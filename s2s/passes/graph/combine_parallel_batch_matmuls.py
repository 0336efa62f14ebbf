"""Combine products of one stack of matrices with other stacks into one product, if there are at least three.

    %a = graph.matmul %x, %u : (tensor<8x16x32xf32>, tensor<8x32x4xf32>) -> tensor<8x16x4xf32>
    %b = graph.matmul %x, %v : (tensor<8x16x32xf32>, tensor<8x32x4xf32>) -> tensor<8x16x4xf32>
    %c = graph.matmul %x, %w : (tensor<8x16x32xf32>, tensor<8x32x8xf32>) -> tensor<8x16x8xf32>
->
    %uvw = graph.concat %u, %v, %w {axis = 2} : … -> tensor<8x32x16xf32>
    %y = graph.matmul %x, %uvw : (tensor<8x16x32xf32>, tensor<8x32x16xf32>) -> tensor<8x16x16xf32>
    %a = graph.slice %y {starts = [0, 0, 0], sizes = [8, 16, 4]}, and so on

The second operands may be computed. Declined if a result is read before the last second operand is there, if leading
dimensions or zero points differ, and for integers whose sums become narrow in different ways.
"""

from collections.abc import Hashable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.parallel_branches import MIN_BRANCHES, Combination, joined_type, narrowing, parallel_layers
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore


def _key(op: graph.MatmulOp) -> Hashable | None:
    """What combined products have in common."""
    a, b = type_of(op.a), type_of(op.b)
    narrowed = narrowing(op)
    if a.get_num_dims() < 3 or b.get_num_dims() < 3 or narrowed is None:
        return None
    return (op.a, b.element_type, b.get_shape()[:-2], frozenset(op.properties.items()), narrowed)


def _all_read_later(layers: list[graph.MatmulOp]) -> bool:
    """Whether no result is read before the last of the products."""
    block, last = layers[-1].parent_block(), layers[-1]
    if block is None:
        return False
    places: dict[Operation, int] = {op: number for number, op in enumerate(block.ops)}
    readers = [block.find_ancestor_op_in_block(use.operation) for op in layers for use in op.y.uses]
    return all(reader is not None and places[reader] > places[last] for reader in readers)


def _combine(layers: list[graph.MatmulOp], store: WeightStore) -> None:
    first, last = layers[0], layers[-1]
    rank = type_of(first).get_num_dims()
    columns = type_of(first.b).get_num_dims() - (2 if first.transpose_b is not None else 1)
    joined = graph.ConcatOp([op.b for op in layers], axis=columns)
    copy_provenance(joined, *layers)
    Rewriter.insert_op(joined, InsertPoint.before(last))
    result = joined_type(layers, rank - 1)
    Combination(layers, last, rank - 1, store).replace(
        graph.MatmulOp.create(operands=[first.a, joined.y], result_types=[result], properties=dict(first.properties))
    )


@frozen
class CombineParallelBatchMatmulsPass(ModulePass):
    """Combine products of stacks of matrices with one first operand."""

    name = "graph-combine-parallel-batch-matmuls"

    min_branches: int = MIN_BRANCHES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for layers in parallel_layers(op, graph.MatmulOp, _key, self.min_branches):
            if _all_read_later(layers):
                _combine(layers, weights_of(ctx))
