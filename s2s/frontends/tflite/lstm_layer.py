"""Operands of one direction of an LSTM: which inputs hold which weights, and which parts the layer has.

The gates are `input`, `forget`, `cell` and `output`, in this order. Without weights of the input gate it is one less
the forget gate (coupled input and forget gates, CIFG).
"""

from collections.abc import Sequence

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.formulas import clamp, take
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.records import TensorInfo
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

GATES = ("input", "forget", "cell", "output")
INPUT, FORGET, CELL, OUTPUT = range(4)
LETTERS = "ifco"
"""The gates as `s2s.frontends.recurrent` calls them."""


@frozen
class Places:
    """Numbers of the inputs that make one direction; `first` holds the weights of the first gate."""

    first: int
    hidden: int
    cell: int
    norms: int | None = None
    """The first of the coefficients of layer normalisation."""
    auxiliary: int | None = None
    """The first of the weights of the auxiliary input."""
    backward: bool = False

    @property
    def recurrent(self) -> int:
        """The first of the recurrent weights."""
        return self.first + 4

    @property
    def peepholes(self) -> int:
        """The peephole weights of the input gate; the forget and output gates' follow."""
        return self.first + 8

    @property
    def biases(self) -> int:
        """The first of the biases."""
        return self.first + 11

    @property
    def projection(self) -> int:
        """The weights of the projection; its bias follows."""
        return self.first + 15


@frozen
class Lstm:
    """One direction of a layer: the gates that it has, and its numbers of cells and of outputs."""

    node: Node
    places: Places
    gates: Sequence[int]
    hidden: TensorInfo
    cell: TensorInfo

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.cell.shape[1]

    @property
    def outputs(self) -> int:
        """The number of outputs: one for each cell, unless they are projected."""
        return self.hidden.shape[1]

    def has(self, position: int | None) -> bool:
        """Whether the file gives an input."""
        return position is not None and self.node.optional(position) is not None

    def require(self, arrays: Sequence[Array], shape: tuple[int, ...], what: str) -> None:
        """Refuse constants of another shape."""
        for array in arrays:
            if array.shape != shape:
                raise self.node.invalid(f"{what} has shape {list(array.shape)}, {list(shape)} fits", "fix the model")

    def clipped(self, cell: Value) -> Value:
        """The cell state inside its limits."""
        limit = float(np.float32(self.node.options.CellClip()))
        if limit <= 0:
            return cell
        if not cell.is_float:
            limit = int(min(limit / self.cell.scalar()[0], 32767.0))
        return clamp(cell, -limit, limit)

    @property
    def order(self) -> str:
        """The letters of the gates that the layer has."""
        return "".join(LETTERS[gate] for gate in self.gates)

    def part(self, gates: Value, number: int) -> Value:
        """The columns of one gate."""
        return take(gates, gates.rank - 1, self.gates.index(number) * self.size, self.size)


def layer_of(node: Node, places: Places, x: Value) -> Lstm:
    """The layer whose state lies in variable tensors that fit the input `x`."""
    (_, hidden), (_, cell) = node.state(places.hidden), node.state(places.cell)
    if len(hidden.shape) != 2 or len(cell.shape) != 2:
        raise node.invalid(f"states {list(hidden.shape)} and {list(cell.shape)} have the wrong rank", "fix the model")
    kinds = {"float32": "float32", "int8": "int16", "int16": "int16"}
    if x.dtype.name not in kinds or hidden.dtype != x.dtype or cell.dtype.name != kinds[x.dtype.name]:
        raise node.unsupported(
            f"input, state and cell are {x.dtype}, {hidden.dtype} and {cell.dtype}",
            "use float32, or int8 or int16 with cells of int16",
        )
    coupled = node.optional(places.first) is None
    layer = Lstm(node, places, (FORGET, CELL, OUTPUT) if coupled else (INPUT, FORGET, CELL, OUTPUT), hidden, cell)
    if layer.outputs != layer.size and not layer.has(places.projection):
        raise node.invalid(f"has {layer.outputs} outputs of {layer.size} cells without a projection", "fix the model")
    return layer


def weights_of(layer: Lstm, first: int, columns: int) -> Array:
    """The weights of all gates, one after the other: `[gates * cells, columns]`; `first` is the first gate's."""
    parts = [layer.node.known(first + gate, f"weights of the {GATES[gate]} gate") for gate in layer.gates]
    layer.require(parts, (layer.size, columns), "a matrix of weights")
    return np.concatenate(parts)


def bias_of(layer: Lstm) -> Array:
    """The biases of all gates, one after the other."""
    parts = [layer.node.known(layer.places.biases + gate, "a bias") for gate in layer.gates]
    layer.require(parts, (layer.size,), "a bias")
    return np.concatenate(parts)
