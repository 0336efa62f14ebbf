"""Layers of integers with scales that a run computes, and with zero points."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import draw_array
from s2s.fuzz.idioms.islands import BYTES
from s2s.fuzz.idioms.parts import geometry, image, matrix, number, one
from s2s.fuzz.network import Network, Value


def _weights(net: Network, shape: list[int]) -> tuple[Value, Value | None]:
    """Constant bytes, and a zero point."""
    kind = net.random.choice(BYTES)
    zero = net.constant(np.asarray(net.random.randint(0, 20), kind)) if net.chance(0.5) else None
    return net.constant(draw_array(net.random, kind, shape, -127, 255)), zero


def _scaled(net: Network, sums: Value, step: Value) -> Value:
    """Sums made real by the scales of both factors."""
    factor = one(net, "Mul", step, number(net, 0.01))
    return one(net, "Mul", one(net, "Cast", sums, to=1), factor)


def _dynamic_product(net: Network) -> Value:
    """A product of activations that are quantised in the run."""
    x = matrix(net)
    q, step, zero = net.node("DynamicQuantizeLinear", [x], 3)
    w, w_zero = _weights(net, [x.shape[-1], net.random.choice((1, 3, 8, 16, 17, 33))])
    return _scaled(net, one(net, "MatMulInteger", q, w, zero, w_zero), step)


def _dynamic_convolution(net: Network) -> Value:
    """A convolution of activations that are quantised in the run."""
    x = image(net)
    q, step, zero = net.node("DynamicQuantizeLinear", [x], 3)
    kernel, attributes = geometry(net, x)
    w, w_zero = _weights(net, [net.random.choice((1, 3, 8)), x.shape[1], *kernel])
    return _scaled(net, one(net, "ConvInteger", q, w, zero, w_zero, **attributes), step)


def _shifted_product(net: Network) -> Value:
    """A product of bytes with zero points, and a constant that is added."""
    rows, inner = net.random.choice((1, 2, 5)), net.random.choice((3, 8, 16, 33))
    kind = net.random.choice(BYTES)
    x = net.input(draw_array(net.random, kind, [rows, inner]))
    zero = net.constant(np.asarray(net.random.randint(1, 20), kind))
    columns = net.random.choice((1, 3, 8, 16, 17, 33))
    w, w_zero = _weights(net, [inner, columns])
    y = one(net, "MatMulInteger", x, w, zero, w_zero)
    if net.chance(0.7):
        y = one(net, "Add", y, net.constant(draw_array(net.random, np.dtype(np.int32), [columns], -900, 900)))
    return y


def _shifted_convolution(net: Network) -> Value:
    """A convolution of bytes with zero points, without padding."""
    kind, channels = net.random.choice(BYTES), net.random.choice((1, 3, 4))
    x = net.input(draw_array(net.random, kind, [1, channels, net.random.randint(3, 8), net.random.randint(3, 8)]))
    zero = net.constant(np.asarray(net.random.randint(1, 20), kind))
    w, w_zero = _weights(net, [net.random.choice((1, 3, 8)), channels, net.random.choice((1, 3)), 3])
    return one(net, "ConvInteger", x, w, zero, w_zero)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "dynamic convolution": _dynamic_convolution,
    "dynamic product": _dynamic_product,
    "shifted convolution of bytes": _shifted_convolution,
    "shifted product of bytes": _shifted_product,
}
