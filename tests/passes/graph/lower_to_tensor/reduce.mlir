// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @reduced_axes_are_the_inner_dimensions(
// CHECK-NEXT: %y = tensor.compute [3 | 2, 4] reads(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d0, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @reduced_axes_are_the_inner_dimensions(%x: tensor<2x3x4xf32>) -> tensor<3xf32> attributes {kernel} {
  %y = graph.reduce_sum %x {axes = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @kept_axis_has_size_one(
// CHECK-NEXT: %y = tensor.compute [2, 1 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: %1 = arith.constant 3.000000e+00 : f32
// CHECK-NEXT: %2 = arith.divf %acc_1, %1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
func.func private @kept_axis_has_size_one(%x: tensor<2x3xf32>) -> tensor<2x1xf32> attributes {kernel} {
  %y = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}

// CHECK-LABEL: @maximum_starts_at_the_smallest(
// CHECK-NEXT: %y = tensor.compute [ | 3] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [-128 : i8] reduce {
// CHECK-NEXT: ^bb0(%x_1: i8, %acc: i8):
// CHECK-NEXT: %0 = arith.maxsi %acc, %x_1 : i8
// CHECK-NEXT: tensor.yield %0 : i8
// CHECK: ^bb0(%acc_1: i8):
// CHECK-NEXT: tensor.yield %acc_1 : i8
func.func private @maximum_starts_at_the_smallest(%x: tensor<3xi8>) -> tensor<i8> attributes {kernel} {
  %y = graph.reduce_max %x {axes = array<i64: 0>} : (tensor<3xi8>) -> tensor<i8>
  func.return %y : tensor<i8>
}

// CHECK-LABEL: @search_carries_value_and_place(
// CHECK-NEXT: %y = tensor.compute [2 | 3] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [-2147483648 : i32, 0 : i32] reduce {
// CHECK-NEXT: ^bb0(%x_1: i32, %acc: i32, %acc_1: i32):
// CHECK-NEXT: %0 = arith.cmpi sgt, %x_1, %acc : i32
// CHECK-NEXT: %1 = arith.select %0, %x_1, %acc : i32
// CHECK-NEXT: %2 = tensor.index 1 : i64
// CHECK-NEXT: %3 = arith.index_cast %2 : index to i32
// CHECK-NEXT: %4 = arith.select %0, %3, %acc_1 : i32
// CHECK-NEXT: tensor.yield %1, %4 : i32, i32
// CHECK: ^bb0(%acc_2: i32, %acc_3: i32):
// CHECK-NEXT: %5 = arith.extsi %acc_3 : i32 to i64
// CHECK-NEXT: tensor.yield %5 : i64
func.func private @search_carries_value_and_place(%x: tensor<2x3xi32>) -> tensor<2xi64> attributes {kernel} {
  %y = graph.argmax %x {axis = 1 : i64} : (tensor<2x3xi32>) -> tensor<2xi64>
  func.return %y : tensor<2xi64>
}

// CHECK-LABEL: @nan_wins_a_search(
// CHECK-NEXT: %y = tensor.compute [ | 3] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [0x7f800000 : f32, 0 : i32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32, %acc_1: i32):
// CHECK-NEXT: %0 = arith.cmpf ole, %x_1, %acc : f32
// CHECK-NEXT: %1 = arith.cmpf une, %x_1, %x_1 : f32
// CHECK-NEXT: %2 = arith.ori %0, %1 : i1
// CHECK-NEXT: %3 = arith.select %2, %x_1, %acc : f32
// CHECK-NEXT: %4 = tensor.index 0 : i64
// CHECK-NEXT: %5 = arith.index_cast %4 : index to i32
// CHECK-NEXT: %6 = arith.select %2, %5, %acc_1 : i32
// CHECK-NEXT: tensor.yield %3, %6 : f32, i32
// CHECK: ^bb0(%acc_2: f32, %acc_3: i32):
// CHECK-NEXT: %7 = arith.extsi %acc_3 : i32 to i64
// CHECK-NEXT: tensor.yield %7 : i64
func.func private @nan_wins_a_search(%x: tensor<3xf32>) -> tensor<i64> attributes {kernel} {
  %y = graph.argmin %x {axis = 0 : i64, select_last} : (tensor<3xf32>) -> tensor<i64>
  func.return %y : tensor<i64>
}

// CHECK-LABEL: @running_sum_skips_what_comes_later(
// CHECK-NEXT: %y = tensor.compute [8 | 8] reads(%x at #tensor.access<affine_map<(d0, d1) -> (((d0 + d1) + -7))>, guarded>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @running_sum_skips_what_comes_later(%x: tensor<8xf32>) -> tensor<8xf32> attributes {kernel} {
  %y = graph.cumsum %x {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: @a_routine_finds_the_first_elements(
// CHECK-NEXT: %y = tensor.extern "smallest_f32"(%x) {numbers = array<i64: 8, 100, 5>, scratch = [tensor<656xui32>]} : (tensor<2x4x100xf32>) -> tensor<2x4x5xi32>
func.func private @a_routine_finds_the_first_elements(%x: tensor<2x4x100xf32>) -> tensor<2x4x5xi32> attributes {kernel} {
  %y = graph.top_k %x {count = 5 : i64, smallest} : (tensor<2x4x100xf32>) -> tensor<2x4x5xi32>
  func.return %y : tensor<2x4x5xi32>
}

// CHECK-LABEL: @a_routine_orders_rows(
// CHECK-NEXT: %y = tensor.extern "row_order_f64"(%x) {numbers = array<i64: 8, 630>, scratch = [tensor<8xi32>]} : (tensor<8x630xf64>) -> tensor<8xi32>
func.func private @a_routine_orders_rows(%x: tensor<8x630xf64>) -> tensor<8xi32> attributes {kernel} {
  %y = graph.row_order %x : (tensor<8x630xf64>) -> tensor<8xi32>
  func.return %y : tensor<8xi32>
}

// CHECK-LABEL: @narrow_elements_are_widened_for_it(
// CHECK-NEXT: %0 = tensor.compute [100] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: i8):
// CHECK-NEXT: %1 = arith.extui %x_1 : i8 to i32
// CHECK: %y = tensor.extern "largest_i32"(%0) {numbers = array<i64: 1, 100, 5>
func.func private @narrow_elements_are_widened_for_it(%x: tensor<100xui8>) -> tensor<5xi32> attributes {kernel} {
  %y = graph.top_k %x {count = 5 : i64} : (tensor<100xui8>) -> tensor<5xi32>
  func.return %y : tensor<5xi32>
}
