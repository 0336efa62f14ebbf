"""Small networks about which the compiler has something to decide: one for each kind of decisions."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from support.onnx_text import onnx_model

FUSED = onnx_model(
    "(float[1, 4, 12, 12] x) => (float[1, 4, 6, 6] y) "
    "{ [pool] a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)"
    "  [sigmoid] b = Sigmoid (a) [product] c = Mul (b, a) [relu] y = Relu (c) }"
)
ATTENTION = onnx_model(
    "(float[2, 24, 8] q, float[2, 8, 24] k, float[2, 24, 8] v) => (float[2, 24, 8] y) "
    "{ [scores] s = MatMul (q, k) [softmax] p = Softmax <axis = -1> (s) [weighted] y = MatMul (p, v) }"
)
BRANCHES = onnx_model(
    "(float[8, 8] x) => (float[8, 8] y) { [a] a = MatMul (x, x) [b] s = Softmax (x) [c] y = MatMul (a, s) }"
)
NEEDLESS = onnx_model(
    "(float[1, 1, 8, 8] x) => (float[1, 1, 8, 8] y) "
    "<float[3, 1, 1, 1] w = {1, 0, 2}, float[1, 3, 1, 1] v = {3, 4, 5}> "
    "{ [first] a = Conv (x, w) [relu] b = Relu (a) [second] y = Conv (b, v) }"
)
THREADS = onnx_model("(float[200, 256] x, float[256, 256] w) => (float[200, 256] y) { [product] y = MatMul (x, w) }")
PRODUCT = onnx_model(
    "(float[48, 40] a, float[32, 40] b) => (float[48, 32] y) "
    "{ [turned] t = Transpose <perm = [1, 0]> (b) [product] y = MatMul (a, t) }"
)
SMALL_PRODUCT = onnx_model("(float[24, 40] a, float[40, 64] b) => (float[24, 64] y) { [product] y = MatMul (a, b) }")
WINDOWS = onnx_model(
    "(float[1, 16, 32, 32] x) => (float[1, 16, 10, 10] y) "
    "{ [pool] y = AveragePool <kernel_shape = [5, 5], strides = [3, 3]> (x) }"
)
LARGE_WINDOWS = onnx_model(
    "(float[1, 4, 21, 20] x) => (float[1, 4, 11, 10] y) "
    "{ [pool] y = MaxPool <kernel_shape = [7, 7], strides = [2, 2], pads = [3, 3, 3, 3]> (x) }"
)
SMALL_WINDOWS = onnx_model(
    "(float[1, 16, 9, 9] x) => (float[1, 16, 8, 8] y) { [pool] y = AveragePool <kernel_shape = [2, 2]> (x) }"
)


def bottleneck(rows: int = 32, columns: int = 32) -> onnx.ModelProto:
    """A chain whose images are larger than half of a small cache."""
    random = np.random.default_rng(0)
    shapes = {"expand": (40, 4, 1, 1), "slide": (40, 1, 3, 3), "project": (12, 40, 1, 1)}
    stored = [
        numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name) for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "expand"], ["a"], "expand"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("Conv", ["b", "slide"], ["c"], "slide", group=40, pads=[1] * 4),
        helper.make_node("Conv", ["c", "project"], ["d"], "project"),
        helper.make_node("MaxPool", ["d"], ["y"], "pool", kernel_shape=[2, 2]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, rows, columns])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "bottleneck", [x], [y], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def layer(op: str, w: tuple[int, ...], x: tuple[int, ...], y: tuple[int, ...], **more: Any) -> onnx.ModelProto:
    """A network of one layer with constant weights."""
    values = np.random.default_rng(0).standard_normal(w) / np.sqrt(np.prod(w[1:]))
    stored = numpy_helper.from_array(values.astype(np.float32), "w")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x), ("y", y))]
    node = helper.make_node(op, ["x", "w"], ["y"], "layer", **more)
    graph = helper.make_graph([node], "g", ports[:1], ports[1:], [stored])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


TRANSPOSED = layer("ConvTranspose", (8, 6, 4, 4), (1, 8, 7, 7), (1, 6, 14, 14), strides=[2, 2], pads=[1, 1, 1, 1])
GROUPS = layer("Conv", (16, 4, 3, 3), (1, 16, 9, 9), (1, 16, 7, 7), group=4)
WINOGRAD = layer("Conv", (64, 64, 3, 3), (1, 64, 28, 28), (1, 64, 28, 28), pads=[1, 1, 1, 1])
TREES = onnx_model(
    "(float[4, 3] x) => (float[4, 1] y) { [trees] y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, "
    "nodes_treeids = [0, 0, 0, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2], "
    'nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"], '
    "nodes_featureids = [2, 0, 0, 0, 0, 0], nodes_values = [0.5, 0.0, 0.0, -0.25, 0.0, 0.0], "
    "nodes_truenodeids = [1, 0, 0, 1, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 0, 0], "
    "target_treeids = [0, 0, 1, 1], target_nodeids = [1, 2, 1, 2], target_ids = [0, 0, 0, 0], "
    "target_weights = [1.0, -2.0, 0.5, 4.0]> (x) }",
    ml=True,
)
JOINED = onnx_model(
    "(float[1, 16, 6, 6] x) => (float[1, 32, 3, 3] y) "
    "{ [one] a = MaxPool <kernel_shape = [2, 2]> (x) [two] b = AveragePool <kernel_shape = [2, 2]> (x)"
    "  [joined] c = Concat <axis = 1> (a, b) [last] y = MaxPool <kernel_shape = [2, 2], strides = [2, 2], "
    "pads = [1, 1, 0, 0]> (c) }"
)
