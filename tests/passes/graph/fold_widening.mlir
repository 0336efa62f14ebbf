// RUN: s2s-opt -p graph-fold-widening %s | filecheck %s

// CHECK-LABEL: @halves_are_widened_by_the_product
// CHECK-NEXT: %y = graph.matmul %q, %k {transpose_b} : (tensor<2x4x8xf32>, tensor<2x16x8xf16>) -> tensor<2x4x16xf32>
// CHECK-NEXT: func.return %y
func.func @halves_are_widened_by_the_product(%q: tensor<2x4x8xf32>, %k: tensor<2x16x8xf16>) -> tensor<2x4x16xf32> {
  %w = graph.cast %k : (tensor<2x16x8xf16>) -> tensor<2x16x8xf32>
  %y = graph.matmul %q, %w {transpose_b} : (tensor<2x4x8xf32>, tensor<2x16x8xf32>) -> tensor<2x4x16xf32>
  func.return %y : tensor<2x4x16xf32>
}

// CHECK-LABEL: @bytes_too
// CHECK-NEXT: %y = graph.matmul %p, %v : (tensor<1x16xf32>, tensor<16x8xi8>) -> tensor<1x8xf32>
func.func @bytes_too(%p: tensor<1x16xf32>, %v: tensor<16x8xi8>) -> tensor<1x8xf32> {
  %w = graph.cast %v : (tensor<16x8xi8>) -> tensor<16x8xf32>
  %y = graph.matmul %p, %w : (tensor<1x16xf32>, tensor<16x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// Declined: eight rows convert each element eight times.
// CHECK-LABEL: @many_rows
// CHECK: graph.matmul %p, %w : (tensor<8x16xf32>, tensor<16x8xf32>)
func.func @many_rows(%p: tensor<8x16xf32>, %v: tensor<16x8xi8>) -> tensor<8x8xf32> {
  %w = graph.cast %v : (tensor<16x8xi8>) -> tensor<16x8xf32>
  %y = graph.matmul %p, %w : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// Declined: 32 bits do not fit a float.
// CHECK-LABEL: @words
// CHECK: graph.matmul %p, %w : (tensor<1x16xf32>, tensor<16x8xf32>)
func.func @words(%p: tensor<1x16xf32>, %v: tensor<16x8xi32>) -> tensor<1x8xf32> {
  %w = graph.cast %v : (tensor<16x8xi32>) -> tensor<16x8xf32>
  %y = graph.matmul %p, %w : (tensor<1x16xf32>, tensor<16x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}
