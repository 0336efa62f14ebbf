"""Operators that give the same elements another shape or order."""

from collections.abc import Mapping, Sequence
from math import ceil, prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, crop, pad, reshape, transpose, unsqueeze
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.shapes import broadcast
from s2s.types.size import integer_of


def _reshape(node: Node) -> Value:
    x, out = node.input(0).value, node.output_type()
    asked = list(out.shape) if not out.open_shape else [*_asked_shape(node), *node.input(0).parts]
    if asked.count(-1) > 1 or any(dim < -1 for dim in asked):
        raise node.invalid(f"shape {asked} cannot be applied to {list(x.shape)}", "fix the shape")
    if -1 in asked:
        known = prod(dim for dim in asked if dim != -1)
        if known == 0 or prod(x.shape) % known:
            raise node.invalid(f"shape {asked} does not fit {list(x.shape)}", "fix the shape")
        asked[asked.index(-1)] = prod(x.shape) // known
    if prod(asked) != prod(x.shape):
        raise node.invalid(f"shape {asked} does not fit the {prod(x.shape)} elements of its input", "fix the shape")
    return reshape(x, node.shape(asked))


def _asked_shape(node: Node) -> list[int]:
    """The new shape by the second input, by the options, or as the output has it."""
    if node.optional(1) is not None:
        return node.known_ints(1, "its shape")
    options = node.options
    given = [int(options.NewShape(position)) for position in range(options.NewShapeLength())]
    shape = node.output_type().shape
    return given or list(shape[: len(shape) - len(node.input(0).parts)])


def _squeeze(node: Node) -> Value:
    x, options = node.input(0).value, node.options
    rank = x.rank - len(node.input(0).parts)
    asked = [int(options.SqueezeDims(position)) for position in range(options.SqueezeDimsLength())]
    axes = {node.axis(axis, rank) for axis in asked} or {axis for axis, dim in enumerate(x.shape) if dim == 1}
    if any(x.shape[axis] != 1 for axis in axes):
        raise node.invalid(f"axes {asked} of shape {list(x.shape)} are not all of size 1", "fix the axes")
    return reshape(x, [dim for axis, dim in enumerate(x.shape) if axis not in axes])


def _expand_dims(node: Node) -> Value:
    x, asked = node.input(0).value, node.known_ints(1, "its axis")
    if len(asked) != 1:
        raise node.invalid(f"has {len(asked)} axes", "give one")
    return unsqueeze(x, [node.axis(asked[0], x.rank - len(node.input(0).parts) + 1)])


def _transpose(node: Node) -> Value:
    x, perm = node.input(0).value, node.known_ints(1, "perm")
    if len(perm) == x.rank:
        perm = [node.axis(axis, x.rank) for axis in perm]
    if sorted(perm) != list(range(x.rank)):
        raise node.invalid(f"perm {perm} is no permutation of {x.rank} dimensions", "fix perm")
    return transpose(x, perm)


def _broadcast_to(node: Node) -> Value:
    x, target = node.input(0).value, node.shape(node.known_ints(1, "its shape"))
    if broadcast(x.shape, target) != target:
        raise node.invalid(f"shape {list(x.shape)} does not broadcast to {list(target)}", "fix the shape")
    return broadcast_to(x, target)


def _broadcast_args(node: Node) -> Value:
    first, second = (node.shape(node.known_ints(position, f"shape {position}")) for position in (0, 1))
    return node.builder.size_constant(broadcast(first, second), node.output_type().dtype)


def _tile(node: Node) -> Value:
    x, counts = node.input(0).value, node.known_ints(1, "how often it is repeated")
    if len(counts) != x.rank or any(count < 0 for count in counts):
        raise node.invalid(f"repeats {list(x.shape)} {counts} times", "give one count of 0 or more for each dimension")
    node.shape([size * count for size, count in zip(x.shape, counts, strict=True)])
    return emit(graph.TileOp, x, repeats=counts)


def _range(node: Node) -> Value:
    """Numbers from a start to a limit; floats are summed up step by step, as the reference does."""
    start, limit, delta = (node.known(place, what) for place, what in enumerate(("start", "limit", "delta")))
    if start.size != 1 or limit.size != 1 or delta.size != 1 or not delta.any():
        raise node.invalid("start, limit or delta is no single number, or delta is 0", "fix them")
    first, step = start.reshape(-1)[0], delta.reshape(-1)[0]
    if limit.dtype == object and step == 1 and first == 0:
        return node.builder.counted(integer_of(limit.reshape(-1)[0]), node.output_type().dtype)
    count = max(ceil((limit.reshape(-1)[0] - first) / step), 0)
    node.require_small(count, "its result")
    numbers = np.full(count, step, start.dtype)
    numbers[:1] = first
    return node.constant(np.cumsum(numbers, dtype=start.dtype))


def _shape(node: Node) -> Value:
    dtype = node.output_type().dtype
    if dtype.kind not in "iu":
        raise node.invalid(f"its result is {dtype}", "use int32 or int64")
    return node.builder.size_constant(node.input(0).shape, dtype)


