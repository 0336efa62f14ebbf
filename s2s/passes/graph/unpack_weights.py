"""Dequantise the packed weights of products where floats are faster.

    %y = graph.blockwise_matmul %x, %w, %scales {bits = 4, dequantised}
      : (tensor<128x32xf32>, tensor<8x2x8xi8>, tensor<8x2xf32>) -> tensor<128x8xf32>
->
    %w = graph.weight "w_floats" : tensor<32x8xf32>
    %y = graph.matmul %x, %w : (tensor<128x32xf32>, tensor<32x8xf32>) -> tensor<128x8xf32>

The model has dequantised these weights before a product of floats, and the importer has kept them packed. Whether they
stay so is a decision (`s2s/decisions/packed_weights.py`), and so it is for codes of a table (`graph.codebook_matmul`).
Declined for operators that the model itself has with packed integers, such as MatMulNBits, and for weights that are
computed.
"""

from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.packed_weights import FLOATS, LOOKING_UP, UNPACKING, PackedProduct, PackedWeightsKind
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance
from s2s.dialects.walk import walk
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import new_constant, weight_name
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

BITS = 4
HALF = np.int8(8)


@frozen
class UnpackWeightsPass(ModulePass):
    name = "graph-unpack-weights"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        products = [each for each in walk(op) if isinstance(each, graph.BlockwiseMatmulOp | graph.CodebookMatmulOp)]
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for product in products:
                tables = _tables(product, store)
                if tables is None:
                    continue
                shape = product.y.type.get_shape()
                columns = shape_of(product.x)[-1]
                size = sum(each.nbytes for each in tables)
                unpacking = LOOKING_UP if isinstance(product, graph.CodebookMatmulOp) else UNPACKING
                subject = PackedProduct(op, (product,), prod(shape[:-1]), columns * shape[-1], size, unpacking)
                if chooser.choose(PackedWeightsKind(), subject) == FLOATS:
                    _unpack(product, tables, store)


def _tables(op: graph.BlockwiseMatmulOp | graph.CodebookMatmulOp, store: WeightStore) -> list[Array] | None:
    """Return the packed weights, scales and zero points of a product whose weights were dequantised, or the codes, the
    table and the scales of one; None of others."""
    if isinstance(op, graph.CodebookMatmulOp):
        operands = [op.w, op.table, op.scales]
    elif graph.DEQUANTISED in op.attributes:
        operands = [op.w, op.scales, *([] if op.zero_points is None else [op.zero_points])]
    else:
        return None
    known = [known_value(each, store) for each in operands]
    found = [each for each in known if each is not None]
    return found if len(found) == len(known) else None


def _unpack(op: graph.BlockwiseMatmulOp | graph.CodebookMatmulOp, tables: list[Array], store: WeightStore) -> None:
    rows = _looked_up(*tables) if isinstance(op, graph.CodebookMatmulOp) else _dequantised(op.bits.value.data, *tables)
    weights = rows.reshape(len(rows), -1)[:, : shape_of(op.x)[-1]].T
    made = new_constant(np.asarray(weights, order="C"), f"{weight_name(op.w) or 'weights'}_floats", store)
    product = graph.MatmulOp(op.x, made.y)
    for each in (made, product):
        copy_provenance(each, op)
    Rewriter.replace_op(op, [made, product])


def _looked_up(w: Array, table: Array, scales: Array) -> Array:
    """Return the weights `[rows, blocks, block]` of codes."""
    return (table[_nibbles(w)] * scales[:, :, None]).astype(table.dtype)


def _dequantised(bits: int, w: Array, scales: Array, *zero_points: Array) -> Array:
    """Return the weights `[rows, blocks, block]` of integers with sign."""
    integers = (_nibbles(w).astype(np.int8) ^ HALF) - HALF if bits == BITS else w
    wide = integers.astype(np.float32)
    for each in zero_points:
        wide -= each.astype(np.float32)[:, :, None]
    return wide * scales[:, :, None]


def _nibbles(w: Array) -> Array:
    """Return the four bits of each weight, `[rows, blocks, block]`."""
    stored = w.view(np.uint8)
    return np.stack([stored & 15, stored >> np.uint8(BITS)], axis=-1).reshape(*stored.shape[:2], -1)
