// RUN: s2s-opt %s -p graph-canonicalize-affine | filecheck %s

// CHECK-LABEL: func.func @normalisation_and_scale
// CHECK:         %[[s:.*]] = graph.constant {{.*}}dense<[2.000000e+00, 6.000000e+00]>
// CHECK-NEXT:    %[[m:.*]] = graph.mul %x, %[[s]] {node = "Mul_0, Mul_2"}
// CHECK-NEXT:    %[[t:.*]] = graph.constant {{.*}}dense<[6.000000e+00, 1.300000e+01]>
// CHECK-NEXT:    %y = graph.add %[[m]], %[[t]]
// CHECK-NEXT:    func.return %y
func.func @normalisation_and_scale(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %s = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = graph.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %u = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %v = graph.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %a = graph.mul %x, %s {node = "Mul_0"} : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %b = graph.add %t, %a {node = "Add_1"} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = graph.mul %b, %u {node = "Mul_2"} : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %y = graph.add %c, %v {node = "Add_3"} : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @declined_for_a_value_with_two_users
// CHECK:         graph.add
// CHECK-NEXT:    graph.add
func.func @declined_for_a_value_with_two_users(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = graph.add %a, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %a, %y : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @declined_for_constants_of_other_dimensions
// CHECK:         graph.mul
// CHECK-NEXT:    graph.mul
func.func @declined_for_constants_of_other_dimensions(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %a = graph.mul %x, %r : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %y = graph.mul %a, %c : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @declined_for_integers
// CHECK:         graph.add
// CHECK-NEXT:    graph.add
func.func @declined_for_integers(%x: tensor<2xi8>) -> tensor<2xi8> {
  %c = graph.constant dense<[1, 2]> : tensor<2xi8>
  %a = graph.add %x, %c : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %y = graph.add %a, %c : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  func.return %y : tensor<2xi8>
}

// A division in front of a smooth function; the argument of the error function in a GELU.
// CHECK-LABEL: func.func @division
// CHECK:         %[[f:.*]] = graph.constant {{.*}}dense<0.707106769>
// CHECK-NEXT:    %[[d:.*]] = graph.mul %x, %[[f]]
// CHECK-NEXT:    graph.erf %[[d]]
func.func @division(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c = graph.constant dense<1.41421354> : tensor<f32>
  %d = graph.div %x, %c : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %y = graph.erf %d : tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// The last bit of a quotient decides what is rounded, or returned.
// CHECK-LABEL: func.func @declined_where_the_last_bit_counts
// CHECK:         graph.div
// CHECK-NEXT:    graph.floor
// CHECK-NEXT:    graph.div
func.func @declined_where_the_last_bit_counts(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %c = graph.constant dense<49.0> : tensor<f32>
  %d = graph.div %x, %c : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %y = graph.floor %d : tensor<2x2xf32>
  %z = graph.div %y, %c : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  func.return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}
