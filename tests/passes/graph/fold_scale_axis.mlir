// RUN: s2s-opt %s -p graph-fold-scale-axis --sample-weights | filecheck %s

// CHECK-LABEL: func.func @backward_across_relu_and_max_pool
// CHECK:         %[[a:.*]] = graph.conv %x, %{{.*}}, %{{.*}} {
// CHECK-NEXT:    %[[r:.*]] = graph.clamp %[[a]]
// CHECK-NEXT:    %[[p:.*]] = graph.max_pool %[[r]]
// CHECK-NEXT:    func.return %[[p]]
func.func @backward_across_relu_and_max_pool(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<2x3x1x1xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<2xf32>
  %c = graph.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %a = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %r = graph.clamp %a {min = 0.0 : f64} : tensor<1x2x4x4xf32>
  %p = graph.max_pool %r {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %y = graph.mul %p, %c : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @forward_across_relu
// CHECK-NOT:     graph.mul
// CHECK:         %[[r:.*]] = graph.clamp %x
// CHECK:         graph.conv %[[r]], %{{.*}} {
// CHECK-NEXT:    func.return
func.func @forward_across_relu(%x: tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = graph.weight "w2" {hash = "2"} : tensor<4x2x3x3xf32>
  %c = graph.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %m = graph.mul %x, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r = graph.clamp %m {min = 0.0 : f64} : tensor<1x2x4x4xf32>
  %y = graph.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32>
  func.return %y : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @forward_into_a_depthwise_convolution
// CHECK-NOT:     graph.mul
func.func @forward_into_a_depthwise_convolution(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %w = graph.weight "w3" {hash = "3"} : tensor<2x1x3x3xf32>
  %c = graph.constant dense<[[[-2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %m = graph.mul %x, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %y = graph.conv %m, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @forward_into_rows_of_a_matrix
// CHECK:         graph.matmul %x, %{{.*}} {transpose_b}
// CHECK-NEXT:    func.return
func.func @forward_into_rows_of_a_matrix(%x: tensor<5x2xf32>) -> tensor<5x3xf32> {
  %w = graph.weight "w4" {hash = "4"} : tensor<3x2xf32>
  %c = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %m = graph.mul %c, %x : (tensor<2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  %y = graph.matmul %m, %w {transpose_b} : (tensor<5x2xf32>, tensor<3x2xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @declined_for_a_negative_factor_behind_relu
// CHECK:         graph.clamp
// CHECK-NEXT:    graph.mul
func.func @declined_for_a_negative_factor_behind_relu(%x: tensor<5x2xf32>) -> tensor<5x3xf32> {
  %w = graph.weight "w5" {hash = "5"} : tensor<2x3xf32>
  %c = graph.constant dense<[2.0, -3.0, 1.0]> : tensor<3xf32>
  %m = graph.matmul %x, %w : (tensor<5x2xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  %r = graph.clamp %m {min = 0.0 : f64} : tensor<5x3xf32>
  %y = graph.mul %r, %c : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @declined_where_the_scaled_value_is_read_twice
// CHECK:         %[[m:.*]] = graph.mul
// CHECK:         graph.matmul %[[m]]
func.func @declined_where_the_scaled_value_is_read_twice(%x: tensor<5x2xf32>) -> (tensor<5x3xf32>, tensor<5x2xf32>) {
  %w = graph.weight "w6" {hash = "6"} : tensor<2x3xf32>
  %c = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %m = graph.mul %x, %c : (tensor<5x2xf32>, tensor<2xf32>) -> tensor<5x2xf32>
  %y = graph.matmul %m, %w : (tensor<5x2xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  func.return %y, %m : tensor<5x3xf32>, tensor<5x2xf32>
}
