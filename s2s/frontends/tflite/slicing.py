"""Operators that cut tensors apart, put them together, and pad them."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, concat, crop, equal, pad, reshape, select, take, unsqueeze
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.tensors import Tensor
from s2s.types.size import is_empty, is_size, proves

_INDEX = np.dtype(np.int64)
_REFLECT = 0


def _concatenation(node: Node) -> Value:
    tensors, options = node.inputs(), node.options
    if int(options.FusedActivationFunction()) != 0:
        raise node.unsupported("has a fused activation", "make the activation an operator of its own")
    ranks = {tensor.rank for tensor in tensors}
    if len(ranks) != 1:
        raise node.invalid(f"inputs have {' and '.join(map(str, sorted(ranks)))} dimensions", "make them equal")
    parts = [_rescaled(node, tensor) for tensor in tensors]
    return concat(parts, node.axis(int(options.Axis()), parts[0].rank))


def _rescaled(node: Node, tensor: Tensor) -> Value:
    """A part as the result is quantised; only unsigned tensors are converted, by a table as TFLite computes it."""
    out = node.output_type()
    if tensor.dtype.kind not in "iu" or tensor.dtype.itemsize > 1 or (tensor.quant is None and out.quant is None):
        return tensor.value
    (scale, zero), (out_scale, out_zero) = tensor.scalar(), out.scalar()
    if (scale, zero) == (out_scale, out_zero):
        return tensor.value
    if tensor.dtype != np.uint8:
        raise node.unsupported(
            f"input {tensor.info.name!r} has scale {scale:g} and zero point {zero}, the result {out_scale:g} and "
            f"{out_zero}",
            "give all parts the quantisation of the result, as the converter does, or requantise them (QUANTIZE)",
        )
    factor = np.float32(scale) * (np.float32(1) / np.float32(out_scale))
    reals = np.arange(256, dtype=np.float32) * factor + np.float32(-zero) * factor
    rounded = np.sign(reals) * np.floor(np.abs(reals.astype(np.float64)) + 0.5)
    table = np.clip(rounded + out_zero, 0, 255).astype(np.uint8)
    return emit(graph.TableOp, tensor.value, node.constant(table))


def _split(node: Node) -> list[Value]:
    axes, x = node.known_ints(0, "its axis"), node.input(1).value
    count = node.output_count
    if len(axes) != 1 or int(node.options.NumSplits()) != count:
        raise node.invalid(f"{len(axes)} axes and {node.options.NumSplits()} parts for {count} outputs", "fix them")
    axis = node.axis(axes[0], x.rank)
    if count < 1 or x.shape[axis] % count:
        raise node.invalid(f"{x.shape[axis]} elements do not divide into {count} parts", "fix the number of parts")
    size = x.shape[axis] // count
    return [take(x, axis, size * position, size) for position in range(count)]


def _split_v(node: Node) -> list[Value]:
    x, sizes, axes = node.input(0).value, node.known_ints(1, "the sizes of parts"), node.known_ints(2, "its axis")
    if len(axes) != 1 or sizes.count(-1) > 1:
        raise node.invalid(f"has axes {axes} and parts {sizes}", "give one axis, and at most one part of size -1")
    axis = node.axis(axes[0], x.rank)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(sizes) - 1
    if any(size < 0 for size in sizes) or sum(sizes) != x.shape[axis]:
        raise node.invalid(f"parts {sizes} do not add up to {x.shape[axis]}", "fix the sizes")
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    return [take(x, axis, start, size) for start, size in zip(starts, sizes, strict=True)]


def _pack(node: Node) -> Value:
    parts = [tensor.value for tensor in node.inputs()]
    if not parts or any(part.shape != parts[0].shape for part in parts):
        raise node.invalid("inputs differ in shape", "make them equal")
    axis = node.axis(int(node.options.Axis()), parts[0].rank + 1)
    return concat([unsqueeze(part, [axis]) for part in parts], axis)


def _unpack(node: Node) -> list[Value]:
    x = node.input(0).value
    axis = node.axis(int(node.options.Axis()), x.rank)
    if node.output_count != x.shape[axis]:
        raise node.invalid(f"{x.shape[axis]} slices for {node.output_count} outputs", "fix the number of outputs")
    rest = [size for dim, size in enumerate(x.shape) if dim != axis]
    return [reshape(take(x, axis, position, 1), rest) for position in range(x.shape[axis])]


def _slice(node: Node) -> Value:
    x, sizes = node.input(0).value, list(node.output_type().shape)
    known = node.input(2).array is not None
    if known:
        sizes = node.known_ints(2, "its sizes")
    elif node.output_type().open_shape:
        raise node.unsupported("its size is computed at run time", "make the size a constant")
    begins = node.input(1)
    if len(sizes) != x.rank or begins.shape != (x.rank,):
        raise node.invalid(f"begin {list(begins.shape)} and size {sizes} do not fit {list(x.shape)}", "fix them")
    if begins.array is None:
        return _dynamic_slice(node, x, begins.value, sizes)
    starts = node.known_ints(1, "begin")
    sizes = [x.shape[axis] - starts[axis] if size == -1 else size for axis, size in enumerate(sizes)]
    if any(start < 0 or size < 0 or start + size > x.shape[i] for i, (start, size) in enumerate(_pairs(starts, sizes))):
        raise node.invalid(f"begin {starts} and size {sizes} leave {list(x.shape)}", "fix them")
    return crop(x, starts, sizes, [1] * x.rank)


def _dynamic_slice(node: Node, x: Value, begins: Value, sizes: Sequence[int]) -> Value:
    """`sizes` elements from a place that is known only when the network runs."""
    for axis, size in enumerate(sizes):
        if size < 0 or size > x.shape[axis]:
            raise node.unsupported(f"size {size} of {x.shape[axis]} from a computed place", "make begin a constant")
        if size != x.shape[axis]:
            begin = cast(reshape(take(begins, 0, axis, 1), []), _INDEX)
            x = emit(graph.GatherOp, x, begin + node.builder.counted(size, _INDEX), axis=axis)
    return x


def _pairs(first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(first, second, strict=True))


def _strided_slice(node: Node) -> Value:
    x, options = node.input(0).value, node.options
    begin, end, strides = (node.known_ints(i, what) for i, what in ((1, "begin"), (2, "end"), (3, "strides")))
    if not len(begin) == len(end) == len(strides) or 0 in strides:
        raise node.invalid(f"begin {begin}, end {end}, strides {strides} do not match", "give as many, no stride 0")
    masks = _Masks(
        int(options.BeginMask()),
        int(options.EndMask()),
        int(options.EllipsisMask()),
        int(options.NewAxisMask()),
        int(options.ShrinkAxisMask()),
    )
    starts, sizes, steps, shape = [0] * x.rank, list(x.shape), [1] * x.rank, list[int]()
    axis = 0
    for position in range(len(begin)):
        if masks.has(masks.ellipsis, position):
            consumed = sum(not masks.has(masks.new_axis, later) for later in range(position + 1, len(begin)))
            shape += x.shape[axis : max(axis, x.rank - consumed)]
            axis = max(axis, x.rank - consumed)
            continue
        if masks.has(masks.new_axis, position):
            shape.append(1)
            continue
        if axis >= x.rank:
            raise node.invalid(f"begin {begin} has more entries than {list(x.shape)}", "fix begin, end and strides")
        step = strides[position]
        start, stop = masks.bounds(x.shape[axis], position, begin[position], end[position], step)
        if bool(options.Offset()) and not masks.has(masks.end, position):
            _, stop = masks.bounds(x.shape[axis], position, start, start + end[position], step)
        count = -((start - stop) // step)
        count = count if proves(count, ">=", 0) else max(0, count)
        if masks.has(masks.shrink, position):
            if not 0 <= start < x.shape[axis]:
                raise node.invalid(f"index {begin[position]} is outside {list(x.shape)}", "fix begin")
            count = 1
        else:
            shape.append(count)
        varies = is_size(count)
        starts[axis], sizes[axis] = start if varies or count else 0, count
        steps[axis] = step if varies or count > 1 else 1
        axis += 1
    return reshape(crop(x, starts, sizes, steps), [*shape, *x.shape[axis:]])


class _Masks:
    """Bits of a strided slice, one for each entry of begin, end and strides."""

    def __init__(self, begin: int, end: int, ellipsis: int, new_axis: int, shrink: int) -> None:
        self.begin, self.end, self.ellipsis, self.new_axis, self.shrink = begin, end, ellipsis, new_axis, shrink

    def has(self, mask: int, position: int) -> bool:
        """Whether the bit of an entry is set."""
        return bool(mask >> position & 1)

    def bounds(self, size: int, position: int, begin: int, end: int, stride: int) -> tuple[int, int]:
        """First index and the one after the last, within the dimension."""
        low, high = (0, size) if stride > 0 else (-1, size - 1)
        first, last = (low, high) if stride > 0 else (high, low)
        start = first if self.has(self.begin, position) else begin + size if begin < 0 else begin
        stop = last if self.has(self.end, position) else end + size if end < 0 else end
        return max(low, min(high, start)), max(low, min(high, stop))


def _pad(node: Node) -> Value:
    x, (low, high) = node.input(0), _paddings(node)
    fill = node.optional(2)
    if fill is None:
        out = node.output_type()
        number = out.scalar()[1] if out.quant is not None else 0
        return pad(x.value, low, high, value=number)
    if fill.dtype != x.dtype or fill.value.shape not in ((), (1,)):
        raise node.invalid(f"pads {x.dtype} with {fill.dtype}{list(fill.shape)}", "give one number of the same type")
    return padded_with(x.value, low, high, fill.value)


def padded_with(x: Value, low: Sequence[int], high: Sequence[int], fill: Value) -> Value:
    """`x` with `low` copies of the number `fill` before and `high` after each dimension; negative counts cut off."""
    if fill.array is not None:
        return pad(x, low, high, value=fill.array.reshape(()).item())
    if max(*low, *high, 0) == 0:
        return pad(x, low, high)
    inside = pad(x.builder.filled(1, x.shape, np.dtype(np.int32)), low, high)
    return select(equal(inside, 1), pad(x, low, high), reshape(fill, []))


def _paddings(node: Node) -> tuple[list[int], list[int]]:
    x, counts = node.input(0), node.known_ints(1, "paddings")
    if len(counts) != 2 * x.rank or any(count < 0 for count in counts):
        raise node.invalid(f"paddings {counts} do not fit {list(x.shape)}", "give two counts for each dimension")
    return counts[::2], counts[1::2]


def _mirror_pad(node: Node) -> Value:
    x, (low, high) = node.input(0).value, _paddings(node)
    reflect = int(node.options.Mode()) == _REFLECT
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        size, skip = x.shape[axis], int(reflect)
        if max(before, after) > size - skip:
            raise node.invalid(f"pads {before} and {after} to a dimension of {size}", "pad less")
        left = _reversed(take(x, axis, skip, before), axis) if before else None
        right = _reversed(take(x, axis, size - skip - after, after), axis) if after else None
        x = concat([part for part in (left, x, right) if part is not None], axis)
    return x


def _reversed(x: Value, axis: int) -> Value:
    if x.shape[axis] == 1:
        return x
    starts, steps = [0] * x.rank, [1] * x.rank
    starts[axis], steps[axis] = x.shape[axis] - 1, -1
    return crop(x, starts, x.shape, steps)


def _reverse(node: Node) -> Value:
    x = node.input(0).value
    for axis in node.known_ints(1, "its axes"):
        x = _reversed(x, node.axis(axis, x.rank))
    return x


def _dynamic_update_slice(node: Node) -> Value:
    x, update, begins = node.input(0).value, node.input(1).value, node.input(2)
    if update.dtype != x.dtype or update.rank != x.rank or begins.shape != (x.rank,):
        raise node.invalid(
            f"update {list(update.shape)} at {list(begins.shape)} does not fit {list(x.shape)}", "fix it"
        )
    if any(part > size for part, size in zip(update.shape, x.shape, strict=True)):
        raise node.invalid(f"update {list(update.shape)} is larger than {list(x.shape)}", "make it smaller")
    if update.shape == x.shape:
        return update
    if is_empty(update.shape):
        return x
    limits = [size - part for size, part in zip(x.shape, update.shape, strict=True)]
    if begins.array is not None:
        starts = [max(0, min(int(start), limit)) for start, limit in zip(begins.array, limits, strict=True)]
        return _replaced(x, update, starts, 0)
    inside: Value | None = None
    for axis, (size, part) in enumerate(zip(x.shape, update.shape, strict=True)):
        if part == size:
            continue
        start = clamp(cast(reshape(take(begins.value, 0, axis, 1), []), _INDEX), 0, size - part)
        step = node.builder.counted(size, _INDEX) - start
        near = clamp(step, 0, part - 1)
        hit = reshape(equal(step, near), [size if dim == axis else 1 for dim in range(x.rank)])
        inside = hit if inside is None else emit(graph.LogicalAndOp, inside, hit)
        update = emit(graph.GatherOp, update, near, axis=axis)
    assert inside is not None
    return select(inside, update, x)


def _replaced(x: Value, update: Value, starts: Sequence[int], axis: int) -> Value:
    """`x` with `update` in the place of its elements from `starts` on, axis by axis."""
    if x.shape == update.shape:
        return update
    start, size, whole = starts[axis], update.shape[axis], x.shape[axis]
    middle = _replaced(take(x, axis, start, size), update, starts, axis + 1)
    after = whole - start - size
    parts = [take(x, axis, 0, start)] if start else []
    return concat([*parts, middle, *([take(x, axis, start + size, after)] if after else [])], axis)


IMPORTERS: Mapping[str, Importer] = {
    "CONCATENATION": _concatenation,
    "DYNAMIC_UPDATE_SLICE": _dynamic_update_slice,
    "MIRROR_PAD": _mirror_pad,
    "PACK": _pack,
    "PAD": _pad,
    "PADV2": _pad,
    "REVERSE_V2": _reverse,
    "SLICE": _slice,
    "SPLIT": _split,
    "SPLIT_V": _split_v,
    "STRIDED_SLICE": _strided_slice,
    "UNPACK": _unpack,
}
