"""What idioms are made of: constants, images, layers with constant weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.fuzz.arrays import FLOAT32, draw_array
from s2s.fuzz.network import Attributes, Network, Rejected, Value

LARGEST_IMAGE = 2048


def weights(net: Network, shape: Sequence[int], low: float = -2.0, high: float = 2.0) -> Value:
    """A constant of float32."""
    return net.constant(draw_array(net.random, FLOAT32, shape, low, high))


def number(net: Network, value: float) -> Value:
    """A scalar constant of float32."""
    return net.constant(np.asarray(value, np.float32))


def one(net: Network, op: str, *operands: Value | None, **attributes: Any) -> Value:
    """The result of a node that has one."""
    [result] = net.node(op, operands, **attributes)
    return result


def image(net: Network, channels: int | None = None, least: int = 3) -> Value:
    """An image of float32 with two dimensions, one that is there already if it fits."""

    def fits(value: Value) -> bool:
        sizes = value.shape[2:]
        return len(sizes) == 2 and min(sizes) >= least and channels in (None, value.shape[1]) and 0 not in value.shape

    result = net.existing(FLOAT32, fits) if net.chance(0.5) else None
    if result is not None:
        return result
    size = channels or net.random.choice((1, 2, 3, 4, 6, 8, 16, 17))
    shape = [net.random.choice((1, 1, 1, 2)), size, *(net.random.randint(least, least + 9) for _ in range(2))]
    if np.prod(shape) > LARGEST_IMAGE:
        raise Rejected("the image is large")
    return net.input(draw_array(net.random, FLOAT32, shape))


def matrix(net: Network, least: int = 2, most: int = 3) -> Value:
    """A tensor of float32 of two or three dimensions."""

    def fits(value: Value) -> bool:
        return least <= len(value.shape) <= most and 0 not in value.shape and value.shape[-1] <= 64

    result = net.existing(FLOAT32, fits) if net.chance(0.5) else None
    if result is not None:
        return result
    shape = [net.random.choice((1, 2, 3, 5, 8)) for _ in range(net.random.randint(least, most) - 1)]
    return net.input(draw_array(net.random, FLOAT32, [*shape, net.random.choice((3, 4, 8, 16, 17, 32, 33))]))


def geometry(net: Network, x: Value, *, padded: bool = True) -> tuple[list[int], Attributes]:
    """The window of a convolution or pool, which fits into the image, and its attributes."""
    kernel = [net.random.choice([k for k in (1, 2, 3, 3) if k <= size]) for size in x.shape[2:]]
    attributes: Attributes = {"strides": [net.random.choice((1, 1, 2)) for _ in kernel]}
    if padded and net.chance(0.5):
        before, after = ([net.random.randint(0, k - 1) for k in kernel] for _ in range(2))
        attributes["pads"] = [*before, *after]
    return kernel, attributes


def convolution(net: Network, x: Value, *, padded: bool = True) -> Value:
    """A convolution with constant weights: dense, grouped or depthwise."""
    channels = x.shape[1]
    kernel, attributes = geometry(net, x, padded=padded)
    group = net.random.choice([1, 1, *(divisor for divisor in range(2, channels + 1) if channels % divisor == 0)])
    out = group * net.random.choice((1, 2, 3, 4, 8))
    if out * channels // group * int(np.prod(kernel)) > LARGEST_IMAGE:
        raise Rejected("the weights are large")
    bias = weights(net, [out]) if net.chance(0.5) else None
    return one(net, "Conv", x, weights(net, [out, channels // group, *kernel]), bias, group=group, **attributes)


def product(net: Network, x: Value) -> Value:
    """A matrix product with constant weights."""
    return one(net, "MatMul", x, weights(net, [x.shape[-1], net.random.choice((1, 3, 4, 8, 16, 17))]))


def per_channel(net: Network, x: Value, low: float = -2.0, high: float = 2.0) -> Value:
    """A constant for each channel of an image, or for each column of a product; sometimes one number."""
    if net.chance(0.15):
        return weights(net, [], low, high)
    if len(x.shape) == 4:
        return weights(net, [*([1] if net.chance(0.5) else []), x.shape[1], 1, 1], low, high)
    return weights(net, [x.shape[-1]], low, high)


def layer(net: Network) -> Value:
    """A convolution, a transposed convolution or a matrix product with constant weights."""
    kind = net.random.choice(("conv", "conv", "transposed", "matmul", "matmul"))
    if kind == "conv":
        return convolution(net, image(net))
    if kind == "transposed":
        return transposed(net, image(net))
    return product(net, matrix(net))


def transposed(net: Network, x: Value) -> Value:
    """A transposed convolution with constant weights, often with strides."""
    channels = x.shape[1]
    group = net.random.choice([1, 1, 1, *(divisor for divisor in range(2, channels + 1) if channels % divisor == 0)])
    kernel = [net.random.choice((1, 2, 3, 4)) for _ in range(2)]
    strides = [net.random.choice((1, 2, 2, 3)) for _ in kernel]
    attributes: Attributes = {"strides": strides, "group": group}
    if net.chance(0.5):
        attributes["pads"] = [net.random.randint(0, (k - 1) // 2) for k in (*kernel, *kernel)]
    if net.chance(0.3):
        attributes["output_padding"] = [net.random.randint(0, stride - 1) for stride in strides]
    shape = [channels, net.random.choice((1, 2, 3, 4)), *kernel]
    bias = weights(net, [group * shape[1]]) if net.chance(0.5) else None
    return one(net, "ConvTranspose", x, weights(net, shape), bias, **attributes)
