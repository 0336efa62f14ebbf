"""`tensor.compute` is what its docstring says: maps, guards, divisors, tables, several results, serial sums."""

from itertools import product

import numpy as np
import pytest

from s2s.errors import CompilerBug
from s2s.interpret.tensor import access, run_tensor
from s2s.types.dtypes import Array
from support.parse import parse

CONV = """
func.func @main(%x: tensor<1x{c}x5x6xf32>, %w: tensor<{o}x{i}x3x2xf32>, %b: tensor<{o}xf32>) -> tensor<1x{o}x3x6xf32> {{
  %y = tensor.compute [1, {o}, 3, 6 | {i}, 3, 2]
      reads(%x at #tensor.access<
              affine_map<(n, o, y, x, c, ky, kx) -> (n, {channel}, y * 2 + ky - 1, x + kx - 1)>, guarded>,
            %w at #tensor.access<affine_map<(n, o, y, x, c, ky, kx) -> (o, c, ky, kx)>>)
      epilogue(%b at #tensor.access<affine_map<(n, o, y, x) -> (o)>>)
      inits [0.0 : f32] reduce {{
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  }} apply {{
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %s, %zero : f32
    tensor.yield %r : f32
  }} : (tensor<1x{c}x5x6xf32>, tensor<{o}x{i}x3x2xf32>, tensor<{o}xf32>) -> tensor<1x{o}x3x6xf32>
  func.return %y : tensor<1x{o}x3x6xf32>
}}
"""


def normal(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def serial_conv(x: Array, w: Array, b: Array) -> Array:
    """Padding 1, strides 2 and 1, relu; every product and sum rounded, in the order of the loops."""
    y = np.zeros((1, len(b), 3, 6), np.float32)
    for o, i, j in product(range(len(b)), range(3), range(6)):
        acc = np.float32(0)
        for c, ky, kx in product(*map(range, w.shape[1:])):
            row, column = i * 2 + ky - 1, j + kx - 1
            if 0 <= row < 5 and 0 <= column < 6:
                acc = acc + x[0, c, row, column] * w[o, c, ky, kx]
        y[0, o, i, j] = max(acc + b[o], np.float32(0))
    return y


def test_convolution_adds_up_as_a_serial_loop_does():
    inputs = normal(1, 3, 5, 6), normal(4, 3, 3, 2), normal(4)
    [y] = run_tensor(parse(CONV.format(c=3, o=4, i=3, channel="c")), inputs)
    np.testing.assert_array_equal(y, serial_conv(*inputs))


def test_domain_in_small_boxes_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch):
    inputs = normal(1, 3, 5, 6), normal(4, 3, 3, 2), normal(4)
    module = parse(CONV.format(c=3, o=4, i=3, channel="c"))
    whole = run_tensor(module, inputs)
    for points in (1, 5, 7, 40):
        monkeypatch.setattr(access, "BOX_POINTS", points)
        np.testing.assert_array_equal(run_tensor(module, inputs), whole)


@pytest.mark.parametrize(("inner", "channel"), [(3, "c"), (1, "o")], ids=["dense", "depthwise"])
def test_matrix_products_come_close(inner: int, channel: str):
    inputs = normal(1, 3, 5, 6), normal(3, inner, 3, 2), normal(3)
    module = parse(CONV.format(c=3, o=3, i=inner, channel=channel))
    np.testing.assert_allclose(run_tensor(module, inputs, fast=True), run_tensor(module, inputs), 1e-5, 1e-5)


REDUCTION = """
func.func @main(%x: tensor<3x50xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %m, %i = tensor.compute [3 | 50] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>)
      inits [0xFF800000 : f32, 0] reduce {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %here = tensor.index 1
    %j = arith.index_cast %here : index to i64
    %more = arith.cmpf ogt, %v, %best : f32
    %b = arith.select %more, %v, %best : f32
    %a = arith.select %more, %j, %at : i64
    tensor.yield %b, %a : f32, i64
  } apply {
  ^bb0(%best: f32, %at: i64):
    %row = tensor.index 0
    %r = arith.index_cast %row : index to i64
    %hundred = arith.constant 100 : i64
    %base = arith.muli %r, %hundred : i64
    %shifted = arith.addi %at, %base : i64
    tensor.yield %best, %shifted : f32, i64
  } : (tensor<3x50xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  func.return %m, %i : tensor<3xf32>, tensor<3xi64>
}
"""


def test_two_accumulators_and_two_results():
    x = normal(3, 50)
    greatest, place = run_tensor(parse(REDUCTION), [x])
    np.testing.assert_array_equal(greatest, x.max(1))
    np.testing.assert_array_equal(place, x.argmax(1) + np.array([0, 100, 200]))


def test_total_reduction_has_no_parallel_dimension():
    text = """
    func.func @main(%x: tensor<7xf32>) -> tensor<f32> {
      %y = tensor.compute [ | 7] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [1.0 : f32] reduce {
      ^bb0(%v: f32, %acc: f32):
        %p = arith.mulf %v, %acc : f32
        tensor.yield %p : f32
      } apply {
      ^bb0(%acc: f32):
        tensor.yield %acc : f32
      } : (tensor<7xf32>) -> tensor<f32>
      func.return %y : tensor<f32>
    }
    """
    [y] = run_tensor(parse(text), [np.arange(1, 8, dtype=np.float32)])
    assert y.shape == ()
    assert y == 5040


