// RUN: s2s-opt %s -p graph-fold-batch-norm --sample-weights | filecheck %s

// CHECK-LABEL: func.func @into_a_convolution
// CHECK-DAG:     %[[w:.*]] = graph.weight "conv.w_folded"
// CHECK-DAG:     %[[b:.*]] = graph.constant dense<{{.*}}> : tensor<4xf32>
// CHECK:         %y = graph.conv %x, %[[w]], %[[b]] {node = "Conv_0, BatchNormalization_1",
// CHECK-NEXT:    func.return %y
func.func @into_a_convolution(%x: tensor<1x3x5x5xf32>) -> tensor<1x4x5x5xf32> {
  %w = graph.weight "conv.w" {hash = "0"} : tensor<4x3x3x3xf32>
  %s = graph.weight "bn.scale" {hash = "1"} : tensor<4xf32>
  %b = graph.weight "bn.bias" {hash = "2"} : tensor<4xf32>
  %m = graph.weight "bn.mean" {hash = "3"} : tensor<4xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0, 0.25]> : tensor<4xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, node = "Conv_0"} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
  %y = graph.batch_norm %a, %s, %b, %m, %v {epsilon = 1.0e-05 : f64, node = "BatchNormalization_1"} : (tensor<1x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @into_a_convolution_with_bias
// CHECK-NOT:     graph.batch_norm
// CHECK:         %y = graph.conv %x, %{{.*}}, %{{.*}} {
func.func @into_a_convolution_with_bias(%x: tensor<1x3x5x5xf32>) -> tensor<1x4x5x5xf32> {
  %w = graph.weight "w2" {hash = "10"} : tensor<4x3x3x3xf32>
  %c = graph.weight "b2" {hash = "11"} : tensor<4xf32>
  %s = graph.weight "s2" {hash = "12"} : tensor<4xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0, 0.25]> : tensor<4xf32>
  %a = graph.conv %x, %w, %c {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  %y = graph.batch_norm %a, %s, %c, %s, %v {epsilon = 1.0e-05 : f64} : (tensor<1x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @into_a_grouped_transposed_convolution
// CHECK-NOT:     graph.batch_norm
// CHECK:         %y = graph.conv_transpose %x, %{{.*}}, %{{.*}} {
func.func @into_a_grouped_transposed_convolution(%x: tensor<1x4x3x3xf32>) -> tensor<1x6x6x6xf32> {
  %w = graph.weight "wt" {hash = "20"} : tensor<4x3x2x2xf32>
  %s = graph.weight "st" {hash = "21"} : tensor<6xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0, 0.25, 3.0, 1.5]> : tensor<6xf32>
  %a = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x4x3x3xf32>, tensor<4x3x2x2xf32>) -> tensor<1x6x6x6xf32>
  %y = graph.batch_norm %a, %s, %s, %s, %v {epsilon = 1.0e-03 : f64} : (tensor<1x6x6x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  func.return %y : tensor<1x6x6x6xf32>
}

// CHECK-LABEL: func.func @into_a_matrix_product_and_its_addition
// CHECK:         %[[p:.*]] = graph.matmul %x, %{{.*}} {transpose_b}
// CHECK-NEXT:    %[[c:.*]] = graph.constant dense<{{.*}}> : tensor<3xf32>
// CHECK-NEXT:    %y = graph.add %[[p]], %[[c]]
// CHECK-NEXT:    func.return %y
func.func @into_a_matrix_product_and_its_addition(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %w = graph.weight "fc.w" {hash = "30"} : tensor<3x8xf32>
  %c = graph.weight "fc.b" {hash = "31"} : tensor<3xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0]> : tensor<3xf32>
  %p = graph.matmul %x, %w {transpose_b} : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %a = graph.add %c, %p : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.batch_norm %a, %c, %c, %c, %v {epsilon = 1.0e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @alone
// CHECK-NEXT:    %[[s:.*]] = graph.constant dense<{{.*}}> : tensor<3x1x1xf32>
// CHECK-NEXT:    %[[m:.*]] = graph.mul %x, %[[s]] {node = "BatchNormalization_7"}
// CHECK-NEXT:    %[[t:.*]] = graph.constant dense<{{.*}}> : tensor<3x1x1xf32>
// CHECK-NEXT:    %y = graph.add %[[m]], %[[t]] {node = "BatchNormalization_7"}
// CHECK-NEXT:    func.return %y
func.func @alone(%x: tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> {
  %s = graph.weight "s4" {hash = "40"} : tensor<3xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0]> : tensor<3xf32>
  %y = graph.batch_norm %x, %s, %s, %s, %v {epsilon = 1.0e-05 : f64, node = "BatchNormalization_7"} : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// The convolution keeps its weights, as its result is needed without the normalisation too.
// CHECK-LABEL: func.func @beside_a_convolution_with_two_users
// CHECK:         %a = graph.conv %x, %w {
// CHECK:         graph.mul %a
// CHECK:         graph.add
func.func @beside_a_convolution_with_two_users(%x: tensor<1x3x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) {
  %w = graph.weight "w5" {hash = "50"} : tensor<4x3x3x3xf32>
  %s = graph.weight "s5" {hash = "51"} : tensor<4xf32>
  %v = graph.constant dense<[1.0, 0.5, 2.0, 0.25]> : tensor<4xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
  %y = graph.batch_norm %a, %s, %s, %s, %v {epsilon = 1.0e-05 : f64} : (tensor<1x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  func.return %a, %y : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @declined_for_computed_parameters
// CHECK-NEXT:    %y = graph.batch_norm
func.func @declined_for_computed_parameters(%x: tensor<1x3x5x5xf32>, %p: tensor<3xf32>) -> tensor<1x3x5x5xf32> {
  %y = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0e-05 : f64} : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  func.return %y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @declined_for_a_negative_variance
// CHECK:         %y = graph.batch_norm
func.func @declined_for_a_negative_variance(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32> {
  %p = graph.constant dense<-1.0> : tensor<1xf32>
  %y = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0e-05 : f64} : (tensor<1x1x5x5xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x5xf32>
  func.return %y : tensor<1x1x5x5xf32>
}
