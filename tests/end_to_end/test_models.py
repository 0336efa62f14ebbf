"""Whole models through C against onnxruntime, and their memory plans against the lower bound."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import numpy_helper

from s2s import api
from s2s.artifact import Artifact
from s2s.data.samples import sample
from s2s.frontends.onnx import load_model
from s2s.types.dtypes import Array, tensor_type
from support.compiled import run_c
from support.project import SHARED
from support.threads import one_thread

FOLDER = SHARED / "models" / "onnx"
MAX_RATIO = 1.05
"""Arena over the sum of what is alive at once."""
FLOAT_MODELS = (
    *("mlp", "tiny_ad_autoencoder", "tiny_ic_resnet8", "tiny_kws_dscnn", "tiny_vww_mobilenet"),
    *("op_conv1x1_28_128_256", "op_conv3x3_56_64_64", "op_dwconv3x3_112_32", "op_gemm_256"),
    *("op_layernorm_128x256", "op_relu_16", "op_softmax_1000"),
)
INT8_MODELS = ("tiny_ad_autoencoder_int8", "tiny_ic_resnet8_int8", "tiny_kws_dscnn_int8", "tiny_vww_mobilenet_int8")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the models are not there")


def made_up_inputs(artifact: Artifact) -> dict[str, Array]:
    return {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}


def by_onnxruntime(name: str, inputs: Mapping[str, Array]) -> list[Array]:
    runtime: Any = onnxruntime
    options = one_thread()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(str(FOLDER / f"{name}.onnx"), options, providers=["CPUExecutionProvider"])
    return [np.asarray(value) for value in session.run(None, dict(inputs))]


def last_step(name: str) -> float:
    """The scale of the DequantizeLinear that gives the output."""
    graph = load_model(FOLDER / f"{name}.onnx").proto.graph
    scales = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    return float(scales[graph.node[-1].input[1]])


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", FLOAT_MODELS)
def test_float_model_gives_what_onnxruntime_gives(name: str):
    with api.compile(FOLDER / f"{name}.onnx") as artifact:
        inputs = made_up_inputs(artifact)
        for found, expected in zip(run_c(artifact, list(inputs.values())), by_onnxruntime(name, inputs), strict=True):
            largest = float(np.abs(expected).max())
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * largest)
        report = artifact.report()
        assert report.arena <= MAX_RATIO * report.arena_lower_bound


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", INT8_MODELS)
def test_quantised_model_is_within_a_step_of_onnxruntime(name: str):
    """QDQ models are computed in floats between the quantised values; a tie that rounds the other way is one step."""
    with api.compile(FOLDER / f"{name}.onnx") as artifact:
        inputs = made_up_inputs(artifact)
        for found, expected in zip(run_c(artifact, list(inputs.values())), by_onnxruntime(name, inputs), strict=True):
            assert float(np.abs(found - expected).max()) <= 1.01 * last_step(name)
        report = artifact.report()
        assert report.arena <= MAX_RATIO * report.arena_lower_bound


@pytest.mark.parametrize("name", ["gru_kws", "lstm"])
def test_recurrent_model_gives_what_onnxruntime_gives(name: str):
    with api.compile(FOLDER / f"{name}.onnx") as artifact:
        inputs = made_up_inputs(artifact)
        for found, expected in zip(run_c(artifact, list(inputs.values())), by_onnxruntime(name, inputs), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
