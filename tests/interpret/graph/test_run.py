"""Whole functions run: weights, calls into kernels, observers and refusals of wrong inputs."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.errors import CompilerBug, InputError
from s2s.interpret.graph import can_evaluate, run_graph
from s2s.interpret.graph.evaluate import meaning_of
from s2s.passes.context import CompilerContext
from s2s.types.dtypes import Array, type_of_array

NETWORK = """
func.func private @scale_and_add(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %a = graph.mul %x, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = graph.add %a, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %a, %b : tensor<3xf32>, tensor<3xf32>
}
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3x1xf32>) {
  %w = graph.weight "offset" {hash = "0"} : tensor<3xf32>
  %a, %b = graph.call @scale_and_add(%x, %w) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %y = graph.reshape %b : (tensor<3xf32>) -> tensor<3x1xf32>
  func.return %a, %y : tensor<3xf32>, tensor<3x1xf32>
}
"""
X = np.array([1, 2, 3], np.float32)


def network() -> tuple[ModuleOp, CompilerContext]:
    context = CompilerContext()
    context.weights.add("offset", np.array([10, 20, 30], np.float32))
    module = Parser(context, NETWORK).parse_module()
    module.verify()
    return module, context


def test_main_runs_through_kernels_and_weights():
    module, context = network()
    a, y = run_graph(module, [X], context.weights)
    assert a.tolist() == [2, 4, 6]
    assert y.tolist() == [[12], [24], [36]]


def test_a_function_runs_alone():
    module, context = network()
    kernel = module.body.block.first_op
    assert isinstance(kernel, FuncOp)
    assert run_graph(kernel, [X, X], context.weights)[1].tolist() == [3, 6, 9]


def test_observer_sees_every_operation_and_those_of_kernels_before_the_call():
    module, context = network()
    seen: list[str] = []

    def observe(op: Operation, results: Sequence[Array]) -> None:
        assert [type_of_array(result) for result in results] == list(op.result_types)
        seen.append(op.name)

    run_graph(module, [X], context.weights, observe)
    assert seen == ["graph.weight", "graph.constant", "graph.mul", "graph.add", "graph.call", "graph.reshape"]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "inputs: 0 are given, the network has 1"),
        ([X, X], "inputs: 2 are given, the network has 1"),
        ([X[:2]], r"input 0: array is float32\[2\], the network wants tensor<3xf32>"),
        ([X.astype(np.float64)], r"input 0: array is float64\[3\], the network wants tensor<3xf32>"),
    ],
)
def test_wrong_inputs_are_refused(inputs: list[Array], message: str):
    module, context = network()
    with pytest.raises(InputError, match=message):
        run_graph(module, inputs, context.weights)


def test_a_module_without_main_is_a_bug():
    with pytest.raises(CompilerBug, match="@main is not a function"):
        run_graph(ModuleOp([]), [], CompilerContext().weights)


def test_every_operation_has_a_meaning():
    without = {op for op in graph.Graph.operations if meaning_of(op) is None}
    steps = {op for op in graph.Graph.operations if issubclass(op, graph.StepInterface)}
    assert without == (steps | {graph.ExternOp, graph.WeightOp}) - {graph.AdvanceOp}
    assert not can_evaluate(graph.CallOp("kernel", [], []))
