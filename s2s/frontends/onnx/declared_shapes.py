"""Derive operands that a model computes at run time from the shape that it declares for their result.

A Reshape whose shape is an input of the network can have one shape only if the model declares its output as [2, 12];
a TopK of 10 elements has K = 3 if its output is declared as [4, 3]. Such operands are replaced by constants:

    Reshape(x, shape)     its result [2, 12]                       shape = [2, 12]
    Tile(x, repeats)      x [2, 3], its result [2, 12]             repeats = [1, 4]
    Unsqueeze(x, axes)    x [3, 4], its result [3, 1, 4]           axes = [1]
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import prod

import numpy as np
from onnx import GraphProto

from s2s.frontends.builder import Value
from s2s.frontends.onnx.node import Node
from s2s.frontends.onnx.open_shapes import declared_dims

Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]

_KEEPS_SHAPE = frozenset(
    {
        *("Abs", "Cast", "CastLike", "Ceil", "Cos", "Erf", "Exp", "Floor", "Identity", "Log", "Neg", "Reciprocal"),
        *("Relu", "Round", "Sigmoid", "Sign", "Sin", "Sqrt", "Tanh"),
    }
)
"""Operators whose result has the shape of their first operand."""


def declared_shapes(graph: GraphProto) -> Shapes:
    """Return the constant shapes that a graph declares for its values, and the shapes of values that these are computed
    from element by element."""
    found: dict[str, Shape] = {}
    for value in [*graph.value_info, *graph.output]:
        dims = declared_dims(value)
        if value.type.tensor_type.HasField("shape") and all(isinstance(dim, int) for dim in dims):
            found[value.name] = tuple(dim for dim in dims if isinstance(dim, int))
    for node in reversed(graph.node):
        if node.op_type not in _KEEPS_SHAPE or node.domain or not node.input or not node.output:
            continue
        if node.output[0] in found:
            found.setdefault(node.input[0], found[node.output[0]])
    return found


def reduced_axes(shape: Shape, result: Shape, keepdims: bool) -> list[list[int]]:
    """Return the axes whose reduction turns `shape` into `result`: [[1], [2]] for [3, 2, 2] and [3, 2]."""
    if keepdims:
        fits = len(result) == len(shape) and all(end in (size, 1) for size, end in zip(shape, result, strict=True))
        return [[axis for axis, size in enumerate(shape) if result[axis] != size]] if fits else []
    gone = combinations(range(len(shape)), len(shape) - len(result)) if len(result) <= len(shape) else ()
    kept = ((axes, tuple(size for axis, size in enumerate(shape) if axis not in axes)) for axes in gone)
    return [list(axes) for axes, sizes in kept if sizes == result]


def derived_operands(node: Node) -> Sequence[Value | None]:
    """Return the operands of `node`, with a constant for one that follows from the shapes of its results."""
    known = None if node.proto.domain else _DERIVED.get(node.proto.op_type)
    shapes = [shape for shape in node.declared if shape is not None]
    if known is None or len(shapes) < len(node.declared) or not shapes:
        return node.operands
    position, derive = known
    operand = node.optional(position)
    if operand is None or operand.array is not None or prod(operand.shape) == 0:
        return node.operands
    found = derive(node, shapes)
    if found is None or prod(operand.shape) != len(found):
        return node.operands
    constant = node.constant(np.reshape(found, operand.shape), operand.dtype)
    return [*node.operands[:position], constant, *node.operands[position + 1 :]]


def _shape_of_result(node: Node, results: Sequence[Shape]) -> list[int]:
    return list(results[0])


def _reshaped(node: Node, results: Sequence[Shape]) -> list[int] | None:
    """The shape, where a size 0 means just that."""
    return None if 0 in results[0] and not node.flag("allowzero", False) else list(results[0])


def _repeats(node: Node, results: Sequence[Shape]) -> list[int] | None:
    shape = node.input(0).shape
    pairs = list(zip(results[0], shape, strict=False))
    whole = len(results[0]) == len(shape) and all(size and end % size == 0 for end, size in pairs)
    return [end // size for end, size in pairs] if whole else None


def _dropped(long: Shape, short: Shape, count: int) -> list[int] | None:
    """Axes of size 1 without which `long` is `short`."""
    ones = [axis for axis, size in enumerate(long) if size == 1]
    for axes in combinations(ones, count):
        if tuple(size for axis, size in enumerate(long) if axis not in axes) == short:
            return list(axes)
    return None


def _squeezed(node: Node, results: Sequence[Shape]) -> list[int] | None:
    return _dropped(node.input(0).shape, results[0], prod(node.input(1).shape))


def _unsqueezed(node: Node, results: Sequence[Shape]) -> list[int] | None:
    return _dropped(results[0], node.input(0).shape, prod(node.input(1).shape))


def _along_axis(node: Node, results: Sequence[Shape]) -> list[int] | None:
    """The size of each result along the axis."""
    axis, ranks = node.integer("axis"), {len(shape) for shape in results}
    rank = ranks.pop()
    return [shape[axis] for shape in results] if not ranks and -rank <= axis < rank else None


def _count(node: Node, results: Sequence[Shape]) -> list[int] | None:
    """The size of the first result along the axis."""
    return _along_axis(node, results[:1])


def _resized(node: Node, results: Sequence[Shape]) -> list[int] | None:
    """The sizes of the resized axes, where they are not changed to keep a ratio."""
    rank = len(results[0])
    axes = node.integers("axes", list(range(rank)))
    if node.text("keep_aspect_ratio_policy", "stretch") != "stretch" or any(not -rank <= axis < rank for axis in axes):
        return None
    return [results[0][axis] for axis in axes]


def _centered(node: Node, results: Sequence[Shape]) -> list[int] | None:
    rank = len(results[0])
    axes = node.integers("axes", list(range(rank)))
    return [results[0][axis] for axis in axes] if all(-rank <= axis < rank for axis in axes) else None


def _grid(node: Node, results: Sequence[Shape]) -> list[int]:
    """The size of the image that a grid is for: any number of channels."""
    batch, *places = results[0][:-1]
    return [batch, 1, *places]


def _image(node: Node, results: Sequence[Shape]) -> list[int]:
    return list(results[0][2:])


_DERIVED: Mapping[str, tuple[int, Callable[[Node, Sequence[Shape]], list[int] | None]]] = {
    "AffineGrid": (1, _grid),
    "BlackmanWindow": (0, _shape_of_result),
    "CenterCropPad": (1, _centered),
    "Col2Im": (1, _image),
    "ConstantOfShape": (0, _shape_of_result),
    "Expand": (1, _shape_of_result),
    "HammingWindow": (0, _shape_of_result),
    "HannWindow": (0, _shape_of_result),
    "MaxUnpool": (2, _shape_of_result),
    "OneHot": (1, _along_axis),
    "Reshape": (1, _reshaped),
    "Resize": (3, _resized),
    "Split": (1, _along_axis),
    "Squeeze": (1, _squeezed),
    "Tile": (1, _repeats),
    "TopK": (1, _count),
    "Unsqueeze": (1, _unsqueezed),
}
"""For each operator the operand that follows from the shapes of its results, and how."""
