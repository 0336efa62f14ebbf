"""Evaluations stop at a limit of work instead of running for hours or asking for terabytes."""

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import Block

from s2s.api import compile
from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.work import OPERATION, Meter, TooMuchWorkError, is_foldable, metered, work
from s2s.types.dtypes import tensor_type
from s2s.types.weights import WeightStore
from support.onnx_nodes import import_model, run_reference
from support.onnx_text import onnx_model

ENDLESS = """(float[2] x) => (float[2] y) <bool go = {1}> {
    y = Loop ("", go, x) <body = b (int64 i, bool k, float[2] a) => (bool k2, float[2] z) {
        z = Add(a, x)
        s = ReduceSumSquare <keepdims = 0> (z)
        k2 = GreaterOrEqual(s, s)
    }>
}"""
MANY_STEPS = """(float[2] x) => (float[2] y) <int64 n = {1000000}> {
    y = Loop (n, "", x) <body = b (int64 i, bool k, float[2] a) => (bool k2, float[2] z) {
        k2 = Identity(k)
        z = Add(a, x)
    }>
}"""
HUGE_PAD = "(float[4, 4] x) => (float[N, M] y) <int64[4] ends = {16380, 16380, 0, 0}> { y = Pad(x, ends) }"


def test_a_convolution_counts_its_products():
    x, w = (Block(arg_types=[tensor_type(f32, shape)]).args[0] for shape in ((1, 64, 56, 56), (64, 64, 3, 3)))
    assert (
        work(graph.ConvOp(x, w, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1)) - OPERATION
        == 64 * 56 * 56 * 64 * 9
    )


def test_an_elementwise_operation_is_foldable_by_its_elements():
    small, large = (Block(arg_types=[tensor_type(f32, (size,))]).args[0] for size in (2**24, 2**24 + 1))
    assert is_foldable(graph.ExpOp(small))
    assert not is_foldable(graph.ExpOp(large))


def test_an_evaluation_stops_at_the_limit():
    imported = import_model(onnx_model("(float[4] x) => (float[4] y) { a = Exp(x) y = Sin(a) }"))
    evaluator = metered(Meter(2 * OPERATION), 4)
    with pytest.raises(TooMuchWorkError):
        run_graph(imported.module, [np.zeros(4, np.float32)], imported.weights, evaluator=evaluator)


def test_an_evaluation_makes_no_larger_tensors_than_allowed():
    imported = import_model(onnx_model("(float[4] x) => (float[4] y) { y = Exp(x) }"))
    with pytest.raises(TooMuchWorkError):
        run_graph(imported.module, [np.zeros(4, np.float32)], WeightStore(), evaluator=metered(Meter(2**40), 3))


@pytest.mark.parametrize("body", [ENDLESS, MANY_STEPS, HUGE_PAD], ids=["endless", "many steps", "huge"])
def test_networks_that_compute_too_much_have_no_golden_vector(body: str):
    with compile(onnx_model(body)) as artifact:
        assert artifact.info.golden == ()


def test_columns_of_a_convolution_are_made_in_parts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("s2s.interpret.graph.conv.MAX_COLUMNS", 100)
    model = onnx_model("(float[2, 3, 9, 8] x, float[4, 3, 3, 2] w) => (float[2, 4, 7, 7] y) { y = Conv(x, w) }")
    imported, generator = import_model(model), np.random.default_rng(0)
    inputs = [generator.standard_normal(shape, np.float32) for shape in ((2, 3, 9, 8), (4, 3, 3, 2))]
    found = run_graph(imported.module, inputs, imported.weights)
    np.testing.assert_allclose(found[0], run_reference(model, inputs)[0], rtol=1e-5, atol=1e-5)
