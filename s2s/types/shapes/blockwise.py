"""Types of the matrix products with weights that are quantised by blocks."""

from xdsl.dialects.builtin import i8

from s2s.types.dtypes import AnyTensor, is_float
from s2s.types.shapes.common import ShapeError, result, text

BITS = (4, 8)


def block_size(w: AnyTensor, bits: int) -> int:
    """The number of weights in a block of `w`."""
    return w.get_shape()[-1] * 8 // bits


def matmul(x: AnyTensor, w: AnyTensor, scales: AnyTensor, zero_points: AnyTensor | None, bits: int) -> AnyTensor:
    """`x[…, k]`, `w[j, blocks, bytes]`, `scales[j, blocks]` give `y[…, j]`."""
    if x.get_num_dims() < 1 or not is_float(x.element_type):
        raise ShapeError(f"x is {x}, expected floats with at least one dimension")
    rows, blocks = _check_weights(w, scales, zero_points, bits)
    columns, block = x.get_shape()[-1], block_size(w, bits)
    if not (blocks - 1) * block < columns <= blocks * block:
        raise ShapeError(f"x has {columns} columns, w has {blocks} blocks of {block}")
    return result(x.element_type, [*x.get_shape()[:-1], rows])


def dot(
    x: AnyTensor, x_scales: AnyTensor, w: AnyTensor, scales: AnyTensor, zero_points: AnyTensor | None, bits: int
) -> AnyTensor:
    """`x[…, blocks, parts, bytes]`, `x_scales[…, blocks]`, `w[j, blocks, bytes]`, `scales[j, blocks]` give
    `y[…, j]`."""
    rows, blocks = _check_weights(w, scales, zero_points, bits)
    wanted = (blocks, 8 // bits, w.get_shape()[-1])
    if x.element_type != i8 or x.get_shape()[-3:] != wanted:
        raise ShapeError(f"x is {x}, expected i8 of shape {text((*x.get_shape()[:-3], *wanted))}")
    if not is_float(x_scales.element_type) or x_scales.get_shape() != x.get_shape()[:-2]:
        raise ShapeError(f"x_scales is {x_scales}, expected floats of shape {text(x.get_shape()[:-2])}")
    return result(x_scales.element_type, [*x.get_shape()[:-3], rows])


def _check_weights(w: AnyTensor, scales: AnyTensor, zero_points: AnyTensor | None, bits: int) -> tuple[int, int]:
    """Return the numbers of rows and blocks."""
    if bits not in BITS:
        raise ShapeError(f"bits is {bits}, expected 4 or 8")
    if w.get_num_dims() != 3 or w.element_type != i8:
        raise ShapeError(f"w is {w}, expected i8 of shape [rows, blocks, bytes]")
    rows, blocks, _ = w.get_shape()
    for what, each in (("scales", scales), ("zero_points", zero_points)):
        if each is not None and each.get_shape() != (rows, blocks):
            raise ShapeError(f"{what} has shape {text(each.get_shape())}, expected {text((rows, blocks))}")
    if not is_float(scales.element_type):
        raise ShapeError(f"scales has element type {scales.element_type}, expected a float")
    if zero_points is not None and zero_points.element_type != i8 and not is_float(zero_points.element_type):
        raise ShapeError(f"zero_points has element type {zero_points.element_type}, expected i8 or a float")
    return rows, blocks
