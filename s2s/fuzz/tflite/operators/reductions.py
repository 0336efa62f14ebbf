"""Reductions along axes, and running sums."""

from collections.abc import Callable, Mapping
from math import prod

from s2s.fuzz.tflite.network import Network, Value


def _axes(net: Network, x: Value) -> list[int]:
    if x.rank == 4 and net.chance(0.4):
        return [1, 2]
    axes = net.random.sample(range(x.rank), net.random.randint(1, x.rank))
    return [axis - x.rank if net.chance(0.3) else axis for axis in axes]


def _reduced(x: Value, axes: list[int], *, keep: bool) -> list[int]:
    gone = {axis % x.rank for axis in axes}
    return [1 if dim in gone else size for dim, size in enumerate(x.shape) if keep or dim not in gone]


def _reduction(net: Network, builtin: str, *kinds: str, alike: bool = False) -> None:
    x = net.any(net.kind(*kinds), most=4)
    axes, keep = _axes(net, x), net.chance(0.5)
    count = prod(x.shape[axis] for axis in axes)
    reach = x.reach * (count**0.5 if builtin == "SUM" else 1)
    quant = x.quant if alike or net.chance(0.2) else net.near(x.kind, reach)
    y = net.result(x.kind, _reduced(x, axes, keep=keep), quant)
    net.add(builtin, [x, net.known(axes)], [y], keep_dims=keep)


def _arg(net: Network, builtin: str) -> None:
    x = net.any(net.kind("INT8", "UINT8", "FLOAT32"), most=4)
    axis = net.axis(x)
    y = net.result("INT32", _reduced(x, [axis], keep=False))
    net.add(builtin, [x, net.known([axis])], [y], output_type=2)


def _cumsum(net: Network) -> None:
    x = net.any(net.kind("INT8", "FLOAT32"), most=4)
    y = net.result(x.kind, x.shape, net.near(x.kind, 3 * x.reach))
    net.add("CUMSUM", [x, net.known([net.axis(x)])], [y], exclusive=net.chance(0.5), reverse=net.chance(0.5))


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "ARG_MAX": lambda net: _arg(net, "ARG_MAX"),
    "ARG_MIN": lambda net: _arg(net, "ARG_MIN"),
    "CUMSUM": _cumsum,
    "MEAN": lambda net: _reduction(net, "MEAN", "INT8", "INT16", "FLOAT32"),
    "REDUCE_ALL": lambda net: _reduction(net, "REDUCE_ALL", "BOOL"),
    "REDUCE_MAX": lambda net: _reduction(net, "REDUCE_MAX", "INT8", "UINT8", "FLOAT32", alike=True),
    "REDUCE_MIN": lambda net: _reduction(net, "REDUCE_MIN", "INT8", "UINT8", "FLOAT32", alike=True),
    "SUM": lambda net: _reduction(net, "SUM", "INT8", "INT16", "FLOAT32"),
}
