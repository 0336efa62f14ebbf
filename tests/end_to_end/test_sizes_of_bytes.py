"""Layers of bytes over an axis of varying size give what onnxruntime gives of the floats between, within a step."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from support.onnx_text import onnx_file
from support.varying_networks import session

MOST = 7
LAYERS = {
    "mean": "y = ReduceMean <keepdims = 1> (r, axes)",
    "mean without its axes": "y = ReduceMean <keepdims = 0> (r, axes)",
    "sum": "y = ReduceSum <keepdims = 1> (r, axes)",
    "global pool": "y = GlobalAveragePool (r)",
    "mean of what was added": "a = Add (r, s) y = ReduceMean <keepdims = 1> (a, axes)",
    "mean of what was moved": "u = Transpose <perm = [0, 3, 2, 1]> (r) y = ReduceMean <keepdims = 1> (u, last)",
    "mean behind a layer": """c = Conv <pads = [0, 0, 0, 0]> (r, v) q = QuantizeLinear (c, s, o)
        d = DequantizeLinear (q, s, o) y = ReduceMean <keepdims = 1> (d, axes)""",
    "pool of windows": "y = AveragePool <kernel_shape = [2, 1]> (r)",
    "padded pool": "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (r)",
    "convolution": "y = Conv <pads = [1, 0, 1, 0], kernel_shape = [3, 1]> (r, w)",
    "product over the axis": "u = Transpose <perm = [0, 1, 3, 2]> (r) y = MatMul (u, r)",
    "softmax of it": "u = Transpose <perm = [0, 1, 3, 2]> (r) y = Softmax <axis = -1> (u)",
    "largest of it": "y = ReduceMax <keepdims = 1> (r, axes)",
    "added to its mean": "m = ReduceMean <keepdims = 1> (r, axes) y = Add (r, m)",
    "norm of it": "m = ReduceMean <keepdims = 1> (r, axes) c = Sub (r, m) e = Mul (c, c) "
    "f = ReduceMean <keepdims = 1> (e, axes) g = Sqrt (f) y = Add (c, g)",
    "product": "u = Transpose <perm = [0, 1, 3, 2]> (r) y = MatMul (r, u)",
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_bytes_of_varying_size(name: str, tmp_path: Path):
    file = onnx_file(
        f"""(uint8[1,2,N,3] x) => (uint8[a,b,c,d] z) <float s = {{0.02}}, uint8 o = {{108}}, float t = {{0.01}},
        int64[2] axes = {{2, 3}}, int64[1] last = {{2}},
        int8[2,2,3,1] wb = {{9, -90, 40, 7, 33, -8, 1, 2, 70, 5, -6, 17}},
        int8[2,2,1,1] vb = {{90, -20, 33, 41}}> {{ r = DequantizeLinear (x, s, o) w = DequantizeLinear (wb, t)
        v = DequantizeLinear (vb, t) {LAYERS[name]} p = Relu (y) z = QuantizeLinear (p, t, o) }}""",
        tmp_path,
        18,
    )
    least = 2 if "windows" in name else 1
    with api.compile(file, target="c", dims={"N": (least, MOST)}) as artifact:
        for size in range(least, MOST + 1):
            x = np.random.default_rng(size).integers(0, 256, (1, 2, size, 3)).astype(np.uint8)
            (expected,) = session(file).run(None, {"x": x})
            (value,) = artifact.run({"x": x}).values()
            assert value.shape == expected.shape
            assert np.abs(value.astype(int) - expected.astype(int)).max() <= 1
