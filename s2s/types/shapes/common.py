"""What the shape rules of all operator families share."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute

from s2s.errors import InputError
from s2s.types.dtypes import AnyTensor, is_bool, is_float, is_integer, is_unsigned, tensor_type
from s2s.types.size import alike, greatest, is_size

MAX_ELEMENTS = 2**31 - 1
"""Largest tensor: its flat index is an `int32_t`. A larger one comes from a corrupt or hostile model."""


class ShapeError(InputError):
    """Operands and attributes do not fit together. The message is the fact alone; callers add place and way out."""


def result(element: Attribute, shape: Sequence[int]) -> AnyTensor:
    """The tensor type of a result, refused when no machine could hold it, or count beside a size of 0 what it holds."""
    sizes = greatest(shape)
    if (count := prod(filter(None, sizes))) > MAX_ELEMENTS:
        what = "elements" if all(sizes) else "elements beside the dimension of size 0"
        raise ShapeError(f"result {text(shape)} has {count} {what}, more than {MAX_ELEMENTS}")
    return tensor_type(element, tuple(shape))


def text(shape: Sequence[int]) -> str:
    """A shape or list of integers as `[1, 3, 224, 224]`."""
    return f"[{', '.join(map(str, shape))}]"


def accept_any(what: str, x: AnyTensor) -> None:
    """Refuse nothing."""


def require_float(what: str, x: AnyTensor) -> None:
    """Refuse elements that are not floating point."""
    if not is_float(x.element_type):
        raise ShapeError(f"{what} has element type {x.element_type}, expected a float type")


def require_integer(what: str, x: AnyTensor) -> None:
    """Refuse elements that are not integers; bool is none."""
    if not is_integer(x.element_type):
        raise ShapeError(f"{what} has element type {x.element_type}, expected an integer type")


def require_number(what: str, x: AnyTensor) -> None:
    """Refuse elements one cannot calculate with, that is bool."""
    if not (is_float(x.element_type) or is_integer(x.element_type)):
        raise ShapeError(f"{what} has element type {x.element_type}, expected a number type")


def require_signed(what: str, x: AnyTensor) -> None:
    """Refuse elements that have no negative values."""
    require_number(what, x)
    if is_unsigned(x.element_type):
        raise ShapeError(f"{what} has element type {x.element_type}, expected a signed type")


def require_bool(what: str, x: AnyTensor) -> None:
    """Refuse elements other than bool."""
    if not is_bool(x.element_type):
        raise ShapeError(f"{what} has element type {x.element_type}, expected i1")


def require_bound(what: str, value: int | float | None, x: AnyTensor) -> None:
    """Refuse a number that is not of the kind of the elements of `x`: a float for floats, an integer for the rest."""
    if value is not None and isinstance(value, float) != is_float(x.element_type):
        raise ShapeError(f"{what} = {value} does not fit element type {x.element_type}")


def require_same_element(first: AnyTensor, *others: AnyTensor) -> None:
    """Refuse operands of mixed element types: conversions are explicit casts."""
    for other in others:
        if other.element_type != first.element_type:
            raise ShapeError(f"element types {first.element_type} and {other.element_type} differ")


def require_axis(axis: int, rank: int) -> None:
    """Refuse an axis outside [0, rank); frontends have already counted negative ones from the back."""
    if not 0 <= axis < rank:
        raise ShapeError(f"axis {axis} is outside [0, {rank})")


def require_axes(axes: Sequence[int], rank: int) -> None:
    """Refuse axes that are out of range or named twice."""
    for axis in axes:
        require_axis(axis, rank)
    if len(set(axes)) != len(axes):
        raise ShapeError(f"axes {text(axes)} name an axis twice")


def require_length(what: str, values: Sequence[int], length: int) -> None:
    """Refuse a list of integers that has not one entry per dimension."""
    if len(values) != length:
        raise ShapeError(f"{what} {text(values)} has {len(values)} entries, expected {length}")


def require_at_least(what: str, values: Sequence[int], least: int) -> None:
    """Refuse a list of integers with an entry below `least`."""
    if any(value < least for value in values):
        raise ShapeError(f"{what} {text(values)} has an entry below {least}")


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all `shapes` broadcast to by numpy's rule. A size that varies stands for itself, also where it is
    1: another one but a constant 1 has to be equal to it in every run."""
    first = shapes[0]
    if all(alike(shape, first) for shape in shapes):
        return first
    rank = max(map(len, shapes))
    dims: list[int] = []
    for column in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes), strict=True):
        sizes = [size for size in column if is_size(size) or size != 1]
        if any(size != sizes[0] for size in sizes):
            raise ShapeError(f"shapes {' and '.join(map(text, shapes))} do not broadcast")
        dims.append(sizes[0] if sizes else 1)
    return tuple(dims)


def require_broadcasts_to(what: str, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Refuse `shape` unless it broadcasts to exactly `target`."""
    aligned = target[len(target) - len(shape) :]
    pairs = zip(shape, aligned, strict=True)
    if len(shape) > len(target) or any((is_size(size) or size != 1) and size != goal for size, goal in pairs):
        raise ShapeError(f"{what} of shape {text(shape)} does not broadcast to {text(target)}")
