"""Layers by CMSIS-NN, bit for bit: by a checkout that `CMSIS_NN_PATH` names, and without one by a stand-in, which has
the signatures of the library's public header and computes what its documentation says."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact, compile_artifact
from s2s.external.cmsis_nn.softmax import NEGLIGIBLE, Exponent, exponent_of
from s2s.frontends.model import GraphModel
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.writer import NONE, RELU, RELU6, TensorSpec, single
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.parse import parse
from support.quantised_layers import Layer

STAND_IN = Path(__file__).parent / "cmsis_nn_stand_in"
CHECKOUT = os.environ.get("CMSIS_NN_PATH")

LAYERS = {
    "pointwise": Layer((5, 4, 8), 12),
    "3x3": Layer((6, 5, 3), 8, kernel=(3, 3), pads=(1, 1, 1, 1)),
    "stride 2, pads on one side": Layer((8, 8, 4), 6, kernel=(3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
    "dilated": Layer((9, 9, 4), 4, kernel=(3, 3), dilations=(2, 2)),
    "1x5": Layer((1, 12, 4), 8, kernel=(1, 5), pads=(0, 2, 0, 2)),
    "depthwise": Layer((6, 5, 16), 16, kernel=(3, 3), pads=(1, 1, 1, 1), groups=16),
    "depthwise 5x5": Layer((9, 8, 8), 8, kernel=(5, 5), strides=(2, 2), pads=(2, 2, 2, 2), groups=8),
}

DENSE = """
func.func @main(%x: tensor<2x12xi8> {name = "x"}) -> (tensor<2x5xi8> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<5x12xi8>
  %b = graph.weight "b" {hash = "1"} : tensor<5xi32>
  %m = graph.constant dense<1638001653> : tensor<i32>
  %s = graph.constant dense<-7> : tensor<i8>
  %p = graph.matmul %x, %w {transpose_b, a_zp = 9 : i64} : (tensor<2x12xi8>, tensor<5x12xi8>) -> tensor<2x5xi32>
  %a = graph.add %p, %b : (tensor<2x5xi32>, tensor<5xi32>) -> tensor<2x5xi32>
  %y = graph.rescale %a, %m, %s {output_zp = 3 : i64, rounding = "double"}
    : (tensor<2x5xi32>, tensor<i32>, tensor<i8>) -> tensor<2x5xi8>
  func.return %y : tensor<2x5xi8>
}
"""
POOL = """
func.func @main(%x: tensor<1x6x5x8xi8> {{name = "x"}}) -> (tensor<1x3x3x8xi8> {{name = "y"}}) {{
  %y = graph.{kind}_pool %x {{kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 1>,
    dilations = array<i64: 1, 1>, layout = "NHWC"{more}}} : (tensor<1x6x5x8xi8>) -> tensor<1x3x3x8xi8>
  func.return %y : tensor<1x3x3x8xi8>
}}
"""


WHOLE_POOL = """
func.func @main(%x: tensor<1x{rows}x{rows}x64xi8> {{name = "x"}}) -> (tensor<1x1x1x64xi8> {{name = "y"}}) {{
  %y = graph.avg_pool %x {{kernel = array<i64: {rows}, {rows}>, strides = array<i64: 1, 1>,
    pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>,
    layout = "NHWC"}} : (tensor<1x{rows}x{rows}x64xi8>) -> tensor<1x1x1x64xi8>
  func.return %y : tensor<1x1x1x64xi8>
}}
"""


@pytest.fixture(params=["stand-in", "checkout"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which library the trees are built with."""
    if request.param == "checkout" and CHECKOUT is None:
        pytest.skip("CMSIS_NN_PATH names no checkout of CMSIS-NN; the stand-in is tested")
    monkeypatch.setenv("CMSIS_NN_PATH", str(STAND_IN) if request.param == "stand-in" else str(CHECKOUT))
    return request.param


def pair(
    builtin: str, *, seed: int = 0, shapes: Sequence[Sequence[int]] = ((2, 5, 3), (2, 5, 3)), **fields: Any
) -> bytes:
    """A TFLite model of one operator with two operands, with random scales and zero points."""
    random = np.random.default_rng(seed)
    points = [int(each) for each in random.integers(-128, 128, 3)]
    scales = [float(each) for each in np.exp(random.uniform(-3, 0, 2))]
    scales.append((scales[0] + scales[1] if builtin == "ADD" else 40 * scales[0] * scales[1]) * random.uniform(0.5, 1))
    ends = [
        TensorSpec(name, shape, "INT8", scale=scale, zero_point=point)
        for name, shape, scale, point in zip("aby", (*shapes, shapes[0]), scales, points, strict=True)
    ]
    return single(builtin, ends[:2], ends[2:], f"{builtin.title()}Options", **fields)


