"""Type of the matrix product."""

from xdsl.dialects.builtin import f16, f32, i8
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


def widens(a: Attribute, b: Attribute) -> bool:
    """Return whether a product of factors `a` and `b` converts the second one to the type of the first, exactly."""
    return a == f32 and b in (f16, i8)


def _transposed(shape: tuple[int, ...], transpose: bool) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if transpose else shape
