"""A network over a sliding window under construction: values of one batch, of channels and frames.

What stands beside a window in an operator is drawn of every class: a constant, an input of the caller, a state of the
run before, a number computed of the whole window, another value that moves with the frames.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.fuzz.engines import IR_VERSION
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

OPSET = 17
FRAMES = 2
"""The axis of frames."""
STREAMS, STATES = "streams", "states"
"""Metadata of a model, in JSON: the axis and the frames a run of each window, and the output of each state."""
GRID = 8
"""Constants are multiples of 1 / GRID, so that sums of their products are exact."""


@frozen
class Value:
    """A tensor `[1, channels, frames]` of floats."""

    name: str
    channels: int
    frames: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Its shape."""
        return (1, self.channels, self.frames)


class StreamNetwork:
    """A model to which operators are added."""

    def __init__(self, random: Random, prefix: str) -> None:
        self.random, self.prefix = random, prefix
        self.values: list[Value] = []
        self.drawn: list[str] = []
        self._nodes: list[onnx.NodeProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._streams: dict[str, tuple[int, int | None]] = {}
        self._states: dict[str, str] = {}
        self._names = self._new_names()

    def _new_names(self) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"{self.prefix}v{number}"

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self._nodes)

    # ---------------------------------------------------------------- values

    def window(self, channels: int, frames: int, step: int | None) -> Value:
        """A new input that slides along its frames, by `step` frames a run."""
        value = Value(self.input((1, channels, frames)), channels, frames)
        self._streams[value.name] = FRAMES, step
        self.values.append(value)
        return value

    def input(self, shape: Sequence[int], dtype: int = onnx.TensorProto.FLOAT) -> str:
        """A new input, which the caller passes in each run."""
        name = next(self._names)
        self._inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def state(self, shape: Sequence[int], update: Callable[[str], str]) -> str:
        """A new input that is what `update` computed of it in the run before."""
        name = self.input(shape)
        self._states[name] = self.output(update(name), shape)
        return name

    def constant(self, array: Any, dtype: Any = np.int64) -> str:
        """A new constant."""
        name = next(self._names)
        self._constants.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def weight(self, shape: Sequence[int], scale: float = 1.0) -> str:
        """A new constant of floats."""
        return self.constant(self.numbers(shape) * scale, np.float32)

    def numbers(self, shape: Sequence[int]) -> Array:
        """Random numbers between -1 and 1."""
        count = int(np.prod(shape, dtype=np.int64))
        drawn = [self.random.randint(-GRID, GRID) / GRID for _ in range(count)]
        return np.asarray(drawn, np.float32).reshape(tuple(shape))

    def existing(self, wanted: Callable[[Value], bool] = lambda _: True) -> Value | None:
        """A value that is there already, a late one the most often; None if there is none."""
        fitting = [each for each in self.values if wanted(each)]
        if not fitting:
            return None
        return fitting[-1 - min(int(self.random.expovariate(0.7)), len(fitting) - 1)]

    def beside(self, value: Value) -> str:
        """A second operand for `value`, of a shape that broadcasts to its own and of any class."""
        kinds = (self._constant_beside, self._input_beside, self._reduced, self._moving, self._carried)
        return self.random.choice(kinds)(value)

    def parameter(self, shape: Sequence[int]) -> str:
        """A weight: a constant the most often, else an input or a state."""
        kind = self.random.random()
        if kind < 0.7:
            return self.weight(shape)
        return self.input(shape) if kind < 0.9 else self._carried_of(shape)

    def shape_beside(self, value: Value) -> tuple[int, ...]:
        """A shape that broadcasts to the shape of `value`."""
        channels, frames = value.channels, value.frames
        return self.random.choice([(), (1,), (channels, 1), (1, channels, 1), (1, 1, frames), value.shape])

    def _constant_beside(self, value: Value) -> str:
        return self.weight(self.shape_beside(value))

    def _input_beside(self, value: Value) -> str:
        return self.input(self.shape_beside(value))

    def _carried(self, value: Value) -> str:
        return self._carried_of(self.shape_beside(value))

    def _carried_of(self, shape: Sequence[int]) -> str:
        half, one = self.constant(0.5, np.float32), self.constant(0.25, np.float32)
        return self.state(shape, lambda name: self.op("Add", self.op("Mul", name, half), one))

    def _reduced(self, value: Value) -> str:
        """A number, or one a channel, of a whole window."""
        if self.random.random() < 0.4:
            pool = self.random.choice(("GlobalAveragePool", "GlobalMaxPool"))
            return self.op("Sigmoid", self.op(pool, value.name))
        kind, axes = self.random.choice(("ReduceMean", "ReduceMax", "ReduceL2")), self.random.choice(([2], [1, 2]))
        return self.op("Sigmoid", self.op(kind, value.name, axes=axes, keepdims=1))

    def _moving(self, value: Value) -> str:
        """The last frames of a value of as many channels, or of one."""
        other = self.existing(lambda each: each.channels in (1, value.channels) and each.frames >= value.frames)
        assert other is not None
        behind = self.random.choice((0, other.frames - value.frames))
        return self.sliced(other.name, behind, behind + value.frames, 2) if other.frames > value.frames else other.name

    # ------------------------------------------------------------------ nodes

    def op(self, kind: str, *operands: str, **attributes: Any) -> str:
        """Add a node and return the name of its result."""
        return self.ops(kind, *operands, outputs=1, **attributes)[0]

    def ops(self, kind: str, *operands: str, outputs: int, **attributes: Any) -> list[str]:
        """Add a node and return the names of its results."""
        results = [next(self._names) for _ in range(outputs)]
        self._nodes.append(helper.make_node(kind, operands, results, **attributes))
        return results

    def sliced(self, name: str, begin: int, end: int, axis: int, step: int = 1) -> str:
        """The elements of a value from `begin` to `end` along an axis."""
        return self.op("Slice", name, *(self.constant([each]) for each in (begin, end, axis, step)))

    def add(self, name: str, channels: int, frames: int) -> None:
        """Let later operators read a result."""
        self.values.append(Value(name, channels, frames))

    def output(self, name: str, shape: Sequence[int]) -> str:
        """A new output with the numbers of a value."""
        result = self.op("Identity", name)
        self._outputs.append(helper.make_tensor_value_info(result, onnx.TensorProto.FLOAT, shape))
        return result

    # ------------------------------------------------------------------ whole

    def model(self) -> onnx.ModelProto:
        """The model, with its options as metadata."""
        graph = helper.make_graph(self._nodes, "streams", self._inputs, self._outputs, self._constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(made, {STREAMS: json.dumps(self._streams), STATES: json.dumps(self._states)})
        return made
