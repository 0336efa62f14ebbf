"""Write nodes of ONNX in QDQ form: quantised weights and biases, and pairs of QuantizeLinear and DequantizeLinear."""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.quantization.recurrent_cells import STEPS, Product
from s2s.types.dtypes import Array


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

    def constant(self, values: object, dtype: type[np.generic] = np.float32, hint: str = "constant") -> str:
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

    def product(self, x: str, product: Product) -> str:
        """Add `x @ weights + bias`."""
        w = self._by_channel(product.weights, product.scales, axis=1)
        return self.add("Add", self.add("MatMul", x, w), self._by_channel(product.bias, product.sums, axis=0))

    def columns(self, x: str, begin: int, end: int) -> str:
        """Add a slice of the last axis of the matrix `x`."""
        bounds = (self.constant([each], np.int64) for each in (begin, end, -1))
        return self.add("Slice", x, *bounds)

    def _parameters(self, scale: float, zero_point: int) -> tuple[str, str]:
        return self.constant(scale, np.float32, "scale"), self.constant(zero_point, np.int8, "zero_point")

    def _by_channel(self, values: Array, scales: Array, axis: int) -> str:
        stored = self.constant(values, values.dtype.type, "weights"), self.constant(scales, hint="scales")
        return self.add("DequantizeLinear", *stored, axis=axis)
