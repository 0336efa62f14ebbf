"""Quantisation: steps between reals and integers, layers between them, and layers of integers."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.fuzz.arrays import FLOAT32, DType, draw_array
from s2s.fuzz.network import Attributes, Network, Value

_BYTES: tuple[DType, ...] = (np.dtype(np.int8), np.dtype(np.uint8))


def _scale(net: Network, shape: list[int]) -> Value:
    steps = np.random.default_rng(net.random.getrandbits(32)).uniform(0.01, 0.1, shape).astype(np.float32)
    return net.constant(2.0 ** np.round(np.log2(steps)) if net.chance(0.2) else steps)


def _zero(net: Network, dtype: DType, shape: list[int]) -> Value:
    return net.constant(np.zeros(shape, dtype) if net.chance(0.3) else draw_array(net.random, dtype, shape, -100, 100))


def _quantize(net: Network) -> None:
    x = net.of_rank(FLOAT32, 1)
    _quantized(net, x, net.axis(x) if net.chance(0.3) else None)


def _quantized(net: Network, x: Value, axis: int | None = None) -> tuple[Value, Value, Value]:
    """A value quantised, its step and zero point."""
    shape = [] if axis is None else [x.shape[axis]]
    scale, zero = _scale(net, shape), _zero(net, net.random.choice(_BYTES), shape)
    [found] = net.node("QuantizeLinear", [x, scale, zero], **_along(axis))
    return found, scale, zero


def _dequantize(net: Network) -> None:
    x = net.of_rank(net.random.choice(_BYTES), 1)
    axis = net.axis(x) if net.chance(0.3) else None
    shape = [] if axis is None else [x.shape[axis]]
    zero = _zero(net, x.dtype, shape) if net.chance(0.7) else None
    net.node("DequantizeLinear", [x, _scale(net, shape), zero], **_along(axis))


def _along(axis: int | None) -> Attributes:
    return {} if axis is None else {"axis": axis}


def _real(net: Network, x: Value) -> Value:
    """A value quantised and made real again."""
    [found] = net.node("DequantizeLinear", list(_quantized(net, x)))
    return found


def _island(net: Network, op: str) -> None:
    """A layer of floats between steps of quantisation, which s2s computes in integers."""
    x = net.of_rank(FLOAT32, 2, 2) if op == "MatMul" else net.of_rank(FLOAT32, 1)
    if op == "MatMul":
        columns = net.random.choice((1, 3, 8, 17))
        weights = net.constant(draw_array(net.random, np.dtype(np.int8), [x.shape[1], columns], -127, 127))
        [w] = net.node("DequantizeLinear", [weights, _scale(net, []), None])
        found = net.node(op, [_real(net, x), w])
    elif op == "Add":
        found = net.node(op, [_real(net, x), _real(net, net.broadcastable(x))])
    else:
        found = net.node(op, [_real(net, x)])
    _quantized(net, found[0])


def _dynamic(net: Network) -> None:
    net.node("DynamicQuantizeLinear", [net.of_rank(FLOAT32, 1)], 3)


def _qlinear_matmul(net: Network) -> None:
    x = net.of_rank(net.random.choice(_BYTES), 2, 3)
    kind = net.random.choice(_BYTES)
    columns = net.random.choice((1, 3, 8, 17))
    w = net.operand(kind, [x.shape[-1], columns])
    out = net.random.choice(_BYTES)
    a, b, y = (_scale(net, []) for _ in range(3))
    zeros = [_zero(net, each, []) for each in (x.dtype, kind, out)]
    net.node("QLinearMatMul", [x, a, zeros[0], w, b, zeros[1], y, zeros[2]])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
    **{f"quantised {op}": partial(_island, op=op) for op in ("Add", "MatMul", "Relu", "Sigmoid")},
}
