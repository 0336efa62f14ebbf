"""Operators of a network are named as people name them."""

import numpy as np
import onnx
import pytest

from s2s.api import compile as compile_network
from s2s.compilation import Compilation
from s2s.report.operators import describe_operators, operators_of
from support.onnx_text import onnx_model

NETWORK = """(float[1, 4, 9, 9] x) => (float[1, 6] y) {
    [first] a = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
    [relu] b = Relu (a)
    [depth] c = Conv <group = 8, dilations = [2, 2], pads = [2, 2, 2, 2]> (b, d)
    [grouped] e = Conv <group = 2, strides = [2, 1], pads = [1, 1, 1, 1]> (c, g)
    [mean] f = ReduceMean <axes = [2, 3], keepdims = 0> (e)
    [product] y = MatMul (f, m)
}"""
WEIGHTS = {"w": (8, 4, 3, 3), "d": (8, 1, 3, 3), "g": (8, 4, 3, 3), "m": (8, 6)}
OPERATORS = {
    "first": "conv 3×3, stride 2",
    "depth": "depthwise conv 3×3, dilation 2",
    "grouped": "conv 3×3, stride 2×1, 2 groups",
    "product": "matmul",
}


@pytest.fixture(scope="module")
def compilation() -> Compilation:
    model, random = onnx_model(NETWORK, opset=13), np.random.default_rng(0)
    weights = {name: random.standard_normal(shape).astype(np.float32) for name, shape in WEIGHTS.items()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(each, name) for name, each in weights.items())
    return compile_network(model, target="c").compilation


def test_convolutions_are_named_with_their_windows(compilation: Compilation):
    found = operators_of(compilation.at("read").module)
    assert {node: found[node].operator for node in OPERATORS} == OPERATORS
    assert found["first"].shape == (1, 8, 5, 5)
    assert found["first"].multiply_adds == 8 * 5 * 5 * 4 * 9


def test_a_kernel_is_named_by_its_largest_operator_first(compilation: Compilation):
    found = operators_of(compilation.at("read").module)
    assert describe_operators(["relu", "first"], found).startswith("conv 3×3, stride 2 + ")
    assert describe_operators(["unknown"], found) == ""
