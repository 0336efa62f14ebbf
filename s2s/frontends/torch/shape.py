"""Views, transpositions and repetitions."""

from collections.abc import Mapping
from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, checked_shape, concat, reshape, transpose, unsqueeze
from s2s.frontends.torch.dtypes import BOOL
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.program import TensorInfo
from s2s.types.dtypes import from_numpy


def _view(node: Node) -> Value:
    x = node.value("self")
    if node.overload == "dtype":
        return _bits(node, x)
    sizes = node.integers("size" if node.has("size") else "shape")
    if -1 in sizes:
        rest = prod(size for size in sizes if size != -1)
        sizes = [prod(x.shape) // max(rest, 1) if size == -1 else size for size in sizes]
    return reshape(x, sizes)


def _bits(node: Node, x: Value) -> Value:
    """The bits of numbers as numbers of another type."""
    dtype = node.result_dtype()
    if dtype.itemsize != x.dtype.itemsize or BOOL in (dtype, x.dtype):
        fact = f"reads the bits of {x.dtype} as {dtype}"
        raise node.unsupported(fact, "give a type of as many bits")
    return x if dtype == x.dtype else emit(graph.BitcastOp, x, element_type=from_numpy(dtype))


def _permute(node: Node) -> Value:
    x = node.value("self")
    return transpose(x, [node.counted(axis, x.rank) for axis in node.integers("dims")])


def _transpose(node: Node) -> Value:
    x = node.value("self")
    if x.rank < 2:
        return x
    perm = list(range(x.rank))
    a, b = (node.axis("dim0", x.rank), node.axis("dim1", x.rank)) if node.has("dim0") else (x.rank - 2, x.rank - 1)
    perm[a], perm[b] = perm[b], perm[a]
    return transpose(x, perm)


def _expand(node: Node) -> Value:
    """`x` repeated to a shape in which -1 stands for the size that it has."""
    x, sizes = node.value("self"), node.integers("size")
    new = len(sizes) - x.rank
    return broadcast_to(x, [x.shape[dim - new] if size == -1 else size for dim, size in enumerate(sizes)])


def _expand_as(node: Node) -> Value:
    return broadcast_to(node.value("self"), node.value("other").shape)


def _repeat(node: Node) -> Value:
    x, repeats = node.value("self"), node.integers("repeats")
    x = reshape(x, [*[1] * (len(repeats) - x.rank), *x.shape])
    checked_shape(tuple(size * count for size, count in zip(x.shape, repeats, strict=True)), node.place)
    return x if all(count == 1 for count in repeats) else emit(graph.TileOp, x, repeats=repeats)


def _squeeze(node: Node) -> Value:
    """`x` without the dimensions of size one that are named, or without all of them."""
    x = node.value("self")
    axes = node.axes("dim", x.rank) if "dim" in node.arguments else list(range(x.rank))
    kept = [size for axis, size in enumerate(x.shape) if axis not in axes or size != 1]
    (result,) = node.call.results
    if isinstance(result, TensorInfo) and len(kept) < len(result.shape):
        raise node.unsupported(
            f"leaves out a dimension of {list(x.shape)} that is open in the export and counted by later operators",
            "export the model with this size as a constant, or give another size",
        )
    return reshape(x, kept)


def _unsqueeze(node: Node) -> Value:
    x = node.value("self")
    return unsqueeze(x, [node.axis("dim", x.rank + 1)])


def _flatten(node: Node) -> Value:
    x = node.value("self")
    if x.rank == 0:
        return reshape(x, [1])
    first, last = node.axis("start_dim", x.rank), node.axis("end_dim", x.rank)
    return reshape(x, [*x.shape[:first], prod(x.shape[first : last + 1]), *x.shape[last + 1 :]])


def _unflatten(node: Node) -> Value:
    x = node.value("self")
    axis, sizes = node.axis("dim", x.rank), node.integers("sizes")
    rest = prod(size for size in sizes if size != -1)
    sizes = [x.shape[axis] // rest if size == -1 else size for size in sizes]
    return reshape(x, [*x.shape[:axis], *sizes, *x.shape[axis + 1 :]])


def _cat(node: Node) -> Value:
    """Parts one after the other; a vector without elements fits anything."""
    parts = [part for part in node.values("tensors") if part.shape != (0,)] or node.values("tensors")[:1]
    return concat(parts, node.axis("dim", parts[0].rank))


def _stack(node: Node) -> Value:
    parts = node.values("tensors")
    axis = node.axis("dim", parts[0].rank + 1)
    return concat([unsqueeze(part, [axis]) for part in parts], axis)


def _pixel_shuffle(node: Node) -> Value:
    """Blocks of channels spread over blocks of pixels."""
    x, factor = node.value("self"), node.integer("upscale_factor")
    *outer, channels, height, width = x.shape
    rank = len(outer)
    parts = reshape(x, [*outer, channels // factor**2, factor, factor, height, width])
    order = [*range(rank), *(rank + axis for axis in (0, 3, 1, 4, 2))]
    return reshape(transpose(parts, order), [*outer, channels // factor**2, height * factor, width * factor])


IMPORTERS: Mapping[str, Importer] = {
    "_unsafe_view": _view,
    "cat": _cat,
    "expand": _expand,
    "expand_as": _expand_as,
    "flatten": _flatten,
    "permute": _permute,
    "pixel_shuffle": _pixel_shuffle,
    "repeat": _repeat,
    "reshape": _view,
    "squeeze": _squeeze,
    "stack": _stack,
    "t": _transpose,
    "transpose": _transpose,
    "unflatten": _unflatten,
    "unsqueeze": _unsqueeze,
    "view": _view,
}
