"""Operators that give the same elements another shape or order."""

from collections.abc import Mapping
from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, checked_shape, reshape, transpose, unsqueeze
from s2s.frontends.onnx.node import Importer, Node
from s2s.types.shapes import broadcast


def _reshape(node: Node) -> Value:
    x = node.input(0)
    asked = node.known_ints(1, "its shape")
    keep_zero = node.flag("allowzero", False)
    shape: list[int] = []
    for axis, dim in enumerate(asked):
        if dim < -1 or (dim == 0 and not keep_zero and axis >= x.rank):
            raise node.invalid(f"shape {asked} cannot be applied to {list(x.shape)}", "fix the shape")
        shape.append(x.shape[axis] if dim == 0 and not keep_zero else dim)
    if shape.count(-1) > 1:
        raise node.invalid(f"shape {asked} has more than one -1", "leave at most one dimension open")
    if -1 in shape:
        known, size = prod(dim for dim in shape if dim != -1), prod(x.shape)
        if known == 0 or size % known:
            raise node.invalid(f"shape {asked} does not fit the {size} elements of {list(x.shape)}", "fix the shape")
        shape[shape.index(-1)] = size // known
    return reshape(x, shape)


def _flatten(node: Node) -> Value:
    x, axis = node.input(0), node.integer("axis")
    if not -x.rank <= axis <= x.rank:
        raise node.invalid(f"axis {axis} is outside [-{x.rank}, {x.rank}]", "fix the axis")
    axis = axis + x.rank if axis < 0 else axis
    return reshape(x, [prod(x.shape[:axis]), prod(x.shape[axis:])])


def _squeeze(node: Node) -> Value:
    x, axes = node.input(0), _axes(node)
    if axes is None:
        return reshape(x, [dim for dim in x.shape if dim != 1])
    chosen = node.axes(axes, x.rank)
    if any(x.shape[axis] != 1 for axis in chosen):
        raise node.invalid(f"axes {axes} of shape {list(x.shape)} are not all of size 1", "fix the axes")
    return reshape(x, [dim for axis, dim in enumerate(x.shape) if axis not in chosen])


def _unsqueeze(node: Node) -> Value:
    x, axes = node.input(0), _axes(node)
    if axes is None:
        raise node.invalid("axes are missing", "give them")
    return unsqueeze(x, node.axes(axes, x.rank + len(axes)))


def _axes(node: Node) -> list[int] | None:
    """Axes, an attribute before opset 13 and an operand since."""
    if node.since < 13:
        return node.integers("axes") if node.has("axes") else None
    return None if node.optional(1) is None else node.known_ints(1, "axes")


def _transpose(node: Node) -> Value:
    x = node.input(0)
    perm = node.integers("perm", list(range(x.rank))[::-1])
    if sorted(perm) != list(range(x.rank)):
        raise node.invalid(f"perm {perm} is no permutation of {x.rank} dimensions", "fix perm")
    return transpose(x, perm)


def _expand(node: Node) -> Value:
    x = node.input(0)
    target = checked_shape(tuple(node.known_ints(1, "its shape")), node.place)
    return broadcast_to(x, broadcast(x.shape, target))


def _tile(node: Node) -> Value:
    x = node.input(0)
    repeats = node.known_ints(1, "repeats")
    return (
        x if all(count == 1 for count in repeats) and x.rank == len(repeats) else emit(graph.TileOp, x, repeats=repeats)
    )


def _depth_to_space(node: Node) -> Value:
    x, block = node.input(0), _block(node)
    batch, channels, height, width = x.shape
    if channels % (block * block):
        raise node.invalid(f"{channels} channels do not divide into blocks of {block * block}", "fix blocksize")
    if node.text("mode", "DCR") == "CRD":
        x = reshape(x, [batch, channels // block**2, block, block, height, width])
        x = transpose(x, [0, 1, 4, 2, 5, 3])
    else:
        x = reshape(x, [batch, block, block, channels // block**2, height, width])
        x = transpose(x, [0, 3, 4, 1, 5, 2])
    return reshape(x, [batch, channels // block**2, height * block, width * block])


def _space_to_depth(node: Node) -> Value:
    x, block = node.input(0), _block(node)
    batch, channels, height, width = x.shape
    if height % block or width % block:
        way = f"fix blocksize, or let sizes that vary go by steps, --dim NAME=A..B:+{block}"
        raise node.invalid(f"{height} x {width} does not divide into blocks of {block} x {block}", way)
    x = reshape(x, [batch, channels, height // block, block, width // block, block])
    perm = [0, 1, 3, 5, 2, 4] if node.text("mode", "DCR") == "CRD" else [0, 3, 5, 1, 2, 4]
    return reshape(transpose(x, perm), [batch, channels * block**2, height // block, width // block])


def _block(node: Node) -> int:
    if node.input(0).rank != 4 or node.integer("blocksize") < 1:
        raise node.invalid(
            f"shape {list(node.input(0).shape)} with blocksize {node.integer('blocksize')}",
            "give 4 dimensions and a positive blocksize",
        )
    return node.integer("blocksize")


IMPORTERS: Mapping[str, Importer] = {
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "SpaceToDepth": _space_to_depth,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
