"""Networks that between them use most of what the runtime has for vectors: convolutions, attention, integers."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

from s2s import api
from s2s.types.dtypes import Array
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits"


def convolutions() -> onnx.ModelProto:
    """First layer, depthwise, pointwise with channels that fill no block, residual, pools, fully connected."""
    body = """(float[1, 3, 16, 16] x) => (float[1, 10] y) {
        a0 = Conv <pads = [1, 1, 1, 1]> (x, w0, b0) a = Relu (a0)
        d0 = Conv <pads = [1, 1, 1, 1], group = 24> (a, w1) d = Clip (d0, low, high)
        p = Conv (d, w2, b2) r = Add (p, a)
        s0 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (r, w3, b3) s = HardSwish (s0)
        m = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (s)
        g = GlobalAveragePool (m) f = Flatten (g) l = Gemm <transB = 1> (f, w4, b4) y = Softmax (l)
    }"""
    shapes = {"w0": (24, 3, 3, 3), "b0": (24,), "w1": (24, 1, 3, 3), "w2": (24, 24, 1, 1), "b2": (24,)}
    shapes |= {"w3": (40, 24, 3, 3), "b3": (40,), "w4": (10, 40), "b4": (10,)}
    return _model(body, shapes, {"low": 0.0, "high": 6.0})


def transformer() -> onnx.ModelProto:
    """Two heads of attention between normalisations, with GELU behind."""
    body = """(float[1, 20, 32] x) => (float[1, 20, 32] y)
        <int64[4] heads = {1, 20, 2, 16}, int64[3] merged = {1, 20, 32}> {
        n = LayerNormalization (x, scale, bias)
        q0 = MatMul (n, wq) k0 = MatMul (n, wk) v0 = MatMul (n, wv)
        q1 = Reshape (q0, heads) k1 = Reshape (k0, heads) v1 = Reshape (v0, heads)
        q = Transpose <perm = [0, 2, 1, 3]> (q1) k = Transpose <perm = [0, 2, 3, 1]> (k1)
        v = Transpose <perm = [0, 2, 1, 3]> (v1)
        s0 = MatMul (q, k) s = Mul (s0, root) p = Softmax <axis = -1> (s) o0 = MatMul (p, v)
        o1 = Transpose <perm = [0, 2, 1, 3]> (o0) o = Reshape (o1, merged) r = Add (x, o)
        h0 = MatMul (r, w1) h1 = Div (h0, sqrt2) h2 = Erf (h1) h3 = Add (h2, one) h4 = Mul (h0, h3) h = Mul (h4, half)
        t0 = MatMul (h, w2) t = Tanh (t0) y = Add (r, t)
    }"""
    shapes = {"scale": (32,), "bias": (32,), "wq": (32, 32), "wk": (32, 32), "wv": (32, 32), "w1": (32, 64)}
    return _model(body, {**shapes, "w2": (64, 32)}, {"root": 0.25, "sqrt2": 2.0**0.5, "one": 1.0, "half": 0.5})


def integers() -> onnx.ModelProto:
    """The digit classifier in int8, as quantisation to QDQ makes it."""
    return api.quantize(DIGITS / "digits.onnx", DIGITS / "calibration.npz").model


def unsigned() -> onnx.ModelProto:
    """Unsigned bytes and weights with zero points: convolutions, a table, a product found to have another range each
    time."""
    body = """(float[1, 3, 12, 12] x) => (float[1, 10] y) {
        x0 = QuantizeLinear (x, s, z) x1 = DequantizeLinear (x0, s, z) w1 = DequantizeLinear (w, t, u)
        c0 = Conv <pads = [1, 1, 1, 1]> (x1, w1) c1 = QuantizeLinear (c0, s, z) c2 = DequantizeLinear (c1, s, z)
        g0 = Sigmoid (c2) g1 = QuantizeLinear (g0, h, n) g2 = DequantizeLinear (g1, h, n)
        m0 = Mul (c2, g2) m1 = QuantizeLinear (m0, s, z) m2 = DequantizeLinear (m1, s, z)
        v1 = DequantizeLinear (v, t, u)
        d0 = Conv <group = 24, strides = [2, 2]> (m2, v1) d1 = QuantizeLinear (d0, s, z)
        d2 = DequantizeLinear (d1, s, z) a = GlobalAveragePool (d2) f = Flatten (a)
        q, r, o = DynamicQuantizeLinear (f) p0 = MatMulInteger (q, l, o, u) p = Cast <to = 1> (p0) y = Mul (p, r)
    }"""
    scalars = {"s": np.float32(0.03), "t": np.float32(0.01), "h": np.float32(1 / 256)}
    scalars |= {"z": np.uint8(120), "u": np.uint8(99), "n": np.uint8(0)}
    shapes = {"w": (24, 3, 3, 3), "v": (24, 1, 3, 3), "l": (24, 10)}
    random = np.random.default_rng(0)
    weights = {name: random.integers(0, 256, shape, np.uint8) for name, shape in shapes.items()}
    return _model(body, {}, {}, {name: np.asarray(value) for name, value in (scalars | weights).items()})


NETWORKS: dict[str, Callable[[], onnx.ModelProto]] = {
    "convolutions": convolutions,
    "transformer": transformer,
    "integers": integers,
    "unsigned": unsigned,
}


def _model(
    body: str, shapes: dict[str, tuple[int, ...]], scalars: dict[str, float], arrays: Mapping[str, Array] | None = None
) -> onnx.ModelProto:
    """The model `body`, with random weights of `shapes`, which keep the numbers near 1, and others as given."""
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {body}')
    random = np.random.default_rng(0)
    for name, shape in shapes.items():
        fan_in = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
        values = random.standard_normal(shape) / np.sqrt(fan_in)
        model.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), name))
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in (arrays or {}).items())
    for name, value in scalars.items():
        model.graph.initializer.append(helper.make_tensor(name, TensorProto.FLOAT, [], [value]))
    return model


def written(network: str, folder: Path) -> Path:
    """The model as a file."""
    path = folder / f"{network}.onnx"
    path.write_bytes(NETWORKS[network]().SerializeToString())
    return path
