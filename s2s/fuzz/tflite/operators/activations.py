"""Operators on one tensor: activations, functions, and normalisations of rows."""

from collections.abc import Callable, Mapping
from functools import partial

from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Quant, Value
from s2s.fuzz.tflite.operators.layers import PLAIN

UNIT: Mapping[str, Quant] = {"INT8": (1 / 256, -128), "UINT8": (1 / 256, 0), "INT16": (1 / 32768, 0)}
SIGNED: Mapping[str, Quant] = {"INT8": (1 / 128, 0), "UINT8": (1 / 128, 128), "INT16": (1 / 32768, 0)}
"""The quantisations that results of 0 to 1 and of -1 to 1 must have."""


def _one(net: Network, builtin: str, *kinds: str, alike: float = 0.3) -> None:
    """`alike` is how often the result is quantised as the operand."""
    x = net.any(net.kind(*kinds))
    quant = x.quant if net.chance(alike) else net.near(x.kind, x.reach)
    net.add(builtin, [x], [net.result(x.kind, x.shape, quant)])


def _fixed(net: Network, builtin: str, quants: Mapping[str, Quant]) -> None:
    """The quantisation of the result is given; types that have none there are not drawn."""
    x = net.any(net.kind(*quants, "FLOAT32"), wanted=_rows)
    net.add(builtin, [x], [net.result(x.kind, x.shape, quants.get(x.kind))])


def _leaky(net: Network) -> None:
    x = net.any(net.kind(*PLAIN))
    quant = x.quant if net.chance(0.3) else net.near(x.kind, x.reach)
    alpha = net.random.choice((0.25, 0.1, 0.3, 1e-3, -0.5, 1.5, 0.0))
    net.add("LEAKY_RELU", [x], [net.result(x.kind, x.shape, quant)], alpha=alpha)


def _prelu(net: Network) -> None:
    x = net.any(net.kind("INT8", "UINT8", "FLOAT32"), most=4)
    shape = [1 if net.chance(0.5) else size for size in x.shape]
    alpha = net.constant(x.kind, shape)
    net.add("PRELU", [x, alpha], [net.result(x.kind, x.shape, net.near(x.kind, x.reach))])


def _hard_swish(net: Network) -> None:
    x = net.any(net.kind("INT8", "UINT8", "FLOAT32"))
    quant = x.quant and (float(x.quant[0] * net.random.uniform(0.5, 2)), net.zero(x.kind))
    net.add("HARD_SWISH", [x], [net.result(x.kind, x.shape, quant)])


def _positive(net: Network, builtin: str, *kinds: str) -> None:
    x = net.any(net.kind(*kinds))
    [x] = net.add("ABS" if x.kind == "FLOAT32" else "RELU", [x], [net.like(x, x.shape)])
    quant = x.quant and net.near(x.kind, x.quant[0] ** -0.5)
    net.add(builtin, [x], [net.result(x.kind, x.shape, quant)])


def _rows(value: Value) -> bool:
    return value.shape[-1] <= 64


def _softmax(net: Network) -> None:
    x = net.any(net.kind(*PLAIN), most=4, wanted=_rows)
    beta = net.random.choice((1.0, 1.0, 1.0, 0.5, 2.0, 0.1))
    if x.kind == "INT8" and net.chance(0.2):
        y = net.result("INT16", x.shape, (1 / 65536, -32768))
    else:
        y = net.result(x.kind, x.shape, UNIT.get(x.kind))
    net.add("SOFTMAX", [x], [y], beta=beta)


_DIRECTIONS: Mapping[str, Quant] = {"INT8": (1 / 128, 0), "UINT8": (1 / 128, 128)}
_LOGARITHMS: Mapping[str, Quant] = {"INT8": (1 / 16, 127), "UINT8": (1 / 16, 255)}


def _gelu(net: Network) -> None:
    x = net.any(net.kind("INT8", "FLOAT32"))
    y = net.result(x.kind, x.shape, net.near(x.kind, x.reach))
    net.add("GELU", [x], [y], approximate=net.chance(0.5))


def _power(net: Network) -> None:
    """`e ** x` of small numbers."""
    x = net.any("FLOAT32")
    if x.reach > 10:
        raise Rejected("the result is large")
    net.add("EXP", [x], [net.result(x.kind, x.shape)])


_FLOAT = ("CEIL", "COS", "FLOOR", "NEG", "ROUND", "SIN", "SQUARE")

OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{name: lambda net, name=name: _one(net, name, "FLOAT32") for name in _FLOAT},
    **{name: lambda net, name=name: _positive(net, name, "FLOAT32") for name in ("LOG", "SQRT")},
    "ABS": lambda net: _one(net, "ABS", "INT8", "INT16", "FLOAT32"),
    "ELU": lambda net: _one(net, "ELU", "INT8", "UINT8", "FLOAT32"),
    "EXP": _power,
    "GELU": _gelu,
    "HARD_SWISH": _hard_swish,
    "L2_NORMALIZATION": partial(_fixed, builtin="L2_NORMALIZATION", quants=_DIRECTIONS),
    "LEAKY_RELU": _leaky,
    "LOGISTIC": partial(_fixed, builtin="LOGISTIC", quants=UNIT),
    "LOG_SOFTMAX": partial(_fixed, builtin="LOG_SOFTMAX", quants=_LOGARITHMS),
    "PRELU": _prelu,
    "RELU": lambda net: _one(net, "RELU", *PLAIN),
    "RELU6": lambda net: _one(net, "RELU6", *PLAIN, alike=1.0),
    "RELU_N1_TO_1": lambda net: _one(net, "RELU_N1_TO_1", "INT8", "FLOAT32"),
    "RSQRT": lambda net: _positive(net, "RSQRT", "INT8", "FLOAT32"),
    "SOFTMAX": _softmax,
    "TANH": partial(_fixed, builtin="TANH", quants=SIGNED),
}
