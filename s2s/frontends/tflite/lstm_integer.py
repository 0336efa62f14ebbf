"""One direction of an LSTM of integers, with peepholes, layer normalisation and a projection where the file has them.

    i, f, o = sigmoid(norm(w x + r h + p c)), for o with the new cell
    c = clip(f c + i tanh(norm(w x + r h)))
    h = clip(projection (o tanh(c)) + bias)

Activations and weights of 8 bits, gates and cells of 16, with the bits of LiteRT's kernel "8x8_16": each product is
rescaled to the scale of its gate and added with saturation, functions are those of gemmlowp in 16 bits. Five
intermediate tensors of the operator say the scales of the gates, used where they are normalised, and of `o tanh(c)`.
"""

from collections.abc import Callable
from math import log2

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp
from s2s.frontends.networks import Values
from s2s.frontends.recurrent import Step
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import saturated, scaled
from s2s.frontends.tflite.fixed_point import I32, NARROW
from s2s.frontends.tflite.lstm_layer import CELL, FORGET, GATES, INPUT, OUTPUT, Lstm, bias_of, weights_of
from s2s.frontends.tflite.lstm_norm import integer_norm
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.quantisation import quantize_multiplier, rescale
from s2s.types.dtypes import Array

_INT8, _INT16 = np.dtype(np.int8), np.dtype(np.int16)
_INTERMEDIATES, _HIDDEN = 5, 4
"""The number of intermediate tensors, and which of them says the scale of `o tanh(c)`."""
_GATE_BITS, _GATE_SCALE, _UNIT_SCALE = 3, 2.0**-12, 2.0**-15
"""Integer bits and scale of the arguments of the gates' functions, and the scale of their results."""
_MAX_CELL_BITS = 6
"""Of cells whose hyperbolic tangent LiteRT computes."""


def integer_parts(layer: Lstm, rows: Value, *, time_major: bool) -> tuple[Value, Step]:
    """What the inputs of all steps add to the gates, and the step itself."""
    _require_kernel(layer, rows)
    node, places = layer.node, layer.places
    (x_scale, x_zp), (h_scale, h_zp) = node.input(0).scalar(), layer.hidden.scalar()
    normed = layer.has(None if places.norms is None else places.norms + FORGET)
    scales = _gate_scales(layer, normed=normed)
    weights = _typed(node, weights_of(layer, places.first, rows.shape[1]), _INT8, "a matrix of weights")
    recurrent = _typed(node, weights_of(layer, places.recurrent, layer.outputs), _INT8, "a matrix of weights")
    bias = _typed(node, bias_of(layer), I32, "a bias")
    sums = emit(graph.MatmulOp, rows, node.constant(weights), transpose_b=True, a_zp=x_zp)
    sums = sums if normed else sums + node.constant(bias)
    projected = rescale(sums, _factors(layer, places.first, x_scale, scales), _INT16)
    factors = _factors(layer, places.recurrent, h_scale, scales)
    norm = integer_norm(layer, bias) if normed else _unchanged
    look = _peepholes(layer, scales, time_major=time_major)
    advance, project = _cell(layer), _output(layer)

    def step(inner: Builder, state: Values, x: Value, _: Values) -> Values:
        hidden, cell = state
        matrix = inner.constant(recurrent, f"{node.name}/recurrent")
        sums = emit(graph.MatmulOp, hidden, matrix, transpose_b=True, a_zp=h_zp)
        gates = saturated(rescale(sums, factors, I32) + cast(x, I32), _INT16)

        def gate(number: int, seen: Value) -> Value:
            argument = look(inner, number, cast(layer.part(gates, number), I32), seen)
            return fixed.logistic(norm(inner, number, argument), _GATE_BITS, NARROW)

        forget = gate(FORGET, cell)
        i = gate(INPUT, cell) if INPUT in layer.gates else NARROW.one - forget
        taken = fixed.tangent(norm(inner, CELL, cast(layer.part(gates, CELL), I32)), _GATE_BITS, NARROW)
        new = advance(forget, cell, i * taken)
        return [project(inner, gate(OUTPUT, new), new), new]

    return projected, step


