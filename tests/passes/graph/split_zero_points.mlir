// RUN: s2s-opt %s -p graph-split-zero-points | filecheck %s

// CHECK-LABEL: func.func @product
// CHECK:         %w = graph.constant
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %x, %w {node = "product"} : (tensor<4x2xi8>, tensor<2x16xi8>) -> tensor<4x16xi32>
// CHECK-NEXT:    %[[N:.*]] = graph.cast %x {node = "product"} : (tensor<4x2xi8>) -> tensor<4x2xi32>
// CHECK-NEXT:    %[[S:.*]] = graph.reduce_sum %[[N]] {node = "product", axes = array<i64: 1>} : (tensor<4x2xi32>) -> tensor<4xi32>
// CHECK-NEXT:    %[[R:.*]] = graph.reshape %[[S]] {node = "product"} : (tensor<4xi32>) -> tensor<4x1xi32>
// CHECK-NEXT:    %[[Z:.*]] = graph.constant {node = "product"} dense<3> : tensor<i32>
// CHECK-NEXT:    %[[M:.*]] = graph.mul %[[R]], %[[Z]]
// CHECK-NEXT:    graph.sub %[[P]], %[[M]]
func.func @product(%x: tensor<4x2xi8>) -> tensor<4x16xi32> {
  %w = graph.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8], [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 127, -128]]> : tensor<2x16xi8>
  %y = graph.matmul %x, %w {node = "product", b_zp = 3 : i64} : (tensor<4x2xi8>, tensor<2x16xi8>) -> tensor<4x16xi32>
  func.return %y : tensor<4x16xi32>
}

// Of a transposed factor the rows are its columns.
//
// CHECK-LABEL: func.func @transposed
// CHECK:         graph.matmul %x, %w {transpose_a} :
// CHECK:         graph.reduce_sum {{.*}} {axes = array<i64: 1>} : (tensor<5x2x4xi32>) -> tensor<5x4xi32>
// CHECK-NEXT:    graph.reshape {{.*}} : (tensor<5x4xi32>) -> tensor<5x4x1xi32>
func.func @transposed(%x: tensor<5x2x4xi8>) -> tensor<5x4x16xi32> {
  %w = graph.constant dense<2> : tensor<2x16xi8>
  %y = graph.matmul %x, %w {transpose_a, b_zp = -128 : i64} : (tensor<5x2x4xi8>, tensor<2x16xi8>) -> tensor<5x4x16xi32>
  func.return %y : tensor<5x4x16xi32>
}

// Sums of 64 bits.
//
// CHECK-LABEL: func.func @wide
// CHECK:         graph.cast %x : (tensor<4x2xi16>) -> tensor<4x2xi64>
// CHECK:         graph.sub {{.*}} : (tensor<4x16xi64>, tensor<4x1xi64>) -> tensor<4x16xi64>
func.func @wide(%x: tensor<4x2xi16>) -> tensor<4x16xi64> {
  %w = graph.constant dense<2> : tensor<2x16xi16>
  %y = graph.matmul %x, %w {acc_type = i64, b_zp = 3 : i64} : (tensor<4x2xi16>, tensor<2x16xi16>) -> tensor<4x16xi64>
  func.return %y : tensor<4x16xi64>
}

// Declined: few columns, a factor that is computed, and a zero point of the other factor.
//
// CHECK-LABEL: func.func @declined
// CHECK-NOT:     graph.reduce_sum
func.func @declined(%x: tensor<4x2xi8>, %v: tensor<2x16xi8>) -> (tensor<4x15xi32>, tensor<4x16xi32>, tensor<4x16xi32>) {
  %few = graph.constant dense<2> : tensor<2x15xi8>
  %w = graph.constant dense<2> : tensor<2x16xi8>
  %a = graph.matmul %x, %few {b_zp = 3 : i64} : (tensor<4x2xi8>, tensor<2x15xi8>) -> tensor<4x15xi32>
  %b = graph.matmul %x, %v {b_zp = 3 : i64} : (tensor<4x2xi8>, tensor<2x16xi8>) -> tensor<4x16xi32>
  %c = graph.matmul %x, %w {a_zp = 1 : i64, b_zp = 3 : i64} : (tensor<4x2xi8>, tensor<2x16xi8>) -> tensor<4x16xi32>
  func.return %a, %b, %c : tensor<4x15xi32>, tensor<4x16xi32>, tensor<4x16xi32>
}
