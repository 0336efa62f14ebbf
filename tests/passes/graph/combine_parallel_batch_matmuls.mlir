// RUN: s2s-opt %s -p graph-combine-parallel-batch-matmuls | filecheck %s

// CHECK-LABEL: func.func @computed_operands_are_concatenated
// CHECK:         %[[w:.*]] = graph.concat %e, %v, %w {axis = 2 : i64}
// CHECK-NEXT:    %[[y:.*]] = graph.matmul %x, %[[w]] : (tensor<2x5x4xf32>, tensor<2x4x9xf32>) -> tensor<2x5x9xf32>
// CHECK-NEXT:    %a = graph.slice %[[y]] {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 5, 3>
// CHECK-NEXT:    %b = graph.slice %[[y]] {starts = array<i64: 0, 0, 3>, sizes = array<i64: 2, 5, 2>
// CHECK-NEXT:    %c = graph.slice %[[y]] {starts = array<i64: 0, 0, 5>, sizes = array<i64: 2, 5, 4>
func.func @computed_operands_are_concatenated(%x: tensor<2x5x4xf32>, %u: tensor<2x4x3xf32>, %v: tensor<2x4x2xf32>, %w: tensor<2x4x4xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x2xf32>, tensor<2x5x4xf32>) {
  %e = graph.exp %u : tensor<2x4x3xf32>
  %a = graph.matmul %x, %e : (tensor<2x5x4xf32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
  %b = graph.matmul %x, %v : (tensor<2x5x4xf32>, tensor<2x4x2xf32>) -> tensor<2x5x2xf32>
  %c = graph.matmul %x, %w : (tensor<2x5x4xf32>, tensor<2x4x4xf32>) -> tensor<2x5x4xf32>
  func.return %a, %b, %c : tensor<2x5x3xf32>, tensor<2x5x2xf32>, tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @rows_of_transposed_operands
// CHECK:         graph.concat %u, %u, %u {axis = 1 : i64}
// CHECK-NEXT:    graph.matmul %x, %{{.*}} {transpose_b} : (tensor<2x5x4xf32>, tensor<2x9x4xf32>) -> tensor<2x5x9xf32>
func.func @rows_of_transposed_operands(%x: tensor<2x5x4xf32>, %u: tensor<2x3x4xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %a = graph.matmul %x, %u {transpose_b} : (tensor<2x5x4xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
  %b = graph.matmul %x, %u {transpose_b} : (tensor<2x5x4xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
  %c = graph.matmul %x, %u {transpose_b} : (tensor<2x5x4xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
  func.return %a, %b, %c : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @declined_where_a_product_needs_another
// CHECK-COUNT-3: graph.matmul
func.func @declined_where_a_product_needs_another(%x: tensor<2x4x4xf32>, %u: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %a = graph.matmul %x, %u : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %b = graph.matmul %x, %a : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %c = graph.matmul %x, %u : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  func.return %b, %c : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}
