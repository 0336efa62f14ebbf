"""Comparisons, logic, and choices by it."""

from collections.abc import Callable, Mapping

from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Value, broadcast
from s2s.fuzz.tflite.operators.arithmetic import pair

KINDS = ("INT8", "UINT8", "FLOAT32", "INT32")


def _compared(net: Network, builtin: str) -> Value:
    a, b, shape = pair(net, *KINDS)
    if len(shape) > 4:
        raise Rejected("kernels compare up to four dimensions")
    if any(value.quant is not None and value.quant[0] >= 1 for value in (a, b)):
        raise Rejected("TFLite-Micro and LiteRT stop where the scale is no fraction")
    if builtin in ("EQUAL", "NOT_EQUAL") and not (a.spread.is_exact and b.spread.is_exact):
        raise Rejected("a rounding may make them equal")
    [y] = net.add(builtin, [a, b], [net.result("BOOL", shape)])
    return y


def _logical(net: Network, builtin: str) -> None:
    a = net.existing("BOOL") or _compared(net, "GREATER")
    if builtin == "LOGICAL_NOT":
        net.add(builtin, [a], [net.result("BOOL", a.shape)])
        return
    b = net.broadcastable(a)
    shape = broadcast(a.shape, b.shape)
    if shape is None or len(shape) > 4:
        raise Rejected("the broadcast result is large")
    net.add(builtin, [a, b], [net.result("BOOL", shape)])


def _select(net: Network) -> None:
    a, b, shape = pair(net, "INT8", "INT16", "UINT8", "FLOAT32", "INT32", alike=True)

    def fits(value: Value) -> bool:
        return broadcast(value.shape, shape) is not None

    where = net.existing("BOOL", fits)
    if where is None:
        where = net.either("BOOL", [1 if net.chance(0.3) else size for size in shape])
    whole = broadcast(where.shape, shape)
    if whole is None or len(whole) > 4:
        raise Rejected("the broadcast result is large")
    net.add("SELECT_V2", [where, a, b], [net.like(a, whole)])


_COMPARISONS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
_LOGIC = ("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT")

OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{name: lambda net, name=name: _compared(net, name) for name in _COMPARISONS},
    **{name: lambda net, name=name: _logical(net, name) for name in _LOGIC},
    "SELECT_V2": _select,
}
