// RUN: s2s-opt %s -p graph-fold-constants,dce --sample-weights | filecheck %s

// CHECK-LABEL: func.func @small_constants_are_written_out
// CHECK-NEXT:    %s = graph.constant {node = "Add_0"} dense<[5, 8]> : tensor<2xi64>
// CHECK-NEXT:    func.return %s
func.func @small_constants_are_written_out() -> tensor<2xi64> {
  %a = graph.constant dense<[2, 4]> : tensor<2xi64>
  %b = graph.constant dense<[3, 4]> : tensor<2xi64>
  %s = graph.add %a, %b {node = "Add_0"} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  func.return %s : tensor<2xi64>
}

// CHECK-LABEL: func.func @a_chain_of_operations_on_a_weight
// CHECK-NEXT:    %r = graph.weight "w_transpose_reshape"
// CHECK-NEXT:    %y = graph.matmul %x, %r
// CHECK-NEXT:    func.return %y
func.func @a_chain_of_operations_on_a_weight(%x: tensor<2x32xf32>) -> tensor<2x64xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x4x8xf32>
  %t = graph.transpose %w {perm = array<i64: 1, 2, 0>} : (tensor<64x4x8xf32>) -> tensor<4x8x64xf32>
  %r = graph.reshape %t : (tensor<4x8x64xf32>) -> tensor<32x64xf32>
  %y = graph.matmul %x, %r : (tensor<2x32xf32>, tensor<32x64xf32>) -> tensor<2x64xf32>
  func.return %y : tensor<2x64xf32>
}

// CHECK-LABEL: func.func @short_counting_sequences
// CHECK-NEXT:    graph.constant dense<[0, 1, 2, 3]>
func.func @short_counting_sequences() -> tensor<4xi32> {
  %i = graph.iota {axis = 0 : i64} : tensor<4xi32>
  func.return %i : tensor<4xi32>
}

// CHECK-LABEL: func.func @declined_when_the_result_is_much_larger
// CHECK:         graph.broadcast_to
func.func @declined_when_the_result_is_much_larger(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = graph.weight "row" {hash = "1"} : tensor<64xf32>
  %b = graph.broadcast_to %c : (tensor<64xf32>) -> tensor<64x64xf32>
  %y = graph.add %x, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %y : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @declined_when_an_operand_is_computed
// CHECK:         graph.add
func.func @declined_when_an_operand_is_computed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
