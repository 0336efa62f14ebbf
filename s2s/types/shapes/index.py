"""Types of the operators that read or write at positions held in a tensor."""

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import (
    ShapeError,
    require_axis,
    require_integer,
    require_number,
    require_same_element,
    result,
    text,
)

REDUCTIONS = ("none", "add", "mul", "min", "max")


def gather(x: AnyTensor, indices: AnyTensor, axis: int) -> AnyTensor:
    """Whole slices of `x` along `axis`: `x.shape[:axis] + indices.shape + x.shape[axis + 1:]`."""
    require_integer("indices", indices)
    require_axis(axis, x.get_num_dims())
    shape = x.get_shape()
    return result(x.element_type, [*shape[:axis], *indices.get_shape(), *shape[axis + 1 :]])


def gather_elements(x: AnyTensor, indices: AnyTensor, axis: int) -> AnyTensor:
    """One element of `x` for each index: the shape of `indices`, inside `x` outside `axis`."""
    _verify_elementwise_indices(x, indices, axis)
    return result(x.element_type, indices.get_shape())


def gather_nd(x: AnyTensor, indices: AnyTensor, batch_dims: int) -> AnyTensor:
    """`indices[…, k]` point at slices of the dimensions `batch_dims … batch_dims + k - 1`."""
    require_integer("indices", indices)
    shape, positions = x.get_shape(), indices.get_shape()
    if not 0 <= batch_dims < min(len(shape), len(positions)):
        raise ShapeError(f"batch_dims {batch_dims} is outside [0, {min(len(shape), len(positions))})")
    if shape[:batch_dims] != positions[:batch_dims]:
        raise ShapeError(f"batch dimensions of {text(shape)} and {text(positions)} differ")
    end = batch_dims + positions[-1]
    if end > len(shape):
        raise ShapeError(f"indices of shape {text(positions)} are longer than the rank of x {text(shape)}")
    return result(x.element_type, [*positions[:-1], *shape[end:]])


def scatter_elements(x: AnyTensor, indices: AnyTensor, updates: AnyTensor, axis: int, reduction: str) -> AnyTensor:
    """The type of `x`; one index per update."""
    _verify_elementwise_indices(x, indices, axis)
    _verify_updates(x, updates, indices.get_shape(), reduction)
    return x


def scatter_nd(x: AnyTensor, indices: AnyTensor, updates: AnyTensor, reduction: str) -> AnyTensor:
    """The type of `x`; `indices[…, k]` point at the slices that `updates` replace."""
    _verify_updates(x, updates, gather_nd(x, indices, 0).get_shape(), reduction)
    return x


def _verify_elementwise_indices(x: AnyTensor, indices: AnyTensor, axis: int) -> None:
    require_integer("indices", indices)
    require_axis(axis, x.get_num_dims())
    shape, positions = x.get_shape(), indices.get_shape()
    fits = len(shape) == len(positions) and all(
        size <= bound for dim, (size, bound) in enumerate(zip(positions, shape, strict=True)) if dim != axis
    )
    if not fits:
        raise ShapeError(f"indices of shape {text(positions)} do not lie inside x {text(shape)} outside axis {axis}")


def _verify_updates(x: AnyTensor, updates: AnyTensor, expected: tuple[int, ...], reduction: str) -> None:
    require_same_element(x, updates)
    if updates.get_shape() != expected:
        raise ShapeError(f"updates have shape {text(updates.get_shape())}, expected {text(expected)}")
    if reduction not in REDUCTIONS:
        raise ShapeError(f"reduction is {reduction}, expected one of {', '.join(REDUCTIONS)}")
    if reduction != "none":
        require_number("x", x)
