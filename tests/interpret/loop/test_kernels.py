"""Every operation of `loop` does what its docstring says, and no access outside of a buffer goes unnoticed."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from s2s.errors import CompilerBug, InputError
from s2s.interpret.loop import Options, run_loop_function
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.parse import parse

ROW = np.arange(10, dtype=np.float32)


def run(body: str, *buffers: Array, weights: WeightStore | None = None, options: Options | None = None) -> None:
    """Run a kernel of that body; its buffers are called %b0, %b1, …"""
    names = {"float32": "f32", "int8": "i8", "uint8": "ui8", "int64": "i64", "int32": "i32", "bool": "i1"}
    types = [f"memref<{buffer.size}x{names[buffer.dtype.name]}>" for buffer in buffers]
    signature = ", ".join(f"%b{number}: {type}" for number, type in enumerate(types))
    module = parse(f"func.func @kernel({signature}) {{ {body} func.return }}")
    [kernel] = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    run_loop_function(kernel, buffers, weights, options)


def zeros(count: int, dtype: type[np.generic] = np.float32) -> Array:
    return np.zeros(count, dtype)


def test_nested_loops_carry_values_and_load_by_affine_positions():
    y, x, w = zeros(3), np.arange(12, dtype=np.float32), np.arange(4, dtype=np.float32)
    run(
        """
        loop.for %i = 0 to 3 {
          %zero = arith.constant 0.0 : f32
          %sum = loop.for %j = 0 to 4 iter_args(%acc = %zero) -> (f32) {
            %a = loop.load %b1[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j)] : memref<12xf32> -> f32
            %b = loop.load %b2[affine_map<(d0) -> (d0)>(%j)] : memref<4xf32> -> f32
            %next = loop.fma %a, %b, %acc : f32
            loop.yield %next : f32
          }
          loop.store %sum, %b0[affine_map<(d0) -> (d0)>(%i)] : f32, memref<3xf32>
        }
        """,
        y,
        x,
        w,
    )
    assert y.tolist() == (x.reshape(3, 4) @ w).tolist()


def test_bounds_are_the_greatest_lower_and_the_least_upper():
    y = zeros(10)
    run(
        """
        %one = arith.constant 1.0 : f32
        loop.for %i = 0 to 10 step 4 {
          loop.for %j = max affine_map<(d0) -> (d0, 1)>(%i) to min affine_map<(d0) -> (d0 + 4, 9)>(%i) {
            %old = loop.load %b0[affine_map<(d0) -> (d0)>(%j)] : memref<10xf32> -> f32
            %new = arith.addf %old, %one : f32
            loop.store %new, %b0[affine_map<(d0) -> (d0)>(%j)] : f32, memref<10xf32>
          }
        }
        """,
        y,
    )
    assert y.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1, 0]


def test_carried_values_change_places_at_the_same_time():
    y = zeros(1, np.int32)
    run(
        """
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %fib, %other = loop.for %i = 0 to 10 iter_args(%a = %zero, %b = %one) -> (i32, i32) {
          %c = arith.addi %a, %b : i32
          loop.yield %b, %c : i32, i32
        }
        loop.store %fib, %b0[affine_map<() -> (0)>()] : i32, memref<1xi32>
        """,
        y,
    )
    assert y.tolist() == [55]


def test_loop_without_a_pass_hands_on_its_initial_value():
    y = zeros(1)
    run(
        """
        %seven = arith.constant 7.0 : f32
        %sum = loop.for %i = 3 to 3 iter_args(%a = %seven) -> (f32) {
          %b = arith.addf %a, %a : f32
          loop.yield %b : f32
        }
        loop.store %sum, %b0[affine_map<() -> (0)>()] : f32, memref<1xf32>
        """,
        y,
    )
    assert y.tolist() == [7]


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ("d0 - 3 >= 0", [0, 0, 0, 3, 4, 5]),
        ("d0 - 3 <= 0", [0, 1, 2, 3, 0, 0]),
        ("d0 mod 2 == 0", [0, 0, 2, 0, 4, 0]),
        ("d0 - 2 >= 0, 4 - d0 >= 0", [0, 0, 2, 3, 4, 0]),
    ],
)
def test_condition_holds_where_all_its_constraints_do(constraints: str, expected: Sequence[float]):
    y = zeros(6)
    run(
        f"""
        loop.for %i = 0 to 6 {{
          %v = loop.if affine_set<(d0) : ({constraints})>(%i) -> f32 {{
            %a = loop.load %b1[affine_map<(d0) -> (d0)>(%i)] : memref<10xf32> -> f32
            loop.yield %a : f32
          }} else {{
            %zero = arith.constant 0.0 : f32
            loop.yield %zero : f32
          }}
          loop.store %v, %b0[affine_map<(d0) -> (d0)>(%i)] : f32, memref<6xf32>
        }}
        """,
        y,
        ROW,
    )
    assert y.tolist() == expected


def test_condition_without_else_may_do_nothing():
    y = zeros(4)
    run(
        """
        %one = arith.constant 1.0 : f32
        loop.for %i = 0 to 4 {
          loop.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
            loop.store %one, %b0[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
            loop.yield
          }
        }
        """,
        y,
    )
    assert y.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("attributes", "at", "expected"),
    [
        ("", 2, [2, 3, 4, 5]),
        ("{stride = 2 : i64}", 1, [1, 3, 5, 7]),
        ("{stride = -1 : i64}", 3, [3, 2, 1, 0]),
        ("{lanes = 3 : i64}", 7, [7, 8, 9, 0]),
        ("{stride = 3 : i64, lanes = 2 : i64}", 6, [6, 9, 0, 0]),
    ],
)
def test_vector_load(attributes: str, at: int, expected: Sequence[float]):
    y = zeros(4)
    run(
        f"""
        %v = loop.load %b1[affine_map<() -> ({at})>()] {attributes} : memref<10xf32> -> vector<4xf32>
        loop.store %v, %b0[affine_map<() -> (0)>()] : vector<4xf32>, memref<4xf32>
        """,
        y,
        ROW,
    )
    assert y.tolist() == expected


@pytest.mark.parametrize(
    ("attributes", "at", "expected"),
    [
        ("", 1, [9, 1, 2, 3, 4, 9, 9, 9]),
        ("{stride = 2 : i64}", 1, [9, 1, 9, 2, 9, 3, 9, 4]),
        ("{stride = -1 : i64}", 5, [9, 9, 4, 3, 2, 1, 9, 9]),
        ("{lanes = 2 : i64}", 6, [9, 9, 9, 9, 9, 9, 1, 2]),
    ],
)
def test_vector_store(attributes: str, at: int, expected: Sequence[float]):
    y = np.full(8, 9, np.float32)
    run(
        f"""
        %v = loop.load %b1[affine_map<() -> (1)>()] : memref<10xf32> -> vector<4xf32>
        loop.store %v, %b0[affine_map<() -> ({at})>()] {attributes} : vector<4xf32>, memref<8xf32>
        """,
        y,
        ROW,
    )
    assert y.tolist() == expected


@pytest.mark.parametrize(("kind", "expected"), [("add", 10), ("mul", 24), ("max", 4), ("min", 1)])
def test_reduction_of_lanes(kind: str, expected: float):
    y = zeros(1)
    run(
        f"""
        %v = loop.load %b1[affine_map<() -> (1)>()] : memref<10xf32> -> vector<4xf32>
        %r = loop.reduce "{kind}" %v : vector<4xf32> -> f32
        loop.store %r, %b0[affine_map<() -> (0)>()] : f32, memref<1xf32>
        """,
        y,
        ROW,
    )
    assert y.tolist() == [expected]


def test_vectors_by_broadcast_constant_and_arithmetic():
    y = zeros(4)
    run(
        """
        %s = loop.load %b1[affine_map<() -> (3)>()] : memref<10xf32> -> f32
        %v = loop.broadcast %s : f32 -> vector<4xf32>
        %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
        %two = arith.constant dense<2.0> : vector<4xf32>
        %p = arith.mulf %v, %c : vector<4xf32>
        %m = arith.maximumf %p, %two : vector<4xf32>
        %f = loop.fma %m, %two, %c : vector<4xf32>
        loop.store %f, %b0[affine_map<() -> (0)>()] : vector<4xf32>, memref<4xf32>
        """,
        y,
        ROW,
    )
    assert y.tolist() == [7, 14, 21, 28]


@pytest.mark.parametrize(("fused", "expected"), [(False, 0.0), (True, -(2.0**-30))])
def test_fma_rounds_twice_unless_told_otherwise(fused: bool, expected: float):
    y, x = zeros(1), np.array([1 + 2.0**-15, 1 - 2.0**-15, -1], np.float32)
    run(
        """
        %a = loop.load %b1[affine_map<() -> (0)>()] : memref<3xf32> -> f32
        %b = loop.load %b1[affine_map<() -> (1)>()] : memref<3xf32> -> f32
        %c = loop.load %b1[affine_map<() -> (2)>()] : memref<3xf32> -> f32
        %r = loop.fma %a, %b, %c : f32
        loop.store %r, %b0[affine_map<() -> (0)>()] : f32, memref<1xf32>
        """,
        y,
        x,
        options=Options(fused=fused),
    )
    assert y.tolist() == [expected]


COPY_AT = """
loop.for %i = 0 to 3 {
  %index = loop.load %b2[affine_map<(d0) -> (d0)>(%i)] : memref<3xi64> -> i64
  %at = arith.index_cast %index : i64 to index
  %one = arith.constant 1 : index
  %next = arith.addi %at, %one : index
  %v = loop.load_at %b1[%next] : memref<10xf32> -> f32
  loop.store_at %v, %b0[%at] : f32, memref<10xf32>
}
"""


def test_positions_from_data():
    y = zeros(10)
    run(COPY_AT, y, ROW, np.array([4, 0, 8]))
    assert y.tolist() == [1, 0, 0, 0, 5, 0, 0, 0, 9, 0]


@pytest.mark.parametrize(("index", "message"), [(9, r"loop\.load_at: index 10"), (-1, r"loop\.store_at: index -1")])
def test_position_from_data_outside_of_the_buffer(index: int, message: str):
    with pytest.raises(CompilerBug, match=message):
        run(COPY_AT, zeros(10), ROW, np.array([index, 0, 0]))


def test_affine_positions_with_divisions_and_applied_maps():
    y = zeros(10)
    run(
        """
        loop.for %i = 0 to 10 {
          %j = loop.apply affine_map<(d0) -> (d0 floordiv 5 + (d0 mod 5) * 2)>(%i)
          %v = loop.load %b1[affine_map<(d0) -> (d0)>(%j)] : memref<10xf32> -> f32
          loop.store %v, %b0[affine_map<(d0) -> (d0 ceildiv 1)>(%i)] : f32, memref<10xf32>
        }
        """,
        y,
        ROW,
    )
    assert y.tolist() == ROW.reshape(5, 2).T.ravel().tolist()


def test_unsigned_memory_is_read_as_the_operation_says():
    y, x = zeros(2, np.uint8), np.array([200, 100], np.uint8)
    run(
        """
        %two = arith.constant 2 : i8
        loop.for %i = 0 to 2 {
          %v = loop.load %b1[affine_map<(d0) -> (d0)>(%i)] : memref<2xui8> -> i8
          %h = arith.divui %v, %two : i8
          loop.store %h, %b0[affine_map<(d0) -> (d0)>(%i)] : i8, memref<2xui8>
        }
        """,
        y,
        x,
    )
    assert y.tolist() == [100, 50]


ACCESSES = [
    ("%v = loop.load %b0[affine_map<() -> (10)>()] : memref<10xf32> -> f32", 10),
    ("%v = loop.load %b0[affine_map<() -> (-1)>()] : memref<10xf32> -> f32", -1),
    ("%v = loop.load %b0[affine_map<() -> (7)>()] : memref<10xf32> -> vector<4xf32>", 10),
    ("%v = loop.load %b0[affine_map<() -> (2)>()] {stride = -1 : i64} : memref<10xf32> -> vector<4xf32>", -1),
    ("loop.store %c, %b0[affine_map<() -> (12)>()] : f32, memref<10xf32>", 12),
    ("loop.store %cs, %b0[affine_map<() -> (8)>()] {lanes = 3 : i64} : vector<4xf32>, memref<10xf32>", 10),
    ("loop.store %cs, %b0[affine_map<() -> (-2)>()] : vector<4xf32>, memref<10xf32>", -2),
]


@pytest.mark.parametrize(("access", "index"), ACCESSES)
def test_access_outside_of_the_buffer_names_function_operation_buffer_and_index(access: str, index: int):
    constants = "%c = arith.constant 1.0 : f32 %cs = arith.constant dense<1.0> : vector<4xf32>"
    message = rf"@kernel: loop\.\w+: index {index} is outside of %b0 \(memref<10xf32>\)"
    with pytest.raises(CompilerBug, match=message):
        run(f"{constants} {access}", ROW.copy())


def test_partial_vector_may_end_with_the_buffer():
    run("%v = loop.load %b0[affine_map<() -> (7)>()] {lanes = 3 : i64} : memref<10xf32> -> vector<4xf32>", ROW)


WEIGHT = """
%w = loop.weight "w" {hash = ""} : memref<4xf32>
%v = loop.load %w[affine_map<() -> (3)>()] : memref<4xf32> -> f32
loop.store %v, BUFFER[affine_map<() -> (0)>()] : f32, TYPE
"""


@pytest.mark.parametrize("array", [np.full((2, 2), 5, np.float32), np.broadcast_to(np.float32(5), (2, 2))])
def test_weights_are_flat(array: Array):
    weights, y = WeightStore(), zeros(1)
    weights.add("w", array)
    run(WEIGHT.replace("BUFFER", "%b0").replace("TYPE", "memref<1xf32>"), y, weights=weights)
    assert y.tolist() == [5]


def test_weight_of_another_size_is_a_bug():
    weights = WeightStore()
    weights.add("w", np.ones(5, np.float32))
    with pytest.raises(CompilerBug, match=r"loop\.weight: weight 'w' is 5 float32, not memref<4xf32>"):
        run(WEIGHT.replace("BUFFER", "%b0").replace("TYPE", "memref<1xf32>"), zeros(1), weights=weights)


@pytest.mark.parametrize("attributes", ["", "{stride = 0 : i64}"])
def test_writing_to_a_weight_is_a_bug(attributes: str):
    weights = WeightStore()
    weights.add("w", np.ones(4, np.float32))
    store = f"loop.store %c, %w[affine_map<() -> (0)>()] {attributes} : vector<4xf32>, memref<4xf32>"
    constant = "%c = arith.constant dense<1.0> : vector<4xf32>"
    with pytest.raises(CompilerBug, match=r"loop\.store: %w \(memref<4xf32>\) is an input or a weight"):
        run(f'%w = loop.weight "w" {{hash = ""}} : memref<4xf32> {constant} {store}', zeros(1), weights=weights)


def test_buffers_have_to_fit():
    module = parse("func.func @kernel(%y: memref<3xf32>) { func.return }")
    [kernel] = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    with pytest.raises(InputError, match=r"%y \(memref<3xf32>\): array has 4 elements of float32"):
        run_loop_function(kernel, [zeros(4)])
    with pytest.raises(InputError, match="not contiguous"):
        run_loop_function(kernel, [zeros(6)[::2]])
    with pytest.raises(InputError, match="2 buffers are given"):
        run_loop_function(kernel, [zeros(3), zeros(3)])


def test_operation_of_another_level_is_a_bug():
    module = parse('func.func @kernel() { %w = graph.weight "w" {hash = ""} : tensor<1xf32> func.return }')
    [kernel] = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    with pytest.raises(CompilerBug, match=r"@kernel: graph\.weight: the operation has no meaning at loop level"):
        run_loop_function(kernel, [])
