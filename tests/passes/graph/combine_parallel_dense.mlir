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
