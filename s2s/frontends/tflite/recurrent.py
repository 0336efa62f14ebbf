"""Layers that keep state: LSTMs of one or two directions, and SVDF; quantised, with the bits of TFLite-Micro.

LSTMs of integers with parts that TFLite-Micro lacks have the bits of LiteRT.

The state lives in variable tensors, which keep their values from run to run.
"""

from collections.abc import Mapping
from functools import partial
from math import floor, log2

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, concat, reshape, take, transpose
from s2s.frontends.networks import Values
from s2s.frontends.recurrent import Step, run_steps
from s2s.frontends.tflite.activation import logistic_int16, tanh_int16
from s2s.frontends.tflite.arithmetic import saturated
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.hybrid import quantised
from s2s.frontends.tflite.lstm_float import float_parts
from s2s.frontends.tflite.lstm_integer import integer_parts
from s2s.frontends.tflite.lstm_layer import CELL, FORGET, INPUT, OUTPUT, Lstm, Places, bias_of, layer_of, weights_of
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated, rescale
from s2s.frontends.tflite.records import TensorInfo

_INT16 = np.dtype(np.int16)
_X, _AUXILIARY = 0, 39
_TANH = 4
_GATE_SCALE, _UNIT_SCALE = 2.0**-12, 2.0**-15
"""Scales of the arguments and of the results of the gates' functions."""
_ONE_WAY = Places(1, 18, 19, norms=20)
_FORWARD = Places(1, 35, 36, auxiliary=40)
_BACKWARD = Places(18, 37, 38, auxiliary=44, backward=True)


def _lstm(node: Node) -> Value:
    if node.options.DiagonalRecurrentTensors():
        raise node.unsupported("has diagonals for recurrent weights", "give whole matrices")
    return _batch_first(node, _direction(node, _ONE_WAY, _sequence(node)))


def _bidirectional(node: Node) -> Value | list[Value]:
    """Both directions; a second input without weights is what the backward one reads, with weights it adds to both."""
    sequence, second, last = _sequence(node), None, None
    if node.optional(_AUXILIARY) is not None:
        second = _sequence(node, _AUXILIARY)
        if second.shape[:2] != sequence.shape[:2]:
            raise node.invalid(f"has inputs of {sequence.shape[:2]} and {second.shape[:2]}", "fix the model")
        last = None if node.optional(40 + FORGET) is None else second
    forward = _direction(node, _FORWARD, sequence, last)
    backward = _direction(node, _BACKWARD, sequence if second is None or last is not None else second, last)
    results = [_batch_first(node, each) for each in (forward, backward)]
    return concat(results, 2) if node.options.MergeOutputs() else results


def one_step(node: Node) -> Value:
    """The outputs `[batch, units]` of one step of a layer."""
    x = node.input(_X)
    if x.rank != 2:
        raise node.invalid(f"input {list(x.shape)} has the wrong rank", "fix the model")
    y = _direction(node, _ONE_WAY, reshape(x.value, [1, *x.shape]))
    return reshape(y, y.shape[1:])


def _sequence(node: Node, position: int = _X) -> Value:
    """An input with time in front."""
    x = node.input(position)
    if x.rank != 3:
        raise node.invalid(f"input {list(x.shape)} has the wrong rank", "fix the model")
    return _batch_first(node, x.value)


def _batch_first(node: Node, x: Value) -> Value:
    """Exchange time and batch, unless time comes first outside as well."""
    return x if node.options.TimeMajor() else transpose(x, [1, 0, 2])


def _direction(node: Node, places: Places, sequence: Value, auxiliary: Value | None = None) -> Value:
    """The outputs `[time, batch, units]` of one direction over `sequence[time, batch, depth]`."""
    layer = layer_of(node, places, sequence)
    steps, batch, depth = sequence.shape
    sizes = {places.hidden: layer.outputs, places.cell: layer.size}
    state = [reshape(node.state(position)[0], [batch, size]) for position, size in sizes.items()]
    rows = reshape(sequence, [steps * batch, depth])
    if sequence.is_float:
        further = None if auxiliary is None else reshape(auxiliary, [steps * batch, auxiliary.shape[2]])
        projected, step = float_parts(layer, rows, further)
    else:
        projected, step = _integer_parts(layer, rows)
    projected = reshape(projected, [steps, batch, len(layer.gates) * layer.size])
    outputs, last = run_steps(node.builder, node.name, step, state, projected, backward=places.backward)
    for position, value in zip(sizes, last, strict=True):
        node.keep(position, reshape(value, node.state(position)[1].shape))
    return outputs


def _times(x: Value, weights: Value, zero_point: int = 0) -> Value:
    """The products of rows of `x` with rows of weights."""
    return emit(graph.MatmulOp, x, weights, transpose_b=True, a_zp=zero_point)


def _is_plain(layer: Lstm) -> bool:
    """Whether an LSTM of integers has no parts that TFLite-Micro lacks, and LiteRT's bits are not asked for."""
    node, places = layer.node, layer.places
    if node.rounding == "reference" and node.builtin.startswith("UNI") and node.info.intermediates:
        return False
    parts = [places.peepholes + 2, places.projection, None if places.norms is None else places.norms + FORGET]
    return INPUT in layer.gates and node.builtin != "LSTM" and not any(layer.has(part) for part in parts)


def _require_integers(layer: Lstm) -> None:
    """Refuse what no kernel of integers takes."""
    node = layer.node
    if layer.has(_AUXILIARY):
        raise node.unsupported("has a second input, with integers", "use floats, or one input")
    if node.builtin.startswith("BIDIRECTIONAL") and not _is_plain(layer):
        raise node.unsupported("has parts that LiteRT has in floats only", "use floats, or a plain LSTM")
    if int(node.options.FusedActivationFunction()) != _TANH:
        raise node.unsupported("its activation is not tanh", "use tanh")


