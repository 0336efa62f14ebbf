// RUN: s2s-opt %s --sample-weights -p graph-split-transposed-conv{target=x86-64-v3} --split-input-file | filecheck %s

// Four phases of a window of four: two taps each way.
// CHECK-LABEL: func.func @upsample
// CHECK:         graph.weight "conv_transpose_phases" {{.*}} : tensor<8x3x2x2xf32>
// CHECK:         graph.conv {{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}} : (tensor<1x3x12x12xf32>, tensor<8x3x2x2xf32>, tensor<8xf32>) -> tensor<1x8x13x13xf32>
// CHECK:         graph.reshape {{.*}} -> tensor<1x1x2x2x2x13x13xf32>
// CHECK:         graph.transpose {{.*}}perm = array<i64: 0, 1, 4, 5, 2, 6, 3>
// CHECK:         graph.slice {{.*}}starts = array<i64: 0, 0, 1, 1>{{.*}} -> tensor<1x2x24x24xf32>
func.func @upsample(%x: tensor<1x3x12x12xf32>) -> tensor<1x2x24x24xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<3x2x4x4xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<2xf32>
  %y = graph.conv_transpose %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x3x12x12xf32>, tensor<3x2x4x4xf32>, tensor<2xf32>) -> tensor<1x2x24x24xf32>
  func.return %y : tensor<1x2x24x24xf32>
}

// Of a window of three the phases have one tap or two: each is a convolution of its own. The last ones see one pixel
// behind the end.
// CHECK-LABEL: func.func @one_tap_or_two
// CHECK:         graph.conv {{.*}}pads = array<i64: 0, 0, 0, 0>{{.*}}, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
// CHECK:         graph.conv {{.*}}pads = array<i64: 0, 0, 0, 1>{{.*}}, tensor<2x3x1x2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
// CHECK:         graph.conv {{.*}}pads = array<i64: 0, 0, 1, 0>{{.*}}, tensor<2x3x2x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
// CHECK:         graph.conv {{.*}}pads = array<i64: 0, 0, 1, 1>{{.*}}, tensor<2x3x2x2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
// CHECK:         graph.concat
// CHECK:         graph.slice {{.*}}starts = array<i64: 0, 0, 0, 0>{{.*}} -> tensor<1x2x8x7xf32>
func.func @one_tap_or_two(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x8x7xf32> {
  %w = graph.weight "three" {hash = "5"} : tensor<3x2x3x3xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<2xf32>
  %y = graph.conv_transpose %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 0>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>, tensor<2xf32>) -> tensor<1x2x8x7xf32>
  func.return %y : tensor<1x2x8x7xf32>
}

// Groups, one dimension, and a stride that is longer than the window.
// CHECK-LABEL: func.func @line
// CHECK:         graph.conv {{.*}}groups = 2 : i64{{.*}} -> tensor<1x12x5xf32>
func.func @line(%x: tensor<1x4x5xf32>) -> tensor<1x4x14xf32> {
  %w = graph.weight "line" {hash = "2"} : tensor<4x2x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>} : (tensor<1x4x5xf32>, tensor<4x2x2xf32>) -> tensor<1x4x14xf32>
  func.return %y : tensor<1x4x14xf32>
}

// -----

// Declined: no stride, and a window with gaps.
// CHECK-LABEL: func.func @plain
// CHECK:         graph.conv_transpose
// CHECK-LABEL: func.func @dilated
// CHECK:         graph.conv_transpose
func.func @plain(%x: tensor<1x3x5xf32>) -> tensor<1x2x7xf32> {
  %w = graph.weight "plain" {hash = "3"} : tensor<3x2x3xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>} : (tensor<1x3x5xf32>, tensor<3x2x3xf32>) -> tensor<1x2x7xf32>
  func.return %y : tensor<1x2x7xf32>
}
func.func @dilated(%x: tensor<1x3x5xf32>) -> tensor<1x2x13xf32> {
  %w = graph.weight "dilated" {hash = "4"} : tensor<3x2x3xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 2>, groups = 1 : i64, output_padding = array<i64: 0>} : (tensor<1x3x5xf32>, tensor<3x2x3xf32>) -> tensor<1x2x13xf32>
  func.return %y : tensor<1x2x13xf32>
}
