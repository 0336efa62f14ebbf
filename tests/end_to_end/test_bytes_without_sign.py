"""Floats that TFLite quantises to bytes without sign: the C gives TFLite's bytes, at halves, limits and NaN too."""

import numpy as np
import pytest

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import tensor
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.options import CompileOptions
from support.compiled import run_c

STEP = np.float32(0.0373)
HALVES = (np.arange(-140, 160) + 0.5).astype(np.float32) * STEP
EDGES = [0.0, -0.0, 1e-40, 1e9, -1e9, 3e38, -3e38, np.inf, -np.inf]
X = np.concatenate([HALVES, np.nextafter(HALVES, 0), np.nextafter(HALVES, 9), np.array(EDGES, np.float32)])[None]


def network(zero_point: int) -> bytes:
    floats = TensorSpec("f", X.shape, "FLOAT32")
    numbers = TensorSpec("q", X.shape, "UINT8", scale=float(STEP), zero_point=zero_point)
    operator = OperatorSpec("QUANTIZE", ["f"], ["q"], "QuantizeOptions")
    return model([GraphSpec([floats, numbers], [operator], ["f"], ["q"])])


@pytest.mark.parametrize("zero_point", [0, 120, 255])
@pytest.mark.parametrize("target", ["c", "cortex-m0", "cortex-m4", "cortex-m55"])
def test_bytes_without_sign(target: str, zero_point: int) -> None:
    with np.errstate(over="ignore"):
        quotient = (X / STEP).astype(np.float64)
    away = np.copysign(np.floor(np.abs(quotient) + 0.5), quotient)
    expected = np.clip(away + zero_point, 0, 255).astype(np.uint8)
    with api.compile(network(zero_point), target=target, name="net") as artifact:
        [found] = run_c(artifact, [X])
    np.testing.assert_array_equal(found, expected)


def test_they_take_the_short_operation() -> None:
    compilation = Compilation(network(120), CompileOptions(target="cortex-m4", name="net"))
    assert any(isinstance(op, tensor.QuantizeOp) for op in compilation.at("tensor").module.walk())
