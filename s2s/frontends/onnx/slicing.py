"""Operators that cut tensors apart, put them together, and pad them."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import concat, crop, pad, select, take
from s2s.frontends.onnx.counted_places import counted_shape
from s2s.frontends.onnx.late_places import late_pad, late_slice, slice_of_run
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.places import part_of
from s2s.frontends.sized_padding import padded
from s2s.types.size import all_plain, is_size

_MODES = ("constant", "reflect", "edge", "wrap")


def _concat(node: Node) -> Value:
    parts = node.inputs()
    ranks = {part.rank for part in parts}
    if len(ranks) != 1:
        raise node.invalid(f"inputs have {' and '.join(map(str, sorted(ranks)))} dimensions", "make them equal")
    return concat(parts, node.axis(node.integer("axis"), parts[0].rank))


def _split(node: Node) -> list[Value]:
    x = node.input(0)
    axis = node.axis(node.integer("axis"), x.rank)
    sizes = _split_sizes(node, x.shape[axis])
    if any(size < 0 for size in sizes) or sum(sizes) != x.shape[axis]:
        raise node.invalid(f"parts {sizes} do not add up to {x.shape[axis]}", "fix split")
    if len(sizes) < len(node.proto.output):
        raise node.invalid(f"has {len(node.proto.output)} outputs for {len(sizes)} parts", "fix split")
    starts = np.cumsum([0, *sizes]).tolist()
    return [take(x, axis, start, size) for start, size in zip(starts, sizes, strict=False)]


def _split_sizes(node: Node, size: int) -> list[int]:
    if node.since < 13 and node.has("split"):
        return node.integers("split")
    if node.since >= 13 and node.optional(1) is not None:
        return node.known_ints(1, "split")
    count = node.integer("num_outputs", len(node.proto.output)) if node.since >= 18 else len(node.proto.output)
    if count < 1 or count > max(size, 1):
        raise node.invalid(f"{size} elements cannot be split into {count} parts", "fix num_outputs")
    if node.since < 18 and size % count:
        way = f"give split, or let a size that varies go by steps, --dim NAME=A..B:+{count}"
        raise node.invalid(f"{size} elements cannot be split into {count} equal parts", way)
    part = -(-size // count)
    return [min(part, max(0, size - part * position)) for position in range(count)]


def _slice(node: Node) -> Value:
    x = node.input(0)
    if node.since < 10:
        starts, ends = node.integers("starts"), node.integers("ends")
        axes, steps = node.integers("axes", list(range(len(starts)))), [1] * len(starts)
    else:
        if any(operand is not None and operand.array is None for operand in node.operands[1:]):
            shape = counted_shape(node, x)
            late = shape is None and not node.is_declared and not node.builder.is_inner
            if late and (found := slice_of_run(node, x)) is not None:
                return found
            return late_slice(node, x, shape or node.declared_shape("starts"))
        starts, ends = node.known_ints(1, "starts"), node.known_ints(2, "ends")
        axes = list(range(len(starts))) if node.optional(3) is None else node.known_ints(3, "axes")
        steps = [1] * len(starts) if node.optional(4) is None else node.known_ints(4, "steps")
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise node.invalid(
            f"starts {starts}, ends {ends}, axes {axes}, steps {steps} do not match", "give as many of each, no step 0"
        )
    node.axes(axes, x.rank)
    first, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis %= x.rank
        begin, count = part_of(x.shape[axis], start, end, step)
        first[axis], sizes[axis], strides[axis] = begin if is_size(count) or count else 0, count, step
        if all_plain([count]) and count < 2:
            strides[axis] = 1
    return crop(x, first, sizes, strides)


def _pad(node: Node) -> Value:
    x, mode = node.input(0), node.choice("mode", *_MODES)
    if node.since >= 11 and any(each is not None and each.array is None for each in (node.input(1), node.optional(3))):
        return late_pad(node, x, mode, node.declared_shape("pads"))
    pads = node.integers("pads") if node.since < 11 else node.known_ints(1, "pads")
    axes = list(range(x.rank))
    if node.since >= 18 and node.optional(3) is not None:
        axes = [node.axis(axis, x.rank) for axis in node.known_ints(3, "axes")]
    if len(pads) != 2 * len(axes) or len(set(axes)) != len(axes):
        raise node.invalid(f"pads {pads} do not fit axes {axes}", "give two entries for each axis")
    low, high = [0] * x.rank, [0] * x.rank
    for position, axis in enumerate(axes):
        low[axis], high[axis] = pads[position], pads[position + len(axes)]
    if any(before + size + after < 0 for before, size, after in zip(low, x.shape, high, strict=True)):
        raise node.invalid(f"pads {pads} cut more than shape {list(x.shape)} has", "fix pads")
    if node.since < 11:
        return pad(x, low, high, mode, node.real("value"))
    fill = node.optional(2) if mode == "constant" else None
    if not all_plain([*low, *high]):
        return _pad_by_sizes(node, x, low, high, mode)
    if fill is not None and fill.array is None:
        inside = pad(node.builder.filled(True, x.shape, np.dtype(np.bool_)), low, high)
        return select(inside, pad(x, low, high), fill if fill.rank == 0 else emit(graph.ReshapeOp, fill, shape=[]))
    number = None if fill is None else node.known_number(2, "the pad value")
    return pad(x, low, high, mode, 0 if number is None else number)


def _pad_by_sizes(node: Node, x: Value, low: list[int], high: list[int], mode: str) -> Value:
    """`x` padded by counts that follow from sizes along some axes, by constant ones along others."""
    number = node.optional(2) if mode == "constant" else None
    if number is not None and number.array is None:
        raise node.unsupported("pads with a value of the run by sizes", "pad with a constant value")
    known = 0 if number is None or (found := node.known_number(2, "the pad value")) is None else found
    return padded(node, x, low, high, mode, known)


IMPORTERS: Mapping[str, Importer] = {
    "Concat": _concat,
    "Pad": _pad,
    "Slice": _slice,
    "Split": _split,
}
