// RUN: s2s-opt %s -p 'graph-buffer-lines{input=x axis=1 operators=2}' | filecheck %s

// The convolution reads three rows: two are kept in a ring that begins as padding. What reads all rows runs once, behind.

// CHECK:      func.func private @rows(%x: tensor<1x1x2x1xf32>) -> tensor<1x1x2x1xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %x_1 = graph.identity %x : tensor<1x1x2x1xf32>
// CHECK-NEXT:   func.return %x_1 : tensor<1x1x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @rows_2(%x: tensor<1x3x2x1xf32>) -> tensor<1x1x2x1xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x1xf32>
// CHECK-NEXT:   %a = graph.conv %x, %w {node = "mix", strides = array<i64: 2, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x3x2x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x2x1xf32>
// CHECK-NEXT:   %b = graph.clamp %a {node = "relu", min = 0.000000e+00 : f64} : tensor<1x1x2x1xf32>
// CHECK-NEXT:   func.return %b : tensor<1x1x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @main(%x: tensor<1x6x2x1xf32> {name = "x"}) -> (tensor<1x1xf32> {name = "y"}) {
// CHECK-NEXT:   %0 = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   %1 = graph.broadcast_to %0 : (tensor<f32>) -> tensor<1x3x2x1xf32>
// CHECK-NEXT:   %x_1, %b = graph.line_buffers %x(%1) {node = "mix, relu", bodies = [@rows, @rows_2], every = array<i64: 1, 2>, firsts = array<i64: 0, 1>, steps = array<i64: 6, 3>, taken = array<i64: 1, 0, 2, 1>, counts = array<i64: 2, 2>, written = array<i64: 1, 1>, rows = array<i64: 3, 3>, axis = 1 : i64, pushed} : (tensor<1x6x2x1xf32>, tensor<1x3x2x1xf32>) -> (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>)
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x1xf32>
// CHECK-NEXT:   %y = graph.reduce_max %b {axes = array<i64: 1, 2>} : (tensor<1x3x2x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT:   func.return %y : tensor<1x1xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x6x2x1xf32> {name = "x"}) -> (tensor<1x1xf32> {name = "y"}) {
  %w = graph.constant dense<1.0> : tensor<1x1x3x1xf32>
  %a = graph.conv %x, %w {node = "mix", strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x6x2x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x3x2x1xf32>
  %b = graph.clamp %a {node = "relu", min = 0.0 : f64} : tensor<1x3x2x1xf32>
  %y = graph.reduce_max %b {axes = array<i64: 1, 2>} : (tensor<1x3x2x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
