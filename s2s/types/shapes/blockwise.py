"""Types of the matrix products with weights that are quantised by blocks."""

from xdsl.dialects.builtin import i8

from s2s.types.dtypes import AnyTensor, is_float
from s2s.types.shapes.common import ShapeError, result, text

BITS = (4, 8)
CODE_BITS = 4
"""The bits of a code, by which a table is read."""


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


def codebook_matmul(x: AnyTensor, w: AnyTensor, table: AnyTensor, scales: AnyTensor) -> AnyTensor:
    """`x[…, k]`, `w[j, blocks, bytes]`, `table[16]`, `scales[j, blocks]` give `y[…, j]`."""
    if table.get_shape() != (1 << CODE_BITS,) or not is_float(table.element_type):
        raise ShapeError(f"table is {table}, expected {1 << CODE_BITS} floats")
    return matmul(x, w, scales, None, CODE_BITS)


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


def superblock_matmul(
    x: AnyTensor,
    w: AnyTensor,
    scales: AnyTensor,
    mins: AnyTensor,
    super_scales: AnyTensor,
    super_mins: AnyTensor,
    *,
    bits: int,
) -> AnyTensor:
    """`x[…, k]`, `w[j, blocks, bytes]`, `scales` and `mins` `[j, blocks]`, `super_scales` and `super_mins`
    `[j, superblocks]` give `y[…, j]`."""
    _check_two_levels(scales, mins, super_scales, super_mins)
    return matmul(x, w, _as_floats(scales, super_scales), None, bits)


def superblock_dot(
    x: AnyTensor,
    x_scales: AnyTensor,
    w: AnyTensor,
    scales: AnyTensor,
    mins: AnyTensor,
    super_scales: AnyTensor,
    super_mins: AnyTensor,
) -> AnyTensor:
    """As `dot`, with the scales of `superblock_matmul`; weights of 4 bits have two parts in each block."""
    _check_two_levels(scales, mins, super_scales, super_mins)
    bits = 8 if x.get_num_dims() > 2 and x.get_shape()[-2] == 1 else 4
    return dot(x, x_scales, w, _as_floats(scales, super_scales), None, bits)


def _as_floats(scales: AnyTensor, super_scales: AnyTensor) -> AnyTensor:
    """Return the type of the product of the scales of both levels."""
    return result(super_scales.element_type, scales.get_shape())


def _check_two_levels(scales: AnyTensor, mins: AnyTensor, super_scales: AnyTensor, super_mins: AnyTensor) -> None:
    for what, each in (("scales", scales), ("mins", mins)):
        if each.element_type != i8 or each.get_num_dims() != 2:
            raise ShapeError(f"{what} is {each}, expected i8 of shape [rows, blocks]")
    for what, each, other in (("mins", mins, scales), ("super_mins", super_mins, super_scales)):
        if each != other:
            raise ShapeError(f"{what} is {each}, expected {other}")
    shape, outer = scales.get_shape(), super_scales.get_shape()
    if len(outer) != 2 or outer[0] != shape[0] or not outer[1] or shape[1] % outer[1]:
        raise ShapeError(f"super_scales has shape {text(outer)}, expected [{shape[0]}, a divisor of {shape[1]}]")
    if not is_float(super_scales.element_type):
        raise ShapeError(f"super_scales has element type {super_scales.element_type}, expected a float")


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
