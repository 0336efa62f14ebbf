"""Functions of each element: unary, binary with broadcasting, selections and casts."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from onnx import TensorProto, helper

from s2s.fuzz.arrays import ALL, BOOL, FLOAT32, FLOATS, INTEGERS, DType, draw_array, draw_shape, is_floating
from s2s.fuzz.network import Attributes, Network, Rejected, Value

_ANY = (None, None)
_DOMAINS: Mapping[str, tuple[float | None, float | None]] = {
    **dict.fromkeys(("Abs", "Neg", "Relu", "Sign", "Sigmoid", "Tanh", "Erf", "Softsign", "HardSwish", "Mish"), _ANY),
    **dict.fromkeys(
        ("Ceil", "Floor", "Round", "Gelu", "Atan", "Asinh", "BitwiseNot", "Not", "Identity", "Softplus"), _ANY
    ),
    **dict.fromkeys(("Sin", "Cos"), (-20.0, 20.0)),
    "Acos": (-0.9, 0.9),
    "Acosh": (1.125, 20.0),
    "Asin": (-0.9, 0.9),
    "Atanh": (-0.9, 0.9),
    "Cosh": (-4.0, 4.0),
    "Exp": (-6.0, 4.0),
    "Log": (0.0625, None),
    "Reciprocal": (0.125, None),
    "Sinh": (-4.0, 4.0),
    "Sqrt": (0.0625, None),
    "Tan": (-1.25, 1.25),
}
"""Functions of one element, and the bounds between which they are drawn: finite, and not too steep."""

_OF_32_BITS = ("Erf", "Gelu", "HardSwish")
"""Functions that the reference computes with an erf, or a sixth, of 32 bits, which float64 and large integers show."""

_ATTRIBUTES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "Celu": {"alpha": (0.25, 2.0)},
    "Elu": {"alpha": (0.25, 2.0)},
    "HardSigmoid": {"alpha": (0.1, 0.5), "beta": (0.1, 0.9)},
    "LeakyRelu": {"alpha": (-0.5, 1.5)},
    "Selu": {"alpha": (0.5, 2.0), "gamma": (0.5, 2.0)},
    "Shrink": {"lambd": (0.1, 1.0), "bias": (-0.5, 0.5)},
    "Swish": {"alpha": (0.5, 2.0)},
    "ThresholdedRelu": {"alpha": (-0.5, 1.5)},
}
"""Functions of one element with attributes, and the range of each."""


def _unary(net: Network, op: str) -> None:
    low, high = _DOMAINS[op]
    attributes: Attributes = {"approximate": net.random.choice(("none", "tanh"))} if op == "Gelu" else {}
    among = tuple(each for each in FLOATS if each != np.float64) if op in _OF_32_BITS else ALL
    net.node(op, [net.operand(net.dtype(op, among=among), low=low, high=high)], **attributes)


def _parametric(net: Network, op: str) -> None:
    given: Attributes = {name: net.random.uniform(*span) for name, span in _ATTRIBUTES[op].items() if net.chance(0.6)}
    among = FLOATS if op != "Shrink" else (FLOAT32,)  # onnxruntime adds the bias of other types in float32
    x = net.operand(net.dtype(op, among=among))
    if op == "ThresholdedRelu":  # its definition rounds the threshold to the type of x, which no engine does
        given["alpha"] = float(np.asarray(given.get("alpha", 1.0)).astype(x.dtype))
    net.node(op, [x], **given)


def _binary(net: Network, op: str, *, among: tuple[DType, ...] = ALL) -> None:
    x = net.operand(net.dtype(op, among=among))
    pair = [x, net.broadcastable(x)]
    net.node(op, pair[::-1] if net.chance(0.3) else pair)


def _power(net: Network) -> None:
    x = net.operand(net.dtype("Pow"), low=0.125, high=4)
    if not is_floating(x.dtype):
        x = net.clipped(x, 0, 6)
        net.node("Pow", [x, net.fresh(x.dtype, [], 0, 3)])
        return
    net.node("Pow", [x, net.broadcastable(x, -2, 3)])


def _divisor(net: Network, x: Value) -> Value:
    """A second operand without zeros, nor -1 where the quotient could overflow."""
    y = net.broadcastable(x, 0.25) if net.chance(0.5) or x.dtype not in _SIGNED else net.broadcastable(x, None, -2)
    if not all(bool((each != 0).all()) for each in y.spread.runs()):
        raise Rejected("a divisor is zero")
    return y


_SIGNED = (*FLOATS, *(each for each in INTEGERS if each.kind == "i"))


def _divide(net: Network) -> None:
    x = net.operand(net.dtype("Div"))
    net.node("Div", [x, _divisor(net, x)])


def _modulo(net: Network) -> None:
    """Of integers of 64 bits small ones alone: onnxruntime computes with large ones in doubles."""
    x = net.operand(net.dtype("Mod"))
    if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        x = net.clipped(x, -(2.0**40), 2.0**40)
    net.node("Mod", [x, _divisor(net, x)], fmod=int(is_floating(x.dtype) or net.chance(0.3)))


def _shift(net: Network) -> None:
    x = net.operand(net.dtype("BitShift"))
    amount = net.broadcastable(x, 0, 8 * x.dtype.itemsize - 1)
    net.node("BitShift", [x, amount], direction=net.random.choice(("LEFT", "RIGHT")))


def _variadic(net: Network, op: str) -> None:
    x = net.operand(net.dtype(op))
    net.node(op, [x, *(net.broadcastable(x) for _ in range(net.random.choice((0, 1, 1, 2, 3))))])


def _prelu(net: Network) -> None:
    x = net.of_rank(net.dtype("PRelu", among=FLOATS), 1)
    slope = [1 if net.chance(0.4) else size for size in x.shape][net.random.randrange(len(x.shape)) :]
    net.node("PRelu", [x, net.fresh(x.dtype, slope)])


def _clip(net: Network) -> None:
    x = net.operand(net.dtype("Clip"))
    low, high = (net.fresh(x.dtype, [], *span) if net.chance(0.7) else None for span in ((-2, 0), (0, 3)))
    net.node("Clip", [x, low, high])


def _where(net: Network) -> None:
    x = net.operand(net.dtype("Where", 1))
    y = net.broadcastable(x)
    shape = list(np.broadcast_shapes(x.shape, y.shape))
    shape = [1 if net.chance(0.2) else size for size in shape][
        net.random.randint(0, len(shape)) if net.chance(0.2) else 0 :
    ]
    net.node("Where", [net.operand(BOOL, shape), x, y])


def _cast(net: Network) -> None:
    x = net.operand(net.dtype("Cast"))
    to = net.random.choice(ALL)
    if is_floating(x.dtype) and to in INTEGERS:
        limits = np.iinfo(to)
        x = net.clipped(x, max(int(limits.min), -1000), min(int(limits.max), 1000))
    net.node("Cast", [x], to=helper.np_dtype_to_tensor_dtype(to))


def _cast_like(net: Network) -> None:
    x = net.operand(net.dtype("CastLike"), None, lambda _: True, -100, 100)
    among = tuple(each for each in ALL if each.kind != "u" or not is_floating(x.dtype))
    net.node("CastLike", [x, net.fresh(net.random.choice(among), [])])


def _bit_cast(net: Network) -> None:
    x = net.operand(net.dtype("BitCast", among=tuple(each for each in INTEGERS if each.itemsize == 4)))
    if not x.spread.is_exact:
        raise Rejected("the bits hang on a rounding")
    net.node("BitCast", [x], to=net.random.choice((TensorProto.INT32, TensorProto.UINT32)))


def _specials(net: Network, op: str) -> None:
    dtype = net.dtype(op)
    array = draw_array(net.random, dtype, draw_shape(net.random))
    flat = array.reshape(-1)
    for place in range(flat.size):
        if net.chance(0.5):
            flat[place] = net.random.choice((np.nan, np.inf, -np.inf, 0.0))
    attributes: Attributes = {}
    if op == "IsInf" and net.chance(0.5):
        attributes = {net.random.choice(("detect_negative", "detect_positive")): net.random.randint(0, 1)}
    x = net.input(array)
    net.values.remove(x)
    net.node(op, [x], **attributes)


_BINARY = (
    *("Add", "Sub", "Mul", "And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor"),
)
OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{op: partial(_unary, op=op) for op in _DOMAINS},
    **{op: partial(_parametric, op=op) for op in _ATTRIBUTES},
    **{op: partial(_binary, op=op) for op in _BINARY},
    **{op: partial(_variadic, op=op) for op in ("Max", "Min", "Mean", "Sum")},
    **{op: partial(_specials, op=op) for op in ("IsInf", "IsNaN")},
    "BitCast": _bit_cast,
    "BitShift": _shift,
    "CastLike": _cast_like,
    "Cast": _cast,
    "Clip": _clip,
    "Div": _divide,
    "Mod": _modulo,
    "Pow": _power,
    "PRelu": _prelu,
    "Where": _where,
}
