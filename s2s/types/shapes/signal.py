"""Types of Fourier transforms."""

from xdsl.dialects.builtin import f32, f64

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import ShapeError, require_axis, require_same_element, result, text


def dft(x: AnyTensor, roots: AnyTensor, bins: int) -> AnyTensor:
    """`bins` complex numbers for the real or complex numbers along the last dimension but one."""
    if x.element_type not in (f32, f64):
        raise ShapeError(f"x has element type {x.element_type}, expected f32 or f64")
    require_same_element(x, roots)
    require_axis(1, x.get_num_dims())
    *outer, size, parts = x.get_shape()
    if parts not in (1, 2):
        raise ShapeError(f"x of shape {text(x.get_shape())} has numbers of {parts} parts, expected 1 or 2")
    if size < 1 or roots.get_shape() != (size, 2):
        raise ShapeError(f"roots have shape {text(roots.get_shape())}, expected {text([size, 2])}")
    if not 0 < bins <= size:
        raise ShapeError(f"bins {bins} is not between 1 and the {size} numbers of a row")
    return result(x.element_type, [*outer, bins, 2])
