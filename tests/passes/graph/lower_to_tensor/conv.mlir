// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @padding_is_a_guarded_access(
// CHECK-NEXT: %y = tensor.compute [1, 4, 4, 4 | 3, 3, 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (0, d4, (((d2 * 2) + d5) + -1), (((d3 * 2) + d6) + -1))>, guarded>, %w at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>>) epilogue(%b at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %w_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32, %b_1: f32):
// CHECK-NEXT: %2 = arith.addf %acc_1, %b_1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
func.func private @padding_is_a_guarded_access(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> attributes {kernel} {
  %y = graph.conv %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  func.return %y : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: @nothing_is_guarded_without_padding(
// CHECK-NEXT: %y = tensor.compute [2, 4, 5 | 3, 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, (d2 + (d4 * 2)))>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %w_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @nothing_is_guarded_without_padding(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x5xf32> attributes {kernel} {
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>, groups = 1 : i64} : (tensor<2x3x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x5xf32>
  func.return %y : tensor<2x4x5xf32>
}

// CHECK-LABEL: @depthwise_has_no_input_channel(
// CHECK-NEXT: %y = tensor.compute [1, 6, 3 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d1, (d2 + d3))>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %w_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @depthwise_has_no_input_channel(%x: tensor<1x6x5xf32>, %w: tensor<6x1x3xf32>) -> tensor<1x6x3xf32> attributes {kernel} {
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 6 : i64} : (tensor<1x6x5xf32>, tensor<6x1x3xf32>) -> tensor<1x6x3xf32>
  func.return %y : tensor<1x6x3xf32>
}

// CHECK-LABEL: @group_is_found_by_division(
// CHECK-NEXT: %y = tensor.compute [1, 4, 4 | 3, 2] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (0, (((d1 floordiv 2) * 3) + d3), (d2 + d4))>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %w_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @group_is_found_by_division(%x: tensor<1x6x5xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x4x4xf32> attributes {kernel} {
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x6x5xf32>, tensor<4x3x2xf32>) -> tensor<1x4x4xf32>
  func.return %y : tensor<1x4x4xf32>
}

// CHECK-LABEL: @transposed_divides_by_the_stride(
// CHECK-NEXT: %y = tensor.compute [1, 4, 9 | 3, 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (0, d3, ((d2 + (d4 * -1)) + 1))>, guarded, divisors [1, 1, 2]>, %w at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %w_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %w_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @transposed_divides_by_the_stride(%x: tensor<1x3x5xf32>, %w: tensor<3x4x3xf32>) -> tensor<1x4x9xf32> attributes {kernel} {
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>} : (tensor<1x3x5xf32>, tensor<3x4x3xf32>) -> tensor<1x4x9xf32>
  func.return %y : tensor<1x4x9xf32>
}

// CHECK-LABEL: @half_is_summed_in_float(
// CHECK-NEXT: %y = tensor.compute [2, 4 | 3] reads(%a at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d2)>>, %b at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%a_1: f16, %b_1: f16, %acc: f32):
// CHECK-NEXT: %0 = arith.extf %a_1 : f16 to f32
// CHECK-NEXT: %1 = arith.extf %b_1 : f16 to f32
// CHECK-NEXT: %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT: %3 = arith.addf %acc, %2 : f32
// CHECK-NEXT: tensor.yield %3 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: %4 = arith.truncf %acc_1 : f32 to f16
// CHECK-NEXT: tensor.yield %4 : f16
func.func private @half_is_summed_in_float(%a: tensor<2x3xf16>, %b: tensor<4x3xf16>) -> tensor<2x4xf16> attributes {kernel} {
  %y = graph.matmul %a, %b {transpose_b} : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
  func.return %y : tensor<2x4xf16>
}

// CHECK-LABEL: @a_second_factor_of_bytes_is_widened(
// CHECK: ^bb0(%a_1: f32, %b_1: i8, %acc: f32):
// CHECK-NEXT: %0 = arith.sitofp %b_1 : i8 to f32
// CHECK-NEXT: %1 = arith.mulf %a_1, %0 : f32
// CHECK-NEXT: %2 = arith.addf %acc, %1 : f32
func.func private @a_second_factor_of_bytes_is_widened(%a: tensor<2x3xf32>, %b: tensor<4x3xi8>) -> tensor<2x4xf32> attributes {kernel} {
  %y = graph.matmul %a, %b {transpose_b} : (tensor<2x3xf32>, tensor<4x3xi8>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @batches_are_broadcast(
// CHECK-NEXT: %y = tensor.compute [2, 5, 4 | 3] reads(%a at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>>, %b at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d3, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%a_1: f32, %b_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %a_1, %b_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
func.func private @batches_are_broadcast(%a: tensor<2x5x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x5x4xf32> attributes {kernel} {
  %y = graph.matmul %a, %b : (tensor<2x5x3xf32>, tensor<3x4xf32>) -> tensor<2x5x4xf32>
  func.return %y : tensor<2x5x4xf32>
}
