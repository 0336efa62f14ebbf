"""RNN, GRU and LSTM as scans: one product projects all inputs before, the body holds the recurrent product and the
gates, which fuse element by element.

    y_t, h_t = step(W x_t + b, h_{t-1})
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import elu, hard_sigmoid, leaky_relu, sigmoid, softplus
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import (
    broadcast_to,
    cast,
    clamp,
    concat,
    less,
    maximum,
    reshape,
    select,
    take,
    transpose,
    unsqueeze,
)
from s2s.frontends.networks import Values
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.recurrent import (
    Constants,
    Function,
    Product,
    Step,
    gate_of,
    gru_step,
    lstm_step,
    product_of,
    rnn_step,
    run_steps,
    tanh,
)

_PLAIN: Mapping[str, Function] = {
    "relu": lambda x: maximum(x, 0.0),
    "tanh": tanh,
    "sigmoid": sigmoid,
    "softsign": lambda x: x / (abs(x) + 1.0),
    "softplus": softplus,
}
_DEFAULTS: Mapping[str, tuple[float | None, float | None]] = {
    "affine": (None, None),
    "leakyrelu": (0.01, None),
    "thresholdedrelu": (1.0, None),
    "scaledtanh": (None, None),
    "hardsigmoid": (0.2, 0.5),
    "elu": (1.0, None),
}
"""Alpha and beta of the activations that have them, where the standard gives one."""


def _parametrised(name: str, alpha: float, beta: float) -> Function:
    functions: Mapping[str, Function] = {
        "affine": lambda x: x * alpha + beta,
        "leakyrelu": lambda x: leaky_relu(x, alpha),
        "thresholdedrelu": lambda x: select(less(x, alpha), x * 0.0, x),
        "scaledtanh": lambda x: emit(graph.TanhOp, x * beta) * alpha,
        "hardsigmoid": lambda x: hard_sigmoid(x, alpha, beta),
        "elu": lambda x: elu(x, alpha),
    }
    return functions[name]


_PEEPHOLES = "iof"


class Layer(NamedTuple):
    """What all three operators have in common."""

    node: Node
    gates: int
    hidden: int
    directions: int
    x: Value
    """`[time, batch, input]`."""
    functions: Sequence[Function]
    """The activations of one direction, then of the other."""

    @property
    def steps(self) -> int:
        """Length of the sequence."""
        return self.x.shape[0]

    @property
    def batch(self) -> int:
        """Sequences at a time."""
        return self.x.shape[1]

    def of_direction(self, position: int, direction: int, size: int, dims: int = 1) -> Value | None:
        """The part of an optional operand that belongs to a direction; its second dimension has `size` elements."""
        value = self.node.optional(position)
        if value is None:
            return None
        if value.rank != 1 + dims or value.shape[0] != self.directions or value.shape[1] != size:
            raise self.node.invalid(
                f"input {position} has shape {list(value.shape)}, expected {self.directions} directions of {size}",
                "fix the shapes",
            )
        return reshape(take(value, 0, direction, 1), value.shape[1:])

    def weight(self, position: int, direction: int, columns: int) -> Value:
        """The weights of a direction, transposed: `[columns, gates * hidden]`."""
        value = self.of_direction(position, direction, self.gates * self.hidden, 2)
        if value is None or value.shape[1] != columns:
            raise self.node.invalid(f"input {position} has not {columns} columns", "fix the shapes")
        return self.named(transpose(value, [1, 0]), " wr"[position], direction)

    def named(self, value: Value, role: str, direction: int) -> Value:
        """Name a constant after its role, such as `/rnn/LSTM_w`, for C; return it."""
        value.call(f"{self.node.builder.node}_{role}{'_back' if direction else ''}")
        return value

    def initial(self, position: int, direction: int) -> Value:
        """The state before the first step: zeros where the model gives none."""
        shape = [self.batch, self.hidden]
        value = self.node.optional(position)
        if value is None:
            zeros = self.node.builder.filled(0, shape, self.x.dtype)
            zeros.name = f"{self.node.builder.node}_zeros"
            return zeros
        if _flag(self.node, "layout"):
            value = transpose(value, [1, 0, 2])
        if value.shape != (self.directions, *shape):
            raise self.node.invalid(f"input {position} has shape {list(value.shape)}", "fix the shapes")
        return self.named(reshape(take(value, 0, direction, 1), shape), f"{'hc'[position - 5]}0", direction)

    def projected(self, direction: int, bias: Value | None) -> Value:
        """`x W^T + b` of all steps at once: `[time, batch, gates * hidden]`."""
        columns = self.x.shape[2]
        rows = reshape(self.x, [self.steps * self.batch, columns])
        y = emit(graph.MatmulOp, rows, self.weight(1, direction, columns))
        if bias is not None:
            y = y + self.named(bias, "b", direction)
        return reshape(y, [self.steps, self.batch, self.gates * self.hidden])

    def is_backward(self, direction: int) -> bool:
        """Whether a direction begins at the end."""
        return direction == 1 or self.node.text("direction", "forward") == "reverse"

    def valid(self) -> Value | None:
        """Whether each step of each sequence counts, `[time, batch, 1]`; None where all do."""
        lengths = self.node.optional(4)
        if lengths is None or (lengths.array is not None and (lengths.array == self.steps).all()):
            return None
        if lengths.shape != (self.batch,):
            raise self.node.invalid(f"sequence_lens has shape {list(lengths.shape)}", f"give {self.batch} numbers")
        times = reshape(self.node.counted(self.steps, np.dtype(np.int32)), [self.steps, 1, 1])
        wanted = reshape(cast(lengths, np.dtype(np.int32)), [1, self.batch, 1])
        return less(broadcast_to(times, [self.steps, self.batch, 1]), wanted)

    def clipped(self, x: Value) -> Value:
        """`x` limited, where the operator asks for it, before an activation."""
        limit = self.node.real("clip", 0.0) if self.node.has("clip") else 0.0
        return clamp(x, -limit, limit) if limit > 0 else x


def _layer(node: Node, gates: int, defaults: Sequence[str], gate_axis: int = 1) -> Layer:
    x, weights = node.input(0), node.input(1)
    if x.rank != 3 or weights.rank != 3 or weights.shape[gate_axis] % gates:
        raise node.invalid(f"X {list(x.shape)} and W {list(weights.shape)} do not fit together", "fix the shapes")
    direction = node.choice("direction", "forward", "reverse", "bidirectional") if node.has("direction") else "forward"
    directions = 2 if direction == "bidirectional" else 1
    hidden = weights.shape[gate_axis] // gates
    if node.has("hidden_size") and node.integer("hidden_size") != hidden:
        raise node.invalid(f"hidden_size is {node.integer('hidden_size')}, W has {hidden}", "fix the node")
    if _flag(node, "layout"):
        x = transpose(x, [1, 0, 2])
    return Layer(node, gates, hidden, directions, x, _functions(node, [*defaults] * directions))


def _functions(node: Node, defaults: Sequence[str]) -> list[Function]:
    given = [name.decode("utf-8", "replace") for name in node.texts("activations")] if node.has("activations") else []
    names = given or list(defaults)
    if len(names) == 2 * len(defaults):  # one direction: the schema of RNN has a default for two
        names = names[: len(defaults)]
    if len(names) != len(defaults):
        raise node.invalid(f"has {len(names)} activations, expected {len(defaults)}", "name them all")
    alphas = iter(node.reals("activation_alpha", []) if node.has("activation_alpha") else [])
    betas = iter(node.reals("activation_beta", []) if node.has("activation_beta") else [])
    return [_function(node, name.lower(), alphas, betas) for name in names]


def _function(node: Node, name: str, alphas: Iterator[float], betas: Iterator[float]) -> Function:
    if name in _PLAIN:
        return _PLAIN[name]
    if name not in _DEFAULTS:
        raise node.unsupported(f"has the activation {name!r}", f"use one of {', '.join([*_PLAIN, *_DEFAULTS])}")
    alpha, beta = next(alphas, _DEFAULTS[name][0]), _DEFAULTS[name][1]
    if name in ("affine", "scaledtanh", "hardsigmoid"):
        beta = next(betas, beta)
    if alpha is None or (beta is None and name in ("affine", "scaledtanh")):
        raise node.invalid(f"gives no alpha or beta for the activation {name!r}", "give them")
    return _parametrised(name, alpha, beta or 0.0)


def _run(
    layer: Layer, direction: int, state: Values, projected: Value, constants: Constants, step: Step
) -> tuple[Value, Values]:
    """The outputs of all steps `[time, batch, hidden]`, and the last state."""
    builder = layer.node.builder
    valid, backward = layer.valid(), layer.is_backward(direction)
    return run_steps(builder, builder.node, step, state, projected, constants.kept, valid=valid, backward=backward)


def _results(layer: Layer, runs: Sequence[tuple[Value, Values]]) -> list[Value]:
    """Y, Y_h and the other states, the directions side by side."""
    y = concat([unsqueeze(outputs, [1]) for outputs, _ in runs], 1)
    states = [
        concat([unsqueeze(state, [0]) for state in column], 0) for column in zip(*(s for _, s in runs), strict=True)
    ]
    if _flag(layer.node, "layout"):
        return [transpose(y, [2, 0, 1, 3]), *(transpose(state, [1, 0, 2]) for state in states)]
    return [y, *states]


def _biases(layer: Layer, direction: int) -> tuple[Value, Value] | None:
    """The biases of the product with the input and of the recurrent product."""
    size = layer.gates * layer.hidden
    both = layer.of_direction(3, direction, 2 * size)
    return None if both is None else (take(both, 0, 0, size), take(both, 0, size, size))


def _summed(biases: tuple[Value, Value] | None) -> Value | None:
    return None if biases is None else biases[0] + biases[1]


def summed_bias(layer: Layer, direction: int) -> Value | None:
    """The biases of the input's and of the recurrent product of a direction, added up."""
    return _summed(_biases(layer, direction))


