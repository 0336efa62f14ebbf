// RUN: s2s-opt %s -p graph-canonicalize-reshapes | filecheck %s

// CHECK-LABEL: func.func @transpose_of_unit_dimensions_and_reshape
// CHECK-NEXT:    %y = graph.reshape %x {node = "Transpose_0, Reshape_1"} : (tensor<1x64x1x1xf32>) -> tensor<1x64xf32>
// CHECK-NEXT:    func.return %y
func.func @transpose_of_unit_dimensions_and_reshape(%x: tensor<1x64x1x1xf32>) -> tensor<1x64xf32> {
  %a = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>, node = "Transpose_0"} : (tensor<1x64x1x1xf32>) -> tensor<1x1x1x64xf32>
  %y = graph.reshape %a {node = "Reshape_1"} : (tensor<1x1x1x64xf32>) -> tensor<1x64xf32>
  func.return %y : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @reshape_there_and_back
// CHECK-NEXT:    func.return %x
func.func @reshape_there_and_back(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = graph.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %y = graph.reshape %a : (tensor<24xf32>) -> tensor<4x6xf32>
  func.return %y : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @permutations_multiply
// CHECK-NEXT:    %y = graph.transpose %x {perm = array<i64: 2, 1, 0>}
// CHECK-NEXT:    func.return %y
func.func @permutations_multiply(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %a = graph.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %y = graph.transpose %a {perm = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  func.return %y : tensor<4x3x2xf32>
}

// CHECK-LABEL: func.func @permutations_cancel
// CHECK-NEXT:    func.return %x
func.func @permutations_cancel(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = graph.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %y = graph.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  func.return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @transposes_before_a_matrix_product
// CHECK-NEXT:    %y = graph.matmul %a, %b {transpose_b} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>)
// CHECK-NEXT:    func.return %y
func.func @transposes_before_a_matrix_product(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %s = graph.transpose %a {perm = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %t = graph.transpose %b {perm = array<i64: 0, 2, 1>} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %y = graph.matmul %s, %t {transpose_a} : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @declined_for_a_transpose_that_moves_data
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @declined_for_a_transpose_that_moves_data(%x: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %a = graph.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %y = graph.reshape %a : (tensor<2x4x3xf32>) -> tensor<24xf32>
  func.return %y : tensor<24xf32>
}
