// RUN: s2s-opt %s -p graph-canonicalize-activations | filecheck %s

// CHECK-LABEL: func.func @maximum_with_zero
// CHECK-NEXT:    %y = graph.clamp %x {node = "Max_0", min = 0.000000e+00 : f64}
// CHECK-NEXT:    func.return %y
func.func @maximum_with_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %y = graph.maximum %zero, %x {node = "Max_0"} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @minimum_of_maximum
// CHECK-NEXT:    %y = graph.clamp %x {node = "Max_0, Min_1", min = 0.000000e+00 : f64, max = 6.000000e+00 : f64}
// CHECK-NEXT:    func.return %y
func.func @minimum_of_maximum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %six = graph.constant dense<6.0> : tensor<1xf32>
  %a = graph.maximum %x, %zero {node = "Max_0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.minimum %a, %six {node = "Min_1"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK-NEXT:    graph.clamp %x {min = -3 : i64}
func.func @integers(%x: tensor<4xi8>) -> tensor<4xi8> {
  %c = graph.constant dense<-3> : tensor<i8>
  %y = graph.maximum %x, %c : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// CHECK-LABEL: func.func @overlapping_limits
// CHECK-NEXT:    %y = graph.clamp %x {min = 0.000000e+00 : f64, max = 4.000000e+00 : f64}
func.func @overlapping_limits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.clamp %x {min = -1.0 : f64, max = 4.0 : f64} : tensor<4xf32>
  %y = graph.clamp %a {min = 0.0 : f64, max = 6.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @disjoint_limits
// CHECK-NEXT:    %y = graph.clamp %x {min = 3.000000e+00 : f64, max = 3.000000e+00 : f64}
func.func @disjoint_limits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.clamp %x {min = 0.0 : f64, max = 1.0 : f64} : tensor<4xf32>
  %y = graph.clamp %a {min = 3.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_a_limit_for_each_element
// CHECK:         graph.maximum
func.func @declined_for_a_limit_for_each_element(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %y = graph.maximum %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @declined_when_the_result_is_larger
// CHECK:         graph.maximum
func.func @declined_when_the_result_is_larger(%x: tensor<1xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<0.0> : tensor<2xf32>
  %y = graph.maximum %x, %c : (tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @declined_for_nan
// CHECK:         graph.maximum
func.func @declined_for_nan(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<"0x0000C07F"> : tensor<f32>
  %y = graph.maximum %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @rescaled
// CHECK-NEXT:    %y = graph.rescale %x, %m, %s {node = "Conv_0, Relu_1", output_zp = -5 : i64, min = -5 : i64, max = 100 : i64, rounding = "double"}
// CHECK-NEXT:    func.return %y
func.func @rescaled(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi8> {
  %a = graph.rescale %x, %m, %s {node = "Conv_0", output_zp = -5 : i64, max = 100 : i64, rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  %y = graph.clamp %a {node = "Relu_1", min = -5 : i64} : tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// CHECK-LABEL: func.func @rescaled_with_another_use
// CHECK:         graph.clamp
func.func @rescaled_with_another_use(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %a = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  %y = graph.clamp %a {min = -5 : i64} : tensor<4xi8>
  func.return %a, %y : tensor<4xi8>, tensor<4xi8>
}
