"""Layers that keep state: LSTMs of one or two directions, and SVDF; quantised, with the bits of TFLite-Micro.

The state lives in variable tensors, which keep their values from run to run.
"""

from collections.abc import Mapping
from functools import partial
from math import floor, log2

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, concat, reshape, take, transpose
from s2s.frontends.networks import Body, Values, scan
from s2s.frontends.tflite.activation import logistic_int16, tanh_int16
from s2s.frontends.tflite.arithmetic import saturated
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated, rescale
from s2s.frontends.tflite.records import TensorInfo
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_INT16 = np.dtype(np.int16)
_GATES = ("input", "forget", "cell", "output")
_X = 0
_TANH = 4
_GATE_SCALE, _UNIT_SCALE = 2.0**-12, 2.0**-15
"""Of what goes into the functions of the gates, and of what comes out."""


@frozen
class Places:
    """The numbers of the inputs that make one direction of a layer, or the first of those of the four gates."""

    input_weights: int
    recurrent_weights: int
    biases: int
    hidden: int
    cell: int
    unused: Mapping[int, str]
    """Inputs of parts that are not imported."""
    backward: bool = False


_ONE_WAY = Places(
    *(1, 5, 12, 18, 19),
    {
        **dict.fromkeys((9, 10, 11), "peepholes"),
        **dict.fromkeys((16, 17), "a projection"),
        **dict.fromkeys((20, 21, 22, 23), "layer normalisation"),
    },
)
_BOTH_WAYS = (
    Places(
        *(1, 5, 12, 35, 36),
        {
            **dict.fromkeys((9, 10, 11), "peepholes"),
            **dict.fromkeys((16, 17), "a projection"),
            **dict.fromkeys(range(39, 48), "an auxiliary input"),
        },
    ),
    Places(
        *(18, 22, 29, 37, 38),
        {**dict.fromkeys((26, 27, 28), "peepholes"), **dict.fromkeys((33, 34), "a projection")},
        backward=True,
    ),
)


@frozen
class Lstm:
    """The parts of a layer; weights `[4 * hidden, columns]`, the gates one after the other as in `_GATES`."""

    node: Node
    places: Places
    hidden: TensorInfo
    cell: TensorInfo
    size: int

    def weights(self, first: int) -> Array:
        """The weights of all gates, one after the other; `first` is the operand that holds those of the first gate."""
        parts = [self.node.known(first + gate, f"weights of the {name} gate") for gate, name in enumerate(_GATES)]
        return np.concatenate(parts)

    def factors(self, scale: float, first: int) -> list[float]:
        """Factors that rescale the sums of each gate to `_GATE_SCALE`, one for each row of the weights."""
        return [
            float(np.float32(scale) * np.float32(self._weight_scale(first + gate))) / _GATE_SCALE
            for gate in range(len(_GATES))
            for _ in range(self.size)
        ]

    def _weight_scale(self, position: int) -> float:
        scale, zero_point = self.node.input(position).scalar()
        if zero_point:
            raise self.node.invalid(f"weights at input {position} have a zero point", "quantise the model again")
        return scale

    def clipped(self, cell: Value) -> Value:
        """The cell state inside its limits."""
        limit = float(np.float32(self.node.options.CellClip()))
        if limit <= 0:
            return cell
        if not cell.is_float:
            limit = int(min(limit / self.cell.scalar()[0], 32767.0))
        return clamp(cell, -limit, limit)

    def gate(self, gates: Value, number: int) -> Value:
        """The part of one gate."""
        return take(gates, gates.rank - 1, number * self.size, self.size)


def _lstm(node: Node) -> Value:
    return _batch_first(node, _direction(node, _ONE_WAY, _sequence(node)))


def _bidirectional(node: Node) -> Value | list[Value]:
    sequence = _sequence(node)
    forward, backward = (_batch_first(node, _direction(node, places, sequence)) for places in _BOTH_WAYS)
    return concat([forward, backward], 2) if node.options.MergeOutputs() else [forward, backward]


def one_step(node: Node) -> Value:
    """The outputs `[batch, units]` of one step of a layer of floats."""
    x = node.input(_X)
    if x.rank != 2:
        raise node.invalid(f"input {list(x.shape)} has the wrong rank", "fix the model")
    if not x.value.is_float:
        raise node.unsupported(
            f"is one step on {x.dtype} with operands of its own for each gate", "use UNIDIRECTIONAL_SEQUENCE_LSTM"
        )
    y = _direction(node, _ONE_WAY, reshape(x.value, [1, *x.shape]))
    return reshape(y, y.shape[1:])


def _sequence(node: Node) -> Value:
    """The input with time in front."""
    x = node.input(_X)
    if x.rank != 3:
        raise node.invalid(f"input {list(x.shape)} has the wrong rank", "fix the model")
    return _batch_first(node, x.value)


