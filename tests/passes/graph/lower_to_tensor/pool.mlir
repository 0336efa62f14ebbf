// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @padding_is_no_element(
// CHECK-NEXT: %y = tensor.compute [1, 2, 4 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d1, ((d2 * 2) + d3))>, guarded>) inits [0xff800000 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.maximumf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @padding_is_no_element(%x: tensor<1x2x8xf32>) -> tensor<1x2x4xf32> attributes {kernel} {
  %y = graph.max_pool %x {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 0, 1>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}

// CHECK-LABEL: @largest_byte(
// CHECK-NEXT: %y = tensor.compute [1, 2, 4 | 2] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d1, ((d2 * 2) + d3))>>) inits [0 : i8] reduce {
// CHECK-NEXT: ^bb0(%x_1: i8, %acc: i8):
// CHECK-NEXT: %0 = arith.maxui %acc, %x_1 : i8
// CHECK-NEXT: tensor.yield %0 : i8
// CHECK: ^bb0(%acc_1: i8):
// CHECK-NEXT: tensor.yield %acc_1 : i8
func.func private @largest_byte(%x: tensor<1x2x8xui8>) -> tensor<1x2x4xui8> attributes {kernel} {
  %y = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xui8>) -> tensor<1x2x4xui8>
  func.return %y : tensor<1x2x4xui8>
}

// CHECK-LABEL: @windows_that_count_alike_divide_by_a_constant(
// CHECK-NEXT: %y = tensor.compute [1, 2, 4, 1 | 2, 8] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d1, ((d2 * 2) + d4), d5)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: %1 = arith.constant 1.600000e+01 : f32
// CHECK-NEXT: %2 = arith.divf %acc_1, %1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
func.func private @windows_that_count_alike_divide_by_a_constant(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x4x1xf32> attributes {kernel} {
  %y = graph.avg_pool %x {kernel = array<i64: 2, 8>, strides = array<i64: 2, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x1xf32>
  func.return %y : tensor<1x2x4x1xf32>
}

// CHECK-LABEL: @windows_over_the_border_count_what_they_hold(
// CHECK-NEXT: %y = tensor.compute [1, 2, 8 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d1, ((d2 + d3) + -1))>, guarded>) inits [0.000000e+00 : f32, 0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32, %acc_1: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: %1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %2 = arith.addf %acc_1, %1 : f32
// CHECK-NEXT: tensor.yield %0, %2 : f32, f32
// CHECK: ^bb0(%acc_2: f32, %acc_3: f32):
// CHECK-NEXT: %3 = arith.divf %acc_2, %acc_3 : f32
// CHECK-NEXT: tensor.yield %3 : f32
func.func private @windows_over_the_border_count_what_they_hold(%x: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> attributes {kernel} {
  %y = graph.avg_pool %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, counted_pads = array<i64: 0, 0>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  func.return %y : tensor<1x2x8xf32>
}

// CHECK-LABEL: @padding_that_counts_in_part_is_counted_by_place(
// CHECK-NEXT: %y = tensor.compute [1, 2, 4 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d1, (((d2 * 2) + d3) + -1))>, guarded>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: %1 = tensor.index 2 : i64
// CHECK-NEXT: %2 = arith.index_cast %1 : index to i32
// CHECK-NEXT: %3 = arith.constant 2 : i32
// CHECK-NEXT: %4 = arith.muli %2, %3 : i32
// CHECK-NEXT: %5 = arith.constant 8 : i32
// CHECK-NEXT: %6 = arith.subi %5, %4 : i32
// CHECK-NEXT: %7 = arith.constant 3 : i32
// CHECK-NEXT: %8 = arith.minsi %6, %7 : i32
// CHECK-NEXT: %9 = arith.sitofp %8 : i32 to f32
// CHECK-NEXT: %10 = arith.divf %acc_1, %9 : f32
// CHECK-NEXT: tensor.yield %10 : f32
func.func private @padding_that_counts_in_part_is_counted_by_place(%x: tensor<1x2x6xf32>) -> tensor<1x2x4xf32> attributes {kernel} {
  %y = graph.avg_pool %x {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 2>, dilations = array<i64: 1>, counted_pads = array<i64: 1, 1>} : (tensor<1x2x6xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}

// CHECK-LABEL: @place_of_the_largest(
// CHECK-NEXT: %y = tensor.compute [1, 1, 4 | 2] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, 0, ((d2 * 2) + d3))>>) inits [-128 : i8, -1 : i32] reduce {
// CHECK-NEXT: ^bb0(%x_1: i8, %acc: i8, %acc_1: i32):
// CHECK-NEXT: %0 = arith.cmpi sgt, %x_1, %acc : i8
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.cmpi slt, %acc_1, %1 : i32
// CHECK-NEXT: %3 = arith.ori %0, %2 : i1
// CHECK-NEXT: %4 = tensor.index 3 : i64
// CHECK-NEXT: %5 = arith.index_cast %4 : index to i32
// CHECK-NEXT: %6 = arith.addi %1, %5 : i32
// CHECK-NEXT: %7 = arith.select %3, %x_1, %acc : i8
// CHECK-NEXT: %8 = arith.select %3, %6, %acc_1 : i32
// CHECK-NEXT: tensor.yield %7, %8 : i8, i32
// CHECK: ^bb0(%acc_2: i8, %acc_3: i32):
// CHECK-NEXT: %9 = tensor.index 0 : i64
// CHECK-NEXT: %10 = arith.index_cast %9 : index to i32
// CHECK-NEXT: %11 = arith.constant 8 : i32
// CHECK-NEXT: %12 = arith.muli %10, %11 : i32
// CHECK-NEXT: %13 = tensor.index 1 : i64
// CHECK-NEXT: %14 = arith.index_cast %13 : index to i32
// CHECK-NEXT: %15 = arith.muli %14, %11 : i32
// CHECK-NEXT: %16 = arith.addi %12, %15 : i32
// CHECK-NEXT: %17 = tensor.index 2 : i64
// CHECK-NEXT: %18 = arith.index_cast %17 : index to i32
// CHECK-NEXT: %19 = arith.constant 2 : i32
// CHECK-NEXT: %20 = arith.muli %18, %19 : i32
// CHECK-NEXT: %21 = arith.addi %16, %20 : i32
// CHECK-NEXT: %22 = arith.addi %acc_3, %21 : i32
// CHECK-NEXT: %23 = arith.extsi %22 : i32 to i64
// CHECK-NEXT: tensor.yield %23 : i64
func.func private @place_of_the_largest(%x: tensor<1x1x8xi8>) -> tensor<1x1x4xi64> attributes {kernel} {
  %y = graph.max_pool_indices %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, storage_order = 0 : i64} : (tensor<1x1x8xi8>) -> tensor<1x1x4xi64>
  func.return %y : tensor<1x1x4xi64>
}
