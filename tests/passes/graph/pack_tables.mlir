// RUN: s2s-opt --sample-weights -p graph-pack-tables %s | filecheck %s

// CHECK-LABEL: @declined_for_bytes_of_many_values
// CHECK: graph.gather %w, %i {axis = 0 : i64} : (tensor<64x32xi8>, tensor<3xi64>) -> tensor<3x32xi8>
func.func @declined_for_bytes_of_many_values(%i: tensor<3xi64>) -> tensor<3x32xi8> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x32xi8>
  %y = graph.gather %w, %i {axis = 0 : i64} : (tensor<64x32xi8>, tensor<3xi64>) -> tensor<3x32xi8>
  func.return %y : tensor<3x32xi8>
}
