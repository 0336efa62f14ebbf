// RUN: s2s-opt %s -p graph-canonicalize-bias --sample-weights | filecheck %s

// CHECK-LABEL: func.func @addition_becomes_the_bias
// CHECK:         %y = graph.conv %x, %w, %{{.*}} {node = "Conv_0, Add_1",
// CHECK-NEXT:    func.return %y
func.func @addition_becomes_the_bias(%x: tensor<1x3x5x5xf32>) -> tensor<1x4x5x5xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<4x3x3x3xf32>
  %c = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, node = "Conv_0"} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
  %y = graph.add %c, %a {node = "Add_1"} : (tensor<4x1x1xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @scale_and_offset_join_weights_and_bias
// CHECK-NOT:     graph.div
// CHECK-NOT:     graph.sub
// CHECK:         %y = graph.conv %x, %{{.*}}, %{{.*}} {
// CHECK-NEXT:    func.return %y
func.func @scale_and_offset_join_weights_and_bias(%x: tensor<1x3x5x5xf32>) -> tensor<1x4x5x5xf32> {
  %w = graph.weight "w2" {hash = "1"} : tensor<4x3x3x3xf32>
  %b = graph.weight "b2" {hash = "2"} : tensor<4xf32>
  %c = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %a = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  %d = graph.div %a, %c : (tensor<1x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x5x5xf32>
  %n = graph.neg %d : tensor<1x4x5x5xf32>
  %y = graph.sub %n, %half : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @columns_of_a_matrix_product
// CHECK:         %y = graph.matmul %x, %{{.*}} : (tensor<2x5x8xf32>, tensor<8x3xf32>)
// CHECK-NEXT:    func.return %y
func.func @columns_of_a_matrix_product(%x: tensor<2x5x8xf32>) -> tensor<2x5x3xf32> {
  %w = graph.weight "w3" {hash = "3"} : tensor<8x3xf32>
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %p = graph.matmul %x, %w : (tensor<2x5x8xf32>, tensor<8x3xf32>) -> tensor<2x5x3xf32>
  %y = graph.mul %p, %c : (tensor<2x5x3xf32>, tensor<3xf32>) -> tensor<2x5x3xf32>
  func.return %y : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @a_factor_goes_through_an_addition
// CHECK:         %[[p:.*]] = graph.matmul
// CHECK-NEXT:    %[[c:.*]] = graph.constant dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]>
// CHECK-NEXT:    %y = graph.add %[[p]], %[[c]] {node = "Add_0, Mul_1"}
// CHECK-NEXT:    func.return %y
func.func @a_factor_goes_through_an_addition(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %w = graph.weight "w4" {hash = "4"} : tensor<8x3xf32>
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %p = graph.matmul %x, %w : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %a = graph.add %p, %c {node = "Add_0"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %y = graph.mul %a, %two {node = "Mul_1"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @declined_for_a_constant_that_varies_in_space
// CHECK:         graph.conv
// CHECK-NEXT:    graph.add
func.func @declined_for_a_constant_that_varies_in_space(%x: tensor<1x3x2x2xf32>) -> tensor<1x4x2x2xf32> {
  %w = graph.weight "w5" {hash = "5"} : tensor<4x3x3x3xf32>
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x2x2xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x2x2xf32>
  %y = graph.add %a, %c : (tensor<1x4x2x2xf32>, tensor<2xf32>) -> tensor<1x4x2x2xf32>
  func.return %y : tensor<1x4x2x2xf32>
}

// CHECK-LABEL: func.func @declined_for_a_constant_that_adds_a_batch
// CHECK:         graph.conv
// CHECK-NEXT:    graph.add
func.func @declined_for_a_constant_that_adds_a_batch(%x: tensor<1x3x2x2xf32>) -> tensor<2x4x2x2xf32> {
  %w = graph.weight "w6" {hash = "6"} : tensor<4x3x3x3xf32>
  %c = graph.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x2x2xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x2x2xf32>
  %y = graph.add %a, %c : (tensor<1x4x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<2x4x2x2xf32>
  func.return %y : tensor<2x4x2x2xf32>
}

// CHECK-LABEL: func.func @declined_for_a_convolution_with_two_users
// CHECK:         graph.conv
// CHECK-NEXT:    graph.add
func.func @declined_for_a_convolution_with_two_users(%x: tensor<1x3x2x2xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) {
  %w = graph.weight "w7" {hash = "7"} : tensor<4x3x3x3xf32>
  %c = graph.constant dense<1.0> : tensor<f32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x2x2xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x2x2xf32>
  %y = graph.add %a, %c : (tensor<1x4x2x2xf32>, tensor<f32>) -> tensor<1x4x2x2xf32>
  func.return %a, %y : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
}

// CHECK-LABEL: func.func @declined_for_computed_weights
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.mul
func.func @declined_for_computed_weights(%x: tensor<2x8xf32>, %w: tensor<8x3xf32>) -> tensor<2x3xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %p = graph.matmul %x, %w : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %y = graph.mul %p, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @declined_for_the_scale_of_a_quantisation
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.div
// CHECK-NEXT:    graph.round
func.func @declined_for_the_scale_of_a_quantisation(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %w = graph.weight "w8" {hash = "8"} : tensor<8x3xf32>
  %c = graph.constant dense<0.1> : tensor<f32>
  %p = graph.matmul %x, %w : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %d = graph.div %p, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = graph.round %d : tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
