"""Concatenations and splits without copies: the same numbers in no more memory, by both executors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.frontends.onnx import load_model
from s2s.options import CompileOptions, Executor
from s2s.verify.engines import run_engine

SIDE = 6
TARGET = "x86-64-v3"


class Net:
    """A network that is being written."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.rng = np.random.default_rng(7)

    def node(self, kind: str, *inputs: str, results: int = 1, **attributes: Any) -> list[str]:
        """Append a node; the names of its results."""
        names = [f"v{len(self.nodes)}_{number}" for number in range(results)]
        self.nodes.append(helper.make_node(kind, inputs, names, f"{kind.lower()}{len(self.nodes)}", **attributes))
        return names

    def conv(self, x: str, inputs: int, outputs: int, kernel: int = 1) -> str:
        """A convolution and its relu."""
        name = f"w{len(self.weights)}"
        values = self.rng.standard_normal((outputs, inputs, kernel, kernel)).astype(np.float32) / inputs
        self.weights.append(numpy_helper.from_array(values, name))
        [y] = self.node("Conv", x, name, pads=[kernel // 2] * 4)
        return self.node("Relu", y)[0]

    def model(self, y: str) -> onnx.ModelProto:
        """What has been written, with one input of three channels."""
        ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, SIDE, SIDE])]
        outputs = [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)]
        made = helper.make_graph(self.nodes, "parts", ports, outputs, self.weights)
        return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def inception() -> onnx.ModelProto:
    """Branches side by side."""
    net = Net()
    x = net.conv("x", 3, 16)
    branches = [net.conv(x, 16, 8), net.conv(net.conv(x, 16, 8), 8, 16, 3), net.conv(x, 16, 24)]
    [y] = net.node("Concat", *branches, axis=1)
    return net.model(net.conv(y, 48, 4))


def densenet() -> onnx.ModelProto:
    """Each layer reads all layers before it."""
    net = Net()
    layers = [net.conv("x", 3, 16)]
    for count in range(1, 4):
        [x] = net.node("Concat", *layers, axis=1) if count > 1 else [layers[0]]
        layers.append(net.conv(x, 8 + 8 * count, 8, 3))
    [y] = net.node("Concat", *layers, axis=1)
    return net.model(net.conv(y, 40, 4))


def shuffle() -> onnx.ModelProto:
    """Half of the channels go through a convolution, the others do not; twice, with the halves exchanged."""
    net = Net()
    x = net.conv("x", 3, 32)
    for _ in range(2):
        left, right = net.node("Split", x, results=2, axis=1)
        [x] = net.node("Concat", net.conv(right, 16, 16, 3), net.conv(left, 16, 16), axis=1)
    return net.model(net.conv(x, 32, 4))


def unet() -> onnx.ModelProto:
    """A concatenation of what was there long ago."""
    net = Net()
    early = net.conv("x", 3, 8)
    wide = net.conv(net.conv(early, 8, 64), 64, 8)
    [y] = net.node("Concat", early, wide, axis=1)
    return net.model(net.conv(y, 16, 4))


NETWORKS = [inception, densenet, shuffle, unet]


@pytest.mark.sample(3)
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_parts_keep_the_numbers(network: Callable[[], onnx.ModelProto], executor: Executor):
    model = network()
    x = {"x": np.random.default_rng(3).standard_normal((1, 3, SIDE, SIDE)).astype(np.float32)}
    [expected] = run_engine("onnxruntime", load_model(model), x)
    with api.compile(model, target=TARGET, executor=executor, poison=executor == "aot") as artifact:
        [found] = artifact.run(x).values()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("network", [inception, densenet, shuffle])
def test_no_concatenation_is_computed(network: Callable[[], onnx.ModelProto]):
    module = Compilation(network(), CompileOptions(target=TARGET)).at("tensor").module
    called = [op.callee.string_value() for op in module.walk() if isinstance(op, graph.CallOp)]
    assert not any("concat" in name or "slice" in name or "split" in name for name in called)
    assert any(isinstance(op, graph.ConcatOp) for op in module.walk())
