"""Types of matrix products and determinants."""

from xdsl.dialects.builtin import f16, f32, f64, i8
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.accumulate import Accumulation
from s2s.types.shapes.common import ShapeError, broadcast, result, text


def matmul(a: AnyTensor, b: AnyTensor, transpose_a: bool, transpose_b: bool, accumulation: Accumulation) -> AnyTensor:
    """`a[…, i, k]`, `b[…, k, j]` give `y[…, i, j]`; leading dimensions broadcast."""
    mixed = widens(a.element_type, b.element_type) and accumulation == Accumulation()
    element = f32 if mixed else accumulation.result(a, b)
    for what, operand in (("a", a), ("b", b)):
        if operand.get_num_dims() < 2:
            raise ShapeError(f"{what} of shape {text(operand.get_shape())} is no matrix")
    *batch_a, rows, inner_a = _transposed(a.get_shape(), transpose_a)
    *batch_b, inner_b, columns = _transposed(b.get_shape(), transpose_b)
    if inner_a != inner_b:
        raise ShapeError(f"a has {inner_a} columns and b has {inner_b} rows")
    return result(element, [*broadcast(tuple(batch_a), tuple(batch_b)), rows, columns])


def determinant(x: AnyTensor) -> AnyTensor:
    """A number for each square matrix."""
    shape = x.get_shape()
    if x.element_type not in (f32, f64):
        raise ShapeError(f"x has element type {x.element_type}, expected f32 or f64")
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError(f"x of shape {text(shape)} is no square matrix")
    return result(x.element_type, shape[:-2])


def widens(a: Attribute, b: Attribute) -> bool:
    """Return whether a product of factors `a` and `b` converts the second one to the type of the first, exactly."""
    return a == f32 and b in (f16, i8)


def _transposed(shape: tuple[int, ...], transpose: bool) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if transpose else shape
