"""Small sound models, each of another kind, from which hostile ones are made."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.types.dtypes import Array
from support.onnx_text import onnx_model


def convolutions() -> onnx.ModelProto:
    """A convolutional network with its weights."""
    rng = np.random.default_rng(0)
    weights = {
        "w1": rng.normal(size=(4, 3, 3, 3)).astype(np.float32),
        "b1": rng.normal(size=4).astype(np.float32),
        "stats": np.ones(4, np.float32),
        "w2": rng.normal(size=(4 * 16, 5)).astype(np.float32),
        "shape": np.array([1, -1], np.int64),
        "pads": np.array([0, 0, 1, 1, 0, 0, 0, 0], np.int64),
    }
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["padded"], mode="constant"),
        helper.make_node("Conv", ["padded", "w1", "b1"], ["a"], pads=[1, 1, 1, 1], strides=[1, 1], group=1, name="c1"),
        helper.make_node("BatchNormalization", ["a", "stats", "stats", "stats", "stats"], ["n"], epsilon=1e-3),
        helper.make_node("Relu", ["n"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        helper.make_node("AveragePool", ["p"], ["q"], kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
        helper.make_node("Resize", ["q", "", "", "sizes"], ["u"], mode="linear"),
        helper.make_node("Reshape", ["u", "shape"], ["flat"]),
        helper.make_node("Gemm", ["flat", "w2"], ["g"], alpha=0.5),
        helper.make_node("Softmax", ["g"], ["y"], axis=-1),
    ]
    weights["sizes"] = np.array([1, 4, 4, 4], np.int64)
    return _model(nodes, [("x", (1, 3, 7, 7))], [("y", (1, 5))], weights)


def shape_arithmetic() -> onnx.ModelProto:
    """Shapes computed as exporters write them."""
    return onnx_model(
        """(float[2, 3, 4] x) => (float[M, N] y) <int64[1] last = {-1}, int64 zero = {0}, int64[1] front = {0}> {
            s = Shape(x)
            b = Gather(s, zero)
            u = Unsqueeze(b, front)
            target = Concat <axis = 0> (u, last)
            flat = Reshape(x, target)
            n = Size(x)
            step = Constant <value_int = 2> ()
            half = Div(n, step)
            steps = Range(zero, half, step)
            c = Cast <to = 1> (steps)
            k = ConstantOfShape <value = float[1] {0.5}> (u)
            k2 = Unsqueeze(k, last)
            y0 = Mul(flat, k2)
            start = Constant <value_ints = [1]> ()
            end = Constant <value_ints = [-2]> ()
            axes = Constant <value_ints = [1]> ()
            y1 = Slice(y0, start, end, axes)
            t = Transpose <perm = [1, 0]> (y1)
            r = ReduceSum <keepdims = 1> (c)
            y = Add(t, r)
        }"""
    )


def control_flow() -> onnx.ModelProto:
    """If, Loop and Scan with bodies."""
    return onnx_model(
        """(float[3, 4] x, bool flag) => (float[4] y, float[5, 4] z) <int64 trips = {5}, bool true = {1}> {
            cond = Constant <value = bool {1}> ()
            a = If (cond) <
                then_branch = one () => (float[3, 4] p) { p = Neg(x) },
                else_branch = two () => (float[3, 4] q) { q = Softmax <axis = 1> (x) }>
            s = ReduceSum <keepdims = 0> (a)
            first = Constant <value = float[4] {1, 2, 3, 4}> ()
            y0, z = Loop (trips, true, first) <
                body = l (int64 i, bool c, float[4] v) => (bool d, float[4] w, float[4] o) {
                    d = Identity(c) w = Add(v, s) o = Mul(w, w)
                }>
            y1, all = Scan <num_scan_inputs = 1,
                body = b (float[4] state, float[4] row) => (float[4] next, float[4] out) {
                    next = Add(state, row) out = Relu(next)
                }> (y0, x)
            y = If (flag) <
                then_branch = three () => (float[4] t) { t = Identity(y1) },
                else_branch = four () => (float[4] u) { u = Exp(y1) }>
        }"""
    )


def functions() -> onnx.ModelProto:
    """Local functions that call each other, with attributes handed on."""
    text = """
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        g (float[2, 3] x) => (float[2, 3] y) { a = local.twice <factor = 2.0> (x) y = local.scaled <alpha = 3.0> (a) }
        <domain: "local", opset_import: ["" : 17, "local" : 1]>
        twice <factor> (p) => (q) { h = local.scaled <alpha : float = @factor> (p) q = Add(h, p) }
        <domain: "local", opset_import: ["" : 16]>
        scaled <alpha> (v) => (w) {
            k = Constant <value_float : float = @alpha> () e = Elu <alpha : float = @alpha> (v) w = Mul(e, k)
        }"""
    return onnx.parser.parse_model(text)


def quantised() -> onnx.ModelProto:
    """A quantised layer between float ones, and operators with index operands."""
    return onnx_model(
        """(float[4, 6] x) => (float[4, 3] y) <float s = {0.1}, uint8 z = {3}, int64[2, 2] i = {0, 1, 3, 2},
            int8[6, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18},
            float[3] sw = {0.1, 0.2, 1}> {
            q = QuantizeLinear(x, s, z)
            d = DequantizeLinear(q, s, z)
            wd = DequantizeLinear <axis = 1> (w, sw)
            m = MatMul(d, wd)
            g = Gather <axis = 0> (m, i)
            r = ReduceMean <axes = [1], keepdims = 0> (g)
            c = Concat <axis = 0> (r, r)
            three = Constant <value_ints = [3]> ()
            v, p = TopK <axis = 1> (c, three)
            pf = Cast <to = 1> (p)
            b = Constant <value = bool[1] {1}> ()
            y = Where(b, v, pf)
        }"""
    )


SEEDS: Sequence[Callable[[], onnx.ModelProto]] = (convolutions, shape_arithmetic, control_flow, functions, quantised)


def _model(
    nodes: list[onnx.NodeProto],
    inputs: list[tuple[str, tuple[int, ...]]],
    outputs: list[tuple[str, tuple[int, ...]]],
    weights: Mapping[str, Array],
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "seed",
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
