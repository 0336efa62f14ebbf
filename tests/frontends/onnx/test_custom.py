"""Operators of users in ONNX models: by importers in Python, and as calls of C functions."""

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import custom
from s2s.frontends.builder import Value
from s2s.frontends.custom import CFunction, TensorType, register_custom_op
from s2s.frontends.onnx.node import Node

X = np.array([[1.0, -2.0, 3.0]], np.float32)
CUBE = """
void cube(float *y, const float *x)
{
    for (int i = 0; i < 3; i++) {
        y[i] = x[i] * x[i] * x[i];
    }
}
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a test registers."""
    monkeypatch.setattr(custom, "_OPERATORS", {})


def network(*, version: int = 2, declared: bool = True, **attributes: Any) -> ModelProto:
    """y = cube(|x|) + x"""
    nodes = [
        helper.make_node("Abs", ["x"], ["a"]),
        helper.make_node("Cube", ["a"], ["c"], domain="com.ours", **attributes),
        helper.make_node("Add", ["c", "x"], ["y"]),
    ]
    x, c, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in "xcy")
    graph = helper.make_graph(nodes, "network", [x], [y], value_info=[c] if declared else [])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.ours", version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def cubed(node: Node) -> Value:
    x = node.input(0)
    return x * x * x * node.real("factor", 1.0)


def same_type(x: TensorType) -> list[TensorType]:
    return [x]


def run(model: ModelProto) -> np.ndarray:
    [found] = api.compile(model, target="c").run({"x": X}).values()
    return np.asarray(found)


def test_an_importer_builds_the_outputs_from_operands_and_attributes():
    register_custom_op("Cube", cubed, domain="com.ours")
    np.testing.assert_allclose(run(network(factor=2.0)), 2 * np.abs(X) ** 3 + X)


def test_a_c_function_computes_outputs_of_declared_types():
    register_custom_op("Cube", CFunction("cube", CUBE), domain="com.ours")
    np.testing.assert_allclose(run(network()), np.abs(X) ** 3 + X)


def test_a_c_function_tells_the_types_of_its_outputs():
    register_custom_op("Cube", CFunction("cube", CUBE, outputs=same_type), domain="com.ours")
    np.testing.assert_allclose(run(network(declared=False)), np.abs(X) ** 3 + X)


def test_outputs_of_unknown_types_are_refused():
    register_custom_op("Cube", CFunction("cube", CUBE), domain="com.ours")
    with pytest.raises(UnsupportedError, match="the model does not declare the shape of output 'c'; declare"):
        api.compile(network(declared=False), target="c")


def test_attributes_cannot_be_passed_to_a_c_function():
    register_custom_op("Cube", CFunction("cube", CUBE), domain="com.ours")
    with pytest.raises(UnsupportedError, match="attribute 'factor' cannot be passed to function cube; register an"):
        api.compile(network(factor=2.0), target="c")


@pytest.mark.parametrize(("version", "expected"), [(1, 1.0), (2, 2.0), (3, 2.0)])
def test_the_importer_is_that_of_the_version_of_the_domain(version: int, expected: float):
    register_custom_op("Cube", lambda node: node.input(0) * 1.0, domain="com.ours", versions=range(1, 2))
    register_custom_op("Cube", lambda node: node.input(0) * 2.0, domain="com.ours", versions=range(2, 9))
    np.testing.assert_allclose(run(network(version=version)), expected * np.abs(X) + X)


def test_a_version_that_nothing_is_registered_for_is_refused():
    register_custom_op("Cube", cubed, domain="com.ours", versions=range(3, 9))
    with pytest.raises(UnsupportedError, match=r"operator com\.ours\.Cube is no operator of opset 2 of com.ours"):
        api.compile(network(version=2), target="c")


def test_an_importer_may_take_the_place_of_our_own():
    register_custom_op("Add", lambda node: node.input(0) - node.input(1), domain="")
    register_custom_op("Cube", cubed, domain="com.ours")
    np.testing.assert_allclose(run(network()), np.abs(X) ** 3 - X)


def test_an_importer_that_returns_too_few_outputs_is_refused():
    register_custom_op("Cube", lambda node: [], domain="com.ours")
    with pytest.raises(InputError, match="its importer returned 0 of 1 outputs; return all"):
        api.compile(network(), target="c")
