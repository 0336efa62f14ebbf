"""Types of the operators of quantised networks."""

import numpy as np
from xdsl.dialects.builtin import i8, i16, i32, i64
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor, is_integer, size_in_bytes, tensor_type, to_numpy, ui8, ui16
from s2s.types.shapes.common import ShapeError, require_axis, result, text

_ROUNDINGS = ("double", "single", "reduced")
_RESCALED = (i8, ui8, i16, ui16, i32)
_TABLE_ENTRIES = 256


def rescale(
    x: AnyTensor,
    multiplier: AnyTensor,
    shift: AnyTensor,
    element: Attribute,
    zero_points: tuple[int, int],
    rounding: str,
    axis: int | None,
) -> AnyTensor:
    """The shape of `x` in another integer type; parameters are scalars or vectors along `axis`."""
    if rounding not in _ROUNDINGS:
        raise ShapeError(f'rounding is "{rounding}", expected one of {", ".join(_ROUNDINGS)}')
    if not is_integer(x.element_type) or (x.element_type == i64 and rounding != "reduced"):
        raise ShapeError(f'x has element type {x.element_type}, which rounding "{rounding}" does not take')
    if element not in _RESCALED:
        raise ShapeError(f"result has element type {element}, expected one of {', '.join(map(str, _RESCALED))}")
    for what, parameter, expected in (("multiplier", multiplier, i32), ("shift", shift, i8)):
        if parameter.element_type != expected:
            raise ShapeError(f"{what} has element type {parameter.element_type}, expected {expected}")
        _require_parameter(what, parameter, x, axis)
    for value, kind in zip(zero_points, (x.element_type, element), strict=True):
        info = np.iinfo(to_numpy(kind))
        if not info.min <= value <= info.max:
            raise ShapeError(f"zero point {value} is no value of {kind}")
    return result(element, x.get_shape())


def require_limits(limits: tuple[int, int], element: Attribute) -> None:
    """Refuse limits of a result that leave nothing, or that its type cannot hold."""
    info = np.iinfo(to_numpy(element))
    if not info.min <= limits[0] <= limits[1] <= info.max:
        raise ShapeError(f"limits {text(limits)} are no range of {element}")


def _require_parameter(what: str, parameter: AnyTensor, x: AnyTensor, axis: int | None) -> None:
    """Refuse a parameter that is neither one number nor one for each index of `axis`."""
    shape = parameter.get_shape()
    if axis is not None:
        require_axis(axis, x.get_num_dims())
    expected = () if axis is None else (x.get_shape()[axis],)
    if shape not in ((), expected):
        raise ShapeError(f"{what} has shape {text(shape)}, expected {text(expected)}")


def table(x: AnyTensor, entries: AnyTensor) -> AnyTensor:
    """The shape of `x` with the elements of the table."""
    if not is_integer(x.element_type) or size_in_bytes(x.element_type) != 1:
        raise ShapeError(f"x has element type {x.element_type}, expected an integer of 8 bits")
    if entries.get_shape() != (_TABLE_ENTRIES,):
        raise ShapeError(f"table has shape {text(entries.get_shape())}, expected [{_TABLE_ENTRIES}]")
    return tensor_type(entries.element_type, x.get_shape())
