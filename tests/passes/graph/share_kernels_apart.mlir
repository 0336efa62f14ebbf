// RUN: s2s-opt %s -p 'graph-share-kernels{zero_points=apart}' --split-input-file | filecheck %s

// Zero points in the middle of the range may differ in a retrained model.
// CHECK:       func.func private @q(
// CHECK:       func.func private @q_2(
func.func private @q(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi8> attributes {kernel} {
  %y = graph.rescale %x, %m, %s {output_zp = 5 : i64, rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
func.func private @q_2(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi8> attributes {kernel} {
  %y = graph.rescale %x, %m, %s {output_zp = 5 : i64, rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// -----

// The limit of a type, as behind a ReLU, stays the same.
// CHECK:       func.func private @r(
// CHECK-NOT:   func.func private @r_2(
func.func private @r(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi8> attributes {kernel} {
  %y = graph.rescale %x, %m, %s {output_zp = -128 : i64, rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
func.func private @r_2(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi8> attributes {kernel} {
  %y = graph.rescale %x, %m, %s {output_zp = -128 : i64, rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
