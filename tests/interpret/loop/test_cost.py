"""The operations and multiply-adds that a network executes are counted exactly, turn by turn where bounds vary."""

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineExpr

from s2s.budgets.ram import within_ram
from s2s.compilation import Compilation
from s2s.dialects import loop
from s2s.interpret.loop.cost import executed_multiply_adds, executed_operations
from s2s.options import CompileOptions
from support.onnx_text import onnx_file
from support.parse import parse

TILED = """
func.func private @k(%y: memref<100xf32>) {
  %one = arith.constant 1.0 : f32
  loop.for %i = 0 to 100 step 8 {
    %start = loop.apply affine_map<(d0) -> (d0 + 8)>(%i)
    loop.for %j = max affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 8, 100)>(%i) {
      loop.if affine_set<(d0, d1) : (d0 - 4 >= 0, d1 - 16 >= 0)>(%j, %start) {
        loop.store %one, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<100xf32>
        loop.yield
      }
    }
  }
  func.return
}
func.func @main(%y: memref<100xf32> {role = "output"}) {
  func.call @k(%y) : (memref<100xf32>) -> ()
  func.call @k(%y) : (memref<100xf32>) -> ()
  func.return
}
"""
IN, OUT, SIDE, STRIDE = 3, 5, 9, 2


def weights(number: int, shape: Sequence[int]) -> str:
    values = ", ".join(str(place % 7 - 3.5) for place in range(prod(shape)))
    return f"float{list(shape)} w{number} = {{{values}}}"


CONVOLUTION = f"""(float[1, {IN}, {SIDE}, {SIDE}] x) => (float[1, {OUT}, 5, 5] y)
    <{weights(1, (OUT, IN, 3, 3))}>
    {{ y = Conv <pads = [1, 1, 1, 1], strides = [{STRIDE}, {STRIDE}]> (x, w1) }}"""

ROWS = """(float[1, 4, 24, 24] x) => (float[1, 4, 24, 24] y) <WEIGHTS>
    { a = Conv (x, w1) b = Conv <pads = [1, 1, 1, 1], group = 48> (a, w2) y = Conv (b, w3) }"""
SHAPES = ((48, 4, 1, 1), (48, 1, 3, 3), (4, 48, 1, 1))
CHAIN = ROWS.replace("WEIGHTS", ", ".join(map(weights, range(1, 4), SHAPES)))


def test_bounds_and_conditions_are_followed() -> None:
    # 100 turns of a condition and a yield, 92 of them a store and a yield; an apply, a loop and a yield in each of the
    # 13 tiles, three operations around these, and three in main.
    assert executed_operations(parse(TILED)) == 2 * (100 * 2 + 92 * 2 + 13 * 3 + 3) + 3


def by_turns(module: ModuleOp, name: str = "main") -> int:
    """The operations of a function, by going through each turn of each loop."""
    function = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    return _block(module, function.body.block, {})


def _block(module: ModuleOp, block: Block, indices: dict[SSAValue, int]) -> int:
    return sum(1 + _inside(module, op, indices) for op in block.ops)


def _inside(module: ModuleOp, op: Operation, indices: dict[SSAValue, int]) -> int:
    def at(expr: AffineExpr, dims: Sequence[SSAValue]) -> int:
        return expr.eval([indices[dim] for dim in dims], [])

    match op:
        case loop.ForOp():
            first = max(at(each, op.dims) for each in op.lower.data.results)
            last = min(at(each, op.dims) for each in op.upper.data.results)
            turns = range(first, last, op.step.value.data)
            return sum(_block(module, op.body.block, {**indices, op.index: turn}) for turn in turns)
        case loop.IfOp():
            constraints = op.condition.data.constraints
            assert all(each.kind == AffineConstraintKind.ge for each in constraints)
            holds = all(at(each.lhs, op.dims) >= at(each.rhs, op.dims) for each in constraints)
            taken = op.then if holds else op.otherwise
            return 0 if taken is None else _block(module, taken.block, indices)
        case loop.ApplyOp():
            indices[op.result] = at(op.map.data.results[0], op.indices)
            return 0
        case loop.CallRowsOp():
            return sum(each.steps * by_turns(module, each.body) for each in op.pieces)
        case CallOp():
            return by_turns(module, op.callee.string_value())
        case _:
            return 0


def compiled(body: str, folder: Path, target: str, **options: Any) -> ModuleOp:
    compilation = Compilation(onnx_file(body, folder), CompileOptions(target=target, **options))
    return within_ram(compilation).at("memory").module


def test_products_of_a_padded_convolution_are_the_ones_inside_of_the_image(tmp_path: Path) -> None:
    places = [STRIDE * out + tap - 1 for out in range(5) for tap in range(3)]
    inside = sum(0 <= place < SIDE for place in places)
    assert executed_multiply_adds(compiled(CONVOLUTION, tmp_path, "c")) == inside**2 * IN * OUT


@pytest.mark.parametrize("target", ["c", "cortex-m4"])
@pytest.mark.parametrize("body", [CONVOLUTION, CHAIN], ids=["a convolution", "line buffers"])
def test_every_turn_counts(body: str, target: str, tmp_path: Path) -> None:
    module = compiled(body, tmp_path, target, ram_budget="min")
    assert any(isinstance(op, loop.CallRowsOp) for op in module.walk()) == (body == CHAIN)
    assert executed_operations(module) == by_turns(module)
