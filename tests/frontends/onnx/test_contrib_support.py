"""What onnxruntime's quantiser and optimiser write: imported with its numbers, or refused with a reason."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import helper, numpy_helper

from benchmarks.contrib import schemas
from benchmarks.contrib_cases import CASES, model
from docs.onnx_support import CONTRIB
from s2s import api
from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model, load_model
from s2s.frontends.onnx.microsoft import IMPORTERS
from s2s.frontends.onnx.microsoft_refusals import REFUSALS
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.threads import one_thread

RUNTIME: Any = onnxruntime
FILES: Any = onnx
LEVELS: Any = RUNTIME.GraphOptimizationLevel
RNG = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Each test draws the same numbers, whichever ran before it."""
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def floats(*shape: int) -> Array:
    return (RNG.standard_normal(shape) * 0.3).astype(np.float32)


def network(nodes: list[Any], x: tuple[int, ...], weights: dict[str, Array]) -> onnx.ModelProto:
    """A network from `x` to `y`."""
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def images() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("Conv", ["r", "v"], ["c"], pads=[1] * 4),
        helper.make_node("Add", ["c", "r"], ["s"]),
        helper.make_node("Sigmoid", ["s"], ["g"]),
        helper.make_node("GlobalAveragePool", ["g"], ["p"]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "m"], ["y"], transB=1),
    ]
    weights = {"w": floats(16, 3, 3, 3), "b": floats(16), "v": floats(16, 16, 3, 3), "m": floats(5, 16)}
    return network(nodes, (1, 3, 8, 8), weights)


def recurrent() -> onnx.ModelProto:
    node = helper.make_node("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=8)
    return network([node], (6, 1, 4), {"w": floats(1, 32, 4), "r": floats(1, 32, 8), "b": floats(1, 64)})


def words() -> onnx.ModelProto:
    """A block of a transformer without attention: a product, a normalised sum, a Gelu written out."""
    constants = {"half": 0.5, "one": 1.0, "root": np.sqrt(2.0)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["a"]),
        helper.make_node("Div", ["a", "root"], ["d"]),
        helper.make_node("Erf", ["d"], ["e"]),
        helper.make_node("Add", ["e", "one"], ["f"]),
        helper.make_node("Mul", ["a", "f"], ["g"]),
        helper.make_node("Mul", ["g", "half"], ["h"]),
        helper.make_node("MatMul", ["h", "v"], ["q"]),
        helper.make_node("Add", ["q", "x"], ["s"]),
        helper.make_node("LayerNormalization", ["s", "gamma", "beta"], ["y"]),
    ]
    weights = {"w": floats(8, 32), "b": floats(32), "v": floats(32, 8), "gamma": floats(8), "beta": floats(8)}
    return network(nodes, (1, 5, 8), weights | {name: np.array(each, np.float32) for name, each in constants.items()})


