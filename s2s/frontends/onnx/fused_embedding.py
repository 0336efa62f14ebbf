"""Import the lookups of com.microsoft: embeddings with a layer normalisation, and rows of weights quantised by blocks.

y[b, s] = normalise(words[ids[b, s]] + positions[s] + segments[segment_ids[b, s]])
"""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, equal, greater, reshape, select, take, unsqueeze
from s2s.frontends.onnx.narrow import marked, numbers
from s2s.frontends.onnx.node import Importer, Node
from s2s.types.dtypes import Array

_FLOAT, _INT = np.dtype(np.float32), np.dtype(np.int32)


def _embed_layer_norm(node: Node) -> list[Value]:
    return _embedded(node, [node.optional(position) for position in range(2, 7)], node.optional(8))


def _quantised_embed_layer_norm(node: Node) -> list[Value]:
    """Tables and parameters of 8-bit integers, each with a scale and a zero point; rows are dequantised."""
    return _embedded(node, [node.optional(position) for position in range(2, 7)], None, first_scale=8)


def _embedded(
    node: Node, tables: list[Value | None], positions: Value | None, first_scale: int | None = None
) -> list[Value]:
    """The normalised sum, the number of words of each row, and the sum."""
    ids, segments = node.input(0), node.optional(1)
    if ids.rank != 2:
        raise node.invalid(f"input_ids has shape {list(ids.shape)}", "give [batch, length]")
    batch, length = ids.shape

    def rows(number: int, indices: Value | None) -> Value:
        """Rows of a table, or all of it."""
        table = tables[number]
        if table is None:
            raise node.invalid(f"input {number + 2} is left out", "connect it")
        found = table if indices is None else emit(graph.GatherOp, table, indices, axis=0)
        if first_scale is None:
            return found
        scale, zero_point = node.input(first_scale + number), node.input(first_scale + 5 + number)
        return (cast(found, _FLOAT) - reshape(cast(zero_point, _FLOAT), [])) * reshape(scale, [])

    total = rows(0, ids)
    if positions is None:
        table = tables[1]
        if table is None or table.shape[0] < length:
            raise node.invalid(f"has positions for less than {length} words", "export for fewer words")
        positions = node.constant(np.arange(length), _INT)
    total = total + rows(1, positions)
    if segments is not None:
        total = total + rows(2, segments)
    y = emit(graph.LayerNormOp, total, rows(3, None), rows(4, None), axis=total.rank - 1, epsilon=node.real("epsilon"))
    return [y, _word_counts(node, batch), total][: max(1, node.outputs())]


def _word_counts(node: Node, batch: int) -> Value:
    """How many words of each row a mask leaves; zeros without a mask."""
    mask = node.optional(7)
    if mask is None:
        return node.constant(np.zeros(batch), _INT)
    return emit(graph.ReduceSumOp, cast(equal(mask, 1), _INT), axes=[1])


def _gather_block_quantized(node: Node) -> Value:
    """Rows looked up in a packed table, and dequantised."""
    data, indices, scales, zero = node.input(0), node.input(1), node.input(2), node.optional(3)
    codes, zeros = (None if each is None else _codes(node, each, data) for each in (data, zero))
    assert codes is not None
    axis = node.axis(node.integer("gather_axis"), data.rank)
    along = node.axis(node.integer("quantize_axis"), data.rank)
    if axis == along:
        raise node.unsupported("gathers along the axis of its blocks", "quantise along another axis")
    block = node.integer("block_size") or codes.shape[along]
    expected = tuple(-(-size // block) if dim == along else size for dim, size in enumerate(codes.shape))
    for each in (scales, *([] if zeros is None else [zeros])):
        if each.shape != expected:
            raise node.invalid(f"scales or zero points have shape {list(each.shape)}", f"give {list(expected)}")
    places = select(greater(indices, -1), indices, indices + data.shape[axis])
    where = along if along < axis else along + indices.rank - 1
    size = codes.shape[along]

    def looked_up(table: Value) -> Value:
        return numbers(_rows(table, places, axis))

    def spread(table: Value) -> Value:
        each = unsqueeze(looked_up(table), [where + 1])
        shape = list(each.shape)
        wide = broadcast_to(each, [*shape[: where + 1], block, *shape[where + 2 :]])
        merged = reshape(wide, [*shape[:where], shape[where] * block, *shape[where + 2 :]])
        return take(merged, where, 0, size)

    found = cast(looked_up(codes), scales.dtype)
    if zeros is not None:
        found = found - cast(spread(zeros), scales.dtype)
    elif data.narrow is None:
        found = found - (1 << (node.integer("bits") - 1))
    return found * spread(scales)


def _rows(table: Value, places: Value, axis: int) -> Value:
    """The elements of `table` at `places`, of its own narrow type."""
    return marked(emit(graph.GatherOp, marked(table, None), places, axis=axis), table.narrow)


def _codes(node: Node, x: Value, data: Value) -> Value:
    """The elements of a table; of bytes that hold several, one in a byte, low bits first."""
    bits = node.integer("bits")
    if data.narrow is not None or bits == 8:
        return x
    if bits not in (2, 4):
        raise node.unsupported(f"weights have {bits} bits", "quantise them to 2, 4 or 8")
    packed: Array = x.array if x.array is not None else node.known(0, "the weights")
    parts = np.stack([packed >> np.uint8(shift) & np.uint8((1 << bits) - 1) for shift in range(0, 8, bits)], axis=-1)
    return node.constant(parts.reshape(*packed.shape[:-1], -1), np.uint8)


IMPORTERS: Mapping[str, Importer] = {
    "EmbedLayerNormalization": _embed_layer_norm,
    "GatherBlockQuantized": _gather_block_quantized,
    "QEmbedLayerNormalization": _quantised_embed_layer_norm,
}
_EPSILON: Mapping[str, int | float | str] = {"epsilon": 1e-12}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "EmbedLayerNormalization": {**_EPSILON, "mask_index_type": 0},
    "GatherBlockQuantized": {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1},
    "QEmbedLayerNormalization": _EPSILON,
}
REQUIRED: Mapping[str, Mapping[str, int]] = {}
OPTIONAL: Mapping[str, Mapping[str, int]] = {}
INPUTS: Mapping[str, tuple[int, int]] = {
    "EmbedLayerNormalization": (7, 9),
    "GatherBlockQuantized": (3, 4),
    "QEmbedLayerNormalization": (18, 18),
}
OUTPUTS: Mapping[str, int] = {"EmbedLayerNormalization": 3, "QEmbedLayerNormalization": 2}
