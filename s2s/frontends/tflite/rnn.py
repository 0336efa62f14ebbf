"""Import plain recurrent layers of floats: RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN.

A step computes `h = activation(x @ w.T + h @ r.T + b)`. The state lives in a variable tensor, which keeps its value
from run to run. Compared with a tolerance of 1e-6 of the largest magnitude: kernels add in an order of their own.
Weights of 8 bits (dynamic range) are multiplied as `hybrid` does, each row of input and state by its own range.
"""

from collections.abc import Mapping
from functools import partial

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import clamp, concat, reshape, transpose
from s2s.frontends.networks import Values
from s2s.frontends.recurrent import rnn_step, run_steps
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.hybrid import matrix_of
from s2s.frontends.tflite.node import Importer, Node

_TANH = 4
_RANGES: Mapping[int, tuple[float | None, float | None]] = {0: (None, None), 1: (0, None), 2: (-1, 1), 3: (0, 6)}
"""Bounds of the activations NONE, RELU, RELU_N1_TO_1 and RELU6."""


def step_activation(node: Node, x: Value) -> Value:
    """`x` through the activation of a recurrent layer of floats."""
    activation = int(node.options.FusedActivationFunction())
    if activation == _TANH:
        return emit(graph.TanhOp, x)
    if activation not in _RANGES:
        raise node.unsupported(f"has the activation {activation}", "use tanh or one of the ReLUs")
    return clamp(x, *_RANGES[activation])


def _layer(node: Node, sequence: Value, first: int, state: int, *, backward: bool = False) -> Value:
    """The states `[time, batch, units]` of one direction; its weights, recurrent weights and bias begin at `first`."""
    weights, recurrent, bias = (node.input(first + place) for place in range(3))
    require_kinds(node, (bias,), "float32")
    steps, batch, depth = sequence.shape
    units = weights.shape[0]
    if weights.shape != (units, depth) or recurrent.shape != (units, units) or bias.shape != (units,):
        raise node.invalid(f"weights {list(weights.shape)} do not fit {list(sequence.shape)}", "fix the model")
    rows = reshape(sequence, [steps * batch, depth])
    projected = _products(node, rows, first) + bias.value
    held, info = node.state(state)
    matrix = matrix_of(node, [first + 1], node.known(first + 1, "the recurrent weights"), units)

    def product(inner: Builder, hidden: Value, _: Values) -> Value:
        return matrix.times(inner, hidden, f"{node.name}/recurrent")

    step, projected = rnn_step(product, partial(step_activation, node)), reshape(projected, [steps, batch, units])
    begin = [reshape(held, [batch, units])]
    states, (last,) = run_steps(node.builder, node.name, step, begin, projected, backward=backward)
    node.keep(state, reshape(last, info.shape))
    return states


def _products(node: Node, rows: Value, first: int) -> Value:
    """What the inputs of all steps add; weights that are computed must be floats."""
    weights = node.input(first)
    if weights.value.is_float:
        require_kinds(node, (weights,), "float32")
        return emit(graph.MatmulOp, rows, weights.value, transpose_b=True)
    known = node.known(first, "the weights")
    return matrix_of(node, [first], known, weights.shape[0]).times(node.builder, rows, "")


def _sequence(node: Node) -> Value:
    """The input `[time, batch, depth]`."""
    x = node.input(0)
    require_kinds(node, (x,), "float32")
    if x.rank != 3:
        raise node.invalid(f"has input {list(x.shape)}, not 3 dimensions", "fix the model")
    return x.value if node.options.TimeMajor() else transpose(x.value, [1, 0, 2])


def _batch_first(node: Node, states: Value) -> Value:
    return states if node.options.TimeMajor() else transpose(states, [1, 0, 2])


def _one_step(node: Node) -> Value:
    x = node.input(0)
    require_kinds(node, (x,), "float32")
    if x.rank != 2:
        raise node.invalid(f"has input {list(x.shape)}, not 2 dimensions", "fix the model")
    states = _layer(node, reshape(x.value, [1, *x.shape]), 1, 4)
    return reshape(states, states.shape[1:])


def _unidirectional(node: Node) -> Value:
    return _batch_first(node, _layer(node, _sequence(node), 1, 4))


def _bidirectional(node: Node) -> Value | list[Value]:
    if any(node.optional(place) is not None for place in range(9, node.input_count)):
        raise node.unsupported("has an auxiliary input", "concatenate it with the input")
    sequence = _sequence(node)
    directions = [_layer(node, sequence, 1, 4), _layer(node, sequence, 5, 8, backward=True)]
    results = list(map(partial(_batch_first, node), directions))
    return concat(results, 2) if node.options.MergeOutputs() else results


IMPORTERS: Mapping[str, Importer] = {
    "BIDIRECTIONAL_SEQUENCE_RNN": _bidirectional,
    "RNN": _one_step,
    "UNIDIRECTIONAL_SEQUENCE_RNN": _unidirectional,
}
