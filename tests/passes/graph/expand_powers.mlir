// RUN: s2s-opt %s -p graph-expand-powers | filecheck %s

// CHECK-LABEL: func.func @square
// CHECK-NEXT:    %y = graph.mul %x, %x {node = "Pow_0"}
// CHECK-NEXT:    func.return %y
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %y = graph.pow %x, %two {node = "Pow_0"} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @cube
// CHECK-NEXT:    %[[SQUARE:.*]] = graph.mul %x, %x
// CHECK-NEXT:    %{{.*}} = graph.mul %[[SQUARE]], %x
func.func @cube(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = graph.constant dense<3.0> : tensor<1xf32>
  %y = graph.pow %x, %three : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @fourth_power_below_one
// CHECK-NEXT:    %[[SQUARE:.*]] = graph.mul %x, %x
// CHECK-NEXT:    %[[FOURTH:.*]] = graph.mul %[[SQUARE]], %[[SQUARE]]
// CHECK-NEXT:    %{{.*}} = graph.reciprocal %[[FOURTH]]
func.func @fourth_power_below_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<-4.0> : tensor<f32>
  %y = graph.pow %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @one_over_root
// CHECK-NEXT:    %[[ROOT:.*]] = graph.sqrt %x
// CHECK-NEXT:    %{{.*}} = graph.reciprocal %[[ROOT]]
func.func @one_over_root(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<-0.5> : tensor<f32>
  %y = graph.pow %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @other_exponent
// CHECK:         graph.pow
func.func @other_exponent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<1.5> : tensor<f32>
  %y = graph.pow %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @exponent_of_its_own
// CHECK:         graph.pow
func.func @exponent_of_its_own(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %y = graph.pow %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK:         graph.pow
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %two = graph.constant dense<2> : tensor<i32>
  %y = graph.pow %x, %two : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: func.func @cube_of_halves
// CHECK:         graph.pow
func.func @cube_of_halves(%x: tensor<4xf16>) -> tensor<4xf16> {
  %three = graph.constant dense<3.0> : tensor<f16>
  %y = graph.pow %x, %three : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  func.return %y : tensor<4xf16>
}

// CHECK-LABEL: func.func @larger_than_the_operand
// CHECK:         graph.pow
func.func @larger_than_the_operand(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %two = graph.constant dense<2.0> : tensor<2x4xf32>
  %y = graph.pow %x, %two : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