def _rank(node: Node) -> Value:
    return node.constant(node.input(0).rank, np.int32)


def _block_size(node: Node) -> int:
    x, block = node.input(0), int(node.options.BlockSize())
    if x.rank != 4 or block < 1:
        raise node.invalid(f"shape {list(x.shape)} with block size {block}", "give 4 dimensions and a positive block")
    return block


def _depth_to_space(node: Node) -> Value:
    x, block = node.input(0).value, _block_size(node)
    batch, height, width, channels = x.shape
    if channels % (block * block):
        raise node.invalid(f"{channels} channels do not divide into blocks of {block * block}", "fix the block size")
    x = reshape(x, [batch, height, width, block, block, channels // block**2])
    return reshape(transpose(x, [0, 1, 3, 2, 4, 5]), [batch, height * block, width * block, channels // block**2])


def _space_to_depth(node: Node) -> Value:
    x, block = node.input(0).value, _block_size(node)
    batch, height, width, channels = x.shape
    if height % block or width % block:
        raise node.invalid(f"{height} x {width} does not divide into blocks of {block} x {block}", "fix the block size")
    x = reshape(x, [batch, height // block, block, width // block, block, channels])
    return reshape(transpose(x, [0, 1, 3, 2, 4, 5]), [batch, height // block, width // block, channels * block**2])


def _blocks(node: Node, what: str) -> tuple[Value, list[int], list[tuple[int, int]]]:
    """The input, the size of a block along each spatial dimension, and a pair of `what` for each of them."""
    x, blocks = node.input(0).value, node.known_ints(1, "its block shape")
    pairs = node.known_ints(2, what)
    if len(pairs) != 2 * len(blocks) or not 1 <= len(blocks) < x.rank:
        raise node.invalid(f"block shape {blocks} and {what} {pairs} do not fit {list(x.shape)}", "fix them")
    if any(block < 1 for block in blocks) or any(number < 0 for number in pairs):
        raise node.invalid(f"block shape {blocks} or {what} {pairs} has a number too small", "fix them")
    return x, blocks, list(zip(pairs[::2], pairs[1::2], strict=True))


def _space_to_batch(node: Node) -> Value:
    x, blocks, paddings = _blocks(node, "paddings")
    rest = [(0, 0)] * (x.rank - 1 - len(blocks))
    around = [(0, 0), *paddings, *rest]
    fill = node.output_type().scalar()[1] if node.output_type().quant is not None else 0
    x = pad(x, [low for low, _ in around], [high for _, high in around], value=fill)
    batch, space, depth = x.shape[0], x.shape[1 : 1 + len(blocks)], x.shape[1 + len(blocks) :]
    if any(size % block for size, block in zip(space, blocks, strict=True)):
        raise node.invalid(f"padded size {list(space)} does not divide into blocks {blocks}", "fix the paddings")
    outer = [size // block for size, block in zip(space, blocks, strict=True)]
    x = reshape(x, [batch, *_alternate(outer, blocks), *depth])
    count = len(blocks)
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, x.rank)]
    return reshape(transpose(x, order), [batch * prod(blocks), *outer, *depth])


def _batch_to_space(node: Node) -> Value:
    x, blocks, crops = _blocks(node, "crops")
    count, batch = len(blocks), x.shape[0] // prod(blocks)
    if x.shape[0] % prod(blocks):
        raise node.invalid(f"a batch of {x.shape[0]} does not divide into blocks {blocks}", "fix the block shape")
    space, depth = x.shape[1 : 1 + count], x.shape[1 + count :]
    x = reshape(x, [*blocks, batch, *space, *depth])
    order = [count, *_alternate(range(count + 1, 2 * count + 1), range(count)), *range(2 * count + 1, x.rank)]
    whole = [size * block for size, block in zip(space, blocks, strict=True)]
    x = reshape(transpose(x, order), [batch, *whole, *depth])
    sizes = [size - low - high for size, (low, high) in zip(whole, crops, strict=True)]
    if any(size < 0 for size in sizes):
        raise node.invalid(f"crops {crops} cut more than {whole} has", "fix the crops")
    return crop(x, [0, *(low for low, _ in crops), *[0] * len(depth)], [batch, *sizes, *depth], [1] * x.rank)


def _alternate(first: Sequence[int], second: Sequence[int]) -> list[int]:
    return [number for pair in zip(first, second, strict=True) for number in pair]


IMPORTERS: Mapping[str, Importer] = {
    "BATCH_TO_SPACE_ND": _batch_to_space,
    "BROADCAST_ARGS": _broadcast_args,
    "BROADCAST_TO": _broadcast_to,
    "DEPTH_TO_SPACE": _depth_to_space,
    "EXPAND_DIMS": _expand_dims,
    "RANGE": _range,
    "RANK": _rank,
    "RESHAPE": _reshape,
    "SHAPE": _shape,
    "SPACE_TO_BATCH_ND": _space_to_batch,
    "SPACE_TO_DEPTH": _space_to_depth,
    "SQUEEZE": _squeeze,
    "TILE": _tile,
    "TRANSPOSE": _transpose,
}
