"""Networks of any length, to see how compiling grows with them."""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.networks.builder import Network

CHANNELS = 8
SIZE = 16
NODES_PER_BLOCK = 3


def chain(nodes: int, *, distinct: bool) -> onnx.ModelProto:
    """Blocks of three nodes: a 3×3 convolution, relu, and the addition of the block's input.

    All layers have one shape, so a few kernels serve the whole network. `distinct` puts a clip in the place of relu, in
    each block with another limit, which is part of the kernel: then every block has a kernel of its own.
    """
    rng = np.random.default_rng(nodes)
    layers: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def weight(values: npt.ArrayLike) -> str:
        name = f"w{len(weights)}"
        weights.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(layers)}"
        layers.append(helper.make_node(kind, inputs, [name], f"{kind.lower()}{len(layers)}", **attributes))
        return name

    value = "x"
    while len(layers) < nodes:
        block = len(layers) // NODES_PER_BLOCK
        kernel = rng.standard_normal((CHANNELS, CHANNELS, 3, 3)) / (3 * CHANNELS)
        inner = node("Conv", value, weight(kernel), weight(rng.standard_normal(CHANNELS)), pads=[1, 1, 1, 1])
        if len(layers) < nodes:
            inner = node("Clip", inner, weight(0.0), weight(1.0 + block)) if distinct else node("Relu", inner)
        value = node("Add", inner, value) if len(layers) < nodes else inner
    shape = [1, CHANNELS, SIZE, SIZE]
    inputs, outputs = ([helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name in ("x", value))
    graph = helper.make_graph(layers, f"chain_{nodes}", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def convolutions(count: int) -> onnx.ModelProto:
    """`count` equal 3x3 convolutions of 16 channels, one after the other."""
    net = Network(f"convolutions_{count}")
    x = net.input(1, 16, SIZE, SIZE)
    for _ in range(count):
        x = net.conv(x, 16, 3)
    return net.model(x)
