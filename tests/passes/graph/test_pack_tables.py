"""Tables of few values are packed, and what is gathered from them is the same."""

import numpy as np
import pytest
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.pack_tables import PackTablesPass, packed_along, width
from s2s.types.dtypes import Array

TEXT = """func.func @main(%i: tensor<2x3xi64>) -> {result} {{
  %w = graph.weight "w" {{hash = "w"}} : tensor<9x4x5x{element}>
  %y = graph.gather %w, %i {{axis = {axis} : i64}} : (tensor<9x4x5x{element}>, tensor<2x3xi64>) -> {result}
  func.return %y : {result}
}}"""
SHAPES = {0: (2, 3, 4, 5), 1: (9, 2, 3, 5), 2: (9, 4, 2, 3)}


def sizes(axis: int, low: int, high: int, dtype: type[np.generic]) -> tuple[int, int]:
    """The bytes of the table before and after the pass, which has to keep the results."""
    values: Array = np.random.default_rng(3).integers(low, high, (9, 4, 5)).astype(dtype)
    ctx = CompilerContext()
    ctx.weights.add("w", values)
    element = "i8" if np.dtype(dtype).kind == "i" else "ui8"
    result = f"tensor<{'x'.join(map(str, SHAPES[axis]))}x{element}>"
    module = Parser(ctx, TEXT.format(axis=axis, element=element, result=result)).parse_module()
    inputs = [np.array([[0, 3, -1], [2, 2, 1]])]
    expected = run_graph(module, inputs, ctx.weights)
    PackTablesPass().apply(ctx, module)
    module.verify()
    np.testing.assert_array_equal(run_graph(module, inputs, ctx.weights)[0], expected[0])
    found = [op for op in module.walk() if isinstance(op, graph.WeightOp)]
    return values.nbytes, max(ctx.weights.get(op.weight_name.data).nbytes for op in found)


@pytest.mark.parametrize(
    ("axis", "packed"), [(0, 9 * 4 * 3), (1, 9 * 4 * 3), (2, 9 * 2 * 5)], ids=["rows", "middle", "last"]
)
@pytest.mark.parametrize(("low", "high", "dtype"), [(-8, 8, np.int8), (0, 16, np.uint8), (100, 116, np.int8)])
def test_sixteen_successive_integers_lie_two_in_a_byte(
    axis: int, packed: int, low: int, high: int, dtype: type[np.generic]
):
    assert sizes(axis, low, high, dtype) == (180, packed)


def test_four_successive_integers_lie_four_in_a_byte():
    assert sizes(0, -2, 2, np.int8) == (180, 9 * 4 * 2)


def test_seventeen_integers_stay_bytes():
    assert sizes(0, -8, 9, np.int8) == (180, 180)


def test_small_tables_stay_bytes():
    assert width(np.zeros((9, 7), np.int8)) is None
    assert width(np.zeros((8, 8), np.int8)) == 2


def test_the_first_neighbour_lies_in_the_low_bits():
    values = np.array([[-1, 2, -8, 7, 0]], np.int8)
    np.testing.assert_array_equal(packed_along(values, 1, 4), np.array([[0xA7, 0xF0, 0x08]], np.uint8))


def test_tables_with_another_reader_stay_bytes():
    text = """func.func @main(%i: tensor<3xi64>) -> (tensor<3x8xi8>, tensor<16x8xi8>) {
      %w = graph.weight "w" {hash = "w"} : tensor<16x8xi8>
      %y = graph.gather %w, %i {axis = 0 : i64} : (tensor<16x8xi8>, tensor<3xi64>) -> tensor<3x8xi8>
      %z = graph.neg %w : tensor<16x8xi8>
      func.return %y, %z : tensor<3x8xi8>, tensor<16x8xi8>
    }"""
    ctx = CompilerContext()
    ctx.weights.add("w", np.zeros((16, 8), np.int8))
    module = Parser(ctx, text).parse_module()
    PackTablesPass().apply(ctx, module)
    assert not [op for op in module.walk() if isinstance(op, graph.ReshapeOp)]
