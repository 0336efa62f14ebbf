// RUN: s2s-opt %s -p graph-rematerialise-casts | filecheck %s

// CHECK-LABEL: func.func @two_readers
// CHECK:         %[[f:.*]] = graph.cast %q
// CHECK-NEXT:    %[[g:.*]] = graph.cast %q
// CHECK-NEXT:    %[[s:.*]] = graph.sub %[[g]], %three
// CHECK-NEXT:    %[[t:.*]] = graph.sub %[[f]], %three
// CHECK-NEXT:    %{{.*}} = graph.reduce_sum %[[s]]
// CHECK-NEXT:    %{{.*}} = graph.mul %[[t]], %y
func.func @two_readers(%q: tensor<8xi8>, %y: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %three = graph.constant dense<3.0> : tensor<f32>
  %f = graph.cast %q : (tensor<8xi8>) -> tensor<8xf32>
  %s = graph.sub %f, %three : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %a = graph.reduce_sum %s {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<f32>
  %b = graph.mul %s, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %a, %b : tensor<f32>, tensor<8xf32>
}

// Declined: other functions, and conversions to smaller numbers.
// CHECK-LABEL: func.func @other_functions
// CHECK:         graph.exp
// CHECK-NOT:     graph.exp
// CHECK:         func.return
func.func @other_functions(%q: tensor<8xi8>) -> (tensor<8xf32>, tensor<f32>, tensor<8xi8>, tensor<8xi8>) {
  %f = graph.cast %q : (tensor<8xi8>) -> tensor<8xf32>
  %e = graph.exp %f : tensor<8xf32>
  %a = graph.reduce_sum %e {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<f32>
  %n = graph.cast %e : (tensor<8xf32>) -> tensor<8xi8>
  func.return %e, %a, %n, %n : tensor<8xf32>, tensor<f32>, tensor<8xi8>, tensor<8xi8>
}

// Declined: a product of matrices reads what is there.
// CHECK-LABEL: func.func @product
// CHECK:         graph.cast
// CHECK-NOT:     graph.cast
// CHECK:         func.return
func.func @product(%q: tensor<4x4xi8>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %f = graph.cast %q : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %a = graph.add %f, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = graph.matmul %f, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
