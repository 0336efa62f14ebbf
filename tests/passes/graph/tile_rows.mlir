// RUN: s2s-opt %s --split-input-file -p 'graph-tile-rows{first=0 last=2 rows=2}' | filecheck %s

// The first and the last tile have the padding of the convolution, those between share a body.

// CHECK:      func.func private @row_tile(%x: tensor<1x3x4x1xf32>) -> tensor<1x2x4x1xf32> {
// CHECK-NEXT:   %a = graph.tanh %x : tensor<1x3x4x1xf32>
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x3xf32>
// CHECK-NEXT:   %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x3x4x1xf32>, tensor<1x1x3x3xf32>) -> tensor<1x2x4x1xf32>
// CHECK-NEXT:   %c = graph.clamp %b {node = "relu", min = 0.000000e+00 : f64} : tensor<1x2x4x1xf32>
// CHECK-NEXT:   func.return %c : tensor<1x2x4x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @row_tile_2(%x: tensor<1x4x4x1xf32>) -> tensor<1x2x4x1xf32> {
// CHECK-NEXT:   %a = graph.tanh %x : tensor<1x4x4x1xf32>
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x3xf32>
// CHECK-NEXT:   %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x4x4x1xf32>, tensor<1x1x3x3xf32>) -> tensor<1x2x4x1xf32>
// CHECK-NEXT:   %c = graph.clamp %b {node = "relu", min = 0.000000e+00 : f64} : tensor<1x2x4x1xf32>
// CHECK-NEXT:   func.return %c : tensor<1x2x4x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @row_tile_3(%x: tensor<1x3x4x1xf32>) -> tensor<1x2x4x1xf32> {
// CHECK-NEXT:   %a = graph.tanh %x : tensor<1x3x4x1xf32>
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x3xf32>
// CHECK-NEXT:   %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x3x4x1xf32>, tensor<1x1x3x3xf32>) -> tensor<1x2x4x1xf32>
// CHECK-NEXT:   %c = graph.clamp %b {node = "relu", min = 0.000000e+00 : f64} : tensor<1x2x4x1xf32>
// CHECK-NEXT:   func.return %c : tensor<1x2x4x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @main(%x: tensor<1x8x4x1xf32>) -> tensor<1x8x4x1xf32> {
// CHECK-NEXT:   %w = graph.constant dense<1.000000e+00> : tensor<1x1x3x3xf32>
// CHECK-NEXT:   %c = graph.row_tiles %x {recomputed = 0 : i64, node = "mix, relu", bodies = [@row_tile, @row_tile_2, @row_tile_3], steps = array<i64: 1, 2, 1>, x_starts = array<i64: 0, 1, 5>, x_strides = array<i64: 0, 2, 0>, y_starts = array<i64: 0, 2, 6>, y_strides = array<i64: 0, 2, 0>} : (tensor<1x8x4x1xf32>) -> tensor<1x8x4x1xf32>
// CHECK-NEXT:   func.return %c : tensor<1x8x4x1xf32>
// CHECK-NEXT: }
func.func @main(%x: tensor<1x8x4x1xf32>) -> tensor<1x8x4x1xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x3x3xf32>
  %a = graph.tanh %x : tensor<1x8x4x1xf32>
  %b = graph.conv %a, %w {node = "mix", strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x4x1xf32>, tensor<1x1x3x3xf32>) -> tensor<1x8x4x1xf32>
  %c = graph.clamp %b {node = "relu", min = 0.0 : f64} : tensor<1x8x4x1xf32>
  func.return %c : tensor<1x8x4x1xf32>
}

// -----

// A value on the way is used elsewhere.

// CHECK:     func.func @main(%x: tensor<1x8x4x1xf32>) -> (tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>)
// CHECK-NOT: graph.row_tiles
func.func @main(%x: tensor<1x8x4x1xf32>) -> (tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>) {
  %a = graph.tanh %x : tensor<1x8x4x1xf32>
  %b = graph.exp %a : tensor<1x8x4x1xf32>
  %c = graph.sin %b : tensor<1x8x4x1xf32>
  func.return %a, %c : tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>
}

// -----

// Channels come first.

// CHECK:     func.func @main(%x: tensor<1x4x8x4xf32>)
// CHECK-NOT: graph.row_tiles
func.func @main(%x: tensor<1x4x8x4xf32>) -> tensor<1x4x3x1xf32> {
  %a = graph.tanh %x : tensor<1x4x8x4xf32>
  %b = graph.max_pool %a {kernel = array<i64: 3, 4>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x4xf32>) -> tensor<1x4x3x1xf32>
  %c = graph.sin %b : tensor<1x4x3x1xf32>
  func.return %c : tensor<1x4x3x1xf32>
}

// -----

// A constant that differs from row to row.

// CHECK:     func.func @main(%x: tensor<1x8x1x1xf32>, %y
// CHECK-NOT: graph.row_tiles
func.func @main(%x: tensor<1x8x1x1xf32>, %y: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> {
  %r = graph.constant dense<[[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]], [[7.0]]]> : tensor<8x1x1xf32>
  %a = graph.tanh %x : tensor<1x8x1x1xf32>
  %b = graph.mul %a, %r : (tensor<1x8x1x1xf32>, tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %c = graph.sin %b : tensor<1x8x1x1xf32>
  func.return %c : tensor<1x8x1x1xf32>
}

// -----

// One tile would compute it all.

// CHECK:     func.func @main(%x: tensor<1x2x4x1xf32>)
// CHECK-NOT: graph.row_tiles
func.func @main(%x: tensor<1x2x4x1xf32>) -> tensor<1x2x4x1xf32> {
  %a = graph.tanh %x : tensor<1x2x4x1xf32>
  %b = graph.exp %a : tensor<1x2x4x1xf32>
  %c = graph.sin %b : tensor<1x2x4x1xf32>
  func.return %c : tensor<1x2x4x1xf32>
}
