"""Operators that pick elements by indices or conditions held in a tensor."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, equal, reshape, select, transpose, unsqueeze
from s2s.frontends.places import iota, reverse_sequences
from s2s.frontends.selection import coordinates, distinct
from s2s.frontends.tflite import blockwise
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantize import dequantized
from s2s.frontends.tflite.schema import COMPLEX
from s2s.frontends.tflite.spectrum import part_of

_I32 = np.dtype(np.int32)


def _check(node: Node, indices: Value, size: int) -> None:
    """Refuse constant indices outside `[0, size)`: TFLite does not count from the back."""
    array = indices.array
    if array is not None and array.size and not (array.min() >= 0 and array.max() < size):
        raise node.invalid(f"a constant index is outside [0, {size})", "fix the indices")


def _gather(node: Node) -> Value:
    x, indices, options = node.input(0).value, node.input(1).value, node.options
    axis = node.axis(int(options.Axis()), x.rank)
    batch = int(options.BatchDims())
    batch = batch + indices.rank if batch < 0 else batch
    if not 0 <= batch <= min(axis, indices.rank) or x.shape[:batch] != indices.shape[:batch]:
        raise node.invalid(f"{batch} batch dimensions of {list(x.shape)} and {list(indices.shape)}", "fix batch_dims")
    _check(node, indices, x.shape[axis])
    if batch == 0:
        return emit(graph.GatherOp, x, indices, axis=axis, nonnegative_indices=True)
    outer, inner = x.shape[batch:axis], x.shape[axis + 1 :]
    places, wanted = indices.shape[batch:], prod(indices.shape[batch:])
    groups = prod(x.shape[:batch])
    flat = reshape(x, [groups, prod(outer), x.shape[axis], prod(inner)])
    chosen = broadcast_to(reshape(indices, [groups, 1, wanted, 1]), [groups, prod(outer), wanted, prod(inner)])
    picked = emit(graph.GatherElementsOp, flat, chosen, axis=2, nonnegative_indices=True)
    return reshape(picked, [*x.shape[:batch], *outer, *places, *inner])


def _gather_nd(node: Node) -> Value:
    x, indices = node.input(0).value, node.input(1).value
    if x.rank < 1 or indices.rank < 1 or not 1 <= indices.shape[-1] <= x.rank:
        raise node.invalid(f"indices {list(indices.shape)} do not fit {list(x.shape)}", "fix the indices")
    if indices.array is not None:
        for position in range(indices.shape[-1]):
            _check(node, node.constant(indices.array[..., position]), x.shape[position])
    return emit(graph.GatherNdOp, x, indices, batch_dims=0, nonnegative_indices=True)


def _embedding_lookup(node: Node) -> Value:
    indices, table = node.input(0).value, node.input(1)
    if indices.rank != 1 or table.rank < 2:
        raise node.invalid(f"looks {list(indices.shape)} up in {list(table.shape)}", "give a list and a table of rows")
    _check(node, indices, table.shape[0])
    if table.info.blocks is not None:
        return blockwise.rows_of(node, table, indices)
    rows = emit(graph.GatherOp, table.value, indices, axis=0, nonnegative_indices=True)
    if node.output_type().dtype == table.dtype:
        return rows
    if table.quant is None or not table.quant.is_per_tensor:
        raise node.unsupported("its table is not quantised per tensor", "quantise it with one scale")
    return dequantized(node, rows, table.info)


def _hashtable_lookup(node: Node) -> list[Value]:
    """The rows at the places of the wanted numbers among ascending keys, zeros for numbers that are no key; and
    hits."""
    wanted, keys, table = (node.input(position).value for position in range(3))
    if wanted.rank != 1 or keys.rank != 1 or table.rank < 1 or table.shape[0] != keys.shape[0]:
        fact = f"looks {list(wanted.shape)} up in {list(keys.shape)} keys of {list(table.shape)}"
        raise node.invalid(fact, "give lists and a row for each key")
    if (wanted.dtype, keys.dtype) != (_I32, _I32) or 0 in (*wanted.shape, *table.shape):
        raise node.unsupported(f"looks {wanted.type} up in {keys.type}", "use int32, and one or more of each")
    found = equal(unsqueeze(wanted, [1]), unsqueeze(keys, [0]))
    hits = cast(emit(graph.ReduceMaxOp, cast(found, _I32), axes=[1], keepdims=False), np.dtype(np.uint8))
    places = emit(graph.ArgmaxOp, cast(found, _I32), axis=1, keepdims=False)
    rows = emit(graph.GatherOp, table, places, axis=0)
    is_hit = reshape(equal(hits, 1), [wanted.shape[0], *[1] * (table.rank - 1)])
    return [select(is_hit, rows, rows.like(0)), hits]


def _select(node: Node) -> Value:
    condition, yes, no = (node.input(position).value for position in range(3))
    _check_condition(node, condition, yes, no)
    return select(condition, yes, no)


def _check_condition(node: Node, condition: Value, yes: Value, no: Value) -> None:
    if not condition.is_bool or yes.dtype != no.dtype:
        raise node.invalid(f"selects {yes.dtype} or {no.dtype} by {condition.dtype}", "give a bool and equal types")


def _where(node: Node) -> Value:
    """The positions of the elements that are not zero, one row each."""
    return transpose(coordinates(node.input(0).value), [1, 0])


def _unique(node: Node) -> list[Value]:
    """The distinct elements in the order of their first occurrence, and for each element the number of its equal."""
    x = node.input(0).value
    if x.rank != 1:
        raise node.invalid(f"input has shape {list(x.shape)}", "give a row")
    found = distinct(reshape(x, [*x.shape, 1]), in_order=False)
    return [emit(graph.GatherOp, x, found.places, axis=0), cast(found.inverse, node.output_type(1).dtype)]


def _select_rows(node: Node) -> Value:
    """The older operator, whose condition may be a list with an entry for each row."""
    condition, yes, no = (node.input(position).value for position in range(3))
    _check_condition(node, condition, yes, no)
    if condition.rank == 1 and yes.rank > 1:
        condition = reshape(condition, [condition.shape[0], *[1] * (yes.rank - 1)])
    return select(condition, yes, no)


def _fill(node: Node) -> Value:
    number, shape = node.input(1).value, node.shape(node.known_ints(0, "its shape"))
    if number.rank != 0:
        raise node.invalid(f"fills with shape {list(number.shape)}", "give one number")
    return broadcast_to(number, shape)


def _zeros_like(node: Node) -> Value:
    x = node.input(0)
    return node.builder.filled(0, x.shape, x.dtype)


def _one_hot(node: Node) -> Value:
    """`on` where the place along the new axis is the index, `off` elsewhere and for indices outside."""
    indices, depths = cast(node.input(0).value, _I32), node.known_ints(1, "its depth")
    on, off = node.input(2).value, node.input(3).value
    if len(depths) != 1 or depths[0] < 1 or on.rank or off.rank or on.dtype != off.dtype:
        raise node.invalid(f"has depths {depths} and values {on.type} and {off.type}", "give one of each")
    rank = indices.rank + 1
    axis = node.axis(int(node.options.Axis()), rank)
    hit = equal(unsqueeze(indices, [axis]), iota(node, depths[0], rank, axis, _I32))
    return select(hit, on, off)


def _scatter_nd(node: Node) -> Value:
    """Zeros with updates added at places of their first dimensions."""
    indices, updates = node.input(0).value, node.input(1).value
    shape = node.shape(node.known_ints(2, "its shape"))
    if indices.rank < 1 or not 1 <= indices.shape[-1] <= len(shape):
        raise node.invalid(f"indices {list(indices.shape)} do not fit {list(shape)}", "fix the indices")
    return emit(graph.ScatterNdOp, _zeros(node, updates, shape), indices, updates, reduction="add")


def _zeros(node: Node, like: Value, shape: Sequence[int]) -> Value:
    return node.builder.filled(0, shape, like.dtype)


def _sparse_to_dense(node: Node) -> Value:
    """A tensor of one number with others at listed places."""
    indices, shape = node.input(0).value, node.shape(node.known_ints(1, "its shape"))
    values, default = node.input(2).value, node.input(3).value
    rows = reshape(indices, [1] * (2 - indices.rank) + list(indices.shape)) if indices.rank == 0 else indices
    rows = unsqueeze(rows, [1]) if rows.rank == 1 else rows
    if rows.rank != 2 or rows.shape[1] != len(shape) or default.rank:
        raise node.invalid(f"places {list(indices.shape)} in {list(shape)}", "give a row of indices for each value")
    updates = broadcast_to(values, [rows.shape[0]])
    return emit(graph.ScatterNdOp, broadcast_to(default, shape), rows, updates, reduction="none")


def _reverse_sequence(node: Node) -> Value:
    x, lengths = node.input(0).value, node.input(1).value
    time, batch = (node.axis(int(axis), x.rank) for axis in (node.options.SeqDim(), node.options.BatchDim()))
    return reverse_sequences(node, x, lengths, batch, time)


def _bucketize(node: Node) -> Value:
    """How many boundaries are not above each element."""
    x, options = node.input(0).value, node.options
    bounds = np.array([options.Boundaries(place) for place in range(options.BoundariesLength())], np.float32)
    at_or_above = emit(graph.GreaterEqualOp, unsqueeze(cast(x, np.dtype(np.float32)), [x.rank]), node.constant(bounds))
    return emit(graph.ReduceSumOp, cast(at_or_above, _I32), axes=[x.rank])


def _on_diagonal(node: Node, rows: int, columns: int) -> Value:
    return equal(iota(node, rows, 2, 0, _I32), iota(node, columns, 2, 1, _I32))


def _matrix_diag(node: Node) -> Value:
    x = node.input(0).value
    if x.rank < 1:
        raise node.invalid("its operand has no dimension", "give a diagonal")
    size = x.shape[-1]
    return select(_on_diagonal(node, size, size), unsqueeze(x, [x.rank]), 0)


def _matrix_set_diag(node: Node) -> Value:
    x, diagonal = node.input(0).value, node.input(1).value
    if x.rank < 2 or diagonal.shape != (*x.shape[:-2], min(x.shape[-2:])):
        raise node.invalid(f"diagonal {list(diagonal.shape)} does not fit {list(x.shape)}", "fix the shapes")
    rows, columns = x.shape[-2:]
    # Along the longer side, elements beyond the diagonal's end are never chosen.
    stretched = unsqueeze(diagonal, [x.rank - 2 if columns <= rows else x.rank - 1])
    return select(_on_diagonal(node, rows, columns), stretched, x)


def _cast(node: Node) -> Value:
    """Numbers of another type; of complex numbers the real part."""
    x, wanted = node.input(0), node.output_type()
    if wanted.kind == COMPLEX:
        raise node.unsupported("its result is complex", "keep real and imaginary parts in tensors of their own")
    return cast(part_of(x, 0) if x.parts else x.value, wanted.dtype)


IMPORTERS: Mapping[str, Importer] = {
    "BUCKETIZE": _bucketize,
    "CAST": _cast,
    "EMBEDDING_LOOKUP": _embedding_lookup,
    "FILL": _fill,
    "GATHER": _gather,
    "GATHER_ND": _gather_nd,
    "HASHTABLE_LOOKUP": _hashtable_lookup,
    "MATRIX_DIAG": _matrix_diag,
    "MATRIX_SET_DIAG": _matrix_set_diag,
    "ONE_HOT": _one_hot,
    "REVERSE_SEQUENCE": _reverse_sequence,
    "SCATTER_ND": _scatter_nd,
    "SELECT": _select_rows,
    "SELECT_V2": _select,
    "SPARSE_TO_DENSE": _sparse_to_dense,
    "UNIQUE": _unique,
    "WHERE": _where,
    "ZEROS_LIKE": _zeros_like,
}
