"""Operators on the coordinates of sparse tensors, under TVM's names; values and weights are dense."""

from s2s.errors import InputError
from s2s.tvm.relay import op, reduce
from s2s.tvm.relay.arithmetic import floor_divide, trunc_mod
from s2s.tvm.relay.expr import Expr, Tuple, const
from s2s.tvm.relay.operators import operator


@operator("sparse_reshape")
def sparse_reshape(sparse_indices: Expr, prev_shape: Expr, new_shape: Expr) -> Tuple:
    """The coordinates of the elements of a sparse tensor in another shape, and this shape, in which one size may be -1.

    `sparse_indices` has a row of coordinates for each element; shapes may be computed at run time.
    """
    if len(sparse_indices.shape) not in (1, 2) or len(prev_shape.shape) != 1 or len(new_shape.shape) != 1:
        raise InputError(
            f"relay.sparse_reshape: coordinates {list(sparse_indices.shape)} of a tensor of {list(prev_shape.shape)} "
            f"sizes in {list(new_shape.shape)} sizes; give a row for each element, and a vector for each shape"
        )
    before, after = prev_shape.astype("int64"), _filled(prev_shape.astype("int64"), new_shape.astype("int64"))
    rows = sparse_indices.astype("int64")
    rows = rows if len(rows.shape) == 2 else op.expand_dims(rows, 1)
    places = reduce.sum(rows * op.expand_dims(_strides(before), 0), 1, keepdims=True)
    outer = floor_divide(places, op.expand_dims(_strides(after), 0))
    is_first = op.equal(reduce.cumsum(op.ones_like(after), 0), const(1, "int64"))
    moved = op.where(op.expand_dims(is_first, 0), outer, trunc_mod(outer, op.expand_dims(after, 0)))
    if prev_shape.shape == new_shape.shape:  # equal shapes: even what lies outside stays
        moved = op.where(reduce.all(op.equal(before, after)), rows, moved)
    return Tuple([moved.astype(sparse_indices.dtype), after.astype(new_shape.dtype)])


def _filled(before: Expr, asked: Expr) -> Expr:
    """The sizes that are asked for, with the number of elements that is left in the place of -1."""
    one = const(1, "int64")
    is_open = op.equal(asked, const(-1, "int64"))
    closed = op.where(is_open, op.ones_like(asked), asked)
    left = floor_divide(reduce.prod(before, keepdims=True), op.maximum(reduce.prod(closed, keepdims=True), one))
    return op.where(is_open, op.ones_like(asked) * left, asked)


def _strides(sizes: Expr) -> Expr:
    """For each dimension the product of the sizes behind it: of (2, 3, 6) these are (18, 6, 1)."""
    places = reduce.cumsum(op.ones_like(sizes), 0)
    is_behind = op.less(op.expand_dims(places, 1), op.expand_dims(places, 0))
    table = op.expand_dims(sizes, 0) * op.expand_dims(op.ones_like(sizes), 1)
    return reduce.prod(op.where(is_behind, table, op.ones_like(table)), 1)
