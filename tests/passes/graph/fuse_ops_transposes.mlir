// RUN: s2s-opt %s --split-input-file -p graph-fuse-ops | filecheck %s

// A convolution of few channels reads a transposed image in place.
// CHECK:      func.func private @transpose_conv
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   graph.conv
func.func @main(%x: tensor<1x3x4x4xf32>, %w: tensor<8x3x1x1xf32>) -> tensor<1x4x4x8xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
  %y = graph.conv %t, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x4x3xf32>, tensor<8x3x1x1xf32>) -> tensor<1x4x4x8xf32>
  func.return %y : tensor<1x4x4x8xf32>
}

// -----

// Declined: many channels would lie apart.
// CHECK:      func.func private @transpose(
// CHECK:      func.func private @conv
func.func @main(%x: tensor<1x5x4x4xf32>, %w: tensor<8x5x1x1xf32>) -> tensor<1x4x4x8xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x5x4x4xf32>) -> tensor<1x4x4x5xf32>
  %y = graph.conv %t, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x4x5xf32>, tensor<8x5x1x1xf32>) -> tensor<1x4x4x8xf32>
  func.return %y : tensor<1x4x4x8xf32>
}