def _batch_first(node: Node, x: Value) -> Value:
    """Exchange time and batch, unless time comes first outside as well."""
    return x if node.options.TimeMajor() else transpose(x, [1, 0, 2])


def _direction(node: Node, places: Places, sequence: Value) -> Value:
    """The outputs `[time, batch, units]` of one direction over `sequence[time, batch, depth]`."""
    layer, x = _layer(node, places), node.input(_X)
    steps, batch, depth = sequence.shape
    hidden, cell = (reshape(node.state(position)[0], [batch, layer.size]) for position in (places.hidden, places.cell))
    weights = layer.weights(places.input_weights)
    if weights.shape != (4 * layer.size, depth):
        raise node.invalid(f"weights {list(weights.shape)} do not fit input {list(x.shape)}", "fix the model")
    rows = reshape(sequence, [steps * batch, depth])
    bias = np.concatenate([node.known(places.biases + gate, "a bias") for gate in range(4)])
    projected, step = (_float_parts if x.value.is_float else _integer_parts)(layer, rows, weights, bias)
    last, (outputs,) = scan(
        node.builder,
        node.name,
        step,
        carried=[hidden, cell],
        scanned=[reshape(projected, [steps, batch, 4 * layer.size])],
        steps=steps,
        backward=(0, 1) if places.backward else (),
    )
    for position, value in zip((places.hidden, places.cell), last, strict=True):
        node.keep(position, reshape(value, node.state(position)[1].shape))
    return outputs


def _layer(node: Node, places: Places) -> Lstm:
    for position, what in places.unused.items():
        if position < node.input_count and node.optional(position) is not None:
            raise node.unsupported(f"has {what}", "use a plain LSTM")
    if int(node.options.FusedActivationFunction()) != _TANH:
        raise node.unsupported("its activation is not tanh", "use tanh")
    if node.options.ProjClip():
        raise node.unsupported("clips a projection", "use a plain LSTM")
    x, (_, hidden), (_, cell) = node.input(_X), node.state(places.hidden), node.state(places.cell)
    if len(hidden.shape) != 2:
        raise node.invalid(f"state {list(hidden.shape)} has the wrong rank", "fix the model")
    kinds = {"float32": "float32", "int8": "int16", "int16": "int16"}
    if x.dtype.name not in kinds or hidden.dtype != x.dtype or cell.dtype.name != kinds[x.dtype.name]:
        raise node.unsupported(
            f"input, state and cell are {x.dtype}, {hidden.dtype} and {cell.dtype}",
            "use float32, or int8 or int16 with cells of int16",
        )
    return Lstm(node, places, hidden, cell, hidden.shape[1])


def _times(x: Value, weights: Value, zero_point: int = 0) -> Value:
    """The products of rows of `x` with rows of weights."""
    return emit(graph.MatmulOp, x, weights, transpose_b=True, a_zp=zero_point)


def _float_parts(layer: Lstm, rows: Value, weights: Array, bias: Array) -> tuple[Value, Body]:
    node, recurrent = layer.node, layer.weights(layer.places.recurrent_weights)
    projected = _times(rows, node.constant(weights)) + node.constant(bias)

    def step(inner: Builder, state: Values, slices: Values, _: Values) -> tuple[Values, Values]:
        hidden, cell = state
        gates = _times(hidden, inner.constant(recurrent, f"{node.name}/recurrent")) + slices[0]
        i, forget, o = (emit(graph.SigmoidOp, layer.gate(gates, number)) for number in (0, 1, 3))
        new = layer.clipped(forget * cell + i * emit(graph.TanhOp, layer.gate(gates, 2)))
        y = o * emit(graph.TanhOp, new)
        return [y, new], [y]

    return projected, step


