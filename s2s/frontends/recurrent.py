"""RNN, GRU and LSTM cells, and the scan that runs a cell over a sequence, for the importers of all formats.

    y_t, h_t = step(x_t, h_{t-1})

One product projects the inputs of all steps before; a step adds the product of its state with the recurrent weights and
applies the gates, which fuse element by element. A format tells the order of its gates by letters: `iofc` are the
input, output, forget and cell gate of ONNX's LSTM, `rzn` the reset, update and new gate of torch's GRU.
"""

from collections.abc import Callable, Sequence
from functools import partial

from s2s.dialects import graph
from s2s.frontends.activations import composed, sigmoid
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import select, take
from s2s.frontends.networks import Values, scan

Function = Callable[[Value], Value]
Operand = Callable[[Builder, Values], Value]
"""An operand inside of a step, from its builder and the values that are kept from step to step."""
Product = Callable[[Builder, Value, Values], Value]
"""The product of a state with the recurrent weights, from the builder of a step, the state, and what is kept."""
Argument = Callable[[Builder, Values, str, Value, Value], Value]
"""The argument of a gate's function, from the letter of the gate, its columns, and the cell that it may see."""
Step = Callable[[Builder, Values, Value, Values], Values]
"""The new state, the output first, from the builder of a step, the old state, the projected input, and what is kept."""


class Constants:
    """Operands of steps: constants become constants of the step's own network, which its schedule may lay out; others
    are kept from step to step."""

    def __init__(self) -> None:
        self.kept: Values = []

    def add(self, value: Value) -> Operand:
        """Return the function that gives `value` inside of a step."""
        array, number = value.array, len(self.kept)
        if array is not None:
            return lambda inner, _: inner.constant(array, value.name)
        self.kept.append(value)
        return lambda _, kept: kept[number]


def tanh(x: Value) -> Value:
    """Return the hyperbolic tangent of each element."""
    return emit(graph.TanhOp, x)


def product_of(weights: Operand) -> Product:
    """Return the product with `weights`, `[units, columns]`."""
    return lambda inner, state, kept: emit(graph.MatmulOp, state, weights(inner, kept))


def gate_of(gates: Value, order: str, gate: str, size: int) -> Value:
    """Return one gate of `size` columns; the last dimension of `gates` holds all gates in their `order`."""
    return take(gates, gates.rank - 1, order.index(gate) * size, size)


def rnn_step(product: Product, activation: Function) -> Step:
    """Return the step `h = activation(x + product(h))`."""

    def step(inner: Builder, state: Values, x: Value, kept: Values) -> Values:
        with composed(inner, "rnn_cell"):
            return [activation(product(inner, state[0], kept) + x)]

    return step


def lstm_cell(
    inner: Builder,
    cell: Value,
    gate: Callable[[str, Value], Value],
    order: str,
    functions: Sequence[Function] = (sigmoid, tanh, tanh),
    limited: Function = lambda cell: cell,
) -> Values:
    """Return the output and the new cell, from the old one and the argument of each gate, told by its letter and the
    cell that it may see. Without an input gate, `fco`, it is one less the forget gate."""
    f, g, h = functions
    with composed(inner, "lstm_cell"):
        i = f(gate("i", cell)) if "i" in order else None
        forget = f(gate("f", cell))
        new = limited(forget * cell + (1.0 - forget if i is None else i) * g(gate("c", cell)))
    with composed(inner, "lstm_hidden"):
        return [f(gate("o", new)) * h(new), new]


def lstm_step(
    product: Product,
    order: str,
    functions: Sequence[Function] = (sigmoid, tanh, tanh),
    *,
    argument: Argument = lambda _, __, ___, x, ____: x,
    limited: Function = lambda cell: cell,
    project: Product = lambda _, hidden, __: hidden,
) -> Step:
    """Return the step of an LSTM; `limited` limits its cell, `project` makes its output of what the cell gives."""

    def step(inner: Builder, state: Values, x: Value, kept: Values) -> Values:
        with composed(inner, "lstm_gates"):
            gates = product(inner, state[0], kept) + x

        def gate(name: str, seen: Value) -> Value:
            return argument(inner, kept, name, gate_of(gates, order, name, seen.shape[1]), seen)

        hidden, cell = lstm_cell(inner, state[1], gate, order, functions, limited)
        return [project(inner, hidden, kept), cell]

    return step


def gru_step(
    product: Product,
    order: str,
    functions: Sequence[Function] = (sigmoid, tanh),
    *,
    bias: Operand | None = None,
    again: Product | None = None,
    limited: Function = lambda gate: gate,
) -> Step:
    """Return the step of a GRU. Its reset gate works on the recurrent product with its `bias`, or on the state, which
    `again` multiplies with the weights of the new gate."""
    f, g = functions

    def step(inner: Builder, state: Values, x: Value, kept: Values) -> Values:
        (old,) = state
        with composed(inner, "gru_gates"):
            gates = product(inner, old, kept)
            gates = gates if bias is None else gates + bias(inner, kept)
        of_input, of_state = (partial(gate_of, values, order, size=old.shape[1]) for values in (x, gates))
        with composed(inner, "gru_cell"):
            z, r = (f(limited(of_input(gate) + of_state(gate))) for gate in "zr")
            inside = r * of_state("n") if again is None else again(inner, r * old, kept)
            n = g(limited(of_input("n") + inside))
            return [(1.0 - z) * n + z * old]

    return step


def run_steps(
    builder: Builder,
    name: str,
    step: Step,
    state: Sequence[Value],
    projected: Value,
    kept: Sequence[Value] = (),
    *,
    valid: Value | None = None,
    backward: bool = False,
) -> tuple[Value, Values]:
    """Return the outputs of all steps `[time, batch, units]`, and the last state.

    `projected` is `[time, batch, columns]`. Where `valid`, `[time, batch, 1]`, is false, the state stays as it is and
    the output is 0.
    """

    def body(inner: Builder, carried: Values, slices: Values, constants: Values) -> tuple[Values, Values]:
        for value, letter in zip((*carried, slices[0]), "hcx" if len(carried) == 2 else "hx", strict=True):
            value.name = ""  # until now it is called after its place among the arguments
            value.call(letter)
        new = step(inner, carried, slices[0], constants)
        if valid is None:
            return new, [new[0]]
        held = [select(slices[1], value, old) for value, old in zip(new, carried, strict=True)]
        return held, [select(slices[1], new[0], 0.0)]

    scanned = [projected] if valid is None else [projected, valid]
    walked, steps = range(len(scanned) + 1) if backward else (), projected.shape[0]
    last, (outputs,) = scan(
        builder, name, body, carried=state, scanned=scanned, kept=kept, steps=steps, backward=walked
    )
    return outputs, last
