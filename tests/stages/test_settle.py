"""Which networks have a golden vector."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import f32

from s2s.artifact import compile_artifact
from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.dialects import tensor
from s2s.emit.info import Tolerance
from s2s.options import CompileOptions
from s2s.stages.settle import Settled
from s2s.stages.tensor import Scheduled
from s2s.types.dtypes import tensor_type
from s2s.verify.expected import Expected
from s2s.verify.toolchain import run_program
from s2s.verify.verification import Judge
from support.onnx_text import onnx_model
from support.project import SHARED
from support.tflite_mutants import mutant, seed_of

NETWORKS = sorted((SHARED / "models" / "mlperf_tiny").glob("*.tflite"))


def convolution(weight: float, pads: Sequence[int]) -> onnx.ModelProto:
    """A 3x3 convolution one of whose weights is `weight`."""
    weights = np.ones((1, 1, 3, 3), np.float32)
    weights[0, 0, 0, 0] = weight
    size = 3 + pads[0] + pads[2]
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"], pads=pads)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 5, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, size, size])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.mark.parametrize(
    ("weight", "pads", "count"),
    [(np.nan, [1] * 4, 0), (np.inf, [1] * 4, 0), (np.nan, [0] * 4, 1), (2.0, [1] * 4, 1)],
)
def test_weights_without_a_value_reach_through_padding_as_a_kernel_likes(weight: float, pads: list[int], count: int):
    settled = Compilation(convolution(weight, pads), CompileOptions(target="c", name="net")).facts(Settled)
    assert len(settled.golden) == count


@pytest.mark.parametrize(("first", "count"), [(np.inf, 0), (np.nan, 1), (2.0, 1)])
def test_infinite_weights_whose_sums_are_no_number_hang_on_the_order(first: float, count: int):
    """An infinity less another one; a NaN is one in every order."""
    weights = np.asarray([[first, 1], [-first, 1]], np.float32)
    body = "(float[2, 2] x, float[2, 2] w) => (float[2, 2] y) { a = Abs (x) y = MatMul (a, w) }"
    model = onnx_model(body)
    model.graph.input.pop()
    model.graph.initializer.append(numpy_helper.from_array(weights, "w"))
    settled = Compilation(model, CompileOptions(target="c", name="net")).facts(Settled)
    assert len(settled.golden) == count


def test_padding_that_a_stride_hides_asks_for_no_memory():
    model = convolution(1.0, [2**28, 1, 2**28, 1])
    model.graph.node[0].attribute.append(helper.make_attribute("strides", [2**28, 1]))
    model.graph.output[0].type.tensor_type.shape.dim[2].dim_value = 3
    assert Compilation(model, CompileOptions(target="c", name="net")).facts(Settled).golden == ()


def test_transformed_convolutions_compile_without_a_golden_vector():
    weights = np.full((64, 64, 3, 3), np.nan, np.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 32, 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 32, 32])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    compilation = Compilation(model, CompileOptions(target="x86-64-v3", name="net"))
    assert any(isinstance(op, tensor.TransformOp) for op in compilation.at("tensor").module.walk())
    assert compilation.facts(Scheduled).tolerance.scaled


def rounded(*, size: int) -> onnx.ModelProto:
    """`round(500 * (x * 3 + x * 7))`: every odd fourth decimal of `x` makes a tie that float errors decide."""
    factors = {"three": 3.0, "seven": 7.0, "large": 500.0}
    nodes = [
        helper.make_node("Mul", ["x", "three"], ["a"]),
        helper.make_node("Mul", ["x", "seven"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["c"]),
        helper.make_node("Mul", ["c", "large"], ["d"]),
        helper.make_node("Round", ["d"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [size])],
        [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in factors.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def test_inputs_are_drawn_anew_until_no_value_lies_near_a_tie():
    compilation = Compilation(rounded(size=4), CompileOptions(target="c", name="net"))
    first = sample("x", tensor_type(f32, (4,)), 0)
    assert (np.round(first * 10000) % 2 == 1).any()
    settled = compilation.facts(Settled)
    [drawn] = settled.golden[0].inputs
    assert (np.round(drawn * 10000) % 2 == 0).all()
    assert settled.tie_spread == 0
    assert compilation.facts(Scheduled).tolerance == Tolerance()


def test_where_every_draw_has_ties_the_tolerance_admits_their_steps():
    compilation = Compilation(rounded(size=1000), CompileOptions(target="c", name="net"))
    settled = compilation.facts(Settled)
    assert settled.tie_spread == 2
    assert compilation.facts(Scheduled).tolerance.absolute == 2


CANCELS = """
(float[64] x, float[64] b) => (float[64] y, float[64] z) <float k = {1000}>
{ t = Mul(b, k) s = Add(x, t) y = Sub(s, t) z = Mul(x, x) }
"""


def test_the_tolerance_admits_what_roundings_do_where_terms_cancel():
    """Terms of 1000 have errors of 6e-5, of which a difference of 1 keeps all."""
    compilation = Compilation(onnx_model(CANCELS), CompileOptions(target="c", name="net"))
    errors = compilation.facts(Settled).rounding_errors
    assert 1e-4 < errors[0] < 3e-3
    assert errors[1] == 0
    assert compilation.facts(Scheduled).tolerance == Tolerance(absolute=errors[0])


def test_verification_admits_it_in_that_output_only():
    compilation = Compilation(onnx_model(CANCELS), CompileOptions(target="c", name="net"))
    error = compilation.facts(Settled).rounding_errors[0]
    right = [np.zeros(64, np.float32), np.zeros(64, np.float32)]
    expected = Expected("onnxruntime", "made up", [([], right)])
    for off, passed in ((error / 2, [True, False]), (error * 2, [False, False])):
        found = [each + np.float32(off) for each in right]
        outputs = Judge(compilation).judge(expected, [found]).outputs
        assert [each.comparison.passed for each in outputs.values()] == passed
    assert "what roundings of floats do to it" in outputs["y"].tolerance


def test_what_is_chosen_is_not_rounded():
    """`min(x, 4) == x` must hold for all of these with noise, as it does without."""
    body = """(float[64] x) => (float[64] y) <float k = {4}, float z = {0}>
    { d = Mul(x, k) m = Min(x, k) c = Equal(m, x) y = Where(c, d, z) }"""
    settled = Compilation(onnx_model(body), CompileOptions(target="c", name="net")).facts(Settled)
    assert np.abs(settled.golden[0].outputs[0]).max() > 1
    assert settled.rounding_errors == (0.0,)


def test_no_noise_is_added_to_a_network_of_small_results():
    model = onnx_model("(float[64] x) => (float[64] y) { y = Sigmoid(x) }")
    assert Compilation(model, CompileOptions(target="c", name="net")).facts(Settled).rounding_errors == ()


@pytest.mark.skipif(not NETWORKS, reason="the networks of MLPerf Tiny are not here")
def test_self_test_of_dynamically_quantised_layers_knows_of_ties(tmp_path: Path):
    """This network quantises 8,000 activations. For the inputs of seed 0, C rounds one of them to the other side."""
    networks = [seed_of(path.name, path.read_bytes()) for path in NETWORKS if path.stat().st_size <= 400_000]
    tree = compile_artifact(mutant(networks, 12360)[1], CompileOptions(target="c", name="net")).tree()
    tree.write(tmp_path / "net")
    run_program(["make", "-s", "test"], tmp_path / "net")
