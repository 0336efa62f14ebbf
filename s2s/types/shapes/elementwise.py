"""Types of the elementwise operators: numpy broadcasting, equal element types."""

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor, size_in_bytes
from s2s.types.shapes.common import (
    ShapeError,
    broadcast,
    require_bool,
    require_bound,
    require_broadcasts_to,
    require_number,
    require_same_element,
    result,
)


def binary(a: AnyTensor, b: AnyTensor) -> AnyTensor:
    """`a op b` with the element type of both."""
    require_same_element(a, b)
    return result(a.element_type, broadcast(a.get_shape(), b.get_shape()))


def compare(a: AnyTensor, b: AnyTensor) -> AnyTensor:
    """`a < b` and its kin: bool."""
    require_same_element(a, b)
    return result(i1, broadcast(a.get_shape(), b.get_shape()))


def bitcast(x: AnyTensor, element: Attribute) -> AnyTensor:
    """`x` with another element type, which is as wide."""
    if size_in_bytes(x.element_type) != size_in_bytes(element):
        raise ShapeError(f"{x.element_type} and {element} differ in size")
    return result(element, x.get_shape())


def predicate(x: AnyTensor) -> AnyTensor:
    """One bool per element of `x`."""
    return result(i1, x.get_shape())


def prelu(x: AnyTensor, slope: AnyTensor) -> AnyTensor:
    """The type of `x`; the slope broadcasts to it and not the other way round."""
    require_number("x", x)
    require_same_element(x, slope)
    require_broadcasts_to("slope", slope.get_shape(), x.get_shape())
    return x


def select(cond: AnyTensor, a: AnyTensor, b: AnyTensor) -> AnyTensor:
    """`cond ? a : b`, all three broadcast together."""
    require_bool("cond", cond)
    require_same_element(a, b)
    return result(a.element_type, broadcast(cond.get_shape(), a.get_shape(), b.get_shape()))


def clamp(x: AnyTensor, low: int | float | None, high: int | float | None) -> AnyTensor:
    """The type of `x`; float bounds for float elements, integer bounds for integers."""
    require_number("x", x)
    require_bound("min", low, x)
    require_bound("max", high, x)
    return x
