"""A small quantised ONNX network (QDQ) that `s2s prove` proves in some seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """Nodes and constants of a quantised network, as onnxruntime's quantiser writes them."""

    def __init__(self, dtype: type[np.integer] = np.int8) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.dtype = dtype
        self.numbers = np.random.default_rng(11)

    def constant(self, name: str, value: np.ndarray) -> str:
        """A constant."""
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node that is named as its output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def scale(self, name: str, scale: object, zero: object) -> list[str]:
        """The constants of a scale and a zero point."""
        return [
            self.constant(f"{name}_scale", np.asarray(scale, np.float32)),
            self.constant(f"{name}_zero", np.asarray(zero)),
        ]

    def quantised(self, source: str, name: str, scale: float, zero: int) -> str:
        """A tensor that is quantised and dequantised."""
        parts = self.scale(name, scale, self.dtype(zero))
        self.node("QuantizeLinear", [source, *parts], f"{name}_q")
        return self.node("DequantizeLinear", [f"{name}_q", *parts], f"{name}_d")

    def weights(self, name: str, shape: tuple[int, ...], step: float) -> list[str]:
        """Weights with a scale for each output channel, and a bias."""
        steps = np.array([0.004 + 0.0007 * i for i in range(shape[0])], np.float32)
        content = self.numbers.integers(-127, 128, shape).astype(np.int8)
        bias = self.numbers.integers(-900, 900, shape[0]).astype(np.int32)
        found: list[str] = []
        for part, numbers, scales in (("w", content, steps), ("b", bias, np.float32(step) * steps)):
            self.constant(f"{name}_{part}_q", numbers)
            zeros = np.zeros(shape[0], numbers.dtype)
            parts = self.scale(f"{name}_{part}", scales, zeros)
            found.append(self.node("DequantizeLinear", [f"{name}_{part}_q", *parts], f"{name}_{part}", axis=0))
        return found


def qdq_network(dtype: type[np.integer] = np.int8, total_scale: float = 0.08) -> bytes:
    """Convolutions (plain, depthwise, 1x1), residual sum, mean and matrix product, of floats that are quantised."""
    net = Network(dtype)
    least = int(np.iinfo(dtype).min)
    x = net.quantised("x", "input", 0.05, least + 131)
    conv = net.node("Conv", [x, *net.weights("conv", (8, 3, 3, 3), 0.05)], "conv", pads=[1, 1, 1, 1])
    first = net.quantised(net.node("Relu", [conv], "relu"), "first", 0.04, least)
    depth = net.node("Conv", [first, *net.weights("dw", (8, 1, 3, 3), 0.04)], "dw", pads=[1, 1, 1, 1], group=8)
    second = net.quantised(depth, "second", 0.06, least + 120)
    point = net.node("Conv", [second, *net.weights("point", (8, 8, 1, 1), 0.06)], "point")
    third = net.quantised(point, "third", 0.07, least + 141)
    total = net.quantised(net.node("Add", [first, third], "sum"), "total", total_scale, least + 117)
    mean = net.quantised(net.node("GlobalAveragePool", [total], "mean"), "average", 0.03, least + 100)
    flat = net.node("Flatten", [mean], "flat")
    scores = net.node("Gemm", [flat, *net.weights("fc", (3, 8), 0.03)], "fc", transB=1)
    net.quantised(scores, "scores", 0.02, least + 128)
    graph = helper.make_graph(
        net.nodes,
        "qdq",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 6, 5])],
        [helper.make_tensor_value_info("scores_d", TensorProto.FLOAT, [1, 3])],
        net.constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return made.SerializeToString()