def _rnn(node: Node) -> list[Value]:
    layer = _layer(node, 1, ["Tanh"])
    return _results(layer, [_rnn_direction(layer, direction) for direction in range(layer.directions)])


def _rnn_direction(layer: Layer, direction: int) -> tuple[Value, Values]:
    projected = layer.projected(direction, summed_bias(layer, direction))
    constants, activation = Constants(), layer.functions[direction]
    product = product_of(constants.add(layer.weight(2, direction, layer.hidden)))
    step = rnn_step(product, lambda x: activation(layer.clipped(x)))
    return _run(layer, direction, [layer.initial(5, direction)], projected, constants, step)


def _lstm(node: Node) -> list[Value]:
    return lstm(node, _lstm_direction)


def lstm(node: Node, run: Callable[[Layer, int], tuple[Value, Values]], *, transposed: bool = False) -> list[Value]:
    """An LSTM each of whose directions is computed by `run`; `transposed` weights are `[directions, input, gates]`."""
    if _flag(node, "input_forget"):
        raise node.unsupported("couples its input and forget gates", "leave input_forget out")
    layer = _layer(node, 4, ["Sigmoid", "Tanh", "Tanh"], 2 if transposed else 1)
    return _results(layer, [run(layer, direction) for direction in range(layer.directions)])


