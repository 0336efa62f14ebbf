// RUN: s2s-opt %s --split-input-file -p 'graph-lay-channels-last{by_rows=true}' | filecheck %s
// RUN: s2s-opt %s --split-input-file -p graph-lay-channels-last | filecheck %s --check-prefix=MODEL

// Inputs and outputs keep their order; constants and the axes of operators are turned.
// MODEL-NOT: graph.transpose
// CHECK:      func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<3x2x1x1xf32>
// CHECK-NEXT:   %x_1 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
// CHECK-NEXT:   %a = graph.conv %x_1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x4x2xf32>, tensor<3x2x1x1xf32>) -> tensor<1x4x4x3xf32>
// CHECK-NEXT:   %mul_channels_last = graph.constant dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00{{\]\]\]\]}}> : tensor<1x1x1x3xf32>
// CHECK-NEXT:   %b = graph.mul %a, %mul_channels_last : (tensor<1x4x4x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x4x4x3xf32>
// CHECK-NEXT:   %c = graph.reduce_mean %b {axes = array<i64: 1, 2>, keepdims} : (tensor<1x4x4x3xf32>) -> tensor<1x1x1x3xf32>
// CHECK-NEXT:   %d = graph.add %b, %c : (tensor<1x4x4x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x4x4x3xf32>
// CHECK-NEXT:   %d_1 = graph.transpose %d {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32>
// CHECK-NEXT:   func.return %d_1 : tensor<1x3x4x4xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = graph.constant dense<1.0> : tensor<3x2x1x1xf32>
  %k = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %b = graph.mul %a, %k : (tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x4xf32>
  %c = graph.reduce_mean %b {axes = array<i64: 2, 3>, keepdims} : (tensor<1x3x4x4xf32>) -> tensor<1x3x1x1xf32>
  %d = graph.add %b, %c : (tensor<1x3x4x4xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x4x4xf32>
  func.return %d : tensor<1x3x4x4xf32>
}

// -----

// A transpose of one channel, or of one pixel, moves nothing.
// MODEL-NOT: graph.transpose
// CHECK:      func.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x8xf32> {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<8x1x4x4xf32>
// CHECK-NEXT:   %x_1 = graph.reshape %x : (tensor<1x1x4x4xf32>) -> tensor<1x4x4x1xf32>
// CHECK-NEXT:   %a = graph.conv %x_1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x4x1xf32>, tensor<8x1x4x4xf32>) -> tensor<1x1x1x8xf32>
// CHECK-NEXT:   %y = graph.reshape %a : (tensor<1x1x1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT:   func.return %y : tensor<1x8xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x8xf32> {
  %w = graph.constant dense<1.0> : tensor<8x1x4x4xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<8x1x4x4xf32>) -> tensor<1x8x1x1xf32>
  %y = graph.reshape %a : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// -----

// An operator that has a fixed order of axes stands at the border of two regions.
// MODEL-NOT: graph.transpose
// CHECK:      func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
// CHECK-NEXT:   %x_1 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
// CHECK-NEXT:   %a = graph.max_pool %x_1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NHWC"} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:   %a_1 = graph.transpose %a {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:   %b = graph.matmul %a_1, %a_1 : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:   func.return %b : tensor<1x2x2x2xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %a = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %b = graph.matmul %a, %a : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  func.return %b : tensor<1x2x2x2xf32>
}

// -----

// Nothing shows that axis 1 counts channels.
// MODEL-NOT: graph.transpose
// CHECK:      func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
// CHECK-NEXT:   %y = graph.tanh %x : tensor<1x2x4x4xf32>
// CHECK-NEXT:   func.return %y : tensor<1x2x4x4xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %y = graph.tanh %x : tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}