def _integer_parts(layer: Lstm, rows: Value, weights: Array, bias: Array) -> tuple[Value, Body]:
    node, recurrent = layer.node, layer.weights(layer.places.recurrent_weights)
    (x_scale, x_zp), (h_scale, h_zp) = node.input(_X).scalar(), layer.hidden.scalar()
    c_scale = layer.cell.scalar()[0]
    wanted = np.dtype(np.int64 if rows.dtype == _INT16 else np.int32)
    if bias.dtype != wanted:
        raise node.unsupported(f"its biases are {bias.dtype}", f"use {wanted}")
    sums = _times(rows, node.constant(weights), x_zp) + node.constant(bias)
    projected = rescale(sums, layer.factors(x_scale, layer.places.input_weights), _INT16)
    logistic, tangent = (partial(function, multiplier=3, shift=0) for function in (logistic_int16, tanh_int16))
    power = 12 + floor(log2(c_scale) + 0.5)
    factors = layer.factors(h_scale, layer.places.recurrent_weights)

    def product(a: Value, b: Value, real: float, dtype: np.dtype[np.generic], zero_point: int = 0) -> Value:
        return rescale(cast(a, I32) * cast(b, I32), real, dtype, output_zp=zero_point)

    def added(a: Value, b: Value) -> Value:
        return saturated(cast(a, I32) + cast(b, I32), _INT16)

    def step(inner: Builder, state: Values, slices: Values, _: Values) -> tuple[Values, Values]:
        hidden, cell = state
        sums = _times(hidden, inner.constant(recurrent, f"{node.name}/recurrent"), h_zp)
        gates = added(slices[0], rescale(sums, factors, _INT16))
        i, forget, o = (logistic(layer.gate(gates, number)) for number in (0, 1, 3))
        kept = product(forget, cell, _UNIT_SCALE * c_scale / c_scale, _INT16)
        taken = product(i, tangent(layer.gate(gates, 2)), _UNIT_SCALE * _UNIT_SCALE / c_scale, _INT16)
        new = layer.clipped(added(kept, taken))
        seen = tanh_int16(new, 3 << power, 0) if power >= 0 else tanh_int16(new, 3, -power)
        y = product(seen, o, _UNIT_SCALE * _UNIT_SCALE / h_scale, hidden.dtype, h_zp)
        return [y, new], [y]

    return projected, step


# --------------------------------------------------------------------------------- SVDF


def _svdf(node: Node) -> Value:
    """The filters' last outputs slide through the state; each unit sums `rank` filters over time."""
    x, feature, time = node.input(0), node.input(1), node.input(2)
    state, info = node.state(4)
    rank = int(node.options.Rank())
    if x.rank != 2 or feature.rank != 2 or time.rank != 2 or rank < 1 or feature.shape[0] % rank:
        raise node.invalid(f"weights {list(feature.shape)} do not fit rank {rank}", "fix the model")
    batch, (filters, memory) = x.shape[0], time.shape
    if feature.shape != (filters, x.shape[1]) or info.shape != (batch, filters * memory):
        raise node.invalid(f"its state {list(info.shape)} does not fit its weights", "fix the model")
    sums = emit(graph.MatmulOp, x.value, feature.value, transpose_b=True, **_zero_points(node))
    newest = sums if x.value.is_float else _narrowed(node, sums, info)
    older = reshape(state, [batch, filters, memory])
    slid = [take(older, 2, 1, memory - 1)] if memory > 1 else []
    new = concat([*slid, reshape(newest, [batch, filters, 1])], 2)
    node.keep(4, reshape(new, info.shape))
    units = filters // rank
    weighted = _weighted(node, new, info)
    y = emit(graph.ReduceSumOp, reshape(weighted, [batch, units, rank * memory]), axes=[2], keepdims=False)
    bias = node.optional(3)
    if bias is not None:
        y = y + bias.value
    if x.value.is_float:
        return activated(node, y)
    scale, zero_point = node.output_type().scalar()
    factor = np.float32(info.scalar()[0]) * np.float32(time.scalar()[0]) / np.float32(scale)
    return rescale(y, float(factor), node.output_type().dtype, output_zp=zero_point)


def _zero_points(node: Node) -> dict[str, int]:
    x, feature, time = (node.input(position) for position in range(3))
    if x.value.is_float:
        return {}
    if x.dtype != np.int8 or feature.dtype != np.int8 or time.dtype not in (np.dtype(np.int8), _INT16):
        raise node.unsupported(f"is {x.dtype} with weights {feature.dtype} and {time.dtype}", "use int8")
    if node.state(4)[1].dtype != time.dtype:
        raise node.invalid("its state is not of the type of its weights in time", "quantise the model again")
    return {"a_zp": x.scalar()[1]}


def _narrowed(node: Node, sums: Value, info: TensorInfo) -> Value:
    """The filters' outputs as the state holds them; the zero point comes last, and may wrap around."""
    scale, zero_point = info.scalar()
    factor = np.float32(node.input(0).scalar()[0]) * np.float32(node.input(1).scalar()[0]) / np.float32(scale)
    narrow = rescale(sums, float(factor), info.dtype)
    return cast(cast(narrow, I32) + zero_point, info.dtype) if zero_point else narrow


def _weighted(node: Node, state: Value, info: TensorInfo) -> Value:
    """Each number of the state times its weight in time."""
    time = node.input(2)
    if state.is_float:
        return state * reshape(time.value, [1, *time.shape])
    zero_point = info.scalar()[1]
    number = cast(state, I32)
    return (number - zero_point if zero_point else number) * cast(reshape(time.value, [1, *time.shape]), I32)


IMPORTERS: Mapping[str, Importer] = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": _bidirectional,
    "SVDF": _svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}
