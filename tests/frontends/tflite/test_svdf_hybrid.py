"""SVDF of floats with 8-bit weights, several runs each, against LiteRT; convolutions in 3D, which LiteRT refuses."""

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import NONE, RELU, TensorSpec, single
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from support.compiled import run_c
from support.litert_lstm_cases import Runs, run_litert

T = TensorSpec
RUNS = 4


def svdf(seed: int) -> tuple[bytes, Runs]:
    """A layer, and the inputs of its runs; the last row of one of them is of zeros."""
    random = np.random.default_rng(seed)
    batch, depth, units, rank, memory = (int(n) for n in random.integers(1, [4, 9, 6, 4, 7]))
    filters = units * rank
    feature, time = (random.integers(-127, 128, (filters, size)).astype(np.int8) for size in (depth, memory))
    inputs = [
        T("x", (batch, depth)),
        T("feature", (filters, depth), data=feature, scale=float(random.uniform(0.01, 0.05))),
        T("time", (filters, memory), data=time, scale=float(random.uniform(0.01, 0.05))),
        T("bias", (units,), data=random.normal(size=units).astype(np.float32)) if seed % 2 else None,
        T("state", (batch, filters * memory), is_variable=True),
    ]
    data = single(
        *("SVDF", inputs, [T("y", (batch, units))], "SVDFOptions"),
        rank=rank,
        asymmetric_quantize_inputs=bool(random.integers(0, 2)),
        fused_activation_function=int(random.choice([NONE, RELU])),
    )
    runs = [[random.normal(0.3, 1, (batch, depth)).astype(np.float32)] for _ in range(RUNS)]
    runs[1][0][-1] = 0
    return data, runs


def assert_close(found: Runs, expected: Runs) -> None:
    reach = max(float(np.abs(values[0]).max()) for values in expected)
    for values, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(values[0], wanted[0], rtol=1e-6, atol=2e-6 * reach)


def check(seed: int) -> None:
    """Compare the graph of a layer with LiteRT."""
    data, runs = svdf(seed)
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    found = [run_graph(imported.module, values, imported.weights, state=state) for values in runs]
    assert_close(found, run_litert(data, runs))


@pytest.mark.parametrize("seed", range(16))
def test_svdf_with_8_bit_weights_equals_litert(seed: int):
    check(seed)


def test_svdf_with_8_bit_weights_in_c_equals_litert():
    data, runs = svdf(3)
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        assert_close([run_c(artifact, values) for values in runs], run_litert(data, runs))


def test_a_convolution_in_3d_with_8_bit_weights_is_refused_as_by_litert():
    weights = T("w", (2, 2, 2, 1, 3), data=np.ones((2, 2, 2, 1, 3), np.int8), scale=0.5)
    data = single("CONV_3D", [T("x", (1, 4, 4, 4, 1)), weights], [T("y", (1, 3, 3, 3, 3))], "Conv3DOptions")
    with pytest.raises(
        UnsupportedError, match="float32 input and int8 weights, for which TFLite has no kernel; convert"
    ):
        import_model(data)
    with pytest.raises(RuntimeError):
        run_litert(data, [[np.zeros((1, 4, 4, 4, 1), np.float32)]])