def _require_kernel(layer: Lstm, rows: Value) -> None:
    """Refuse what LiteRT's kernel does not take."""
    node = layer.node
    if rows.dtype != _INT8:
        raise node.unsupported(f"has parts that no kernel of TFLite has for {rows.dtype}", "use int8, or a plain LSTM")
    count = len(node.info.intermediates)
    if count == 12:
        raise node.unsupported(
            "has gates of 8 bits (12 intermediate tensors), for which LiteRT reads outside of its tables",
            "quantise with gates of 16 bits (5 intermediate tensors)",
        )
    if count != _INTERMEDIATES:
        raise node.invalid(f"has {count} intermediate tensors", f"give {_INTERMEDIATES}")
    if not 0 <= _cell_bits(layer) <= _MAX_CELL_BITS:
        raise node.unsupported(
            f"its cell has the scale {layer.cell.scalar()[0]:.3g}", "use a power of two from 2 ** -15 to 2 ** -9"
        )


def _cell_bits(layer: Lstm) -> int:
    """The integer bits of the cell; -1 where its scale is no power of two."""
    exponent = log2(layer.cell.scalar()[0])
    return 15 + round(exponent) if abs(exponent - round(exponent)) < 1e-3 else -1


def _typed(node: Node, array: Array, dtype: np.dtype[np.generic], what: str) -> Array:
    """A constant of the type that the kernel reads."""
    if array.dtype != dtype:
        raise node.unsupported(f"{what} is of {array.dtype}", f"use {dtype}")
    return array


def _unchanged(_builder: Builder, _gate: int, x: Value) -> Value:
    return x


def _scale(node: Node, position: int) -> np.float32:
    """The scale of weights."""
    scale, zero_point = node.input(position).scalar()
    if zero_point:
        raise node.invalid(f"weights at input {position} have a zero point", "quantise the model again")
    return np.float32(scale)


def _intermediate(node: Node, place: int) -> tuple[np.float32, int]:
    """Scale and zero point of an intermediate tensor."""
    index = node.info.intermediates[place]
    if index < 0:
        raise node.invalid(f"intermediate tensor {place} is missing", "connect it")
    scale, zero_point = node.graph.tensors[index].scalar()
    return np.float32(scale), zero_point


def _gate_scales(layer: Lstm, *, normed: bool) -> dict[int, np.float32]:
    """The scale of each gate: of its intermediate tensor where it is normalised."""
    fixed_scale = np.float32(_GATE_SCALE)
    return {gate: _intermediate(layer.node, gate)[0] if normed else fixed_scale for gate in range(len(GATES))}


def _factors(layer: Lstm, first: int, scale: float, scales: dict[int, np.float32]) -> list[float]:
    """Factors that rescale the sums of each gate to its scale, one for each row of the weights."""
    return [
        float(_scale(layer.node, first + gate) * np.float32(scale) / scales[gate])
        for gate in layer.gates
        for _ in range(layer.size)
    ]


Look = Callable[[Builder, int, Value, Value], Value]
"""Adds to a gate what it sees of the cell."""


def _peepholes(layer: Lstm, scales: dict[int, np.float32], *, time_major: bool) -> Look:
    """Add the cells times their weights; nothing where the file has none.

    LiteRT steps through weights and cells by the number of outputs, not of cells: with fewer outputs than cells (a
    projection) weights meet the cells of the first rows, `outputs` of them in each turn, and the rest see nothing.
    """
    node, first = layer.node, layer.places.peepholes
    positions = {INPUT: first, FORGET: first + 1, OUTPUT: first + 2}
    if not layer.has(positions[OUTPUT]):
        return lambda _builder, _gate, x, _seen: x
    if layer.outputs > layer.size:
        raise node.unsupported(
            f"has peepholes and more outputs ({layer.outputs}) than cells ({layer.size}), for which LiteRT reads "
            "outside of its weights",
            "give at most as many outputs",
        )
    found = {gate: node.known(positions[gate], "a peephole") for gate in positions if gate in layer.gates}
    layer.require(list(found.values()), (layer.size,), "a peephole")
    power = np.float64(2.0 ** (_cell_bits(layer) - 15))
    factors = {
        gate: quantize_multiplier(float(np.float32(power * float(_scale(node, positions[gate])) / float(scales[gate]))))
        for gate in found
    }
    batch = layer.cell.shape[0]
    spread = {
        gate: _spread(_typed(node, array, _INT16, "a peephole"), layer.outputs, batch if time_major else 1)
        for gate, array in found.items()
    }

    def look(builder: Builder, gate: int, x: Value, seen: Value) -> Value:
        if gate not in found:
            return x
        product = cast(seen, I32) * builder.constant(spread[gate])
        return clamp(x + scaled(product, factors[gate]), -NARROW.one - 1, NARROW.one)

    return look


