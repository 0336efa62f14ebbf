"""Sums of tensors, and constant ones."""

from collections.abc import Sequence
from functools import reduce

from s2s.tvm.te.expressions import Number, Size, Tensor, const
from s2s.tvm.te.tensors import pointwise


def elemwise_sum(xs: Sequence[Tensor]) -> Tensor:
    """The sum of some tensors, element by element."""
    return pointwise(xs[0].shape, lambda i: reduce(lambda a, b: a + b, [x(*i) for x in xs]), "T_elemwise_sum")


def full(shape: Sequence[Size], dtype: str, fill_value: Number) -> Tensor:
    """A tensor of equal elements."""
    return pointwise(shape, lambda i: const(fill_value, dtype), "T_full")


def full_like(x: Tensor, fill_value: Number) -> Tensor:
    """A tensor of equal elements of the shape and type of another."""
    return full(x.shape, x.dtype, fill_value)
