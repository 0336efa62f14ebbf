// RUN: s2s-opt %s --split-input-file -p 'graph-buffer-sections{first=0 last=2}' | filecheck %s

// Rows of `a` are kept for the convolution and for the sum; what reads `c` runs once, behind.

// CHECK:      func.func private @rows(%x: tensor<1x1x2x1xf32>) -> tensor<1x1x2x1xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %a = graph.tanh %x : tensor<1x1x2x1xf32>
// CHECK-NEXT:   func.return %a : tensor<1x1x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @padding() -> tensor<1x1x2x1xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %0 = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   %1 = graph.broadcast_to %0 : (tensor<f32>) -> tensor<1x1x2x1xf32>
// CHECK-NEXT:   func.return %1 : tensor<1x1x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @rows_2(%a: tensor<1x3x2x1xf32>) -> tensor<1x1x2x1xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x1xf32>
// CHECK-NEXT:   %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x3x2x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x2x1xf32>
// CHECK-NEXT:   %0 = graph.slice %a {starts = array<i64: 0, 1, 0, 0>, sizes = array<i64: 1, 1, 2, 1>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x3x2x1xf32>) -> tensor<1x1x2x1xf32>
// CHECK-NEXT:   %c = graph.add %b, %0 : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> tensor<1x1x2x1xf32>
// CHECK-NEXT:   func.return %c : tensor<1x1x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @main(%x: tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32> {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x1xf32>
// CHECK-NEXT:   %0 = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   %1 = graph.broadcast_to %0 : (tensor<f32>) -> tensor<1x3x2x1xf32>
// CHECK-NEXT:   %a, %c = graph.line_buffers %x(%1) {node = "mix", bodies = [@rows, @padding, @rows_2], every = array<i64: 1, 1, 1>, firsts = array<i64: 0, 4, 1>, steps = array<i64: 4, 1, 4>, taken = array<i64: 1, 0, 1, 2, 1>, counts = array<i64: 2, 1, 2>, written = array<i64: 1, 1, 1>, rows = array<i64: 3, 4>, axis = 1 : i64} : (tensor<1x4x2x1xf32>, tensor<1x3x2x1xf32>) -> (tensor<1x3x2x1xf32>, tensor<1x4x2x1xf32>)
// CHECK-NEXT:   %d = graph.sin %c : tensor<1x4x2x1xf32>
// CHECK-NEXT:   func.return %d : tensor<1x4x2x1xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x3x1xf32>
  %a = graph.tanh %x : tensor<1x4x2x1xf32>
  %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x2x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x4x2x1xf32>
  %c = graph.add %b, %a : (tensor<1x4x2x1xf32>, tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32>
  %d = graph.sin %c : tensor<1x4x2x1xf32>
  func.return %d : tensor<1x4x2x1xf32>
}

// -----

// Operator 0 reads two tensors.

// CHECK:     func.func @main(%x: tensor<1x8x4x1xf32>, %y
// CHECK-NOT: graph.line_buffers
func.func @main(%x: tensor<1x8x4x1xf32>, %y: tensor<1x8x4x1xf32>) -> tensor<1x8x4x1xf32> {
  %a = graph.add %x, %y : (tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>) -> tensor<1x8x4x1xf32>
  %b = graph.exp %a : tensor<1x8x4x1xf32>
  %c = graph.sin %b : tensor<1x8x4x1xf32>
  func.return %c : tensor<1x8x4x1xf32>
}

// -----

// Channels come first.

// CHECK:     func.func @main(%x: tensor<1x4x8x4xf32>)
// CHECK-NOT: graph.line_buffers
func.func @main(%x: tensor<1x4x8x4xf32>) -> tensor<1x4x3x1xf32> {
  %a = graph.tanh %x : tensor<1x4x8x4xf32>
  %b = graph.max_pool %a {kernel = array<i64: 3, 4>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x4xf32>) -> tensor<1x4x3x1xf32>
  %c = graph.sin %b : tensor<1x4x3x1xf32>
  func.return %c : tensor<1x4x3x1xf32>
}

// -----

// A constant that differs from row to row.

// CHECK:     func.func @main(%x: tensor<1x8x1x2xf32>)
// CHECK-NOT: graph.line_buffers
func.func @main(%x: tensor<1x8x1x2xf32>) -> tensor<1x8x1x2xf32> {
  %r = graph.constant dense<[[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]], [[7.0]]]> : tensor<8x1x1xf32>
  %a = graph.tanh %x : tensor<1x8x1x2xf32>
  %b = graph.mul %a, %r : (tensor<1x8x1x2xf32>, tensor<8x1x1xf32>) -> tensor<1x8x1x2xf32>
  %c = graph.sin %b : tensor<1x8x1x2xf32>
  func.return %c : tensor<1x8x1x2xf32>
}
