"""Layers of floats with 8-bit weights (dynamic-range quantisation) against LiteRT's reference kernels."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import SAME, TensorSpec, single
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph.run import run_graph
from s2s.options import CompileOptions
from support.compiled import run_c

Shape = tuple[int, ...]


def layer(
    builtin: str, x: Shape, w: Shape, y: Shape, axis: int | None, options: str, fields: Mapping[str, Any], seed: int
) -> bytes:
    """A layer with 8-bit weights whose scales stand along `axis`; one scale for all if that is None."""
    random = np.random.default_rng(seed)
    weights = random.integers(-127, 128, w).astype(np.int8)
    scale = random.uniform(0.01, 0.05, 1 if axis is None else w[axis]).astype(np.float32)
    tensors = [TensorSpec("x", x), TensorSpec("w", w, data=weights, scale=scale, axis=axis or 0)]
    if builtin != "BATCH_MATMUL":
        tensors.append(TensorSpec("b", y[-1:], data=random.normal(0, 1, y[-1]).astype(np.float32)))
    if builtin == "TRANSPOSE_CONV":
        sizes = TensorSpec("sizes", (4,), data=np.asarray(y, np.int32))
        tensors = [sizes, tensors[1], tensors[0], tensors[2]]
    return single(builtin, tensors, [TensorSpec("y", y)], options, **fields)


WINDOW = {"padding": SAME, "stride_w": 2, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
ROWS, IMAGES, MATRICES = (3, 12), (2, 6, 7, 3), (2, 3, 8)
TRANSPOSED = ("TRANSPOSE_CONV", IMAGES, (4, 3, 3, 3), (2, 12, 14, 4))
CASES: Mapping[str, tuple[str, Shape, Shape, Shape, int | None, str, Mapping[str, Any]]] = {
    "product, symmetric": ("FULLY_CONNECTED", ROWS, (5, 12), (3, 5), None, "FullyConnectedOptions", {}),
    "product, with offsets": (
        *("FULLY_CONNECTED", ROWS, (5, 12), (3, 5), None, "FullyConnectedOptions"),
        {"asymmetric_quantize_inputs": True, "fused_activation_function": 1},
    ),
    "product, per channel": (
        *("FULLY_CONNECTED", ROWS, (5, 12), (3, 5), 0, "FullyConnectedOptions"),
        {"asymmetric_quantize_inputs": True},
    ),
    "convolution": ("CONV_2D", IMAGES, (4, 3, 3, 3), (2, 6, 4, 4), None, "Conv2DOptions", WINDOW),
    "convolution, per channel": ("CONV_2D", IMAGES, (4, 3, 3, 3), (2, 6, 4, 4), 0, "Conv2DOptions", WINDOW),
    "depthwise": (
        *("DEPTHWISE_CONV_2D", IMAGES, (1, 3, 3, 6), (2, 6, 7, 6), 3, "DepthwiseConv2DOptions"),
        {**WINDOW, "stride_w": 1, "depth_multiplier": 2},
    ),
    "transposed convolution": (
        *TRANSPOSED,
        None,
        "TransposeConvOptions",
        {"padding": SAME, "stride_w": 2, "stride_h": 2},
    ),
    "transposed convolution, per channel": (
        *(*TRANSPOSED, 0, "TransposeConvOptions"),
        {"padding": SAME, "stride_w": 2, "stride_h": 2, "fused_activation_function": 1},
    ),
    "matrices": (
        *("BATCH_MATMUL", MATRICES, (2, 8, 5), (2, 3, 5), None, "BatchMatMulOptions"),
        {"asymmetric_quantize_inputs": True},
    ),
}


def inputs_of(shape: Shape, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of different ranges, the last of them of zeros."""
    random = np.random.default_rng(100 + seed)
    x = random.normal(0.5, 1, shape).astype(np.float32) * random.uniform(0.1, 9, (shape[0], *[1] * (len(shape) - 1)))
    x[-1] *= seed % 2
    return x.astype(np.float32)


def assert_close(found: Any, expected: Any):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * float(np.abs(expected).max()))


@pytest.mark.parametrize("name", CASES)
def test_hybrid_layers_equal_the_reference(name: str):
    for seed in range(6):
        data, x = layer(*CASES[name], seed), inputs_of(CASES[name][1], seed)
        imported = import_model(data)
        [found] = run_graph(imported.module, [x], imported.weights)
        assert_close(found, run_litert(data, [x])[0])


@pytest.mark.parametrize("name", ["product, with offsets", "convolution, per channel", "transposed convolution"])
def test_hybrid_layers_in_c_equal_the_reference(name: str):
    data, x = layer(*CASES[name], 1), inputs_of(CASES[name][1], 1)
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        [found] = run_c(artifact, [x])
    assert_close(found, run_litert(data, [x])[0])


def test_weights_with_a_zero_point_are_refused():
    w = TensorSpec("w", (5, 4), data=np.ones((5, 4), np.int8), scale=0.1, zero_point=3)
    data = single("FULLY_CONNECTED", [TensorSpec("x", (1, 4)), w], [TensorSpec("y", (1, 5))], "FullyConnectedOptions")
    with pytest.raises(UnsupportedError, match="weights have a zero point; quantise weights symmetrically"):
        import_model(data)
