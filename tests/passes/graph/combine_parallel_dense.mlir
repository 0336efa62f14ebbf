// RUN: s2s-opt %s -p graph-combine-parallel-dense --sample-weights | filecheck %s

// CHECK-LABEL: func.func @query_key_and_value_with_biases
// CHECK:         %[[m:.*]] = graph.matmul %x, %{{.*}} : (tensor<6x8xf32>, tensor<8x40xf32>) -> tensor<6x40xf32>
// CHECK:         %[[y:.*]] = graph.add %[[m]], %{{.*}} : (tensor<6x40xf32>, tensor<40xf32>) -> tensor<6x40xf32>
// CHECK-NEXT:    %p = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 0>, sizes = array<i64: 6, 8>
// CHECK-NEXT:    %r = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 8>, sizes = array<i64: 6, 16>
// CHECK-NEXT:    %s = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 24>, sizes = array<i64: 6, 16>
// CHECK-NEXT:    func.return %p, %r, %s
func.func @query_key_and_value_with_biases(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x16xf32>, tensor<6x16xf32>) {
  %u = graph.weight "u" {hash = "0"} : tensor<8x8xf32>
  %v = graph.weight "v" {hash = "1"} : tensor<8x16xf32>
  %w = graph.weight "w" {hash = "2"} : tensor<8x16xf32>
  %d = graph.weight "d" {hash = "3"} : tensor<8xf32>
  %e = graph.weight "e" {hash = "4"} : tensor<16xf32>
  %f = graph.weight "f" {hash = "5"} : tensor<1x16xf32>
  %a = graph.matmul %x, %u : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %p = graph.add %a, %d : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %b = graph.matmul %x, %v : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  %r = graph.add %b, %e : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %c = graph.matmul %x, %w : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  %s = graph.add %f, %c : (tensor<1x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  func.return %p, %r, %s : tensor<6x8xf32>, tensor<6x16xf32>, tensor<6x16xf32>
}

// CHECK-LABEL: func.func @rows_of_transposed_weights
// CHECK:         graph.matmul %x, %{{.*}} {transpose_b} : (tensor<6x8xf32>, tensor<9x8xf32>) -> tensor<6x9xf32>
func.func @rows_of_transposed_weights(%x: tensor<6x8xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>) {
  %u = graph.weight "u2" {hash = "6"} : tensor<3x8xf32>
  %a = graph.matmul %x, %u {transpose_b} : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<6x3xf32>
  %b = graph.matmul %x, %u {transpose_b} : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<6x3xf32>
  %c = graph.matmul %x, %u {transpose_b} : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<6x3xf32>
  func.return %a, %b, %c : tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
}

// CHECK-LABEL: func.func @declined_for_other_inputs
// CHECK-COUNT-3: graph.matmul
// CHECK-NEXT:    func.return
func.func @declined_for_other_inputs(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>) {
  %u = graph.weight "u3" {hash = "7"} : tensor<8x3xf32>
  %a = graph.matmul %x, %u : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
  %b = graph.matmul %x, %u : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
  %c = graph.matmul %y, %u : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
  func.return %a, %b, %c : tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
}

// Sums are scaled as floats, and become integers again.
// CHECK-LABEL: func.func @quantised_query_key_and_value
// CHECK:         %[[m:.*]] = graph.matmul %x, %{{.*}} : (tensor<6x8xi8>, tensor<8x24xi8>) -> tensor<6x24xi32>
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[m]] : (tensor<6x24xi32>) -> tensor<6x24xf32>
// CHECK:         %[[g:.*]] = graph.mul %[[f]], %{{.*}} : (tensor<6x24xf32>, tensor<24xf32>) -> tensor<6x24xf32>
// CHECK-NEXT:    %[[h:.*]] = graph.round %[[g]]
// CHECK-NEXT:    %[[y:.*]] = graph.cast %[[h]] : (tensor<6x24xf32>) -> tensor<6x24xi8>
// CHECK-COUNT-3: graph.slice %[[y]]
func.func @quantised_query_key_and_value(%x: tensor<6x8xi8>) -> (tensor<6x8xi8>, tensor<6x8xi8>, tensor<6x8xi8>) {
  %u = graph.weight "u9" {hash = "20"} : tensor<8x8xi8>
  %v = graph.weight "v9" {hash = "21"} : tensor<8x8xi8>
  %w = graph.weight "w9" {hash = "22"} : tensor<8x8xi8>
  %s = graph.constant dense<0.001> : tensor<f32>
  %t = graph.constant dense<0.002> : tensor<f32>
  %a = graph.matmul %x, %u : (tensor<6x8xi8>, tensor<8x8xi8>) -> tensor<6x8xi32>
  %b = graph.matmul %x, %v : (tensor<6x8xi8>, tensor<8x8xi8>) -> tensor<6x8xi32>
  %c = graph.matmul %x, %w : (tensor<6x8xi8>, tensor<8x8xi8>) -> tensor<6x8xi32>
  %a1 = graph.cast %a : (tensor<6x8xi32>) -> tensor<6x8xf32>
  %b1 = graph.cast %b : (tensor<6x8xi32>) -> tensor<6x8xf32>
  %c1 = graph.cast %c : (tensor<6x8xi32>) -> tensor<6x8xf32>
  %a2 = graph.mul %a1, %s : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %b2 = graph.mul %b1, %t : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %c2 = graph.mul %c1, %s : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %a3 = graph.round %a2 : tensor<6x8xf32>
  %b3 = graph.round %b2 : tensor<6x8xf32>
  %c3 = graph.round %c2 : tensor<6x8xf32>
  %p = graph.cast %a3 : (tensor<6x8xf32>) -> tensor<6x8xi8>
  %q = graph.cast %b3 : (tensor<6x8xf32>) -> tensor<6x8xi8>
  %r = graph.cast %c3 : (tensor<6x8xf32>) -> tensor<6x8xi8>
  func.return %p, %q, %r : tensor<6x8xi8>, tensor<6x8xi8>, tensor<6x8xi8>
}
