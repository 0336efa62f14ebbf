"""Recurrent layers: their weights by direction, the ranges of what a step computes, and the step in QDQ form.

A GRU computes, with gates `z` and `r` as sigmoids of sums of `x @ W` and `h @ R`:

    n = tanh(x_n + r * (h @ R_n))        h' = z * h + (1 - z) * n

An LSTM computes `c' = f * c + i * g` and `h' = o * tanh(c')`. In QDQ form each of these values has 8 bits: the
functions of the gates become tables, products and sums become integers. `h` and `c` are rounded once a step.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from s2s.types.dtypes import Array

STEPS = 127
"""Steps from zero to the largest value of a symmetric range of 8 bits."""
UNIT = float(np.float32(1 / STEPS))
"""The scale of values in `[-1, 1]`."""
SIGMOID = float(np.float32(1 / 255)), -128
"""Scale and zero point of values in `[0, 1]`. A product with one is never in the middle between two steps of the other
factor's scale, as 255 is odd: floats and integers round it alike."""
TINY = 1e-9
"""The least range: an output channel may have no weight but zero."""
Value = TypeVar("Value")
GATES = {"GRU": 3, "LSTM": 4}
OF_SIGMOID, OF_TANH = 8.0, 4.0
"""The largest argument that is told apart: the functions are within half a step of their ends from there on."""


class Cell(NamedTuple):
    """What a step computes."""

    operator: str
    units: int
    """Elements of a state."""
    resets_after: bool
    """Whether the reset gate of a GRU multiplies the product, not the state."""


class Direction(NamedTuple):
    """The weights of a layer that runs along a sequence in one direction."""

    operator: str
    inputs: Array
    """`W` by columns: [inputs, gates * units]."""
    states: Array
    """`R` by columns: [units, gates * units]."""
    bias: Array
    """What is added to `x @ W`."""
    state_bias: Array
    """What is added to `h @ R`."""
    resets_after: bool = True

    @property
    def units(self) -> int:
        """Elements of a state."""
        return len(self.states)

    @property
    def cell(self) -> Cell:
        """What its steps compute."""
        return Cell(self.operator, self.units, self.resets_after)


class Product(NamedTuple):
    """The weights of `x @ weights + bias`: int8 with a scale for each output, and int32 in the scales of the sums."""

    weights: Array
    scales: Array
    bias: Array
    sums: Array


class Writer(Protocol[Value]):
    """Writes the operators of a step in some format: nodes of ONNX, or calls of PyTorch."""

    def constant(self, values: float) -> Value:
        """Return a number."""
        ...

    def add(self, operator: str, *inputs: Value) -> Value:
        """Return the result of an operator of ONNX."""
        ...

    def quantize(self, x: Value, scale: float, zero_point: int = 0) -> Value:
        """Return `x` in int8."""
        ...

    def dequantize(self, x: Value, scale: float, zero_point: int = 0) -> Value:
        """Return int8 in floats."""
        ...

    def rounded(self, x: Value, scale: float, zero_point: int = 0) -> Value:
        """Return `x` rounded to a step of `scale`."""
        ...

    def product(self, x: Value, product: Product) -> Value:
        """Return `x @ weights + bias`."""
        ...

    def columns(self, x: Value, begin: int, end: int) -> Value:
        """Return a slice of the last axis of the matrix `x`."""
        ...


Ranges = dict[str, float]
"""The largest absolute value of each part of a step."""
States = Sequence[Array]


def direction(operator: str, w: Array, r: Array, b: Array | None, *, resets_after: bool) -> Direction:
    """Return the weights of one direction of a node: `w[gates * units, inputs]`, `r[gates * units, units]`."""
    rows = len(w)
    both = np.zeros(2 * rows, np.float32) if b is None else b
    bias, state_bias = both[:rows].copy(), both[rows:].copy()
    shared = rows if operator == "LSTM" else rows - r.shape[1]
    bias[:shared] += state_bias[:shared]
    state_bias[:shared] = 0
    return Direction(operator, w.T, r.T, bias, state_bias, resets_after)


def observe(layer: Direction, x: Array, states: States, ranges: Ranges) -> Array:
    """Run a layer of floats on the sequence `x[steps, batch, inputs]`, and widen `ranges` to what its steps compute;
    return the state `h` behind each step."""

    def saw(name: str, value: Array) -> Array:
        ranges[name] = max(ranges.get(name, 0.0), float(np.abs(value).max(initial=0.0)))
        return value

    projected = saw("projected", saw("x", x) @ layer.inputs + layer.bias)
    step = _gru_step if layer.operator == "GRU" else _lstm_step
    sequence: list[Array] = []
    for each in projected:
        states = step(layer, each, states, saw)
        sequence.append(states[0])
    return np.stack(sequence)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _gru_step(layer: Direction, p: Array, states: States, saw: Callable[[str, Array], Array]) -> States:
    (h,), two = states, 2 * layer.units
    saw("h", h)
    r_of = layer.states[:, two:]
    product = saw("product", h @ layer.states[:, :two])
    z, r = np.split(_sigmoid(saw("gates", p[:, :two] + product)), 2, axis=-1)
    if layer.resets_after:
        reset = saw("reset", r * saw("product", h @ r_of + layer.state_bias[two:]))
    else:
        reset = saw("reset", (r * h) @ r_of + layer.state_bias[two:])
    n = np.tanh(saw("new", p[:, two:] + reset))
    return [z * h + (1 - z) * n]


