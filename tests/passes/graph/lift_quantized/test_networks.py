"""QDQ networks: every layer becomes an integer one, and outputs stay within stated steps of onnxruntime's floats."""

from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import numpy_helper
from xdsl.dialects.builtin import i8, i32

from s2s.analysis.numbers.accumulators import sum_bound
from s2s.dialects import graph
from s2s.frontends.onnx import Imported, import_model, load_model
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.registry import get_pass
from s2s.types.dtypes import Array, as_tensor_type
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.project import SHARED
from support.threads import one_thread

FOLDER = SHARED / "models" / "onnx"
LAYERS = {
    "tiny_ad_autoencoder_int8": 10,
    "tiny_ic_resnet8_int8": 10,
    "tiny_kws_dscnn_int8": 10,
    "tiny_vww_mobilenet_int8": 28,
}
SEEDS = range(8)
STEPS = 1
"""A value that lies in the middle between two steps may go to either: sums are exact here, and floats there."""

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the models are not there")


def transformed(name: str, *passes: str) -> Imported:
    imported = import_model(load_model(FOLDER / f"{name}.onnx"))
    for each in passes:
        get_pass(each)().apply(CompilerContext(imported.weights), imported.module)
    imported.module.verify()
    return imported


def worst_in_steps(name: str, imported: Imported) -> float:
    """The largest difference to onnxruntime over several inputs, in steps of the output."""
    proto = load_model(FOLDER / f"{name}.onnx").proto
    scales = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}
    step = float(scales[proto.graph.node[-1].input[1]])
    runtime: Any = onnxruntime
    options = one_thread()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    unsigned = with_unsigned_weights(proto).SerializeToString()
    session = runtime.InferenceSession(unsigned, options, providers=["CPUExecutionProvider"])
    [port] = session.get_inputs()
    shape = tuple(int(size) for size in port.shape)
    worst = 0.0
    for seed in SEEDS:
        x: Array = np.random.default_rng(seed).standard_normal(shape, np.float32)
        [expected], [found] = session.run(None, {port.name: x}), run_graph(imported.module, [x], imported.weights)
        worst = max(worst, float(np.abs(found - expected).max()) / step)
    return round(worst, 3)


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_is_an_integer_one_and_cannot_overflow(name: str):
    imported = transformed(name, "graph-lift-quantized")
    layers = [op for op in imported.module.walk() if isinstance(op, graph.ConvOp | graph.MatmulOp)]
    assert len(layers) == LAYERS[name]
    for op in layers:
        assert [as_tensor_type(operand.type).element_type for operand in op.operands[:2]] == [i8, i8]
        assert as_tensor_type(op.y.type).element_type == i32
        bound = sum_bound(op, imported.weights)
        assert bound is not None
        assert bound.fits


@pytest.mark.parametrize("name", LAYERS)
def test_weights_stay_bytes(name: str):
    passes = ("graph-lift-quantized", "graph-fold-constants", "graph-eliminate-dead-code")
    imported = transformed(name, *passes)
    weights = [op for op in imported.module.walk() if isinstance(op, graph.WeightOp)]
    large = [op for op in weights if len(as_tensor_type(op.y.type).get_shape()) > 1 and op.y.uses]
    sizes = {str(as_tensor_type(op.y.type).element_type): 0 for op in large}
    for op in large:
        kind = as_tensor_type(op.y.type)
        sizes[str(kind.element_type)] += kind.element_count()
    assert sizes["i8"] > 5 * sizes.get("f32", 0)


@pytest.mark.parametrize("name", LAYERS)
def test_lifted_network_is_within_a_step_of_onnxruntime(name: str):
    assert worst_in_steps(name, transformed(name, "graph-lift-quantized")) <= STEPS


@pytest.mark.parametrize("name", LAYERS)
def test_network_in_fixed_point_is_within_a_step_of_onnxruntime(name: str):
    imported = transformed(name, "graph-lift-quantized", "graph-requantize-in-fixed-point")
    assert not [op for op in imported.module.walk() if isinstance(op, graph.RoundOp)][2:]
    assert worst_in_steps(name, imported) <= STEPS
