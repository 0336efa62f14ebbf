// RUN: s2s-opt %s -p graph-prove-accumulators --split-input-file --sample-weights | filecheck %s

// CHECK-LABEL: func.func @wide_where_the_bias_leaves_no_room
// CHECK:         %[[c:.*]] = graph.cast %b : (tensor<2xi32>) -> tensor<2xi64>
// CHECK-NEXT:    %[[s:.*]] = graph.conv %x, %w, %[[c]] {{.*}}acc_type = i64{{.*}} -> tensor<1x2x4x4xi64>
// CHECK-NEXT:    %y = graph.cast %[[s]] : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
func.func @wide_where_the_bias_leaves_no_room(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[1]], [[2]]], [[[3]], [[-4]]]]> : tensor<2x2x1x1xi8>
  %b = graph.constant dense<[2147483264, 5]> : tensor<2xi32>
  %s = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xi8>, tensor<2x2x1x1xi8>, tensor<2xi32>) -> tensor<1x2x4x4xi32>
  %y = graph.cast %s : (tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}

// -----
// CHECK-LABEL: func.func @wide_with_the_addition_behind_a_product
// CHECK:         %[[p:.*]] = graph.matmul %x, %w {acc_type = i64} : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi64>
// CHECK-NEXT:    %[[c:.*]] = graph.cast %b : (tensor<2xi32>) -> tensor<2xi64>
// CHECK-NEXT:    %[[s:.*]] = graph.add %[[p]], %[[c]]
// CHECK-NEXT:    %y = graph.cast %[[s]] : (tensor<2x2xi64>) -> tensor<2x2xf32>
func.func @wide_with_the_addition_behind_a_product(%x: tensor<2x3xi8>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %b = graph.constant dense<[-2147482500, 5]> : tensor<2xi32>
  %p = graph.matmul %x, %w : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  %s = graph.add %p, %b : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %y = graph.cast %s : (tensor<2x2xi32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// -----
// CHECK-LABEL: func.func @narrow_where_sums_fit
// CHECK:         graph.matmul %x, %w : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
func.func @narrow_where_sums_fit(%x: tensor<2x3xi8>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %b = graph.constant dense<[-2147482490, 5]> : tensor<2xi32>
  %p = graph.matmul %x, %w : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  %s = graph.add %p, %b : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %y = graph.cast %s : (tensor<2x2xi32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// -----
// CHECK-LABEL: func.func @declined_where_sums_are_seen
// CHECK:         graph.matmul %x, %w {a_zp = 127 : i64} : {{.*}} -> tensor<1x1xi32>
func.func @declined_where_sums_are_seen(%x: tensor<1x70000xi8>, %w: tensor<70000x1xi8>) -> tensor<1x1xi32> {
  %y = graph.matmul %x, %w {a_zp = 127 : i64} : (tensor<1x70000xi8>, tensor<70000x1xi8>) -> tensor<1x1xi32>
  func.return %y : tensor<1x1xi32>
}

// -----
// CHECK-LABEL: func.func @declined_for_a_bias_that_is_computed
// CHECK:         graph.conv {{.*}} -> tensor<1x2x4x4xi32>
func.func @declined_for_a_bias_that_is_computed(%x: tensor<1x2x4x4xi8>, %b: tensor<2xi32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[1]], [[2]]], [[[3]], [[-4]]]]> : tensor<2x2x1x1xi8>
  %s = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xi8>, tensor<2x2x1x1xi8>, tensor<2xi32>) -> tensor<1x2x4x4xi32>
  %y = graph.cast %s : (tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}
