"""Chains of arithmetic with constants: affine steps, powers, limits, and searches for extremes."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import FLOAT32, draw_array
from s2s.fuzz.idioms.parts import matrix, number, one, per_channel
from s2s.fuzz.network import Network, Value


def _affine(net: Network) -> Value:
    """Several additions and multiplications by constants."""
    y = one(net, "Tanh", matrix(net))
    for _ in range(net.random.randint(2, 4)):
        constant = per_channel(net, y, 0.25)
        operands = (constant, y) if net.chance(0.3) else (y, constant)
        y = one(net, net.random.choice(("Add", "Mul")), *operands)
    return y


def _power(net: Network) -> Value:
    """A power with a small exponent, of positive numbers."""
    x = one(net, "Add", one(net, "Abs", matrix(net)), number(net, 0.25))
    exponent = net.random.choice((-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0))
    return one(net, "Pow", x, number(net, exponent))


def _limits(net: Network) -> Value:
    """Limits in a row: relu, clip, minimum and maximum with numbers."""
    y = matrix(net)
    for _ in range(net.random.randint(2, 3)):
        kind = net.random.choice(("Relu", "Clip", "Max", "Min"))
        bounds = sorted(net.random.choice((-1.0, 0.0, 0.5, 1.0, 2.0)) for _ in range(2))
        numbers = {"Relu": (), "Clip": bounds, "Max": bounds[:1], "Min": bounds[1:]}[kind]
        y = one(net, kind, y, *(number(net, bound) for bound in numbers))
    return y


def _neutral(net: Network) -> Value:
    """Operations that change nothing: with neutral numbers, of everything, and there and back."""
    x = matrix(net, 2, 2)
    y = one(net, "Relu", x)
    for _ in range(net.random.randint(1, 3)):
        kind = net.random.choice(("Add", "Sub", "Mul", "Div", "Slice", "Pad", "Tile", "Expand", "Cast", "Concat"))
        if kind in ("Add", "Sub", "Mul", "Div"):
            y = one(net, kind, y, number(net, 0.0 if kind in ("Add", "Sub") else 1.0))
        elif kind == "Slice":
            y = one(net, kind, y, net.known([0]), net.known([2**31 - 1]), net.known([net.random.randint(0, 1)]))
        elif kind == "Cast":
            y = one(net, kind, y, to=1)
        elif kind == "Concat":
            y = one(net, kind, y, axis=0)
        else:
            y = one(net, kind, y, net.known({"Pad": [0] * 4, "Tile": [1, 1], "Expand": [1, 1]}[kind]))
    return y


def _extreme(net: Network) -> Value:
    """The position of an extreme among many numbers."""
    shape = [net.random.choice((1, 2, 5, 16)), net.random.choice((64, 100, 130, 200))]
    order = net.random.sample(shape, 2)
    axis = order.index(max(order))
    x = net.input(draw_array(net.random, FLOAT32, order))
    return one(net, net.random.choice(("ArgMax", "ArgMin")), x, axis=axis, keepdims=net.random.randint(0, 1))


def _several_sums(net: Network) -> Value:
    """Several reductions of one tensor."""
    x = matrix(net, 2, 2)
    y = one(net, "Sigmoid", x)
    axis = net.random.choice((0, 1))
    kinds = net.random.sample(("ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare", "ReduceMean"), 3)
    axes = {} if net.opset >= 18 else {"axes": [axis]}
    axis_operands = [net.known([axis])] if net.opset >= 18 else []
    results = [one(net, kind, y, *axis_operands, **axes) for kind in kinds]
    return one(net, "Sum", *results)


def _byte_function(net: Network) -> Value:
    """Conditions on numbers that are no numbers, or infinite."""
    x = matrix(net, 2, 2).array.copy()
    x.flat[:: net.random.randint(1, 5)] = np.float32(net.random.choice((np.nan, np.inf, -np.inf)))
    kind = net.random.choice(("IsNaN", "IsInf"))
    flags = one(net, kind, net.input(x))
    return one(net, "Cast", flags, to=1)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "affine chain": _affine,
    "limits": _limits,
    "neutral steps": _neutral,
    "no numbers": _byte_function,
    "position of extreme": _extreme,
    "power": _power,
    "several reductions": _several_sums,
}