def _lstm_step(layer: Direction, p: Array, states: States, saw: Callable[[str, Array], Array]) -> States:
    (h, c), three = states, 3 * layer.units
    saw("h", h)
    product = saw("product", h @ layer.states)
    i, o, f = np.split(_sigmoid(saw("gates", p[:, :three] + product[:, :three])), 3, axis=-1)
    g = np.tanh(saw("new", p[:, three:] + product[:, three:]))
    c = saw("c", f * saw("c", c) + i * g)
    return [o * np.tanh(c), c]


def scales_of(ranges: Ranges) -> Mapping[str, float]:
    """Return the scale of each part of a step."""
    wide = {**ranges, "h": max(1.0, ranges["h"])}
    wide["gates"], wide["new"] = min(wide["gates"], OF_SIGMOID), min(wide["new"], OF_TANH)
    return {name: float(np.float32(max(value, 1e-6) / STEPS)) for name, value in wide.items()}


def quantised_product(x_scale: float, weights: Array, bias: Array) -> Product:
    """Return the integers of `x @ weights + bias`, where `x` has steps of `x_scale`."""
    scales = (np.maximum(np.abs(weights).max(axis=0), TINY) / STEPS).astype(np.float32)
    sums = scales * np.float32(x_scale)
    info = np.iinfo(np.int32)
    rounded = np.clip(np.rint(bias.astype(np.float64) / sums), info.min, info.max)
    return Product(np.rint(weights / scales).astype(np.int8), scales, rounded.astype(np.int32), sums)


def step_products(layer: Direction, scales: Mapping[str, float]) -> list[Product]:
    """Return the products of the state in a step: one, or two where the reset gate multiplies the state before."""
    two = 2 * layer.units
    cuts = [slice(None)] if layer.resets_after else [slice(0, two), slice(two, None)]
    return [quantised_product(scales["h"], layer.states[:, cut], layer.state_bias[cut]) for cut in cuts]


def write_step(
    b: Writer[Value],
    cell: Cell,
    products: Sequence[Product],
    scales: Mapping[str, float],
    p: Value,
    states: Sequence[Value],
) -> list[Value]:
    """Write a step from the projected input `p` and the states in int8; return the new states."""
    if cell.operator == "GRU":
        return [_write_gru(b, cell, products, scales, p, states[0])]
    return _write_lstm(b, cell, products[0], scales, p, states)


def _write_gru(
    b: Writer[Value],
    cell: Cell,
    products: Sequence[Product],
    scales: Mapping[str, float],
    p: Value,
    state: Value,
) -> Value:
    units, two = cell.units, 2 * cell.units
    h, projected = b.dequantize(state, scales["h"]), b.dequantize(p, scales["projected"])
    product = b.rounded(b.product(h, products[0]), scales["product"])
    summed = b.add("Add", b.columns(projected, 0, two), b.columns(product, 0, two))
    gates = b.rounded(b.add("Sigmoid", b.rounded(summed, scales["gates"])), *SIGMOID)
    z, r = b.columns(gates, 0, units), b.columns(gates, units, two)
    if cell.resets_after:
        reset = b.add("Mul", r, b.columns(product, two, 3 * units))
    else:
        held = b.rounded(b.add("Mul", r, h), scales["h"])
        reset = b.product(held, products[1])
    new = b.add("Add", b.columns(projected, two, 3 * units), b.rounded(reset, scales["reset"]))
    n = b.rounded(b.add("Tanh", b.rounded(new, scales["new"])), UNIT)
    rest = b.rounded(b.add("Sub", b.constant(1), z), *SIGMOID)
    kept, taken = b.add("Mul", z, h), b.add("Mul", rest, n)
    return b.quantize(b.add("Add", b.rounded(kept, scales["h"]), b.rounded(taken, UNIT)), scales["h"])


def _write_lstm(
    b: Writer[Value],
    cell: Cell,
    weights: Product,
    scales: Mapping[str, float],
    p: Value,
    states: Sequence[Value],
) -> list[Value]:
    units, three = cell.units, 3 * cell.units
    h, c = b.dequantize(states[0], scales["h"]), b.dequantize(states[1], scales["c"])
    projected = b.dequantize(p, scales["projected"])
    product = b.rounded(b.product(h, weights), scales["product"])
    summed = b.add("Add", b.columns(projected, 0, three), b.columns(product, 0, three))
    gates = b.rounded(b.add("Sigmoid", b.rounded(summed, scales["gates"])), *SIGMOID)
    i, o, f = (b.columns(gates, at * units, (at + 1) * units) for at in range(3))
    new = b.add("Add", b.columns(projected, three, 4 * units), b.columns(product, three, 4 * units))
    g = b.rounded(b.add("Tanh", b.rounded(new, scales["new"])), UNIT)
    kept, taken = b.rounded(b.add("Mul", f, c), scales["c"]), b.rounded(b.add("Mul", i, g), UNIT)
    inner = b.quantize(b.add("Add", kept, taken), scales["c"])
    bent = b.rounded(b.add("Tanh", b.dequantize(inner, scales["c"])), UNIT)
    return [b.quantize(b.add("Mul", o, bent), scales["h"]), inner]