def _spread(weights: Array, outputs: int, batch: int) -> Array:
    """The weight that each cell of a batch meets: the first `outputs` in turn, then none.

    Of 3 cells with weights [1, 2, 3], 2 outputs and a batch of 2: [[1, 2, 1], [2, 0, 0]].
    """
    flat = np.zeros(batch * len(weights), np.int32)
    flat[: batch * outputs] = np.tile(weights[:outputs], batch)
    return flat.reshape(batch, len(weights))


def _cell(layer: Lstm) -> Callable[[Value, Value, Value], Value]:
    """Make the new cell of the forget gate, the cell, and the product of input gate and cell gate."""
    node = layer.node
    clip = float(np.float32(node.options.CellClip()))
    limit = int(min(np.float32(clip) / np.float32(layer.cell.scalar()[0]), np.float32(32767))) if clip > 0 else 0
    bits = _cell_bits(layer)

    def advance(forget: Value, cell: Value, taken: Value) -> Value:
        kept = fixed.rounded_right(forget * cast(cell, I32), 15)
        new = kept + fixed.rounded_right(taken, 15 + bits)
        low, high = (-limit, limit) if limit > 0 else (-NARROW.one - 1, NARROW.one)
        return cast(clamp(new, low, high), _INT16)

    return advance


def _output(layer: Lstm) -> Callable[[Builder, Value, Value], Value]:
    """Make the outputs of output gate and new cell, by the projection where the file has one.

    The kernel subtracts the zero point of `o tanh(c)` where a projection follows, and adds it as output.
    """
    node, place, bits = layer.node, layer.places.projection, _cell_bits(layer)
    hidden_scale, hidden_zp = _intermediate(node, _HIDDEN)
    factor = float(np.float32(_UNIT_SCALE / float(hidden_scale) * _UNIT_SCALE))

    def seen(gate: Value, cell: Value, zero_point: int) -> Value:
        product = gate * fixed.tangent(cast(cell, I32), bits, NARROW)
        return rescale(product, factor, _INT8, output_zp=zero_point)

    if not layer.has(place):
        return lambda _, gate, cell: seen(gate, cell, hidden_zp)
    weights = _typed(node, node.known(place, "weights of the projection"), _INT8, "the projection")
    layer.require([weights], (layer.outputs, layer.size), "weights of the projection")
    h_scale, h_zp = layer.hidden.scalar()
    back = float(_scale(node, place) * hidden_scale / np.float32(h_scale))
    constant = weights.astype(np.int32).sum(axis=1) * hidden_zp
    if layer.has(place + 1):
        bias = _typed(node, node.known(place + 1, "the bias of the projection"), I32, "the bias of the projection")
        layer.require([bias], (layer.outputs,), "the bias of the projection")
        constant = constant + bias
    limit = _projection_limit(layer)

    def project(builder: Builder, gate: Value, cell: Value) -> Value:
        matrix = builder.constant(weights, f"{node.name}/projection")
        sums = emit(graph.MatmulOp, seen(gate, cell, -hidden_zp), matrix, transpose_b=True)
        y = rescale(sums + builder.constant(constant.astype(np.int32)), back, _INT8, output_zp=h_zp)
        return clamp(y, -limit, limit) if limit > 0 else y

    return project


def _projection_limit(layer: Lstm) -> int:
    """What the quantised outputs of a projection are limited to, their zero point not counted; 0 for no limit."""
    clip = np.float32(layer.node.options.ProjClip())
    return int(min(clip / np.float32(layer.node.output_type().scalar()[0]), np.float32(127))) if clip > 0 else 0
