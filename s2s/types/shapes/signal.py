"""Types of Fourier transforms."""

from xdsl.dialects.builtin import f32, f64, i16, i32

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


def has_small_factors(size: int) -> bool:
    """Whether 2, 3 and 5 are the only prime factors of `size`."""
    for factor in (2, 3, 5):
        while size % factor == 0:
            size //= factor
    return size == 1


def fixed_dft(x: AnyTensor, roots: AnyTensor, turns: AnyTensor, *, inverse: bool) -> AnyTensor:
    """The complex numbers of the spectrum of a row of real ones, or the real ones of a spectrum."""
    if x.element_type not in (i16, i32):
        raise ShapeError(f"x has element type {x.element_type}, expected i16 or i32")
    require_same_element(x, roots, turns)
    shape = x.get_shape()
    if inverse and (len(shape) < 2 or shape[-1] != 2):
        raise ShapeError(f"x has shape {text(shape)}, expected complex numbers of 2 parts")
    require_axis(0, len(shape))
    outer, size = (shape[:-2], 2 * (shape[-2] - 1)) if inverse else (shape[:-1], shape[-1])
    if size < 4 or size % 2 or not has_small_factors(size // 2):
        raise ShapeError(f"a row has {size} real numbers, expected twice a product of 2, 3 and 5")
    for name, table, count in (("roots", roots, size // 2), ("turns", turns, size // 4)):
        if table.get_shape() != (count, 2):
            raise ShapeError(f"{name} have shape {text(table.get_shape())}, expected {text([count, 2])}")
    return result(x.element_type, [*outer, size] if inverse else [*outer, size // 2 + 1, 2])
