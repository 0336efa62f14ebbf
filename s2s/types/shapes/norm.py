"""Types of the normalisations: all keep the type of their input."""

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import (
    ShapeError,
    require_axis,
    require_broadcasts_to,
    require_float,
    require_same_element,
    text,
)


def batch_norm(x: AnyTensor, *parameters: AnyTensor) -> AnyTensor:
    """`x[N, C, …]`; scale, bias, mean and variance are `[C]`."""
    require_float("x", x)
    require_same_element(x, *parameters)
    _require_channels(x)
    channels = x.get_shape()[1]
    for what, parameter in zip(("scale", "bias", "mean", "var"), parameters, strict=True):
        if parameter.get_shape() != (channels,):
            raise ShapeError(f"{what} has shape {text(parameter.get_shape())}, expected [{channels}]")
    return x


def softmax(x: AnyTensor, axis: int) -> AnyTensor:
    """Softmax and log-softmax along `axis`."""
    require_float("x", x)
    require_axis(axis, x.get_num_dims())
    return x


def layer_norm(x: AnyTensor, scale: AnyTensor | None, bias: AnyTensor | None, axis: int) -> AnyTensor:
    """Normalised over the dimensions from `axis` on; scale and bias broadcast to `x`."""
    require_float("x", x)
    require_axis(axis, x.get_num_dims())
    for what, parameter in (("scale", scale), ("bias", bias)):
        if parameter is not None:
            require_same_element(x, parameter)
            require_broadcasts_to(what, parameter.get_shape(), x.get_shape())
    return x


def lrn(x: AnyTensor, size: int) -> AnyTensor:
    """Normalised over `size` neighbouring channels of `x[N, C, …]`."""
    require_float("x", x)
    _require_channels(x)
    if size < 1:
        raise ShapeError(f"size is {size}, expected at least 1")
    return x


def _require_channels(x: AnyTensor) -> None:
    if x.get_num_dims() < 2:
        raise ShapeError(f"x of shape {text(x.get_shape())} has no channel dimension")