def _lstm_direction(layer: Layer, direction: int) -> tuple[Value, Values]:
    projected = layer.projected(direction, summed_bias(layer, direction))
    constants = Constants()
    product = product_of(constants.add(layer.weight(2, direction, layer.hidden)))
    return lstm_direction(layer, direction, projected, product, constants)


def lstm_direction(
    layer: Layer, direction: int, projected: Value, product: Product, constants: Constants
) -> tuple[Value, Values]:
    """The outputs and the last state of one direction; `product` is the product of the state and the recurrent
    weights."""
    peepholes = layer.of_direction(7, direction, 3 * layer.hidden)
    peep = None if peepholes is None else constants.add(peepholes)

    def argument(inner: Builder, kept: Values, gate: str, x: Value, cell: Value) -> Value:
        if peep is not None and gate in _PEEPHOLES:
            x = x + cell * gate_of(peep(inner, kept), _PEEPHOLES, gate, layer.hidden)
        return layer.clipped(x)

    state = [layer.initial(5, direction), layer.initial(6, direction)]
    step = lstm_step(product, "iofc", layer.functions[3 * direction : 3 * direction + 3], argument=argument)
    return _run(layer, direction, state, projected, constants, step)


def _gru(node: Node) -> list[Value]:
    layer = _layer(node, 3, ["Sigmoid", "Tanh"])
    return _results(layer, [_gru_direction(layer, direction) for direction in range(layer.directions)])


def _gru_direction(layer: Layer, direction: int) -> tuple[Value, Values]:
    biases, hidden = _biases(layer, direction), layer.hidden
    linear_first = _flag(layer.node, "linear_before_reset")
    constants = Constants()
    weights = layer.weight(2, direction, hidden)
    if linear_first:
        bias = None if biases is None else biases[0]
        recurrent = constants.add(weights)
        extra = None if biases is None else constants.add(layer.named(biases[1], "rb", direction))
    else:
        bias, extra = _summed(biases), None
        recurrent = constants.add(layer.named(take(weights, 1, 0, 2 * hidden), "r", direction))
    candidate = constants.add(layer.named(take(weights, 1, 2 * hidden, hidden), "rh", direction))
    step = gru_step(
        product_of(recurrent),
        "zrn",
        layer.functions[2 * direction : 2 * direction + 2],
        bias=extra,
        again=None if linear_first else product_of(candidate),
        limited=layer.clipped,
    )
    projected = layer.projected(direction, bias)
    return _run(layer, direction, [layer.initial(5, direction)], projected, constants, step)


def _flag(node: Node, name: str) -> bool:
    """A flag that older versions of the operator do not have."""
    return node.has(name) and node.flag(name)


IMPORTERS: Mapping[str, Importer] = {"GRU": _gru, "LSTM": _lstm, "RNN": _rnn}
