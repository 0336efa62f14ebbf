// RUN: s2s-opt %s -p 'graph-buffer-lines{input=x axis=2 operators=2}' | filecheck %s

// Channels stand in front: rings have their rows in front of them, and readers move these back.

// CHECK:      func.func private @rows(%x: tensor<1x1x1x2xf32>) -> tensor<1x1x2x2xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<2x1x1x1xf32>
// CHECK-NEXT:   %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x1x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x1x2xf32>
// CHECK-NEXT:   %0 = graph.reshape %a : (tensor<1x2x1x2xf32>) -> tensor<1x1x2x2xf32>
// CHECK-NEXT:   func.return %0 : tensor<1x1x2x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @rows_2(%a: tensor<2x1x2x2xf32>) -> tensor<1x1x2x2xf32> attributes {tied = array<i64: -1>} {
// CHECK-NEXT:   %a_1 = graph.transpose %a {perm = array<i64: 1, 2, 0, 3>} : (tensor<2x1x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:   %y = graph.max_pool %a_1 {kernel = array<i64: 2, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x2xf32>
// CHECK-NEXT:   %0 = graph.reshape %y : (tensor<1x2x1x2xf32>) -> tensor<1x1x2x2xf32>
// CHECK-NEXT:   func.return %0 : tensor<1x1x2x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @main(%x: tensor<1x1x4x2xf32> {name = "x"}) -> (tensor<1x2x3x2xf32> {name = "y"}) {
// CHECK-NEXT:   %0 = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   %1 = graph.broadcast_to %0 : (tensor<f32>) -> tensor<2x1x2x2xf32>
// CHECK-NEXT:   %a, %y = graph.line_buffers %x(%1) {bodies = [@rows, @rows_2], every = array<i64: 1, 1>, firsts = array<i64: 0, 1>, steps = array<i64: 4, 3>, taken = array<i64: 1, 0, 2, 1>, counts = array<i64: 2, 2>, written = array<i64: 1, 1>, rows = array<i64: 2, 3>, axis = 2 : i64, pushed} : (tensor<1x1x4x2xf32>, tensor<2x1x2x2xf32>) -> (tensor<2x1x2x2xf32>, tensor<3x1x2x2xf32>)
// CHECK-NEXT:   %y_1 = graph.transpose %y {perm = array<i64: 1, 2, 0, 3>} : (tensor<3x1x2x2xf32>) -> tensor<1x2x3x2xf32>
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<2x1x1x1xf32>
// CHECK-NEXT:   func.return %y_1 : tensor<1x2x3x2xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x1x4x2xf32> {name = "x"}) -> (tensor<1x2x3x2xf32> {name = "y"}) {
  %w = graph.constant dense<1.0> : tensor<2x1x1x1xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x2xf32>
  %y = graph.max_pool %a {kernel = array<i64: 2, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x2xf32>) -> tensor<1x2x3x2xf32>
  func.return %y : tensor<1x2x3x2xf32>
}
