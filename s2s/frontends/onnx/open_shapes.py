"""Inputs with dimensions that the model leaves open, and sizes that make sense for them."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from onnx import ModelProto, ValueInfoProto

from s2s.frontends.names import one_line

_CHANNELS = (1, 3, 4)
_NUMBERED = "unk__"
"""What the names of tf2onnx for dimensions without a name start with."""


class Usual(NamedTuple):
    """Sizes that are proposed for rows and columns of images, and for steps of a sequence."""

    rows: int
    columns: int
    steps: int


USUAL = (Usual(224, 224, 128), Usual(48, 320, 512), Usual(640, 640, 1024), Usual(32, 320, 16000))
"""The first is proposed; the others for models that contradict it: lines of text, great images, samples of sound."""


def declared_dims(value: ValueInfoProto) -> list[int | str]:
    """Sizes, and names of open dimensions: `?` for one without a name, which exporters also write as -1."""
    return [
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else one_line(dim.dim_param) or "?"
        for dim in value.type.tensor_type.shape.dim
    ]


def proposal(dims: Sequence[int | str], usual: Usual = USUAL[0]) -> list[int]:
    """Return `1,3,224,224` for an image, `1,128,64` for a sequence of 64 features: usual sizes, and a batch of one.

    The batch is the first dimension, one named so, or the middle one of a state `[layers, batch, features]`. A
    dimension that is called a sum takes the sum of usual sizes.
    """
    sizes = dict.fromkeys(range(len(dims)), usual.steps)
    if len(dims) == 4 and (dims[1] in _CHANNELS or dims[-1] in _CHANNELS):
        first = 2 if dims[1] in _CHANNELS else 1
        sizes |= dict.fromkeys(sizes, usual.rows) | {first + 1: usual.columns}
    return [
        dim if isinstance(dim, int) else 1 if _is_batch(dims, axis) else _sum(dim, sizes[axis])
        for axis, dim in enumerate(dims)
    ]


def _is_batch(dims: Sequence[int | str], axis: int) -> bool:
    dim, first = dims[axis], dims[0]
    is_state = len(dims) == 3 and axis == 1 and isinstance(first, int) and first > 1
    return axis == 0 or is_state or (isinstance(dim, str) and _says_batch(dim))


def terms(dim: str) -> list[str]:
    """Return the terms of a dimension that is called a sum, as `past_sequence_length + 1`; else its name alone."""
    return [term.strip() for term in dim.split("+")]


def _sum(dim: str, usual: int) -> int:
    return sum(int(term) if term.isdecimal() else usual for term in terms(dim))


def open_inputs(model: ModelProto) -> dict[str, list[int | str]]:
    """The inputs with open dimensions."""
    given = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in given]
    dims = {each.name: declared_dims(each) for each in inputs if each.type.tensor_type.HasField("shape")}
    return {name: found for name, found in dims.items() if any(isinstance(dim, str) for dim in found)}


def proposed_shapes(inputs: Mapping[str, Sequence[int | str]]) -> list[dict[str, tuple[int, ...]]]:
    """Shapes for inputs with open dimensions: the usual ones, then others in their stead, each set once."""
    found: list[dict[str, tuple[int, ...]]] = []
    for usual in USUAL:
        shapes = {name: tuple(proposal(dims, usual)) for name, dims in inputs.items()}
        if shapes not in found:
            found.append(shapes)
    return found


def batches_of_one(
    model: ModelProto, shapes: Mapping[str, object], dims: Collection[str]
) -> dict[str, tuple[int, ...]]:
    """Return the shapes, with a batch of one, of the inputs of which only the batch is open: `[batch, 3, 224, 224]`.

    Inputs share their batch: where the user gives one, by the shape of such an input in `shapes` or by name in `dims`,
    none is taken as one.
    """
    inputs = open_inputs(model)
    batched = {name for name, sizes in inputs.items() if any(is_open_batch(sizes, axis) for axis in range(len(sizes)))}
    if batched & shapes.keys() or any(map(_says_batch, dims)):
        return {}
    closed = {
        name: [1 if is_open_batch(sizes, axis) else size for axis, size in enumerate(sizes)]
        for name, sizes in inputs.items()
    }
    return {name: tuple(map(int, sizes)) for name, sizes in closed.items() if all(isinstance(n, int) for n in sizes)}


def is_open_batch(dims: Sequence[int | str], axis: int) -> bool:
    """Return whether an axis is a batch without a size: it is called so, or is the first of several and has no name."""
    dim = dims[axis]
    if not isinstance(dim, str):
        return False
    return _says_batch(dim) or (axis == 0 < len(dims) - 1 and (dim == "?" or dim.startswith(_NUMBERED)))


def _says_batch(name: str) -> bool:
    return name.isidentifier() and "batch" in name.lower()
