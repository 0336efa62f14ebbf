"""Write nodes of ONNX in QDQ form: quantised weights and biases, and pairs of QuantizeLinear and DequantizeLinear."""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.types.dtypes import Array

STEPS = 127
"""Steps from zero to the largest value of a symmetric range of 8 bits."""
SIGMOID = 1 / 255, -128
"""Scale and zero point of values in `[0, 1]`. A product with one is never in the middle between two steps of the other
factor's scale, as 255 is odd: floats and integers round it alike."""
TINY = 1e-9
"""The least range: an output channel may have no weight but zero."""


def quantized_array(values: Array, scale: float) -> Array:
    """Return the steps of int8 that are nearest to `values`."""
    return np.clip(np.rint(values / np.float32(scale)), -STEPS - 1, STEPS)


class NodeWriter:
    """Nodes and constants of a graph under construction; all names begin with `prefix`."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._count = 0

    def name(self, hint: str) -> str:
        """Return a new name."""
        self._count += 1
        return f"{self.prefix}/{hint}_{self._count}"

    def constant(self, values: object, dtype: type[np.generic], hint: str = "constant") -> str:
        """Add a constant, and return its name."""
        name = self.name(hint)
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def add(self, operator: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        """Add a node with one result, and return the name of the result."""
        out = out or self.name(operator)
        self.nodes.append(helper.make_node(operator, list(inputs), [out], name=out, **attributes))
        return out

    def quantize(self, x: str, scale: float, zero_point: int = 0) -> str:
        """Add the quantisation of `x` to int8."""
        return self.add("QuantizeLinear", x, *self._parameters(scale, zero_point))

    def dequantize(self, x: str, scale: float, zero_point: int = 0, out: str | None = None) -> str:
        """Add the dequantisation of int8."""
        return self.add("DequantizeLinear", x, *self._parameters(scale, zero_point), out=out)

    def rounded(self, x: str, scale: float, zero_point: int = 0) -> str:
        """Add a pair of both: `x` rounded to a step of `scale`."""
        return self.dequantize(self.quantize(x, scale, zero_point), scale, zero_point)

    def product(self, x: str, x_scale: float, weights: Array, bias: Array) -> str:
        """Add `x @ weights + bias`, of `weights[inputs, outputs]` in int8 with a scale for each output."""
        scales = (np.maximum(np.abs(weights).max(axis=0), TINY) / STEPS).astype(np.float32)
        w = self._by_channel(np.rint(weights / scales), scales, np.int8, axis=1)
        sums = scales * np.float32(x_scale)
        info = np.iinfo(np.int32)
        b = self._by_channel(np.clip(np.rint(bias.astype(np.float64) / sums), info.min, info.max), sums, np.int32, 0)
        return self.add("Add", self.add("MatMul", x, w), b)

    def columns(self, x: str, begin: int, end: int) -> str:
        """Add a slice of the last axis of the matrix `x`."""
        bounds = (self.constant([each], np.int64) for each in (begin, end, -1))
        return self.add("Slice", x, *bounds)

    def _parameters(self, scale: float, zero_point: int) -> tuple[str, str]:
        return self.constant(scale, np.float32, "scale"), self.constant(zero_point, np.int8, "zero_point")

    def _by_channel(self, values: Array, scales: Array, dtype: type[np.generic], axis: int) -> str:
        stored = self.constant(values, dtype, "weights"), self.constant(scales, np.float32, "scales")
        return self.add("DequantizeLinear", *stored, axis=axis)
