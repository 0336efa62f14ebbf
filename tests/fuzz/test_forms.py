"""Other forms of random models mean what the models do."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from s2s.fuzz.forms import rewritten
from s2s.types.dtypes import Array

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
fuzz (float[2, 6] x) => (float[4, 3] {0}, float[2, 2] b) <int64[2] {1} = {{4, 3}}, int64[2] {2} = {{4, 2}}>
{{
   {3} = Relu(x)
   {4} = Concat <axis: int = 0> ({3}, x)
   a, b = Split <axis: int = 1> (x, {2})
   {5} = Concat <axis: int = 1> (x, a, b)
   {6} = Slice(a, {1}, {1})
   {0} = Reshape({3}, {1})
}}"""
X: Mapping[str, Array] = {"x": np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 6)}


def drawn(name: str) -> onnx.ModelProto:
    """A small model; `name` begins the names of its values, from which follows how it is rewritten."""
    names = [f"{name}{number}" for number in range(7)]
    return onnx.parser.parse_model(MODEL.format(*names))


def operators(model: onnx.ModelProto) -> set[str]:
    """The operators of the outermost nodes, functions as one."""
    return {node.domain or node.op_type for node in model.graph.node}


def run(model: onnx.ModelProto) -> list[Array]:
    evaluator: Any = ReferenceEvaluator(model)
    return [np.asarray(each) for each in evaluator.run(None, dict(X))]


@pytest.mark.parametrize("name", "pqrst")
def test_another_form_computes_the_same(name: str):
    model = drawn(name)
    for found, expected in zip(run(rewritten(model)), run(model), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_every_form_is_used():
    used = set[str]().union(*(operators(rewritten(drawn(name))) for name in "pqrst"))
    assert used >= {"Constant", "If", "layers", "Relu"}
    assert any(node.output[0].endswith("1") for name in "pqrst" for node in rewritten(drawn(name)).graph.node)
