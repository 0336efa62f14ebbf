// RUN: s2s-opt %s -p graph-fold-zero-points | filecheck %s

// CHECK-LABEL: func.func @convolution
// CHECK-NEXT:    %w = graph.constant
// CHECK-NEXT:    %conv1_bias = graph.constant dense<[91, 217]> : tensor<2xi32>
// CHECK-NEXT:    %y = graph.conv %x, %w, %conv1_bias {node = "conv1", strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"}
func.func @convolution(%x: tensor<1x4x1xi8>) -> tensor<1x3x2xi32> {
  %w = graph.constant dense<[[[1, 2]], [[-4, 5]]]> : tensor<2x1x2xi8>
  %b = graph.constant dense<[100, 220]> : tensor<2xi32>
  %y = graph.conv %x, %w, %b {node = "conv1", strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC", input_zp = 3 : i64} : (tensor<1x4x1xi8>, tensor<2x1x2xi8>, tensor<2xi32>) -> tensor<1x3x2xi32>
  func.return %y : tensor<1x3x2xi32>
}

// CHECK-LABEL: func.func @convolution_without_bias
// CHECK:         %[[B:.*]] = graph.constant dense<[9, 15]> : tensor<2xi32>
// CHECK-NEXT:    graph.conv %x, %w, %[[B]] {{{.*}}weight_zp = 3 : i64}
func.func @convolution_without_bias(%x: tensor<1x4x1xi8>) -> tensor<1x3x2xi32> {
  %w = graph.constant dense<[[[1, 2]], [[-4, 5]]]> : tensor<2x1x2xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC", input_zp = 3 : i64, weight_zp = 3 : i64} : (tensor<1x4x1xi8>, tensor<2x1x2xi8>) -> tensor<1x3x2xi32>
  func.return %y : tensor<1x3x2xi32>
}

// CHECK-LABEL: func.func @padding_contributes_nothing
// CHECK:         graph.conv %x, %w, %b {{{.*}}input_zp = 3 : i64}
func.func @padding_contributes_nothing(%x: tensor<1x4x1xi8>) -> tensor<1x4x2xi32> {
  %w = graph.constant dense<[[[1, 2]], [[-4, 5]]]> : tensor<2x1x2xi8>
  %b = graph.constant dense<[100, 220]> : tensor<2xi32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC", input_zp = 3 : i64} : (tensor<1x4x1xi8>, tensor<2x1x2xi8>, tensor<2xi32>) -> tensor<1x4x2xi32>
  func.return %y : tensor<1x4x2xi32>
}

// CHECK-LABEL: func.func @computed_weights
// CHECK:         graph.conv %x, %w {{{.*}}input_zp = 3 : i64}
func.func @computed_weights(%x: tensor<1x4x1xi8>, %w: tensor<2x1x2xi8>) -> tensor<1x3x2xi32> {
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC", input_zp = 3 : i64} : (tensor<1x4x1xi8>, tensor<2x1x2xi8>) -> tensor<1x3x2xi32>
  func.return %y : tensor<1x3x2xi32>
}

// CHECK-LABEL: func.func @product_and_addition
// CHECK:         %p = graph.matmul %x, %w {transpose_b} :
// CHECK-NEXT:    %[[B:.*]] = graph.constant dense<[91, 217]> : tensor<2xi32>
// CHECK-NEXT:    %y = graph.add %p, %[[B]]
func.func @product_and_addition(%x: tensor<4x2xi8>) -> tensor<4x2xi32> {
  %w = graph.constant dense<[[1, 2], [-4, 5]]> : tensor<2x2xi8>
  %b = graph.constant dense<[100, 220]> : tensor<2xi32>
  %p = graph.matmul %x, %w {transpose_b, a_zp = 3 : i64} : (tensor<4x2xi8>, tensor<2x2xi8>) -> tensor<4x2xi32>
  %y = graph.add %p, %b : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<4x2xi32>
  func.return %y : tensor<4x2xi32>
}

// CHECK-LABEL: func.func @product_alone
// CHECK:         %[[P:.*]] = graph.matmul %x, %w {b_zp = 1 : i64} :
// CHECK-NEXT:    %[[B:.*]] = graph.constant dense<[15, -15]> : tensor<2xi32>
// CHECK-NEXT:    graph.add %[[P]], %[[B]]
func.func @product_alone(%x: tensor<4x2xi8>) -> tensor<4x2xi32> {
  %w = graph.constant dense<[[1, 2], [-4, 5]]> : tensor<2x2xi8>
  %y = graph.matmul %x, %w {a_zp = 3 : i64, b_zp = 1 : i64} : (tensor<4x2xi8>, tensor<2x2xi8>) -> tensor<4x2xi32>
  func.return %y : tensor<4x2xi32>
}