def _factors(layer: Lstm, scale: float, first: int) -> list[float]:
    """Factors that rescale the sums of each gate to `_GATE_SCALE`, one for each row of the weights."""
    return [
        float(np.float32(scale) * np.float32(_weight_scale(layer.node, first + gate))) / _GATE_SCALE
        for gate in layer.gates
        for _ in range(layer.size)
    ]


def _weight_scale(node: Node, position: int) -> float:
    scale, zero_point = node.input(position).scalar()
    if zero_point:
        raise node.invalid(f"weights at input {position} have a zero point", "quantise the model again")
    return scale


def _integer_parts(layer: Lstm, rows: Value) -> tuple[Value, Step]:
    """A plain layer with the bits of TFLite-Micro, other layers with the bits of LiteRT."""
    _require_integers(layer)
    if not _is_plain(layer):
        return integer_parts(layer, rows, time_major=layer.node.builtin == "LSTM" or layer.node.options.TimeMajor())
    node, places = layer.node, layer.places
    weights, bias = weights_of(layer, places.first, rows.shape[1]), bias_of(layer)
    recurrent = weights_of(layer, places.recurrent, layer.outputs)
    (x_scale, x_zp), (h_scale, h_zp) = node.input(_X).scalar(), layer.hidden.scalar()
    c_scale = layer.cell.scalar()[0]
    wanted = np.dtype(np.int64 if rows.dtype == _INT16 else np.int32)
    if bias.dtype != wanted:
        raise node.unsupported(f"its biases are {bias.dtype}", f"use {wanted}")
    sums = _times(rows, node.constant(weights), x_zp) + node.constant(bias)
    projected = rescale(sums, _factors(layer, x_scale, places.first), _INT16)
    logistic, tangent = (partial(function, multiplier=3, shift=0) for function in (logistic_int16, tanh_int16))
    power = 12 + floor(log2(c_scale) + 0.5)
    factors = _factors(layer, h_scale, places.recurrent)

    def product(a: Value, b: Value, real: float, dtype: np.dtype[np.generic], zero_point: int = 0) -> Value:
        return rescale(cast(a, I32) * cast(b, I32), real, dtype, output_zp=zero_point)

    def added(a: Value, b: Value) -> Value:
        return saturated(cast(a, I32) + cast(b, I32), _INT16)

    def step(inner: Builder, state: Values, x: Value, _: Values) -> Values:
        hidden, cell = state
        sums = _times(hidden, inner.constant(recurrent, f"{node.name}/recurrent"), h_zp)
        gates = added(x, rescale(sums, factors, _INT16))
        i, forget, o = (logistic(layer.part(gates, number)) for number in (INPUT, FORGET, OUTPUT))
        kept = product(forget, cell, _UNIT_SCALE * c_scale / c_scale, _INT16)
        taken = product(i, tangent(layer.part(gates, CELL)), _UNIT_SCALE * _UNIT_SCALE / c_scale, _INT16)
        new = layer.clipped(added(kept, taken))
        seen = tanh_int16(new, 3 << power, 0) if power >= 0 else tanh_int16(new, 3, -power)
        y = product(seen, o, _UNIT_SCALE * _UNIT_SCALE / h_scale, hidden.dtype, h_zp)
        return [y, new]

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
    newest = _newest(node, info)
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


def _newest(node: Node, info: TensorInfo) -> Value:
    """What the filters give for the input, as the state holds it."""
    x, feature, time = (node.input(position) for position in range(3))
    if not x.value.is_float:
        sums = emit(graph.MatmulOp, x.value, feature.value, transpose_b=True, a_zp=_zero_point(node))
        return _narrowed(node, sums, info)
    if feature.value.is_float and time.value.is_float:
        return emit(graph.MatmulOp, x.value, feature.value, transpose_b=True)
    if feature.dtype != np.int8 or time.dtype != np.int8:
        raise node.unsupported(f"is {x.dtype} with weights {feature.dtype} and {time.dtype}", "use float32 or int8")
    rows = quantised(x.value, [1], asymmetric=bool(node.options.AsymmetricQuantizeInputs()))
    sums = emit(graph.MatmulOp, rows.factor, feature.value, transpose_b=True, acc_type=i32)
    return cast(sums, x.dtype) * (rows.scale * float(np.float32(_weight_scale(node, 1))))


def _zero_point(node: Node) -> int:
    """The zero point of the input of an SVDF of integers, when its types are the types of a kernel."""
    x, feature, time = (node.input(position) for position in range(3))
    if x.dtype != np.int8 or feature.dtype != np.int8 or time.dtype not in (np.dtype(np.int8), _INT16):
        raise node.unsupported(f"is {x.dtype} with weights {feature.dtype} and {time.dtype}", "use int8")
    if node.state(4)[1].dtype != time.dtype:
        raise node.invalid("its state is not of the type of its weights in time", "quantise the model again")
    return x.scalar()[1]


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
        weights = time.value
        if not weights.is_float:
            weights = cast(weights, state.dtype) * float(np.float32(_weight_scale(node, 2)))
        return state * reshape(weights, [1, *time.shape])
    zero_point = info.scalar()[1]
    number = cast(state, I32)
    return (number - zero_point if zero_point else number) * cast(reshape(time.value, [1, *time.shape]), I32)


IMPORTERS: Mapping[str, Importer] = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": _bidirectional,
    "SVDF": _svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}
