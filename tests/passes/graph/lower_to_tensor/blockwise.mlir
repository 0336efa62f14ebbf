// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @a_byte_holds_the_weights_of_two_columns(
// CHECK-NEXT: %y = tensor.compute [1, 8 | 2, 16] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, ((d2 * 32) + (d3 * 2)))>>, %x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, (((d2 * 32) + (d3 * 2)) + 1))>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>>, %s at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %x_2: f32, %w_1: i8, %s_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.extsi %w_1 : i8 to i32
// CHECK-NEXT: %1 = arith.constant 28 : i32
// CHECK-NEXT: %2 = arith.shli %0, %1 : i32
// CHECK-NEXT: %3 = arith.shrsi %2, %1 : i32
// CHECK-NEXT: %4 = arith.constant 4 : i32
// CHECK-NEXT: %5 = arith.shrsi %0, %4 : i32
// CHECK-NEXT: %6 = arith.sitofp %3 : i32 to f32
// CHECK-NEXT: %7 = arith.mulf %x_1, %6 : f32
// CHECK-NEXT: %8 = arith.sitofp %5 : i32 to f32
// CHECK-NEXT: %9 = arith.mulf %x_2, %8 : f32
// CHECK-NEXT: %10 = arith.addf %7, %9 : f32
// CHECK-NEXT: %11 = arith.mulf %10, %s_1 : f32
// CHECK-NEXT: %12 = arith.addf %acc, %11 : f32
// CHECK-NEXT: tensor.yield %12 : f32
func.func private @a_byte_holds_the_weights_of_two_columns(%x: tensor<1x64xf32>, %w: tensor<8x2x16xi8>, %s: tensor<8x2xf32>) -> tensor<1x8xf32> attributes {kernel} {
  %y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<1x64xf32>, tensor<8x2x16xi8>, tensor<8x2xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// CHECK-LABEL: @zero_points_are_taken_off_integers(
// CHECK-NEXT: %y = tensor.compute [1, 8 | 2, 32] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, ((d2 * 32) + d3))>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>>, %s at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d2)>>, %z at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: i8, %s_1: f32, %z_1: i8, %acc: f32):
// CHECK-NEXT: %0 = arith.extsi %w_1 : i8 to i32
// CHECK-NEXT: %1 = arith.extsi %z_1 : i8 to i32
// CHECK-NEXT: %2 = arith.subi %0, %1 overflow<nsw> : i32
// CHECK-NEXT: %3 = arith.sitofp %2 : i32 to f32
// CHECK-NEXT: %4 = arith.mulf %x_1, %3 : f32
// CHECK-NEXT: %5 = arith.mulf %4, %s_1 : f32
// CHECK-NEXT: %6 = arith.addf %acc, %5 : f32
// CHECK-NEXT: tensor.yield %6 : f32
func.func private @zero_points_are_taken_off_integers(%x: tensor<1x64xf32>, %w: tensor<8x2x32xi8>, %s: tensor<8x2xf32>, %z: tensor<8x2xi8>) -> tensor<1x8xf32> attributes {kernel} {
  %y = graph.blockwise_matmul %x, %w, %s, %z {bits = 8 : i64} : (tensor<1x64xf32>, tensor<8x2x32xi8>, tensor<8x2xf32>, tensor<8x2xi8>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// CHECK-LABEL: @a_last_block_beyond_the_end_is_guarded(
// CHECK-NEXT: %y = tensor.compute [8 | 2, 32] reads(%x at #tensor.access<affine_map<(d0, d1, d2) -> (((d1 * 32) + d2))>, guarded>, %w at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d1, d2)>>, %s at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d1)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: i8, %s_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.extsi %w_1 : i8 to i32
// CHECK-NEXT: %1 = arith.sitofp %0 : i32 to f32
// CHECK-NEXT: %2 = arith.mulf %x_1, %1 : f32
// CHECK-NEXT: %3 = arith.mulf %2, %s_1 : f32
// CHECK-NEXT: %4 = arith.addf %acc, %3 : f32
// CHECK-NEXT: tensor.yield %4 : f32
func.func private @a_last_block_beyond_the_end_is_guarded(%x: tensor<40xf32>, %w: tensor<8x2x32xi8>, %s: tensor<8x2xf32>) -> tensor<8xf32> attributes {kernel} {
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64} : (tensor<40xf32>, tensor<8x2x32xi8>, tensor<8x2xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