PAD = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<4x5xf32> {
  %y = tensor.compute [4, 5] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (MAP)>, guarded>) apply {
  ^bb0(%v: f32):
    %inside = tensor.in_bounds %v : f32
    %fill = arith.constant 9.0 : f32
    %r = arith.select %inside, %v, %fill : f32
    tensor.yield %r : f32
  } : (tensor<2x3xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
"""


@pytest.mark.parametrize("affine", ["d0 - 1, d1 - 1", "(d0 * 5 + d1) floordiv 5 - 1, (d0 * 5 + d1) mod 5 - 1"])
def test_apply_asks_whether_a_guarded_point_exists(affine: str):
    x = normal(2, 3)
    [y] = run_tensor(parse(PAD.replace("MAP", affine)), [x])
    np.testing.assert_array_equal(y, np.pad(x, 1, constant_values=9))


def test_divided_access_hits_only_where_the_division_is_exact():
    text = """
    func.func @main(%x: tensor<4xf32>, %w: tensor<3xf32>) -> tensor<9xf32> {
      %y = tensor.compute [9 | 3]
          reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0 - d1)>, guarded, divisors [2]>,
                %w at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
          inits [0.0 : f32] reduce {
      ^bb0(%xv: f32, %wv: f32, %acc: f32):
        %p = arith.mulf %xv, %wv : f32
        %s = arith.addf %acc, %p : f32
        tensor.yield %s : f32
      } apply {
      ^bb0(%acc: f32):
        tensor.yield %acc : f32
      } : (tensor<4xf32>, tensor<3xf32>) -> tensor<9xf32>
      func.return %y : tensor<9xf32>
    }
    """
    x, w = np.array([1, 2, 3, 4], np.float32), np.array([1, 10, 100], np.float32)
    [y] = run_tensor(parse(text), [x, w])
    assert y.tolist() == [1, 10, 102, 20, 203, 30, 304, 40, 400]


GATHER = """
func.func @main(%x: tensor<5x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf32> {
  %y = tensor.compute [3, 2] epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) tables(%x) apply {
  ^bb0(%index: i64, %table: tensor<5x2xf32>):
    %row = arith.index_cast %index : i64 to index
    %column = tensor.index 1
    %v = tensor.extract %table[%row, %column] : tensor<5x2xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}
"""


def test_extract_reads_a_table_at_computed_places():
    x, rows = normal(5, 2), np.array([4, 0, 2])
    np.testing.assert_array_equal(run_tensor(parse(GATHER), [x, rows])[0], x[rows])


@pytest.mark.parametrize("wrong", [-1, 5])
def test_extract_refuses_an_index_outside_of_the_table(wrong: int):
    with pytest.raises(CompilerBug, match=f"index {wrong} of dimension 0 is outside of tensor<5x2xf32>"):
        run_tensor(parse(GATHER), [normal(5, 2), np.array([0, wrong, 1])])


def test_extract_of_skipped_points_is_not_carried_out():
    text = """
    func.func @main(%x: tensor<2xi64>, %t: tensor<2xf32>) -> tensor<3xf32> {
      %y = tensor.compute [3 | 2] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0 + d1 - 1)>, guarded>) tables(%t)
          inits [0.0 : f32] reduce {
      ^bb0(%v: i64, %acc: f32, %table: tensor<2xf32>):
        %one = arith.constant 1 : i64
        %down = arith.subi %v, %one : i64
        %at = arith.index_cast %down : i64 to index
        %e = tensor.extract %table[%at] : tensor<2xf32> -> f32
        %s = arith.addf %acc, %e : f32
        tensor.yield %s : f32
      } apply {
      ^bb0(%acc: f32, %table: tensor<2xf32>):
        tensor.yield %acc : f32
      } : (tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
      func.return %y : tensor<3xf32>
    }
    """
    [y] = run_tensor(parse(text), [np.array([1, 2]), np.array([10, 20], np.float32)])
    assert y.tolist() == [10, 30, 20]


def test_result_may_have_another_shape_than_the_domain():
    text = """
    func.func @main(%x: tensor<2x4xui8>) -> tensor<4x2xui8> {
      %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>>) apply {
      ^bb0(%v: i8):
        %two = arith.constant 2 : i8
        %h = arith.divui %v, %two : i8
        tensor.yield %h : i8
      } : (tensor<2x4xui8>) -> tensor<4x2xui8>
      func.return %y : tensor<4x2xui8>
    }
    """
    x = np.array([[0, 1, 128, 255], [3, 4, 200, 7]], np.uint8)
    [y] = run_tensor(parse(text), [x])
    assert y.dtype == np.uint8
    np.testing.assert_array_equal(y, (x // 2).reshape(4, 2))


@pytest.mark.parametrize("affine", ["d0 + 1", "(d0 * 2) floordiv 2 + 1"])
def test_total_access_outside_of_its_operand_is_a_bug(affine: str):
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (MAP)>>) apply {
      ^bb0(%v: f32):
        tensor.yield %v : f32
      } : (tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    """
    with pytest.raises(CompilerBug, match=r"tensor\.compute: %x: .* leaves \[4\]"):
        run_tensor(parse(text.replace("MAP", affine)), [normal(4)])


def test_schedule_changes_nothing():
    inputs = normal(1, 3, 5, 6), normal(4, 3, 3, 2), normal(4)
    text = CONV.format(c=3, o=4, i=3, channel="c")
    schedule = "schedule #tensor.schedule<[tile<1 by 2, 3 by 3>, unroll<4 by 3>]>"
    scheduled = run_tensor(parse(text.replace("inits", f"{schedule} inits")), inputs)
    np.testing.assert_array_equal(scheduled, run_tensor(parse(text), inputs))
