"""Layers that make the variables of their parameters."""

from collections.abc import Sequence

import s2s.tvm.relay.nn as nn
from s2s.tvm.relay.expr import Expr, var


def conv2d(
    data: Expr,
    name: str,
    channels: int,
    kernel_size: int,
    strides: int = 1,
    padding: int | Sequence[int] = 0,
    groups: int = 1,
    layout: str = "NCHW",
) -> Expr:
    """A convolution with the variable `name_weight`."""
    kernel_layout = "OIHW" if layout == "NCHW" else "HWIO"
    return nn.conv2d(
        data,
        var(f"{name}_weight"),
        strides=strides,
        padding=padding,
        groups=groups,
        channels=channels,
        kernel_size=kernel_size,
        data_layout=layout,
        kernel_layout=kernel_layout,
    )


def batch_norm(data: Expr, name: str, epsilon: float = 1e-5, axis: int = 1, scale: bool = True) -> Expr:
    """A batch normalisation with the variables `name_gamma`, `name_beta`, `name_moving_mean`, `name_moving_var`."""
    parameters = [var(f"{name}_{part}") for part in ("gamma", "beta", "moving_mean", "moving_var")]
    gamma, beta, mean, variance = parameters
    return nn.batch_norm(data, gamma, beta, mean, variance, axis=axis, epsilon=epsilon, scale=scale)[0]


def dense(data: Expr, name: str, units: int) -> Expr:
    """A fully connected layer with the variables `name_weight` and `name_bias`."""
    product = nn.dense(data, var(f"{name}_weight"), units=units)
    return nn.bias_add(product, var(f"{name}_bias"), axis=-1)
