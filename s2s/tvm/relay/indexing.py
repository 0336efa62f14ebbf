"""Operators that take, place and rearrange elements by indices or positions, under TVM's names."""

import re
from collections.abc import Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.tvm.dtypes import is_float
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Constant, Expr, Number, Tuple, axis_of, const
from s2s.tvm.relay.formula import constant_ints, onnx
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.op import slices_of
from s2s.tvm.relay.operators import operator
from s2s.types.size import Size


@operator("take")
def take(data: Expr, indices: Expr, axis: int | None = None, batch_dims: int = 0, mode: str = "clip") -> Expr:
    """The slices of `data` at `indices` along `axis`; without one, of its elements in a row.

    Indices outside are limited to the tensor (`clip`), counted round (`wrap`), or promised not to occur (`fast`). The
    first `batch_dims` dimensions of both are gone through together.
    """
    source = op.reshape(data, [-1]) if axis is None else data
    place = 0 if axis is None else axis_of(axis, len(data.shape))
    inside = _inside("take", indices, source.shape[place], mode)
    if batch_dims == 0:
        return call(graph.GatherOp, source, inside, axis=place)
    batch = batch_dims if batch_dims > 0 else batch_dims + len(indices.shape)
    return _take_in_batches(source, inside, place, batch)


def _inside(where: str, indices: Expr, size: int, mode: str) -> Expr:
    """Indices that are within `size` elements."""
    if mode not in ("clip", "wrap", "fast"):
        raise InputError(f"relay.{where}: mode {mode!r} is not known; give 'clip', 'wrap' or 'fast'")
    if np.dtype(indices.dtype).kind not in "iu":
        indices = indices.astype("int32")
    if mode == "fast":
        return indices
    if isinstance(size, Size):
        fact = f"mode {mode!r} depends on a size that the arrays of a run tell"
        raise UnsupportedError(
            f"relay.{where}: {fact}; give numbers for these sizes, or indices within them and 'fast'"
        )
    if isinstance(indices, Constant):
        array = indices.value.astype(np.int64)
        return const(array % size if mode == "wrap" else np.clip(array, 0, size - 1))
    if np.dtype(indices.dtype).itemsize < 4:
        indices = indices.astype("int32")
    return call(graph.ModOp, indices, indices.like(size)) if mode == "wrap" else op.clip(indices, 0, size - 1)


def _take_in_batches(data: Expr, indices: Expr, axis: int, batch: int) -> Expr:
    """Take from each entry of the first `batch` dimensions with the indices of that entry."""
    count = prod(data.shape[:batch])
    places = indices.astype("int64") + const(_offsets(data, indices, axis, batch))
    order = [*range(batch), axis, *range(batch, axis), *range(axis + 1, len(data.shape))]
    moved = op.transpose(data, order)
    rows = op.reshape(moved, [count * data.shape[axis], *moved.shape[batch + 1 :]])
    taken = call(graph.GatherOp, rows, places, axis=0)
    middle = len(indices.shape) - batch
    first = [*range(batch), *range(batch + middle, batch + middle + axis - batch), *range(batch, batch + middle)]
    return op.transpose(taken, [*first, *range(len(first), len(taken.shape))])


