"""Reductions, cumulative sums, and functions of the elements along an axis."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.fuzz.arrays import ALL, FLOATS, DType
from s2s.fuzz.network import Attributes, Network, Rejected

_OF_FLOATS = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean")
"""What these make of integers is not stated."""
_BOUNDS: Mapping[str, tuple[float | None, float | None]] = {
    "ReduceLogSum": (0.25, None),
    "ReduceLogSumExp": (-8.0, 8.0),
    "ReduceProd": (-1.25, 1.25),
}
_SATURATING = ("ReduceSumSquare",)
"""What onnxruntime saturates where sums of integers wrap around."""
_SUMS = ("ReduceL1", "ReduceSum")
"""What onnxruntime computes of integers of 64 bits in doubles, and saturates: sums are kept within both."""
_REDUCTIONS = (*_OF_FLOATS, "ReduceL1", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")


def _reduce(net: Network, op: str) -> None:
    among: tuple[DType, ...] = FLOATS if op in _OF_FLOATS + _SATURATING else ALL
    x = net.operand(net.dtype(op, among=among), None, lambda _: True, *_BOUNDS.get(op, (None, None)))
    if op in _SUMS and x.dtype.kind in "iu" and x.dtype.itemsize >= 4:
        most = 2.0 ** (40 if x.dtype.itemsize == 8 else 18)
        x = net.clipped(x, -most, most)
    attributes: Attributes = {"keepdims": net.random.randint(0, 1)} if net.chance(0.7) else {}
    if net.chance(0.2):
        net.node(op, [x], noop_with_empty_axes=net.random.randint(0, 1), **attributes)
        return
    net.node(op, [x, net.known(net.axes(x))], **attributes)


def _arg(net: Network, op: str) -> None:
    x = net.of_rank(net.dtype(op), 1)
    net.node(
        op, [x], axis=net.axis(x), keepdims=net.random.randint(0, 1), select_last_index=net.random.choice((0, 0, 1))
    )


def _along(net: Network, op: str) -> None:
    x = net.of_rank(net.dtype(op, among=FLOATS), 1)
    axis: Attributes = {} if net.chance(0.2) else {"axis": net.axis(x)}
    net.node(op, [x], **axis)


def _norm(net: Network) -> None:
    x = net.of_rank(net.dtype("LpNormalization", among=FLOATS), 1)
    x = net.clipped(x, 0.125, None)
    net.node("LpNormalization", [x], axis=net.axis(x), p=net.random.choice((1, 2)))


def _cumulative(net: Network, op: str) -> None:
    x = net.of_rank(net.dtype(op), 1)
    if op == "CumProd":
        x = net.clipped(x, -1, 1)
    axis = net.known(net.axis(x), net.random.choice((np.int32, np.int64)))
    net.node(op, [x, axis], exclusive=net.random.randint(0, 1), reverse=net.random.randint(0, 1))


def _top(net: Network) -> None:
    x = net.of_rank(net.dtype("TopK"), 1)
    axis = net.axis(x)
    if x.shape[axis] == 0:
        raise Rejected("nothing to choose from")
    k = net.random.randint(1, x.shape[axis])
    net.node("TopK", [x, net.known([k])], 2, axis=axis, largest=net.random.randint(0, 1))


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{op: partial(_reduce, op=op) for op in _REDUCTIONS},
    **{op: partial(_arg, op=op) for op in ("ArgMax", "ArgMin")},
    **{op: partial(_along, op=op) for op in ("Softmax", "LogSoftmax", "Hardmax")},
    **{op: partial(_cumulative, op=op) for op in ("CumSum", "CumProd")},
    "LpNormalization": _norm,
    "TopK": _top,
}
