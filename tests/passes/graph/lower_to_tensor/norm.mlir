// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @softmax_is_four_computations(
// CHECK-NEXT: %largest = tensor.compute [2 | 3] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0xff800000 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.maximumf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
// CHECK-NEXT: attributes {node = "sm"}
// CHECK-NEXT: %powers = tensor.compute [2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %largest at #tensor.access<affine_map<(d0, d1) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_2: f32, %largest_1: f32):
// CHECK-NEXT: %1 = arith.subf %x_2, %largest_1 : f32
// CHECK-NEXT: %2 = tensor.exp_nonpositive %1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
// CHECK-NEXT: attributes {node = "sm"}
// CHECK-NEXT: %scale = tensor.compute [2 | 3] reads(%powers at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%powers_1: f32, %acc_2: f32):
// CHECK-NEXT: %3 = arith.addf %acc_2, %powers_1 : f32
// CHECK-NEXT: tensor.yield %3 : f32
// CHECK: ^bb0(%acc_3: f32):
// CHECK-NEXT: %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %5 = arith.divf %4, %acc_3 : f32
// CHECK-NEXT: tensor.yield %5 : f32
// CHECK-NEXT: attributes {node = "sm"}
// CHECK-NEXT: %y = tensor.compute [2, 3] epilogue(%powers at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %scale at #tensor.access<affine_map<(d0, d1) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%powers_2: f32, %scale_1: f32):
// CHECK-NEXT: %6 = arith.mulf %powers_2, %scale_1 : f32
// CHECK-NEXT: tensor.yield %6 : f32
// CHECK-NEXT: attributes {node = "sm"}
func.func private @softmax_is_four_computations(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {kernel} {
  %y = graph.softmax %x {axis = 1 : i64, node = "sm"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @statistics_of_halves_are_floats(
// CHECK-NEXT: %largest = tensor.compute [3 | 2] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>) inits [0xff800000 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f16, %acc: f32):
// CHECK-NEXT: %0 = arith.extf %x_1 : f16 to f32
// CHECK-NEXT: %1 = arith.maximumf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: tensor.yield %acc_1 : f32
// CHECK: %shifted = tensor.compute [2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %largest at #tensor.access<affine_map<(d0, d1) -> (d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_2: f16, %largest_1: f32):
// CHECK-NEXT: %2 = arith.extf %x_2 : f16 to f32
// CHECK-NEXT: %3 = arith.subf %2, %largest_1 : f32
// CHECK-NEXT: tensor.yield %3 : f32
// CHECK: %log_sum = tensor.compute [3 | 2] reads(%shifted at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%shifted_1: f32, %acc_2: f32):
// CHECK-NEXT: %4 = tensor.exp_nonpositive %shifted_1 : f32
// CHECK-NEXT: %5 = arith.addf %acc_2, %4 : f32
// CHECK-NEXT: tensor.yield %5 : f32
// CHECK: ^bb0(%acc_3: f32):
// CHECK-NEXT: %6 = math.log %acc_3 : f32
// CHECK-NEXT: tensor.yield %6 : f32
// CHECK: %y = tensor.compute [2, 3] epilogue(%shifted at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %log_sum at #tensor.access<affine_map<(d0, d1) -> (d1)>>) apply {
// CHECK-NEXT: ^bb0(%shifted_2: f32, %log_sum_1: f32):
// CHECK-NEXT: %7 = arith.subf %shifted_2, %log_sum_1 : f32
// CHECK-NEXT: %8 = arith.truncf %7 : f32 to f16
// CHECK-NEXT: tensor.yield %8 : f16
func.func private @statistics_of_halves_are_floats(%x: tensor<2x3xf16>) -> tensor<2x3xf16> attributes {kernel} {
  %y = graph.log_softmax %x {axis = 0 : i64} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return %y : tensor<2x3xf16>
}

// CHECK-LABEL: @variance_takes_a_second_pass(
// CHECK-NEXT: %mean = tensor.compute [2 | 4] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.addf %acc, %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: ^bb0(%acc_1: f32):
// CHECK-NEXT: %1 = arith.constant 4.000000e+00 : f32
// CHECK-NEXT: %2 = arith.divf %acc_1, %1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
// CHECK: %factor = tensor.compute [2 | 4] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %mean at #tensor.access<affine_map<(d0, d1) -> (d0)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_2: f32, %mean_1: f32, %acc_2: f32):
// CHECK-NEXT: %3 = arith.subf %x_2, %mean_1 : f32
// CHECK-NEXT: %4 = arith.mulf %3, %3 : f32
// CHECK-NEXT: %5 = arith.addf %acc_2, %4 : f32
// CHECK-NEXT: tensor.yield %5 : f32
// CHECK: ^bb0(%acc_3: f32):
// CHECK-NEXT: %6 = arith.constant 4.000000e+00 : f32
// CHECK-NEXT: %7 = arith.divf %acc_3, %6 : f32
// CHECK-NEXT: %8 = arith.constant 1.000000e-05 : f32
// CHECK-NEXT: %9 = arith.addf %7, %8 : f32
// CHECK-NEXT: %10 = math.sqrt %9 : f32
// CHECK-NEXT: %11 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %12 = arith.divf %11, %10 : f32
// CHECK-NEXT: tensor.yield %12 : f32
// CHECK: %y = tensor.compute [2, 4] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %mean at #tensor.access<affine_map<(d0, d1) -> (d0)>>, %factor at #tensor.access<affine_map<(d0, d1) -> (d0)>>, %s at #tensor.access<affine_map<(d0, d1) -> (d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_3: f32, %mean_2: f32, %factor_1: f32, %s_1: f32):
// CHECK-NEXT: %13 = arith.subf %x_3, %mean_2 : f32
// CHECK-NEXT: %14 = arith.mulf %13, %factor_1 : f32
// CHECK-NEXT: %15 = arith.mulf %14, %s_1 : f32
// CHECK-NEXT: tensor.yield %15 : f32
func.func private @variance_takes_a_second_pass(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> attributes {kernel} {
  %y = graph.layer_norm %x scale %s : tensor<4xf32> {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @one_factor_a_channel(
// CHECK-NEXT: %factor = tensor.compute [3] epilogue(%s at #tensor.access<affine_map<(d0) -> (d0)>>, %v at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%s_1: f32, %v_1: f32):
// CHECK-NEXT: %0 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %1 = arith.addf %v_1, %0 : f32
// CHECK-NEXT: %2 = math.sqrt %1 : f32
// CHECK-NEXT: %3 = arith.divf %s_1, %2 : f32
// CHECK-NEXT: tensor.yield %3 : f32
// CHECK: %y = tensor.compute [1, 3, 4] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (0, d1, d2)>>, %m at #tensor.access<affine_map<(d0, d1, d2) -> (d1)>>, %factor at #tensor.access<affine_map<(d0, d1, d2) -> (d1)>>, %b at #tensor.access<affine_map<(d0, d1, d2) -> (d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32, %m_1: f32, %factor_1: f32, %b_1: f32):
// CHECK-NEXT: %4 = arith.subf %x_1, %m_1 : f32
// CHECK-NEXT: %5 = arith.mulf %4, %factor_1 : f32
// CHECK-NEXT: %6 = arith.addf %5, %b_1 : f32
// CHECK-NEXT: tensor.yield %6 : f32
func.func private @one_factor_a_channel(%x: tensor<1x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<1x3x4xf32> attributes {kernel} {
  %y = graph.batch_norm %x, %s, %b, %m, %v {epsilon = 0.5 : f64} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
  func.return %y : tensor<1x3x4xf32>
}

// CHECK-LABEL: @neighbouring_channels_are_guarded(
// CHECK-NEXT: %y = tensor.compute [1, 6, 2 | 5] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, ((d1 + d3) + -2), d2)>, guarded>) epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (0, d1, d2)>>) inits [0.000000e+00 : f32] reduce {
// CHECK-NEXT: ^bb0(%x_1: f32, %acc: f32):
// CHECK-NEXT: %0 = arith.mulf %x_1, %x_1 : f32
// CHECK-NEXT: %1 = arith.addf %acc, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: ^bb0(%acc_1: f32, %x_2: f32):
// CHECK-NEXT: %2 = arith.constant 1.000000e-01 : f32
// CHECK-NEXT: %3 = arith.mulf %acc_1, %2 : f32
// CHECK-NEXT: %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %5 = arith.addf %3, %4 : f32
// CHECK-NEXT: %6 = arith.constant 7.500000e-01 : f32
// CHECK-NEXT: %7 = math.powf %5, %6 : f32
// CHECK-NEXT: %8 = arith.divf %x_2, %7 : f32
// CHECK-NEXT: tensor.yield %8 : f32
func.func private @neighbouring_channels_are_guarded(%x: tensor<1x6x2xf32>) -> tensor<1x6x2xf32> attributes {kernel} {
  %y = graph.lrn %x {size = 5 : i64, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64} : (tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  func.return %y : tensor<1x6x2xf32>
}
