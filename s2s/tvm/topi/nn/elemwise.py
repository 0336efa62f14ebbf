"""Activations."""

from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, IterVar, Tensor
from s2s.tvm.te.tensors import compute, pointwise
from s2s.tvm.topi.utils import zero


def relu(x: Tensor) -> Tensor:
    """`max(x, 0)`."""
    return pointwise(x.shape, lambda i: operators.max(x(*i), zero(x.dtype)), "T_relu")


def leaky_relu(x: Tensor, alpha: float) -> Tensor:
    """`x` where it is positive, else `alpha * x`."""
    return pointwise(x.shape, lambda i: operators.if_then_else(x(*i) > 0, x(*i), x(*i) * alpha), "T_leaky_relu")


def prelu(x: Tensor, slope: Tensor, axis: int = 1) -> Tensor:
    """`x` where it is positive, else `slope * x`, with a slope for each place along `axis`."""

    def formula(*i: IterVar) -> Expr:
        return operators.if_then_else(x(*i) > 0, x(*i), x(*i) * slope(i[axis]))

    return compute(x.shape, formula, "T_prelu")


def scale_shift_nchw(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """`x * scale + shift` with a scale and a shift for each channel, dimension 1."""
    return compute(Input.shape, lambda b, c, i, j: Input(b, c, i, j) * Scale(c) + Shift(c), "ScaleShift")


def scale_shift_nhwc(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """`x * scale + shift` with a scale and a shift for each channel, the last dimension."""
    return compute(Input.shape, lambda b, i, j, c: Input(b, i, j, c) * Scale(c) + Shift(c), "ScaleShift")


def flatten(data: Tensor) -> Tensor:
    """The tensor with all dimensions but the first as one."""
    from s2s.tvm.topi.transform import reshape
    from s2s.tvm.topi.utils import prod

    return reshape(data, [data.shape[0], prod(data.shape[1:])])
