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

// Sums become bytes behind the combined product, each stack of columns by the factor of its branch.
// CHECK-LABEL: func.func @stacks_of_integers
// CHECK:         %[[w:.*]] = graph.concat %u, %v, %w {axis = 2 : i64} : {{.*}} -> tensor<2x4x8xi8>
// CHECK-NEXT:    %[[m:.*]] = graph.matmul %x, %[[w]] : (tensor<2x5x4xi8>, tensor<2x4x8xi8>) -> tensor<2x5x8xi32>
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<[1073741824, 1073741824, 1073741824, 1610612736, 1610612736, 1073741824, 1073741824, 1073741824]>
// CHECK-NEXT:    %[[s:.*]] = graph.constant dense<[38, 38, 38, 37, 37, 38, 38, 38]>
// CHECK-NEXT:    %[[y:.*]] = graph.rescale %[[m]], %[[k]], %[[s]] {rounding = "double", axis = 2 : i64} : {{.*}} -> tensor<2x5x8xi8>
// CHECK-NEXT:    %p = graph.slice %[[y]] {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 5, 3>
// CHECK-NEXT:    %q = graph.slice %[[y]] {starts = array<i64: 0, 0, 3>, sizes = array<i64: 2, 5, 2>
// CHECK-NEXT:    %r = graph.slice %[[y]] {starts = array<i64: 0, 0, 5>, sizes = array<i64: 2, 5, 3>
func.func @stacks_of_integers(%x: tensor<2x5x4xi8>, %u: tensor<2x4x3xi8>, %v: tensor<2x4x2xi8>, %w: tensor<2x4x3xi8>) -> (tensor<2x5x3xi8>, tensor<2x5x2xi8>, tensor<2x5x3xi8>) {
  %k = graph.constant dense<1073741824> : tensor<i32>
  %l = graph.constant dense<1610612736> : tensor<i32>
  %s = graph.constant dense<38> : tensor<i8>
  %t = graph.constant dense<37> : tensor<i8>
  %a = graph.matmul %x, %u : (tensor<2x5x4xi8>, tensor<2x4x3xi8>) -> tensor<2x5x3xi32>
  %b = graph.matmul %x, %v : (tensor<2x5x4xi8>, tensor<2x4x2xi8>) -> tensor<2x5x2xi32>
  %c = graph.matmul %x, %w : (tensor<2x5x4xi8>, tensor<2x4x3xi8>) -> tensor<2x5x3xi32>
  %p = graph.rescale %a, %k, %s {rounding = "double"} : (tensor<2x5x3xi32>, tensor<i32>, tensor<i8>) -> tensor<2x5x3xi8>
  %q = graph.rescale %b, %l, %t {rounding = "double"} : (tensor<2x5x2xi32>, tensor<i32>, tensor<i8>) -> tensor<2x5x2xi8>
  %r = graph.rescale %c, %k, %s {rounding = "double"} : (tensor<2x5x3xi32>, tensor<i32>, tensor<i8>) -> tensor<2x5x3xi8>
  func.return %p, %q, %r : tensor<2x5x3xi8>, tensor<2x5x2xi8>, tensor<2x5x3xi8>
}

// Slices of sums of 32 bits would take more memory than one product saves.
// CHECK-LABEL: func.func @declined_for_sums_that_stay_wide
// CHECK-COUNT-3: graph.matmul
// CHECK-NEXT:    func.return
func.func @declined_for_sums_that_stay_wide(%x: tensor<2x5x4xi8>, %u: tensor<2x4x3xi8>) -> (tensor<2x5x3xi32>, tensor<2x5x3xi32>, tensor<2x5x3xi32>) {
  %a = graph.matmul %x, %u : (tensor<2x5x4xi8>, tensor<2x4x3xi8>) -> tensor<2x5x3xi32>
  %b = graph.matmul %x, %u : (tensor<2x5x4xi8>, tensor<2x4x3xi8>) -> tensor<2x5x3xi32>
  %c = graph.matmul %x, %u : (tensor<2x5x4xi8>, tensor<2x4x3xi8>) -> tensor<2x5x3xi32>
  func.return %a, %b, %c : tensor<2x5x3xi32>, tensor<2x5x3xi32>, tensor<2x5x3xi32>
}