def _offsets(data: Expr, indices: Expr, axis: int, batch: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The first row of each entry of the batch, shaped to be added to indices."""
    rows = np.arange(prod(data.shape[:batch]), dtype=np.int64) * data.shape[axis]
    return rows.reshape(*data.shape[:batch], *[1] * (len(indices.shape) - batch))


@operator("gather_nd")
def gather_nd(data: Expr, indices: Expr, batch_dims: int = 0, index_rank: int | None = None) -> Expr:
    """The elements at `indices`, whose first dimension counts the coordinates."""
    rank = len(indices.shape)
    return call(graph.GatherNdOp, data, op.transpose(indices, [*range(1, rank), 0]), batch_dims=batch_dims)


@operator("scatter_elements")
def scatter_elements(data: Expr, indices: Expr, updates: Expr, axis: int = 0, reduction: str = "update") -> Expr:
    """`data` with `updates` at the places along `axis` that `indices` give."""
    kind = _reduction("scatter_elements", reduction)
    return call(graph.ScatterElementsOp, data, indices, updates, axis=axis_of(axis, len(data.shape)), reduction=kind)


@operator("scatter_nd")
def scatter_nd(data: Expr, indices: Expr, updates: Expr, mode: str = "update") -> Expr:
    """`data` with `updates` at `indices`, whose first dimension counts the coordinates."""
    order = [*range(1, len(indices.shape)), 0]
    kind = _reduction("scatter_nd", mode)
    return call(graph.ScatterNdOp, data, op.transpose(indices, order), updates, reduction=kind)


def _reduction(where: str, name: str) -> str:
    """The graph dialect's name of what happens to an element that is written to."""
    kinds = {"update": "none", "add": "add", "mul": "mul", "min": "min", "max": "max"}
    if name not in kinds:
        raise InputError(f"relay.{where}: {name!r} is not supported; give {', '.join(kinds)}")
    return kinds[name]


@operator("adv_index")
def adv_index(inputs: op.Tensors) -> Expr:
    """`data[indices]`: the first tensor at the places that the others give, broadcast."""
    data, *indices = list(inputs)
    shape = np.broadcast_shapes(*(each.shape for each in indices))
    columns = [op.expand_dims(op.broadcast_to(each.astype("int64"), list(shape)), len(shape)) for each in indices]
    return call(graph.GatherNdOp, data, op.concatenate(columns, len(shape)), batch_dims=0)


@operator("meshgrid")
def meshgrid(data: op.Tensors, indexing: str | None = "ij") -> Tuple:
    """Each vector broadcast along its own dimension of a common grid."""
    vectors = list(data)
    sizes = [prod(each.shape) for each in vectors]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = [sizes[number] for number in order]
    return Tuple(
        [
            op.broadcast_to(op.reshape(each, [sizes[number] if place == number else 1 for place in order]), shape)
            for number, each in enumerate(vectors)
        ]
    )


@operator("sequence_mask")
def sequence_mask(data: Expr, valid_length: Expr, mask_value: Number = 0, axis: int = 0) -> Expr:
    """`data` up to the length of each sequence along `axis`, which is 0 or 1; `mask_value` behind."""
    if axis not in (0, 1):
        raise InputError(f"relay.sequence_mask: axis {axis} is neither 0 nor 1; transpose the data")
    rank, size = len(data.shape), data.shape[axis]
    steps = const(np.arange(size).reshape([size if place == axis else 1 for place in range(rank)]).astype(np.int32))
    lengths = [data.shape[1 - axis] if place == 1 - axis else 1 for place in range(rank)]
    valid = op.less(steps, op.reshape(valid_length.astype("int32"), lengths))
    return op.where(valid, data, float(mask_value) if is_float(data.dtype) else mask_value)


@operator("reverse_sequence")
def reverse_sequence(data: Expr, seq_lengths: Expr, seq_axis: int = 1, batch_axis: int = 0) -> Expr:
    """Each sequence reversed up to its length, which is limited to the length of the data."""
    rank = len(data.shape)
    seq_axis, batch_axis = axis_of(seq_axis, rank), axis_of(batch_axis, rank)
    seq_lengths = op.clip(seq_lengths.astype("int64"), 1, data.shape[seq_axis])
    if {seq_axis, batch_axis} == {0, 1}:
        return onnx("ReverseSequence", data, seq_lengths, time_axis=seq_axis, batch_axis=batch_axis)
    order = [batch_axis, seq_axis, *(each for each in range(rank) if each not in (batch_axis, seq_axis))]
    moved = reverse_sequence(op.transpose(data, order), seq_lengths, 1, 0)
    return op.transpose(moved, [order.index(place) for place in range(len(order))])


@operator("slice_like")
def slice_like(data: Expr, shape_like: Expr, axes: Sequence[int] | None = None) -> Expr:
    """The first elements of `data`, as many along `axes` as another tensor has."""
    rank = len(data.shape)
    chosen = range(min(rank, len(shape_like.shape))) if not axes else op.axes_of(axes, rank)
    sizes = [shape_like.shape[place] if place in chosen else size for place, size in enumerate(data.shape)]
    return call(graph.SliceOp, data, starts=[0] * rank, sizes=sizes, strides=[1] * rank)


@operator("strided_set")
def strided_set(
    data: Expr,
    v: Expr,
    begin: Sequence[int] | Expr,
    end: Sequence[int] | Expr,
    strides: Sequence[int] | Expr | None = None,
) -> Expr:
    """`data` with `v` at `begin:end:strides`."""
    cuts = dict(slices_of("strided_set", data.shape, (begin, end, strides), None))
    chosen = [list(cuts.get(axis, range(size))) for axis, size in enumerate(data.shape)]
    places = np.arange(prod(data.shape)).reshape(data.shape)[np.ix_(*chosen)].reshape(-1)
    flat = op.reshape(data, [-1])
    written = scatter_elements(flat, const(places.astype(np.int64)), op.reshape(v, [-1]))
    return op.reshape(written, list(data.shape))


@operator("sliding_window")
def sliding_window(data: Expr, axis: int, window_shape: Sequence[int], strides: Sequence[int]) -> Expr:
    """Windows over the dimensions from `axis` on: first the positions, then the window."""
    place = axis_of(axis, len(data.shape))
    result = data
    for number, (size, step) in enumerate(zip(window_shape, strides, strict=True)):
        at = place + number
        count = (data.shape[at] - size) // step + 1
        places = np.arange(count)[:, None] * step + np.arange(size)[None, :]
        taken = call(graph.GatherOp, result, const(places.astype(np.int64)), axis=at)
        order = [each for each in range(len(taken.shape)) if each != at + 1]
        result = op.transpose(taken, [*order, at + 1])
    return result


@operator("broadcast_to_like")
def broadcast_to_like(data: Expr, broadcast_type: Expr) -> Expr:
    """`data` repeated to the shape of another tensor."""
    return op.broadcast_to(data, list(broadcast_type.shape))


@operator("collapse_sum_like")
def collapse_sum_like(data: Expr, collapse_type: Expr) -> Expr:
    """`data` summed to the shape of another tensor, which broadcasts to its own."""
    return collapse_sum_to(data, collapse_type.shape)


@operator("collapse_sum_to")
def collapse_sum_to(data: Expr, shape: Sequence[int] | Expr) -> Expr:
    """`data` summed to a shape that broadcasts to its own."""
    sizes = constant_ints("collapse_sum_to", shape)
    ahead = len(data.shape) - len(sizes)
    axes = [at for at, size in enumerate(data.shape) if at < ahead or sizes[at - ahead] != size]
    summed = call(graph.ReduceSumOp, data, axes=axes, keepdims=True) if axes else data
    return op.reshape(summed, sizes)


@operator("layout_transform")
def layout_transform(data: Expr, src_layout: str, dst_layout: str) -> Expr:
    """The dimensions in another order, such as `NCHW` to `NHWC`; blocks such as `NCHW16c` are split and merged."""
    source, target = _dimensions(src_layout), _dimensions(dst_layout)
    if {letter.upper() for letter, _ in source} != {letter.upper() for letter, _ in target}:
        raise InputError(
            f"relay.layout_transform: {src_layout} and {dst_layout} have other dimensions; name the same ones"
        )
    if len(source) != len(data.shape):
        raise InputError(f"relay.layout_transform: {src_layout} of {list(data.shape)}; give its layout")
    for (letter, block), size in zip(source, data.shape, strict=True):
        if letter.islower() and block != size:
            raise InputError(
                f"relay.layout_transform: {src_layout}: {letter} has {size} elements, not {block}; give its layout"
            )
    plain = _unblocked(data, source)
    return _blocked(plain, [letter for letter, _ in source if letter.isupper()], target, dst_layout)


def _dimensions(layout: str) -> list[tuple[str, int]]:
    """The dimensions of a layout, each with the size of a block, 0 for whole ones: `NCHW4c` ends with `("c", 4)`."""
    parts = re.findall(r"([1-9][0-9]*)?([a-z])|([A-Z])", layout)
    letters = [(block or whole, int(size or 0)) for size, block, whole in parts]
    names = [letter for letter, _ in letters]
    written = "".join(f"{size or ''}{letter}" for letter, size in letters)
    blocks = [(letter, size) for letter, size in letters if letter.islower()]
    if (
        written != layout
        or len(set(names)) < len(names)
        or any(not size or letter.upper() not in names for letter, size in blocks)
    ):
        raise InputError(
            f"relay.layout_transform: {layout!r} is no layout; give each dimension once, and at most one block of "
            "each, with its size, such as NCHW4c"
        )
    return letters


def _unblocked(data: Expr, letters: Sequence[tuple[str, int]]) -> Expr:
    """The data with the dimensions of a layout whole, blocks merged into their dimensions."""
    names = [letter for letter, _ in letters]
    outer = [letter for letter in names if letter.isupper()]
    order = [names.index(each) for letter in outer for each in (letter, letter.lower()) if each in names]
    sizes = [prod(data.shape[at] for at, name in enumerate(names) if name.upper() == letter) for letter in outer]
    return op.reshape(op.transpose(data, order), sizes)


def _blocked(data: Expr, outer: Sequence[str], letters: Sequence[tuple[str, int]], layout: str) -> Expr:
    """The data, whose dimensions are `outer`, in the order and the blocks of a layout."""
    blocks = {letter.upper(): size for letter, size in letters if letter.islower()}
    shape: list[int] = []
    names: list[str] = []
    for letter, size in zip(outer, data.shape, strict=True):
        block = blocks.get(letter, 1)
        if size % block:
            raise InputError(
                f"relay.layout_transform: {layout}: {letter} has {size} elements; give a block that divides it"
            )
        shape += [size // block, block] if letter in blocks else [size]
        names += [letter, letter.lower()] if letter in blocks else [letter]
    return op.transpose(op.reshape(data, shape), [names.index(letter) for letter, _ in letters])


@operator("unravel_index")
def unravel_index(indices: Expr, shape: Sequence[int] | Expr) -> Expr:
    """The coordinates of places in a tensor of a shape, one row for each dimension."""
    sizes = constant_ints("unravel_index", shape)
    rows = [
        call(graph.ModOp, op.divide(indices, prod(sizes[at + 1 :])), indices.like(size))
        for at, size in enumerate(sizes)
    ]
    return op.stack(rows, 0)


@operator("matrix_set_diag")
def matrix_set_diag(data: Expr, diagonal: Expr, k: int | tuple[int, int] = 0, align: str = "RIGHT_LEFT") -> Expr:
    """`data` with the diagonal `k` of its last two dimensions replaced; bands of several are refused."""
    if not isinstance(k, int):
        raise InputError("relay.matrix_set_diag: bands of diagonals are not supported; set one after the other")
    rows, columns = data.shape[-2:]
    first, count = (max(-k, 0), max(k, 0)), min(rows + min(k, 0), columns - max(k, 0))
    places = np.array([(first[0] + at) * columns + first[1] + at for at in range(count)], np.int64)
    flat = op.reshape(data, [*data.shape[:-2], rows * columns])
    lead = list(flat.shape[:-1])
    written = scatter_elements(flat, const(np.broadcast_to(places, (*lead, count))), diagonal, len(lead))
    return op.reshape(written, list(data.shape))


@operator("trilu")
def trilu(data: Expr, k: Expr | int, upper: bool = True) -> Expr:
    """The upper or lower triangle of the last two dimensions, zeros elsewhere."""
    number = k if isinstance(k, Expr) else const(k, "int64")
    return onnx("Trilu", data, number.astype("int64"), upper=int(upper))


@operator("invert_permutation")
def invert_permutation(data: Expr) -> Expr:
    """The permutation that undoes a permutation."""
    places = const(np.arange(data.shape[0]).astype(data.dtype))
    return scatter_elements(op.zeros_like(data), data, places)


@operator("contrib_reverse_reshape")
def reverse_reshape(data: Expr, newshape: Sequence[int] | int) -> Expr:
    """As `reshape`, with the numbers read from the last dimension on."""
    shape = op.new_shape(tuple(reversed(data.shape)), list(reversed(constant_ints("reverse_reshape", newshape))))
    return op.reshape(data, list(reversed(shape)))


@operator("cumprod")
def cumprod(data: Expr, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None) -> Expr:
    """Products of everything up to each position along `axis`, without one of all elements row by row."""
    source = op.reshape(data, [-1]) if axis is None else data
    source = source if dtype is None else source.astype(dtype)
    place = axis_of(axis or 0, len(source.shape))
    size, step = source.shape[place], 1
    if exclusive:
        source = _shifted(source, place, 1)
    while step < size:
        source = source * _shifted(source, place, step)
        step *= 2
    return source


def _shifted(data: Expr, axis: int, count: int) -> Expr:
    """The elements moved by `count` places along `axis`, ones before them."""
    starts, sizes = [0] * len(data.shape), list(data.shape)
    sizes[axis] -= count
    kept = call(graph.SliceOp, data, starts=starts, sizes=sizes, strides=[1] * len(sizes))
    return op.concatenate([op.ones([*data.shape[:axis], count, *data.shape[axis + 1 :]], data.dtype), kept], axis)


@operator("searchsorted")
def searchsorted(sorted_sequence: Expr, values: Expr, right: bool = False, dtype: str = "int32") -> Expr:
    """The places where values would be inserted into a sorted last dimension."""
    sequence = op.expand_dims(sorted_sequence, len(sorted_sequence.shape) - 1)
    if len(sorted_sequence.shape) == 1:
        sequence = op.reshape(sorted_sequence, [*[1] * len(values.shape), sorted_sequence.shape[0]])
    column = op.expand_dims(values, len(values.shape))
    before = op.less_equal(sequence, column) if right else op.less(sequence, column)
    return call(graph.ReduceSumOp, before.astype(dtype), axes=[len(values.shape)], keepdims=False)


@operator("segment_sum")
def segment_sum(data: Expr, segment_ids: Expr, num_segments: int | None = None) -> Expr:
    """The sums of the slices along the first axis that have the same number in `segment_ids`, which may be fewer than
    the slices; without `num_segments` the ids are constant, and tell it."""
    if num_segments is None:
        if not isinstance(segment_ids, Constant):
            raise UnsupportedError(
                "relay.segment_sum: the number of segments follows from ids that are computed at run time; give "
                "num_segments"
            )
        num_segments = max(constant_ints("segment_sum", segment_ids), default=-1) + 1
    rows = slice_like(data, segment_ids, [0])
    zeros = op.zeros([num_segments, *data.shape[1:]], data.dtype)
    places = op.reshape(segment_ids.astype("int64"), [*segment_ids.shape, 1])
    return onnx("ScatterND", zeros, places, rows, reduction="add")
