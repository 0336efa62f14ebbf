"""Values that float errors may round to either side of a tie."""

from functools import partial
from typing import Literal

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from s2s.interpret.graph import run_graph
from s2s.interpret.graph.ties import NearTies, rounds_floats
from s2s.interpret.tensor.run import evaluate_operation
from s2s.passes.context import CompilerContext
from s2s.types.weights import WeightStore

TO_EVEN = "%y = graph.round %b : tensor<4xf32>"
HALF_AWAY = """
  %whole = graph.floor %b : tensor<4xf32>
  %fraction = graph.sub %b, %whole : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %below = graph.less %fraction, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %more = graph.select %below, %zero, %one : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.add %whole, %more : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"""
ROUNDINGS = [TO_EVEN, HALF_AWAY]
NEAR = np.array([0.2, 0.5, 1.4999999, 1.9], np.float32)
"""Two of these times three are near a tie."""


def network(rounding: str) -> ModuleOp:
    """Round `(x + x) + x`."""
    text = f"""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %a = graph.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = graph.add %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  {rounding}
  func.return %y : tensor<4xf32>
}}
"""
    return Parser(CompilerContext(), text).parse_module()


def run(module: ModuleOp, side: Literal["as they are", "down", "up"]) -> tuple[list[float], int]:
    ties = NearTies(partial(evaluate_operation, fast=True), side)
    [found] = run_graph(module, [NEAR], WeightStore(), evaluator=ties)
    return found.tolist(), ties.count


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_values_near_a_tie_are_counted_and_go_to_the_side_that_is_asked_for(rounding: str):
    module = network(rounding)
    assert rounds_floats(module)
    assert run(module, "down") == ([1, 1, 4, 6], 2)
    assert run(module, "up") == ([1, 2, 5, 6], 2)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_what_one_operation_computes_is_the_same_everywhere(rounding: str):
    module = network(rounding.replace("%b", "%a"))
    assert run(module, "up")[1] == 0


def test_networks_that_round_nothing_are_told():
    module = network(TO_EVEN.replace("round", "floor"))
    assert not rounds_floats(module)
