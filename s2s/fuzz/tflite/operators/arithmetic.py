"""Operators on two or more tensors, element by element."""

from collections.abc import Callable, Mapping
from functools import partial
from operator import add, mul
from typing import Any

from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Value, broadcast
from s2s.fuzz.tflite.operators.layers import PLAIN, activation

Reach = Callable[[float, float], float]


def pair(net: Network, *kinds: str, alike: bool = False) -> tuple[Value, Value, tuple[int, ...]]:
    """Two operands in any order, quantised alike if asked for, and the shape of their result."""
    a = net.any(net.kind(*kinds))
    b = net.broadcastable(a) if not alike or net.chance(0.5) else net.broadcastable(a, a.quant)
    if alike:
        b = net.requantised(b, a.quant)
    shape = broadcast(a.shape, b.shape)
    if shape is None:
        raise Rejected("the broadcast result is large")
    return (a, b, shape) if net.chance(0.5) else (b, a, shape)


def _two(net: Network, builtin: str, reach: Reach, *, activated: bool = True, kinds: tuple[str, ...] = PLAIN) -> None:
    a, b, shape = pair(net, *kinds)
    if a.kind == "INT32" and reach(a.reach, b.reach) >= 2**31:
        raise Rejected("the result does not fit, which C does not define")
    if builtin == "DIV" and not all(bool(each.all()) for each in b.spread.runs()):
        raise Rejected("the quotient is not finite, and its sign is that of a zero")
    fields: dict[str, Any] = {"fused_activation_function": activation(net)} if activated else {}
    y = net.result(a.kind, shape, net.near(a.kind, reach(a.reach, b.reach)))
    net.add(builtin, [a, b], [y], **fields)


def _chosen(net: Network, builtin: str) -> None:
    a, b, shape = pair(net, *PLAIN, "INT32", alike=True)
    net.add(builtin, [a, b], [net.like(a, shape)])


def _add_n(net: Network) -> None:
    a = net.any(net.kind("INT8", "FLOAT32"), most=4)
    others = [value for value in net.values if value.kind == a.kind and value.shape == a.shape]
    count = net.random.randint(2, 4)
    terms = [a, *(net.requantised(net.random.choice(others), a.quant) for _ in range(count - 1))]
    net.add("ADD_N", terms, [net.result(a.kind, a.shape, net.near(a.kind, count * a.reach))])


_ALL = (*PLAIN, "INT32")

OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "ADD": partial(_two, builtin="ADD", reach=add, kinds=_ALL),
    "ADD_N": _add_n,
    "DIV": partial(_two, builtin="DIV", reach=max, kinds=("FLOAT32",)),
    "MAXIMUM": partial(_chosen, builtin="MAXIMUM"),
    "MINIMUM": partial(_chosen, builtin="MINIMUM"),
    "MUL": partial(_two, builtin="MUL", reach=mul, kinds=_ALL),
    "SQUARED_DIFFERENCE": partial(
        _two,
        builtin="SQUARED_DIFFERENCE",
        reach=lambda a, b: (a + b) ** 2,
        activated=False,
        kinds=("INT8", "INT16", "FLOAT32"),
    ),
    "SUB": partial(_two, builtin="SUB", reach=add, kinds=_ALL),
}
