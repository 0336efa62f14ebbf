"""The arithmetic and the bytes of kernels whose figures one can count."""

from s2s.analysis.cost.kernels import KernelCost, Operations, kernel_costs
from support.parse import parse

PRODUCT = """
func.func private @product(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> attributes {kernel} {
  %y = tensor.compute [2, 4 | 3] reads(
      %a at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d2)>>,
      %b at #tensor.access<affine_map<(d0, d1, d2) -> (d2, d1)>>) inits [0.0 : f32] reduce {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.addf %2, %3 : f32
    tensor.yield %4 : f32
  } apply {
  ^bb0(%5: f32):
    %6 = arith.constant 0.0 : f32
    %7 = arith.maximumf %5, %6 : f32
    tensor.yield %7 : f32
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<3x4xf32>
  %y = graph.call @product(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
"""

ROW = """
func.func private @row(%a: tensor<100x8xi8>) -> tensor<8xi32> attributes {kernel} {
  %y = tensor.compute [8] epilogue(%a at #tensor.access<affine_map<(d0) -> (7, d0)>>) apply {
  ^bb0(%0: i8):
    %1 = arith.extsi %0 : i8 to i32
    %2 = arith.muli %1, %1 : i32
    %3 = arith.cmpi slt, %1, %2 : i32
    tensor.yield %2 : i32
  } : (tensor<100x8xi8>) -> tensor<8xi32>
  func.return %y : tensor<8xi32>
}
func.func @main(%x: tensor<100x8xi8>) -> tensor<8xi32> {
  %y = graph.call @row(%x) : (tensor<100x8xi8>) -> tensor<8xi32>
  func.return %y : tensor<8xi32>
}
"""


def test_multiply_adds_count_twice_and_the_rest_once_a_point():
    cost = kernel_costs(parse(PRODUCT))["product"]
    assert cost.operations == Operations(floats=2 * (2 * 4 * 3) + 2 * 4)


def test_weights_are_told_from_activations():
    cost = kernel_costs(parse(PRODUCT))["product"]
    assert (cost.constants, cost.activations) == (4 * 12, 4 * (6 + 8))


def test_a_kernel_that_reads_a_part_is_charged_for_the_part():
    assert kernel_costs(parse(ROW))["row"] == KernelCost(Operations(integers=8), 0, 8 + 4 * 8)
