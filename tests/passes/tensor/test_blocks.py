"""Computations fused in a loop over blocks compute the same as one after the other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.errors import ScheduleError
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.types.weights import WeightStore
from support.numbers import compare_modules
from support.parse import parse

SIZES = st.integers(1, 11)


def walk(*blocks: int) -> str:
    """The directive for tiles of the first dimensions; none for no tiles."""
    steps = ", ".join(f"{dim} by {size}" for dim, size in enumerate(blocks))
    return f", tile_and_fuse<{steps}>" if steps else ""


def normalised_rows(
    planes: int, rows: int, depth: int, first: str, second: str, *, window: int = 1, read: str = "(p, i)"
) -> str:
    """Sums over windows in each row, and the rows divided by them; `first` and `second` are further directives."""
    reads = "(p, i, r) -> (p, i, r)" if window == 1 else f"(p, i, r) -> (p, i + r - {window // 2})"
    steps = depth if window == 1 else window
    source = f"tensor<{planes}x{rows}x{depth}xf32>" if window == 1 else f"tensor<{planes}x{rows}xf32>"
    guard = "" if window == 1 else ", guarded"
    x = f"tensor<{planes}x{rows}x{depth}xf32>"
    sums = f"tensor<{planes}x{rows}xf32>"
    return f"""
    func.func private @k(%x: {x}, %z: {source}) -> {x} {{
      %s = tensor.compute [{planes}, {rows} | {steps}] reads(%z at #tensor.access<affine_map<{reads}>{guard}>)
        schedule #tensor.schedule<[tile<1 by 2>{first}]> inits [1.0 : f32] reduce {{
      ^bb0(%v: f32, %acc: f32):
        %a = math.absf %v : f32
        %t = arith.addf %acc, %a : f32
        tensor.yield %t : f32
      }} apply {{
      ^bb0(%acc: f32):
        tensor.yield %acc : f32
      }} : ({source}) -> {sums}
      %y = tensor.compute [{planes}, {rows}, {depth}]
        epilogue(%x at #tensor.access<affine_map<(p, i, j) -> (p, i, j)>>,
               %s at #tensor.access<affine_map<(p, i, j) -> {read}>>)
        schedule #tensor.schedule<[vectorize<2 by 4>{second}]> apply {{
      ^bb0(%v: f32, %sum: f32):
        %q = arith.divf %v, %sum : f32
        tensor.yield %q : f32
      }} : ({x}, {sums}) -> {x}
      func.return %y : {x}
    }}"""


@settings(max_examples=60)
@given(SIZES, SIZES, SIZES, SIZES, SIZES, st.sampled_from([1, 3]))
def test_blocks_of_any_size_give_the_same_numbers(
    planes: int, rows: int, depth: int, plane_block: int, row_block: int, window: int
) -> None:
    fused = walk(plane_block, row_block)
    module = parse(normalised_rows(planes, rows, depth, fused, fused, window=window))
    after = module.clone()
    LowerToLoopPass().apply(CompilerContext(), after)
    after.verify()
    assert compare_modules(module, after, WeightStore()) == 1


def test_what_lives_inside_the_group_holds_one_block() -> None:
    module = parse(normalised_rows(6, 10, 4, walk(1, 4), walk(1, 4)))
    LowerToLoopPass().apply(CompilerContext(), module)
    [kernel] = module.body.block.ops
    assert isinstance(kernel, FuncOp)
    assert [str(type) for type in kernel.function_type.inputs][-1] == "memref<4xf32>"


def lowered(text: str) -> ModuleOp:
    module = parse(text)
    LowerToLoopPass().apply(CompilerContext(), module)
    return module


def test_unequal_numbers_of_blocks_are_refused() -> None:
    with pytest.raises(ScheduleError, match=r"tile_and_fuse makes \[3, 2\] tiles of neighbouring computations"):
        lowered(normalised_rows(6, 10, 4, walk(2), walk(3)))


def test_reading_from_another_block_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"\(d0, d1, d2\) -> \(d1, d0\) reads outside of the tile"):
        lowered(normalised_rows(6, 6, 4, walk(2), walk(2), read="(i, p)"))


def test_a_neighbour_with_another_number_of_shared_dimensions_stands_alone() -> None:
    [kernel] = lowered(normalised_rows(6, 10, 4, walk(2), walk())).body.block.ops
    assert isinstance(kernel, FuncOp)
    assert [str(type) for type in kernel.function_type.inputs][-1] == "memref<60xf32>"
