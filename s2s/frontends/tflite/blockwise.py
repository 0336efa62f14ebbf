"""Constants of small integers with a scale for each block of neighbours in a row (`BlockwiseQuantization`).

    real[row, column] = scale[row, column / size] * integer[row, column]

Products of floats keep them packed where the decision `packed weights` says so, and rows of tables are dequantised one
by one. LiteRT's kernel of tables computes the same numbers; products by XNNPACK quantise the other factor to 8 bits as
well, which is no part of the format and is not done here, and its other products leave the scales of blocks out.
"""

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.packed_weights import packed_product
from s2s.frontends.tflite.checks import is_constant
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.tensors import Tensor, constant_array
from s2s.types.dtypes import Array
from s2s.types.narrow import Quantised

OPERATORS = ("EMBEDDING_LOOKUP", "FULLY_CONNECTED")
"""Operators that take constants with scales for blocks."""
_FLOAT = np.dtype(np.float32)
_SCALES = ("float16", "float32")


def refuse_blocks(node: Node) -> None:
    """Refuse operators that would take integers for numbers."""
    if node.builtin not in OPERATORS and any(each is not None and each.info.blocks for each in node.operands):
        raise node.unsupported(
            "works on integers with a scale for each block", f"use them in {' and '.join(OPERATORS)}"
        )


def product(node: Node, rows: Value, w: Tensor, bias: Value | None) -> Value:
    """The products of `rows` of floats with the rows of `w`."""
    if rows.dtype != _FLOAT:
        raise node.unsupported(f"multiplies {rows.dtype} and weights with a scale for each block", "use float32")
    integers = node.known(1, "its weights").astype(np.int16)
    blocks = _scales(node, w)
    scales = np.repeat(blocks, w.shape[1] // blocks.shape[1], axis=1)
    weights = node.constant(integers * scales, _FLOAT)
    weights.call(w.info.name)
    weights.quantised = Quantised(integers, scales, np.zeros_like(integers))
    y = packed_product(rows, weights, transposed=True)
    if y is None:
        y = emit(graph.MatmulOp, rows, weights, transpose_b=True)
    return y if bias is None else y + reshape(bias, [w.shape[0]])


def rows_of(node: Node, table: Tensor, indices: Value) -> Value:
    """The dequantised rows of a table at `indices`."""
    scales = _scales(node, table)
    count, blocks = indices.shape[0], scales.shape[1]
    integers = emit(graph.GatherOp, table.value, indices, axis=0)
    factors = emit(graph.GatherOp, node.constant(scales), indices, axis=0)
    parts = reshape(cast(integers, _FLOAT), [count, blocks, table.shape[1] // blocks])
    return reshape(parts * reshape(factors, [count, blocks, 1]), [count, table.shape[1]])


def _scales(node: Node, w: Tensor) -> Array:
    """The scale of each block: `[rows, blocks]`."""
    blocks, tensors = w.info.blocks, node.graph.tensors
    if blocks is None or w.rank != 2 or blocks.size < 1 or w.shape[1] % blocks.size:
        raise node.invalid(f"blocks of {blocks and blocks.size} do not divide {list(w.shape)}", "quantise it again")
    if blocks.zero_points > 0:
        raise node.unsupported("has zero points of blocks, which LiteRT does not read", "quantise symmetrically")
    shape = (w.shape[0], w.shape[1] // blocks.size)
    if not 0 <= blocks.scales < len(tensors) or not is_constant(tensors[blocks.scales], node.session.model):
        raise node.invalid("the scales of its blocks are no constant", "quantise the model again")
    scales = tensors[blocks.scales]
    if scales.dtype.name not in _SCALES or int(np.prod(scales.shape)) != shape[0] * shape[1]:
        raise node.invalid(f"{scales.place} holds no scales of {list(shape)} blocks", "quantise the model again")
    found = constant_array(scales, node.session.model).astype(np.float32).reshape(shape)
    if not (np.isfinite(found).all() and (found > 0).all()):
        raise node.invalid(f"{scales.place} holds scales that are not positive", "quantise the model again")
    return found
