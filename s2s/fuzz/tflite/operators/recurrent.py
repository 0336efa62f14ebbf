"""Layers that keep state, in their first run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import TANH, TensorSpec
from s2s.fuzz.tflite.network import Network, Value

HIDDEN, CELL, OPERANDS = 18, 19, 24
"""Places of the states among the operands of an LSTM, and how many operands it has."""


def _weights(net: Network, shape: Sequence[int], kind: str) -> Value:
    if kind == "FLOAT32":
        return net.constant("FLOAT32", shape)
    return net.constant("INT8", shape, (float(np.float32(net.random.uniform(0.002, 0.02))), 0))


def _bias(net: Network, size: int, kind: str, scale: float) -> Value:
    if kind == "FLOAT32":
        return net.constant("FLOAT32", [size])
    rng = np.random.default_rng(net.random.getrandbits(64))
    data = rng.integers(-2000, 2000, size).astype(np.int64 if kind == "INT16" else np.int32)
    return net.keep(TensorSpec(net.name("c"), data.shape, data=data, scale=scale))


def _state(net: Network, kind: str, shape: Sequence[int], scale: float | None, zero: int = 0) -> TensorSpec:
    return TensorSpec(net.name("s"), tuple(shape), kind, scale=scale, zero_point=zero, is_variable=True)


def _lstm(net: Network) -> None:
    kind = net.kind("INT8", "INT16", "FLOAT32")
    real = kind == "FLOAT32"
    steps, batch, depth, hidden = (net.random.randint(1, most) for most in (4, 2, 6, 6))
    major = net.chance(0.5)
    outer = [steps, batch] if major else [batch, steps]
    wide = 256 if kind == "INT16" else 1
    scale, zero = net.random.uniform(0.01, 0.05) / wide, net.random.randint(-20, 20) if kind == "INT8" else 0
    x = net.existing(kind, lambda each: each.rank == 3 and each.shape[-1] <= 8 and (real or _moderate(each)))
    if x is None:
        x = net.input(kind, [*outer, depth], None if real else (float(np.float32(scale)), zero))
    outer, depth = list(x.shape[:2]), x.shape[2]
    batch = outer[1] if major else outer[0]
    h_scale = float(np.float32(net.random.uniform(0.005, 0.01) / wide))
    h_quant = None if real else (h_scale, net.random.randint(-20, 20) if kind == "INT8" else 0)
    operands: list[Value | None] = [x, *(_weights(net, [hidden, depth], kind) for _ in range(4))]
    operands += [_weights(net, [hidden, hidden], kind) for _ in range(4)]
    operands += [None] * 3
    operands += [_bias(net, hidden, kind, h_scale) for _ in range(4)]
    operands += [None] * (OPERANDS - len(operands))
    zero = 0 if h_quant is None else h_quant[1]
    c_scale = None if real else 2.0 ** -net.random.randint(9, 15)
    states = {
        HIDDEN: _state(net, kind, [batch, hidden], None if real else h_scale, zero),
        CELL: _state(net, kind if real else "INT16", [batch, hidden], c_scale),
    }
    clip = net.random.choice((0.0, 0.0, 0.25))
    fields: dict[str, Any] = {"fused_activation_function": TANH, "cell_clip": clip, "time_major": major}
    y = net.result(kind, [*outer, hidden], h_quant)
    net.add("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], states=states, **fields)


def _moderate(value: Value) -> bool:
    """Whether the numbers are of the size that gates are made for."""
    return 1.0 < value.reach < 20.0


def _svdf(net: Network) -> None:
    kind = net.kind("INT8", "FLOAT32")
    real = kind == "FLOAT32"
    x = net.any(kind, least=2, most=2, wanted=lambda each: each.shape[-1] <= 16)
    batch, depth = x.shape
    units, rank, memory = (net.random.randint(1, most) for most in (5, 3, 6))
    filters, time_kind = units * rank, kind if real else net.random.choice(("INT8", "INT16"))
    f_quant, t_quant = ((float(np.float32(net.random.uniform(0.005, 0.05))), 0) for _ in range(2))
    feature = net.constant(kind, [filters, depth], None if real else f_quant)
    time = net.constant(time_kind, [filters, memory], None if real else t_quant)
    state_scale = None if real else float(np.float32(x.reach * 0.05 / (256 if time_kind == "INT16" else 1)))
    zero = net.zero("INT8") if time_kind == "INT8" else 0
    state = _state(net, time_kind, [batch, filters * memory], state_scale, zero)
    bias_scale = 1.0 if state_scale is None else state_scale * t_quant[0]
    bias = _bias(net, units, kind, bias_scale)
    y = net.result(kind, [batch, units], net.near(kind, 2.0 * x.reach))
    fields: dict[str, Any] = {"rank": rank, "fused_activation_function": net.random.choice((0, 1)) if real else 0}
    net.add("SVDF", [x, feature, time, bias, None], [y], states={4: state}, **fields)


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "SVDF": _svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}
