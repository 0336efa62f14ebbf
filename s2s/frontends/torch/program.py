"""An exported program as plain records: what the importers see of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, NamedTuple

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class Ref(NamedTuple):
    """The result of another node, an input or a constant, by its name."""

    name: str


class DType(NamedTuple):
    """An element type that an operator is given: the name that torch has for it, without `torch.`."""

    name: str


Argument = Ref | DType | int | float | complex | bool | str | None | Sequence["Argument"]
"""What an operator is given. Lists are tuples; a memory format, a device or a layout is its text."""


class TensorInfo(NamedTuple):
    """The type of a tensor as torch inferred it; None stands for a size that depends on an input's."""

    dtype: str
    shape: tuple[int | None, ...]


Info = TensorInfo | Literal["number"] | None


class Call(NamedTuple):
    """One node: an operator on named arguments."""

    name: str
    target: str
    """`aten.add.Tensor`, `higher_order.cond`, `operator.getitem`."""
    arguments: Mapping[str, Argument]
    """All arguments of the operator's schema by name, defaults included."""
    results: tuple[Info, ...]
    used: frozenset[int]
    """Which of several results some node reads."""
    place: str
    """Module path and source line, for provenance and messages."""


@frozen
class Graph:
    """Calls in order, from the names of the inputs to the names of the outputs."""

    inputs: tuple[str, ...]
    calls: tuple[Call, ...]
    outputs: tuple[Argument, ...]
    graphs: Mapping[str, Graph] = field(default_factory=dict[str, "Graph"])
    """The graphs that calls of this one run, by the names of the nodes that stand for them."""


class Input(NamedTuple):
    """A tensor that the caller passes."""

    node: str
    name: str
    info: TensorInfo
    sizes: tuple[str, ...] = ()
    """For each axis its open size, a name or a formula of names: `4*q`; empty where it is constant."""
    fixed: tuple[int, ...] = ()
    """The axes that the export left open, and whose size the program fixes."""


class Bounds(NamedTuple):
    """The values of an open size that the export allows."""

    least: int
    most: int | None
    step: int = 1
    """The difference between neighbouring values."""


class Buffer(NamedTuple):
    """A tensor of a module that the program changes: the node that reads it, and the result that it becomes."""

    node: str
    name: str
    initial: Array
    result: str


class Program(NamedTuple):
    """An exported program: its graph, what the caller passes and gets, and the values of parameters and buffers."""

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    numbers: Mapping[str, int | float | bool | None]
    """Inputs that are no tensors, with the value each had at the export, by node."""
    constants: Mapping[str, tuple[str, Array]]
    """Parameters, buffers that stay as they are and constant tensors by node: their names and values."""
    buffers: tuple[Buffer, ...]
    outputs: tuple[tuple[str, Argument], ...]
    """Names and values of what the caller gets."""
    producer: str
    sizes: Mapping[str, Bounds] = {}
    """The open sizes of inputs by name: the name of a `torch.export.Dim`, else `x_dim0` for the first axis of `x`,
    each after the first axis that has it."""


NUMPY: Mapping[str, np.dtype[np.generic]] = {
    "bool": np.dtype(np.bool_),
    "uint8": np.dtype(np.uint8),
    "uint16": np.dtype(np.uint16),
    "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "float16": np.dtype(np.float16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
"""The element types of torch that numpy has under the same name."""
