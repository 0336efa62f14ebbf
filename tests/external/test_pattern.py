"""The pattern language: what matches, which operators a match takes, and what it must not take."""

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.analysis.network.functions import main_of
from s2s.external.pattern import Match, Pattern, is_constant, is_op, match, wildcard
from support.parse import parse

TEXT = """
func.func @main(%x: tensor<4x8xf32>, %z: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x5xf32>
  %a = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %c = graph.constant dense<2.0> : tensor<5xf32>
  %b = graph.add %c, %a : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = graph.clamp %b {min = 0.0 : f64} : tensor<4x5xf32>
  %s = graph.sigmoid %r : tensor<4x5xf32>
  %y = graph.mul %r, %s : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
"""


def names(found: Match | None) -> list[str]:
    return [] if found is None else [op.name.removeprefix("graph.") for op in found.ops]


@pytest.fixture
def function() -> FuncOp:
    return main_of(parse(TEXT))


def at(function: FuncOp, kind: str) -> Operation:
    return next(op for op in function.body.block.ops if op.name == f"graph.{kind}")


def matched(function: FuncOp, pattern: Pattern, root: str) -> list[str]:
    return names(match(pattern, at(function, root)))


def test_an_operator_matches_by_name_and_operands(function: FuncOp):
    assert matched(function, is_op("matmul")(wildcard(), is_constant()), "matmul") == ["matmul"]
    assert matched(function, is_op("matmul")(is_constant(), wildcard()), "matmul") == []
    assert matched(function, is_op("conv"), "matmul") == []


def test_commutative_operators_match_in_both_orders(function: FuncOp):
    dense = is_op("matmul")(wildcard(), is_constant())
    assert matched(function, is_op("add")(dense, is_constant()), "add") == ["matmul", "add"]


def test_the_longest_of_optional_operators_is_preferred(function: FuncOp):
    dense = is_op("matmul")(wildcard(), is_constant()).optional(lambda each: is_op("add")(each, is_constant()))
    relu = dense.optional(lambda each: is_op("clamp")(each))
    assert matched(function, relu, "clamp") == ["matmul", "add", "clamp"]
    assert matched(function, relu, "add") == ["matmul", "add"]
    assert matched(function, relu, "matmul") == ["matmul"]


def test_alternatives_are_tried_in_turn(function: FuncOp):
    either = is_op("tanh")(wildcard()) | is_op("sigmoid")(wildcard())
    assert matched(function, either, "sigmoid") == ["sigmoid"]


def test_one_pattern_at_two_places_matches_one_value(function: FuncOp):
    x = wildcard()
    assert matched(function, is_op("mul")(x, is_op("sigmoid")(x)), "mul") == ["sigmoid", "mul"]
    assert matched(function, is_op("mul")(is_op("sigmoid")(x), is_op("sigmoid")(x)), "mul") == []


def test_attributes_types_and_predicates_restrict(function: FuncOp):
    relu = is_op("clamp")(wildcard())
    assert matched(function, relu.has_attr(min=0.0), "clamp") == ["clamp"]
    assert matched(function, relu.has_attr(max=6.0), "clamp") == []
    assert matched(function, relu.has_dtype("float32").has_rank(2), "clamp") == ["clamp"]
    assert matched(function, relu.has_dtype("int8"), "clamp") == []
    assert matched(function, relu.where(lambda value: False), "clamp") == []


def test_results_that_are_used_outside_are_not_inside_a_match(function: FuncOp):
    """The multiplication reads the relu, too, so that the sigmoid cannot take it along."""
    assert matched(function, is_op("sigmoid")(is_op("clamp")(wildcard())), "sigmoid") == []


def test_a_match_tells_what_each_pattern_has_matched(function: FuncOp):
    x, w = wildcard(), is_constant()
    found = match(is_op("matmul")(x, w), at(function, "matmul"))
    assert found is not None
    assert [found.bound[each].name_hint for each in (x, w)] == ["x", "w"]
