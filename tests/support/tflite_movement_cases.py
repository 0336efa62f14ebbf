"""Random cases for the operators of TFLite that only move elements: `MAKERS[builtin](draw)` gives one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import TensorSpec
from s2s.types.dtypes import Array
from support.tflite_movement_layers import Case, Draw, Layer, ints


def _of(
    draw: Draw, builtin: str, x: Array, rest: Sequence[TensorSpec], y: Array, options: str = "", **fields: Any
) -> Case:
    inputs = [draw.spec("x", x.shape), *rest]
    return Layer(builtin, inputs, [draw.spec("y", y.shape)], options, **fields), [x]


def reshape(d: Draw) -> Case:
    x = d.values(d.shape())
    shape = list(x.shape)
    d.random.shuffle(shape)
    return _of(d, "RESHAPE", x, [ints("s", shape)], x.reshape(shape), "ReshapeOptions", new_shape=shape)


def squeeze(d: Draw) -> Case:
    shape = [d.random.choice((1, 2, 3)) for _ in range(4)]
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = d.random.sample(ones, d.random.randint(0, len(ones)))
    x = d.values(shape)
    y = x.squeeze(tuple(axes) if axes else None)
    return _of(d, "SQUEEZE", x, [], y, "SqueezeOptions", squeeze_dims=axes)


def expand_dims(d: Draw) -> Case:
    x = d.values(d.shape(1, 3))
    axis = d.random.randint(-x.ndim - 1, x.ndim)
    return _of(d, "EXPAND_DIMS", x, [ints("a", [axis])], np.expand_dims(x, axis), "ExpandDimsOptions")


def transpose(d: Draw) -> Case:
    x = d.values(d.shape(1, 5))
    perm = list(range(x.ndim))
    d.random.shuffle(perm)
    return _of(d, "TRANSPOSE", x, [ints("p", perm)], x.transpose(perm), "TransposeOptions")


def broadcast_to(d: Draw) -> Case:
    target = d.shape(1, 4)
    given = [1 if d.random.random() < 0.4 else size for size in target][d.random.randint(0, len(target) - 1) :]
    x = d.values(given)
    return _of(d, "BROADCAST_TO", x, [ints("s", target)], np.broadcast_to(x, target), "BroadcastToOptions")


def concatenation(d: Draw) -> Case:
    shape = list(d.shape())
    axis = d.axis(len(shape))
    parts: list[Array] = []
    for _ in range(d.random.randint(1, 4)):
        parts.append(d.values([d.random.randint(1, 4) if i == axis else size for i, size in enumerate(shape)]))
    y = np.concatenate(parts, axis)
    signed = axis - len(shape) if d.random.random() < 0.3 else axis
    specs = [d.spec(f"x{i}", part.shape) for i, part in enumerate(parts)]
    return Layer("CONCATENATION", specs, [d.spec("y", y.shape)], "ConcatenationOptions", axis=signed), parts


def pack(d: Draw) -> Case:
    shape = d.shape(1, 3)
    parts = [d.values(shape) for _ in range(d.random.randint(1, 4))]
    axis = d.random.randint(0, len(shape))
    y = np.stack(parts, axis)
    specs = [d.spec(f"x{i}", shape) for i in range(len(parts))]
    fields = {"axis": axis, "values_count": len(parts)}
    return Layer("PACK", specs, [d.spec("y", y.shape)], "PackOptions", **fields), parts


def unpack(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    axis = d.axis(x.ndim)
    rest = [size for i, size in enumerate(x.shape) if i != axis]
    outputs = [d.spec(f"y{i}", rest) for i in range(x.shape[axis])]
    return Layer("UNPACK", [d.spec("x", x.shape)], outputs, "UnpackOptions", axis=axis, num=x.shape[axis]), [x]


def split(d: Draw) -> Case:
    shape = list(d.shape())
    axis, count = d.axis(len(shape)), d.random.randint(1, 3)
    part = [*shape]
    shape[axis] *= count
    x = d.values(shape)
    outputs = [d.spec(f"y{i}", part) for i in range(count)]
    return Layer("SPLIT", [ints("a", [axis]), d.spec("x", shape)], outputs, "SplitOptions", num_splits=count), [x]


def split_v(d: Draw) -> Case:
    shape, axis = list(d.shape()), 0
    axis = d.axis(len(shape))
    sizes = [d.random.randint(1, 3) for _ in range(d.random.randint(1, 3))]
    shape[axis] = sum(sizes)
    outputs = [d.spec(f"y{i}", [size if k == axis else n for k, n in enumerate(shape)]) for i, size in enumerate(sizes)]
    inputs = [d.spec("x", shape), ints("s", sizes), ints("a", [axis])]
    return Layer("SPLIT_V", inputs, outputs, "SplitVOptions", num_splits=len(sizes)), [d.values(shape)]


def slice_(d: Draw) -> Case:
    x = d.values(d.shape(1, 5))
    begin = [d.random.randint(0, size - 1) for size in x.shape]
    size = [d.random.randint(1, n - b) for n, b in zip(x.shape, begin, strict=True)]
    y = x[tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))]
    asked = [-1 if b + s == n and d.random.random() < 0.3 else s for b, s, n in zip(begin, size, x.shape, strict=True)]
    return _of(d, "SLICE", x, [ints("b", begin), ints("s", asked)], y, "SliceOptions")


def strided_slice(d: Draw) -> Case:
    x = d.values(d.shape(1, 4, 6))
    begin_mask, end_mask, shrink_mask = (d.random.getrandbits(x.ndim) & d.random.getrandbits(x.ndim) for _ in range(3))
    begin, end, strides, chosen = list[int](), list[int](), list[int](), list[Any]()
    for axis, size in enumerate(x.shape):
        stride = d.random.choice((1, 1, 2, 3, -1, -2))
        first, last = sorted((d.random.randint(0, size - 1), d.random.randint(0, size - 1)))
        start, stop = (first, last + 1) if stride > 0 else (last, first - 1 if first else -size - 1)
        if shrink_mask >> axis & 1:
            stride = 1
            start, stop = d.random.randint(-size, size - 1), 0
            begin_mask &= ~(1 << axis)
            chosen.append(start)
        else:
            from_end = None if begin_mask >> axis & 1 else start
            to_end = None if end_mask >> axis & 1 or stop < -size else stop
            chosen.append(slice(from_end, to_end, stride))
        begin.append(start)
        end.append(stop)
        strides.append(stride)
    y = x[tuple(chosen)]
    rest = [ints("b", begin), ints("e", end), ints("s", strides)]
    masks = {"begin_mask": begin_mask, "end_mask": end_mask, "shrink_axis_mask": shrink_mask}
    return _of(d, "STRIDED_SLICE", x, rest, np.asarray(y), "StridedSliceOptions", **masks)


def _paddings(d: Draw, rank: int, most: Sequence[int]) -> list[list[int]]:
    return [[d.random.randint(0, most[axis]), d.random.randint(0, most[axis])] for axis in range(rank)]


def pad(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    counts = _paddings(d, x.ndim, [2] * x.ndim)
    return _of(d, "PAD", x, [ints("p", counts)], np.pad(x, counts), "PadOptions")


def pad_v2(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    counts = _paddings(d, x.ndim, [2] * x.ndim)
    fill = d.values([1])
    return _of(d, "PADV2", x, [ints("p", counts), d.spec("v", [1], fill)], np.pad(x, counts), "PadV2Options")


def mirror_pad(d: Draw) -> Case:
    x, mode = d.values([d.random.randint(2, 5) for _ in range(d.random.randint(1, 4))]), d.random.randint(0, 1)
    counts = _paddings(d, x.ndim, [min(2, size - 1) for size in x.shape])
    return _of(d, "MIRROR_PAD", x, [ints("p", counts)], np.pad(x, counts), "MirrorPadOptions", mode=mode)


def reverse(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    first = d.axis(x.ndim)
    axes = list(range(first, d.random.randint(first, x.ndim - 1) + 1))
    return _of(d, "REVERSE_V2", x, [ints("a", axes)], x, "ReverseV2Options")


def depth_to_space(d: Draw) -> Case:
    block = d.random.randint(1, 3)
    n, h, w, c = (d.random.randint(1, 3) for _ in range(4))
    x = d.values([n, h, w, c * block * block])
    return _of(
        d, "DEPTH_TO_SPACE", x, [], np.empty((n, h * block, w * block, c)), "DepthToSpaceOptions", block_size=block
    )


def space_to_depth(d: Draw) -> Case:
    block = d.random.randint(1, 3)
    n, h, w, c = (d.random.randint(1, 3) for _ in range(4))
    x = d.values([n, h * block, w * block, c])
    y = np.empty((n, h, w, c * block * block))
    return _of(d, "SPACE_TO_DEPTH", x, [], y, "SpaceToDepthOptions", block_size=block)


def _space(d: Draw) -> tuple[list[int], list[int], list[list[int]], list[int], list[int]]:
    """Blocks, sizes in blocks, margins, batch and depth."""
    count = d.random.randint(1, 2)
    blocks = [d.random.randint(1, 3) for _ in range(count)]
    outer = [d.random.randint(1, 3) for _ in range(count)]
    margins: list[list[int]] = []
    for size, block in zip(outer, blocks, strict=True):
        low = d.random.randint(0, min(2, size * block - 1))
        margins.append([low, d.random.randint(0, min(2, size * block - 1 - low))])
    return blocks, outer, margins, [d.random.randint(1, 2)], [d.random.randint(1, 3)]


def space_to_batch(d: Draw) -> Case:
    blocks, outer, margins, batch, depth = _space(d)
    margins = [[0, 0] for _ in margins]  # TFLite-Micro pads with a number that it never sets
    x = d.values([*batch, *(o * b for o, b in zip(outer, blocks, strict=True)), *depth])
    y = np.empty([batch[0] * int(np.prod(blocks)), *outer, *depth])
    return _of(d, "SPACE_TO_BATCH_ND", x, [ints("b", blocks), ints("p", margins)], y, "SpaceToBatchNDOptions")


def batch_to_space(d: Draw) -> Case:
    blocks, outer, margins, batch, depth = _space(d)
    x = d.values([batch[0] * int(np.prod(blocks)), *outer, *depth])
    space = [o * b - sum(m) for o, b, m in zip(outer, blocks, margins, strict=True)]
    y = np.empty([*batch, *space, *depth])
    return _of(d, "BATCH_TO_SPACE_ND", x, [ints("b", blocks), ints("c", margins)], y, "BatchToSpaceNDOptions")


def gather(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    axis = d.axis(x.ndim)
    batch = d.random.randint(0, min(axis, 2)) if d.random.random() < 0.4 else 0
    indices = d.numpy.integers(0, x.shape[axis], (*x.shape[:batch], *d.shape(1, 2, 4))).astype(np.int32)
    y = np.empty((*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :]))
    fields = {"axis": axis, "batch_dims": batch}
    if d.random.random() < 0.5:
        return _of(d, "GATHER", x, [ints("i", indices)], y, "GatherOptions", **fields)
    specs = [d.spec("x", x.shape), TensorSpec("i", indices.shape, "INT32")]
    return Layer("GATHER", specs, [d.spec("y", y.shape)], "GatherOptions", **fields), [x, indices]


def gather_nd(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    depth = d.random.randint(1, x.ndim)
    outer = d.shape(1, 2, 4)
    indices = np.stack([d.numpy.integers(0, size, outer) for size in x.shape[:depth]], -1).astype(np.int32)
    y = np.empty((*outer, *x.shape[depth:]))
    return _of(d, "GATHER_ND", x, [ints("i", indices)], y, "GatherNdOptions")


def embedding_lookup(d: Draw) -> Case:
    table = d.values([d.random.randint(1, 6), *d.shape(1, 2)])
    indices = d.numpy.integers(0, table.shape[0], d.random.randint(1, 5)).astype(np.int32)
    y = d.spec("y", (len(indices), *table.shape[1:]))
    if d.kind == "INT8" and d.random.random() < 0.5:
        y, d.zero_point = TensorSpec("y", y.shape, "FLOAT32"), 0
    specs = [TensorSpec("i", indices.shape, "INT32"), d.spec("t", table.shape, table)]
    return Layer("EMBEDDING_LOOKUP", specs, [y]), [indices]


def select_v2(d: Draw) -> Case:
    shape = d.shape(1, 4)

    def part() -> tuple[int, ...]:
        return shape if d.random.random() < 0.5 else tuple(1 if d.random.random() < 0.5 else n for n in shape)

    yes, no, where = d.values(part()), d.values(part()), d.numpy.integers(0, 2, part()).astype(np.bool_)
    y = np.where(where, yes, no)
    specs = [TensorSpec("c", where.shape, "BOOL"), d.spec("a", yes.shape), d.spec("b", no.shape)]
    return Layer("SELECT_V2", specs, [d.spec("y", y.shape)], "SelectV2Options"), [where, yes, no]


def fill(d: Draw) -> Case:
    shape, number = d.shape(), d.values(())
    specs = [ints("s", shape), d.spec("v", ())]
    return Layer("FILL", specs, [d.spec("y", shape)], "FillOptions"), [number]


def zeros_like(d: Draw) -> Case:
    x = d.values(d.shape())
    return _of(d, "ZEROS_LIKE", x, [], x, "ZerosLikeOptions")


def shape_of(d: Draw) -> Case:
    x = d.values(d.shape())
    y = TensorSpec("y", (x.ndim,), "INT32")
    return Layer("SHAPE", [d.spec("x", x.shape)], [y], "ShapeOptions", out_type=2), [x]


def dynamic_update_slice(d: Draw) -> Case:
    x = d.values(d.shape(1, 4))
    update = d.values([d.random.randint(1, size) for size in x.shape])
    kind = d.random.choice((np.int32, np.int64))
    begin = np.array([d.random.randint(-1, size) for size in x.shape], kind)
    if d.random.random() < 0.5:
        specs = [d.spec("x", x.shape), d.spec("u", update.shape), TensorSpec("b", begin.shape, data=begin)]
        inputs = [x, update]
    else:
        specs = [d.spec("x", x.shape), d.spec("u", update.shape), ints("b", begin, kind)]
        specs[2] = TensorSpec("b", begin.shape, "INT32" if kind is np.int32 else "INT64")
        inputs = [x, update, begin]
    return Layer("DYNAMIC_UPDATE_SLICE", specs, [d.spec("y", x.shape)], "DynamicUpdateSliceOptions"), inputs


MAKERS: dict[str, Callable[[Draw], Case]] = {
    "BATCH_TO_SPACE_ND": batch_to_space,
    "BROADCAST_TO": broadcast_to,
    "CONCATENATION": concatenation,
    "DEPTH_TO_SPACE": depth_to_space,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "EXPAND_DIMS": expand_dims,
    "FILL": fill,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "MIRROR_PAD": mirror_pad,
    "PACK": pack,
    "PAD": pad,
    "PADV2": pad_v2,
    "RESHAPE": reshape,
    "REVERSE_V2": reverse,
    "SELECT_V2": select_v2,
    "SHAPE": shape_of,
    "SLICE": slice_,
    "SPACE_TO_BATCH_ND": space_to_batch,
    "SPACE_TO_DEPTH": space_to_depth,
    "SPLIT": split,
    "SPLIT_V": split_v,
    "SQUEEZE": squeeze,
    "STRIDED_SLICE": strided_slice,
    "TRANSPOSE": transpose,
    "UNPACK": unpack,
    "ZEROS_LIKE": zeros_like,
}
