// RUN: s2s-opt %s -p graph-canonicalize-pads | filecheck %s

// CHECK-LABEL: func.func @zeros_before_a_convolution
// CHECK-NEXT:    %y = graph.conv %x, %w {node = "Pad_0, Conv_1", strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 2>,
// CHECK-NEXT:    func.return %y
func.func @zeros_before_a_convolution(%x: tensor<1x3x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 0, 2>, mode = "constant", value = 0.0 : f64, node = "Pad_0"} : (tensor<1x3x5x5xf32>) -> tensor<1x3x6x7xf32>
  %y = graph.conv %p, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, node = "Conv_1"} : (tensor<1x3x6x7xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @zeros_count_in_a_mean
// CHECK-NEXT:    graph.avg_pool %x {{{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}counted_pads = array<i64: 1, 1, 1, 1>
func.func @zeros_count_in_a_mean(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x3x5x5xf32>) -> tensor<1x3x7x7xf32>
  %y = graph.avg_pool %p {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x7x7xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @minus_infinity_before_a_maximum
// CHECK-NEXT:    graph.max_pool %x {{{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @minus_infinity_before_a_maximum(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0xFFF0000000000000 : f64} : (tensor<1x3x5x5xf32>) -> tensor<1x3x7x7xf32>
  %y = graph.max_pool %p {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x7x7xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @zeros_before_the_maximum_of_a_relu
// CHECK:         graph.max_pool %r {{{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @zeros_before_the_maximum_of_a_relu(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> {
  %r = graph.clamp %x {min = 0.0 : f64} : tensor<1x3x5x5xf32>
  %p = graph.pad %r {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x3x5x5xf32>) -> tensor<1x3x7x7xf32>
  %y = graph.max_pool %p {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x7x7xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @pads_add_up
// CHECK-NEXT:    graph.pad %x {low = array<i64: 1, 2>, high = array<i64: 0, 3>, mode = "constant", value = 5 : i64}
// CHECK-NEXT:    func.return
func.func @pads_add_up(%x: tensor<2x2xi32>) -> tensor<3x7xi32> {
  %a = graph.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 1>, mode = "constant", value = 5 : i64} : (tensor<2x2xi32>) -> tensor<3x3xi32>
  %y = graph.pad %a {low = array<i64: 0, 2>, high = array<i64: 0, 2>, mode = "constant", value = 5 : i64} : (tensor<3x3xi32>) -> tensor<3x7xi32>
  func.return %y : tensor<3x7xi32>
}

// CHECK-LABEL: func.func @declined_for_zeros_before_a_maximum
// CHECK-NEXT:    graph.pad
// CHECK-NEXT:    graph.max_pool
func.func @declined_for_zeros_before_a_maximum(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x3x5x5xf32>) -> tensor<1x3x7x7xf32>
  %y = graph.max_pool %p {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x7x7xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @declined_for_windows_of_padding_alone
// CHECK-NEXT:    graph.pad
// CHECK-NEXT:    graph.avg_pool
func.func @declined_for_windows_of_padding_alone(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x10x10xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 3, 3>, high = array<i64: 0, 0, 3, 3>, mode = "constant", value = 0.0 : f64} : (tensor<1x3x5x5xf32>) -> tensor<1x3x11x11xf32>
  %y = graph.avg_pool %p {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x11x11xf32>) -> tensor<1x3x10x10xf32>
  func.return %y : tensor<1x3x10x10xf32>
}

// CHECK-LABEL: func.func @declined_for_padded_channels
// CHECK-NEXT:    graph.pad
// CHECK-NEXT:    graph.conv
func.func @declined_for_padded_channels(%x: tensor<1x2x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %p = graph.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 0, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x2x5x5xf32>) -> tensor<1x3x5x5xf32>
  %y = graph.conv %p, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  func.return %y : tensor<1x4x3x3xf32>
}

// CHECK-LABEL: func.func @declined_for_reflection
// CHECK-NEXT:    graph.pad
// CHECK-NEXT:    graph.conv
func.func @declined_for_reflection(%x: tensor<1x3x3x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %p = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "reflect"} : (tensor<1x3x3x3xf32>) -> tensor<1x3x5x5xf32>
  %y = graph.conv %p, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  func.return %y : tensor<1x4x3x3xf32>
}
