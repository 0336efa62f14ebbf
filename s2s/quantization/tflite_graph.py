"""A TFLite graph of 8-bit integers under construction: its tensors and operators, and what converts between them.

Images are `[N, C, H, W]` at the border, as in the ONNX model, and `[N, H, W, C]` in between, as TFLite's operators take
them; a value knows how it lies, and is transposed where an operator wants it otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from s2s.frontends.tflite.schema import options_class
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class Quant(NamedTuple):
    """A scale for all elements or for each index of an axis, and the integer that stands for 0."""

    scales: tuple[float, ...]
    zero_point: int = 0
    axis: int = 0
    bits: int = 8

    @property
    def scale(self) -> float:
        """The only scale."""
        [scale] = self.scales
        return scale


@frozen
class Value:
    """A tensor of the graph."""

    name: str
    shape: tuple[int, ...]
    """As it lies."""
    quant: Quant | None = None
    """None for floats."""
    is_last: bool = False
    """Whether channels are the last axis, of a tensor that has them second in the ONNX model."""
    data: Array | None = None
    """The integers of a constant."""
    is_added: bool = False
    """Whether the graph holds it; constants come to it when an operator reads them."""


class TfliteGraph:
    """Collects tensors and operators in the order of execution."""

    def __init__(self) -> None:
        self._tensors: dict[str, TensorSpec] = {}
        self._operators: list[OperatorSpec] = []

    def add(self, value: Value, kind: str = "") -> Value:
        """Add a tensor under a name of its own; `kind` is its type, of 8 bits or floats by default."""
        name, number = value.name, 1
        while name in self._tensors:
            number += 1
            name = f"{value.name}_{number}"
        quant = value.quant or Quant((), 0)
        self._tensors[name] = TensorSpec(
            name,
            value.shape,
            kind or ("" if value.data is not None else "FLOAT32" if value.quant is None else f"INT{value.quant.bits}"),
            value.data,
            quant.scales or None,
            quant.zero_point,
            quant.axis,
        )
        return replace(value, name=name, is_added=True)

    def constant(self, name: str, data: Array, quant: Quant | None = None, kind: str = "") -> Value:
        """Add a constant."""
        return self.add(Value(name, data.shape, quant, data=data), kind)

    def emit(self, builtin: str, inputs: Sequence[Value | None], result: Value, **fields: Any) -> Value:
        """Add an operator, and return its result; None is an operand that is left out."""
        tensor = self.add(result)
        held = [value if value is None or value.is_added else self.add(value) for value in inputs]
        names = ["" if value is None else value.name for value in held]
        self._operators.append(OperatorSpec(builtin, names, [tensor.name], options_class(builtin) or "", fields))
        return tensor

    def channels_last(self, value: Value) -> Value:
        """An image, or a tensor of four axes, with its second axis behind the others."""
        if value.is_last or len(value.shape) != 4:
            return value
        if value.data is not None:
            moved = np.asarray(value.data.transpose(0, 2, 3, 1), order="C")
            return replace(self.constant(value.name, moved, value.quant), is_last=True)
        return replace(self._transposed(value, (0, 2, 3, 1)), is_last=True)

    def channels_second(self, value: Value) -> Value:
        """A value as the ONNX model has it."""
        return replace(self._transposed(value, (0, 3, 1, 2)), is_last=False) if value.is_last else value

    def _transposed(self, value: Value, order: Sequence[int]) -> Value:
        shape = tuple(value.shape[axis] for axis in order)
        result = replace(value, name=f"{value.name}_moved", shape=shape)
        moved = [axis for axis in order if value.shape[axis] > 1]
        if moved == sorted(moved):
            return self.reshaped(value, result)
        axes = self.constant("order", np.array(order, np.int32))
        return self.emit("TRANSPOSE", [value, axes], result)

    def reshaped(self, value: Value, result: Value) -> Value:
        """The same elements in the same order under another shape."""
        shape = self.constant("shape", np.array(result.shape, np.int32))
        return self.emit("RESHAPE", [value, shape], result, new_shape=list(result.shape))

    def requantised(self, value: Value, quant: Quant | None, name: str) -> Value:
        """A value under another quantisation, or in floats."""
        if value.quant == quant:
            return value
        return self.emit("DEQUANTIZE" if quant is None else "QUANTIZE", [value], replace(value, name=name, quant=quant))

    def file(self, inputs: Sequence[Value], outputs: Mapping[str, Value]) -> bytes:
        """The file of the graph; outputs get the names that they are given under, where no input has one."""
        taken = {value.name for value in inputs}
        names = {value.name: name for name, value in outputs.items() if value.name not in taken}
        tensors = [replace(spec, name=names.get(name, name)) for name, spec in self._tensors.items()]
        operators = [
            replace(
                operator,
                inputs=[names.get(name, name) for name in operator.inputs],
                outputs=[names.get(name, name) for name in operator.outputs],
            )
            for operator in self._operators
        ]
        last = [names.get(value.name, value.name) for value in outputs.values()]
        return model([GraphSpec(tensors, operators, [value.name for value in inputs], last)], "made by s2s")
