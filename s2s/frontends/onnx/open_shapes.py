"""Inputs with dimensions that the model leaves open, and sizes that make sense for them."""

from collections.abc import Sequence

from onnx import ModelProto, ValueInfoProto

from s2s.frontends.names import one_line

IMAGE, SEQUENCE = 224, 128
"""Sizes that are proposed for rows and columns of images, and for steps of a sequence."""
_CHANNELS = (1, 3, 4)


def declared_dims(value: ValueInfoProto) -> list[int | str]:
    """Sizes, and names of open dimensions: `?` for one without a name, which exporters also write as -1."""
    return [
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else one_line(dim.dim_param) or "?"
        for dim in value.type.tensor_type.shape.dim
    ]


def proposal(dims: Sequence[int | str]) -> list[int]:
    """Return `1,3,224,224` for an image, `1,128,64` for a sequence of 64 features: usual sizes, and a batch of one.

    The batch is the first dimension, or one named so. A dimension that is called a sum takes the sum of usual sizes.
    """
    is_image = len(dims) == 4 and (dims[1] in _CHANNELS or dims[-1] in _CHANNELS)
    usual = IMAGE if is_image else SEQUENCE
    return [
        dim if isinstance(dim, int) else 1 if axis == 0 or "batch" in dim.lower() else _sum(dim, usual)
        for axis, dim in enumerate(dims)
    ]


def terms(dim: str) -> list[str]:
    """Return the terms of a dimension that is called a sum, as `past_sequence_length + 1`; else its name alone."""
    return [term.strip() for term in dim.split("+")]


def _sum(dim: str, usual: int) -> int:
    return sum(int(term) if term.isdecimal() else usual for term in terms(dim))


def proposed_shapes(model: ModelProto) -> dict[str, tuple[int, ...]]:
    """A shape for each input with open dimensions."""
    given = {tensor.name for tensor in model.graph.initializer}
    found: dict[str, tuple[int, ...]] = {}
    for value in model.graph.input:
        if value.name not in given and value.type.tensor_type.HasField("shape"):
            dims = declared_dims(value)
            if any(isinstance(dim, str) for dim in dims):
                found[value.name] = tuple(proposal(dims))
    return found
