// RUN: s2s-opt %s -p graph-remove-identities | filecheck %s

// CHECK-LABEL: func.func @neutral_operands
// CHECK-NEXT:    func.return %x
func.func @neutral_operands(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<3xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %a = graph.add %zero, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = graph.sub %a, %zero : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %c = graph.mul %one, %b : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = graph.div %c, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = graph.pow %d, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @nothing_moved
// CHECK-NEXT:    func.return %x
func.func @nothing_moved(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = graph.identity %x : tensor<2x3xf32>
  %b = graph.cast %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = graph.slice %b {starts = array<i64: 0, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = graph.concat %c {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = graph.pad %d {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "edge"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = graph.tile %e {repeats = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = graph.broadcast_to %f : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.clamp %g : tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @declined_when_the_constant_makes_it_larger
// CHECK:         graph.add
func.func @declined_when_the_constant_makes_it_larger(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<2x1xf32>
  %y = graph.add %x, %zero : (tensor<1x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @declined_on_the_other_side
// CHECK:         graph.sub
func.func @declined_on_the_other_side(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  %y = graph.sub %zero, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @declined_for_a_reversal
// CHECK-NEXT:    graph.slice
func.func @declined_for_a_reversal(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.slice %x {starts = array<i64: 2>, sizes = array<i64: 3>, strides = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @declined_for_another_type
// CHECK-NEXT:    graph.cast
func.func @declined_for_another_type(%x: tensor<3xf32>) -> tensor<3xi32> {
  %y = graph.cast %x : (tensor<3xf32>) -> tensor<3xi32>
  func.return %y : tensor<3xi32>
}