def softmax(scale: float, shape: Sequence[int] = (3, 10), beta: float = 1.0) -> bytes:
    """A TFLite model of a softmax of rows."""
    x = TensorSpec("x", shape, "INT8", scale=scale, zero_point=3)
    y = TensorSpec("y", shape, "INT8", scale=1 / 256, zero_point=-128)
    return single("SOFTMAX", [x], [y], "SoftmaxOptions", beta=beta)


def check_model(data: bytes, seed: int = 0) -> None:
    """The library claims everything that is read from a TFLite model, and computes what the graph means."""
    wanted = CompileOptions(target="c", external=(("cmsis-nn", "always"),))
    with compile_artifact(data, wanted) as artifact:
        assert set(choices(artifact)) == {"cmsis-nn"}
        state = artifact.compilation.at("simplify")
        random = np.random.default_rng(seed)
        inputs = {port.name: random.integers(-128, 128, port.shape).astype(np.int8) for port in artifact.info.inputs}
        (expected,) = run_graph(state.module, list(inputs.values()), state.weights)
        np.testing.assert_array_equal(artifact.run(inputs)["y"], expected)


def compiled(module: ModuleOp, weights: WeightStore, **options: Any) -> Artifact:
    arrays = {name: weights.get(name) for name in weights.names()}
    given: dict[str, Any] = {"target": "c", "external": (("cmsis-nn", "always"),), **options}
    wanted = CompileOptions(**given)
    return compile_artifact(GraphModel(module, arrays, "net"), wanted)


def choices(artifact: Artifact) -> list[str]:
    return [each.chosen for each in artifact.decisions if each.kind == "external"]


def reasons(artifact: Artifact) -> list[str | None]:
    found = [each for each in artifact.decisions if each.kind == "external"]
    return [each.refused for decision in found for each in decision.candidates if each.note == "cmsis-nn"]


def check(module: ModuleOp, weights: WeightStore, x: Array) -> None:
    """The library claims everything, and what it computes is what the graph means."""
    (expected,) = run_graph(module, [x], weights)
    with compiled(module, weights) as artifact:
        assert set(choices(artifact)) == {"cmsis-nn"}
        np.testing.assert_array_equal(artifact.run({"x": x})["y"], expected)


@pytest.mark.sample(5)
@pytest.mark.parametrize("layer", LAYERS)
def test_convolutions_are_exact(layer: str, library: str):
    ctx, module, x = LAYERS[layer].build()
    check(module, ctx.weights, x)


def test_fully_connected_layers_are_exact(library: str):
    random, weights = np.random.default_rng(0), WeightStore()
    weights.add("w", random.integers(-127, 128, (5, 12)).astype(np.int8))
    weights.add("b", random.integers(-3000, 3000, 5).astype(np.int32))
    check(parse(DENSE), weights, random.integers(-128, 128, (2, 12)).astype(np.int8))


@pytest.mark.parametrize(("kind", "more"), [("max", ""), ("avg", ", counted_pads = array<i64: 0, 0, 0, 0>")])
def test_pooling_is_exact(kind: str, more: str, library: str):
    x = np.random.default_rng(0).integers(-128, 128, (1, 6, 5, 8)).astype(np.int8)
    check(parse(POOL.format(kind=kind, more=more)), WeightStore(), x)


@pytest.mark.parametrize(("builtin", "activation"), [("ADD", NONE), ("ADD", RELU), ("MUL", RELU6)])
def test_sums_and_products_are_exact(builtin: str, activation: int, library: str):
    check_model(pair(builtin, seed=activation, fused_activation_function=activation))


def test_sums_of_equal_scales_are_exact(library: str):
    """Both operands are halved."""
    ends = [TensorSpec(name, (40,), "INT8", scale=0.25, zero_point=7) for name in "aby"]
    check_model(single("ADD", ends[:2], ends[2:], "AddOptions"))


