"""One direction of an LSTM of floats, with peepholes, layer normalisation and a projection where the file has them.

    i, f, o = sigmoid(norm(w x + r h + p c)), for o with the new cell
    c = clip(f c + i tanh(norm(w x + r h)))
    h = clip(projection (o tanh(c)) + bias)

Compared with LiteRT with a tolerance of 1e-5: kernels add in an order of their own. Weights of 8 bits (dynamic-range
quantisation) are multiplied as `hybrid` does, each row of the input, the state and what is projected quantised by its
own range; there a difference in the last place of the state may round one element to the next step of 8 bits.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import sigmoid
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import clamp
from s2s.frontends.networks import Values
from s2s.frontends.recurrent import Product, Step, lstm_step
from s2s.frontends.tflite.hybrid import Matrix, matrix_of, weight_scale
from s2s.frontends.tflite.lstm_layer import FORGET, INPUT, LETTERS, OUTPUT, Lstm, bias_of, weights_of
from s2s.frontends.tflite.rnn import step_activation
from s2s.types.dtypes import Array

_FLOAT = np.dtype(np.float32)
_NONE = 0
_EPSILON = 1e-8
"""Added to the variance by LiteRT."""


def float_parts(layer: Lstm, rows: Value, auxiliary: Value | None) -> tuple[Value, Step]:
    """What the inputs of all steps add to the gates, and the step itself."""
    node, places = layer.node, layer.places
    if int(node.options.FusedActivationFunction()) == _NONE:
        raise node.unsupported("has no activation, with which LiteRT reads memory that it has not written", "use tanh")
    recurrent = _gates(layer, places.recurrent, layer.outputs)
    projected = _gates(layer, places.first, rows.shape[1]).times(node.builder, rows, "")
    if auxiliary is not None and places.auxiliary is not None:
        weights = _gates(layer, places.auxiliary, auxiliary.shape[1])
        projected = projected + weights.times(node.builder, auxiliary, "")
    normed = layer.has(None if places.norms is None else places.norms + FORGET)
    if not normed:
        projected = projected + node.constant(bias_of(layer))
    norm, looks = _norm(layer) if normed else _unchanged, _peepholes(layer)

    def argument(inner: Builder, _: Values, gate: str, x: Value, cell: Value) -> Value:
        number = LETTERS.index(gate)
        return norm(inner, number, x + cell * inner.constant(looks[number]) if number in looks else x)

    def product(inner: Builder, hidden: Value, _: Values) -> Value:
        return recurrent.times(inner, hidden, f"{node.name}/recurrent")

    activation, project = partial(step_activation, node), _projection(layer)
    functions = (sigmoid, activation, activation)
    step = lstm_step(product, layer.order, functions, argument=argument, limited=layer.clipped, project=project)
    return projected, step


def _gates(layer: Lstm, first: int, columns: int) -> Matrix:
    """The weights of all gates; `first` is the input that holds the first gate's."""
    positions = [first + gate for gate in layer.gates]
    return matrix_of(layer.node, positions, weights_of(layer, first, columns), layer.size)


def _peepholes(layer: Lstm) -> dict[int, Array]:
    """The weights with which gates see the cell, by gate; nothing where none do."""
    node, first = layer.node, layer.places.peepholes
    places = {INPUT: first, FORGET: first + 1, OUTPUT: first + 2}
    if not layer.has(places[OUTPUT]):
        return {}
    found = {gate: node.known(places[gate], "a peephole") for gate in (INPUT, FORGET, OUTPUT) if gate in layer.gates}
    layer.require(list(found.values()), (layer.size,), "a peephole")
    return {
        gate: array if array.dtype == _FLOAT else array.astype(_FLOAT) * np.float32(weight_scale(node, places[gate]))
        for gate, array in found.items()
    }


def _unchanged(_builder: Builder, _gate: int, x: Value) -> Value:
    return x


def _norm(layer: Lstm) -> Callable[[Builder, int, Value], Value]:
    """The normalisation of a gate over its cells, with the coefficients and the bias of the gate."""
    node, first = layer.node, layer.places.norms or 0
    scales = [node.known(first + gate, "a coefficient of a normalisation") for gate in layer.gates]
    layer.require(scales, (layer.size,), "a coefficient of a normalisation")
    biases = np.split(bias_of(layer), len(layer.gates))

    def norm(builder: Builder, gate: int, x: Value) -> Value:
        scale, bias = (builder.constant(parts[layer.gates.index(gate)]) for parts in (scales, biases))
        return emit(graph.LayerNormOp, x, scale, bias, axis=1, epsilon=_EPSILON)

    return norm


def _projection(layer: Lstm) -> Product:
    """The product that makes outputs of cells; nothing where the file has none."""
    node, place = layer.node, layer.places.projection
    if not layer.has(place):
        return lambda _, y, __: y
    weights = node.known(place, "weights of the projection")
    layer.require([weights], (layer.outputs, layer.size), "weights of the projection")
    matrix = matrix_of(node, [place], weights, layer.outputs)
    bias = node.known(place + 1, "the bias of the projection") if layer.has(place + 1) else None
    limit = float(np.float32(node.options.ProjClip()))

    def project(builder: Builder, y: Value, _: Values) -> Value:
        y = matrix.times(builder, y, f"{node.name}/projection")
        if bias is not None:
            layer.require([bias], (layer.outputs,), "the bias of the projection")
            y = y + builder.constant(bias)
        return clamp(y, -limit, limit) if limit > 0 else y

    return project