def by_onnxruntime(proto: onnx.ModelProto, x: Array, level: Any, saved: Path | None = None) -> Array:
    options = one_thread()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    if saved is not None:
        options.optimized_model_filepath = str(saved)
    unsigned = with_unsigned_weights(proto).SerializeToString()
    session = RUNTIME.InferenceSession(unsigned, options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": x})[0])


def kinds(proto: onnx.ModelProto) -> set[str]:
    return {node.op_type for node in proto.graph.node if node.domain.startswith("com.microsoft")}


def ours(proto: onnx.ModelProto, x: Array) -> Array:
    imported = import_model(load_model(proto))
    [found] = run_graph(imported.module, [x], imported.weights)
    return np.asarray(found)


class Samples:
    """Inputs for calibration."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.rows = iter([{"x": floats(*shape)} for _ in range(4)])

    def get_next(self) -> Any:
        return next(self.rows, None)


def test_every_operator_that_onnxruntime_declares_is_imported_or_refused():
    declared = set(schemas())
    assert declared <= set(IMPORTERS) | set(REFUSALS)
    assert not set(IMPORTERS) & set(REFUSALS)
    assert json.loads(CONTRIB.read_text(encoding="utf-8"))["all"] == sorted(declared)


@pytest.mark.parametrize("name", ["BeamSearch", "QOrderedMatMul", "PackedAttention", "CDist"])
def test_refused_operators_are_refused_with_their_reason(name: str):
    proto = network([helper.make_node(name, ["x"], ["y"], name="node", domain="com.microsoft")], (2, 3), {})
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    with pytest.raises(UnsupportedError, match=REFUSALS[name][0]):
        import_model(load_model(proto))


@pytest.mark.parametrize(
    "name", ["QLinearConv with channels last", "DynamicQuantizeLSTM", "GatherBlockQuantized of nibbles", "QAttention"]
)
def test_operators_of_quantisers_give_the_same_in_c(name: str):
    case = CASES[name]
    with api.compile(model(case), target="c") as artifact:
        assert artifact.verify().passed


@pytest.mark.parametrize(("make", "written"), [(images, "FusedConv"), (words, "SkipLayerNormalization")])
def test_optimised_networks_saved_to_a_file_are_read(make: Any, written: str, tmp_path: Path):
    proto = make()
    x = floats(*(dim.dim_value for dim in proto.graph.input[0].type.tensor_type.shape.dim))
    expected = by_onnxruntime(proto, x, LEVELS.ORT_ENABLE_EXTENDED, tmp_path / "optimised.onnx")
    saved = FILES.load(tmp_path / "optimised.onnx")
    assert written in kinds(saved)
    np.testing.assert_allclose(ours(saved, x), expected, rtol=1e-4, atol=1e-5)


def test_networks_saved_in_blocks_of_the_processor_are_refused(tmp_path: Path):
    proto = images()
    by_onnxruntime(proto, floats(1, 3, 8, 8), LEVELS.ORT_ENABLE_ALL, tmp_path / "optimised.onnx")
    saved = FILES.load(tmp_path / "optimised.onnx")
    if not any(node.domain == "com.microsoft.nchwc" for node in saved.graph.node):
        pytest.skip("onnxruntime has no such operators for this processor")
    with pytest.raises(UnsupportedError, match="save the optimised model at level ORT_ENABLE_EXTENDED"):
        import_model(load_model(saved))


def test_lstm_of_the_dynamic_quantiser(tmp_path: Path):
    FILES.save(recurrent(), tmp_path / "lstm.onnx")
    quantize_dynamic = pytest.importorskip("onnxruntime.quantization").quantize_dynamic
    quantize_dynamic(tmp_path / "lstm.onnx", tmp_path / "quantised.onnx", op_types_to_quantize=["LSTM"])
    saved, x = FILES.load(tmp_path / "quantised.onnx"), floats(6, 1, 4)
    assert "DynamicQuantizeLSTM" in kinds(saved)
    expected = by_onnxruntime(saved, x, LEVELS.ORT_DISABLE_ALL)
    np.testing.assert_allclose(ours(saved, x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_images_of_the_static_quantiser_optimised_and_saved(form: str, tmp_path: Path):
    """QDQ networks become QLinear operators with channels last when onnxruntime optimises them."""
    quantization = pytest.importorskip("onnxruntime.quantization")
    FILES.save(images(), tmp_path / "images.onnx")
    quantization.quantize_static(
        tmp_path / "images.onnx",
        tmp_path / "quantised.onnx",
        Samples((1, 3, 8, 8)),
        quant_format=quantization.QuantFormat[form],
        activation_type=quantization.QuantType.QUInt8,
        reduce_range=True,  # onnxruntime saturates sums of pairs on processors without VNNI
    )
    saved, x = FILES.load(tmp_path / "quantised.onnx"), floats(1, 3, 8, 8)
    expected = by_onnxruntime(saved, x, LEVELS.ORT_ENABLE_ALL, tmp_path / "optimised.onnx")
    optimised = FILES.load(tmp_path / "optimised.onnx")
    assert {"QLinearConv", "QLinearAdd"} <= kinds(optimised)
    step = 0.02
    np.testing.assert_allclose(ours(optimised, x), expected, atol=step)
