// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// The elimination works on a copy of one matrix.
// CHECK-LABEL: @determinant
// CHECK-NEXT: tensor.extern "determinant_f32"(%x) {numbers = array<i64: 2, 3>, scratch = [tensor<9xf32>]}
func.func private @determinant(%x: tensor<2x3x3xf32>) -> tensor<2xf32> attributes {kernel} {
  %y = graph.determinant %x : (tensor<2x3x3xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