@pytest.mark.parametrize(("scale", "beta"), [(0.1, 1.0), (0.003, 0.5), (30.0, 1.0)])
def test_softmax_is_exact(scale: float, beta: float, library: str):
    check_model(softmax(scale, (3, 11), beta))


@settings(max_examples=50)
@given(st.floats(-9, 2.5))
def test_the_exponent_of_a_table_is_found(power: float):
    """From the exponentials that matter alone: whatever is found gives the same ones."""
    multiplier, shift = quantize_multiplier(min(np.exp(power) * 2.0**26, 2.0**30))
    table = Exponent(multiplier, shift).table()
    found = exponent_of(np.where(table < NEGLIGIBLE, 0, table))
    assert found is not None
    assert np.array_equal(np.where(table < NEGLIGIBLE, 0, found.table()), np.where(table < NEGLIGIBLE, 0, table))


def test_a_table_that_holds_no_exponentials_is_refused():
    assert exponent_of(2**31 - 1 - np.arange(256) * 2**20) is None


def test_weights_are_in_the_layout_of_the_library():
    ctx, module, _ = LAYERS["3x3"].build()
    text = compiled(module, ctx.weights, target="cortex-m4").tree().text("src/net_weights.h")
    assert "[8][3][3][3]" in text
    assert "weights" in text


def test_vectors_of_integers_want_more_scratch():
    """Two columns of 27 numbers in 16 bits, rounded up to 28; four columns of bytes, rounded up to 32."""
    ctx, module, _ = LAYERS["3x3"].build()
    for target, size in (("cortex-m4", 112), ("cortex-m55", 128)):
        tree = compiled(module, ctx.weights, target=target).tree()
        assert f"ctx = {{scratch, {size}}}" in tree.text("src/net_cmsis_nn.c")


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (Layer((6, 6, 8), 8, kernel=(3, 3), groups=2), "2 groups of 8 channels"),
        (Layer((9, 9, 8), 8, kernel=(3, 3), dilations=(2, 2), groups=8), "a dilated depthwise convolution"),
    ],
)
def test_restrictions_are_reasons(layer: Layer, reason: str):
    ctx, module, _ = layer.build()
    assert reasons(compiled(module, ctx.weights)) == [reason]


def test_operands_of_two_shapes_are_refused():
    data = pair("ADD", shapes=((2, 5, 3), (1, 1, 3)))
    artifact = compile_artifact(data, CompileOptions(target="c", external=(("cmsis-nn", "always"),)))
    assert reasons(artifact) == ["its operands differ in shape"]


@pytest.mark.parametrize(
    ("target", "rows", "winner"),
    [("cortex-m4", 8, "s2s"), ("cortex-m55", 8, "cmsis-nn"), ("cortex-m55", 3, "s2s"), ("c", 8, "s2s")],
)
def test_auto_claims_pooling_of_large_windows_on_cores_with_vectors(target: str, rows: int, winner: str):
    """As counted under QEMU: on a Cortex-M55 the library takes less for 8x8 and 25x5, more for 3x3; where nothing was
    counted, nothing is claimed."""
    module = parse(WHOLE_POOL.format(rows=rows))
    artifact = compiled(module, WeightStore(), target=target, external=(("cmsis-nn", "auto"),))
    assert choices(artifact) == [winner]


@pytest.mark.parametrize(("side", "winner"), [(4, "cmsis-nn"), (6, "s2s"), (12, "s2s")])
def test_auto_claims_strided_depthwise_convolutions_of_short_rows(side: int, winner: str):
    """On a Cortex-M4 the library takes 85,580 instructions for 6x6x128, 18 % less than ours: too little to claim it."""
    layer = Layer((side, side, 128), 128, kernel=(3, 3), strides=(2, 2), pads=(0, 0, 1, 1), groups=128)
    ctx, module, _ = layer.build()
    artifact = compiled(module, ctx.weights, target="cortex-m4", external=(("cmsis-nn", "auto"),))
    assert choices(artifact) == [winner]


def test_a_tree_names_no_path_of_this_machine():
    ctx, module, _ = LAYERS["pointwise"].build()
    tree = compiled(module, ctx.weights).tree()
    assert "CMSIS_NN_PATH ?= ." in tree.text("Makefile")
    assert "-I$(CMSIS_NN_PATH)/Include" in tree.text("Makefile")
