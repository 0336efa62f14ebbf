// RUN: s2s-opt %s -p graph-order-calls --sample-weights | filecheck %s

func.func private @widen(%x: tensor<16xf32>, %w: tensor<64x1xf32>) -> tensor<64x16xf32> attributes {kernel} {
  %y = graph.mul %x, %w : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  func.return %y : tensor<64x16xf32>
}
func.func private @narrow(%x: tensor<1024xf32>) -> tensor<f32> attributes {kernel} {
  %y = graph.reduce_sum %x {axes = array<i64: 0>} : (tensor<1024xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> attributes {kernel} {
  %y = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// Each branch is finished before the next begins; its reshape follows its call.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT:    %v = graph.weight "v"
// CHECK-NEXT:    %w = graph.weight "w"
// CHECK-NEXT:    %a = graph.call @widen(%x, %v)
// CHECK-NEXT:    %r = graph.reshape %a
// CHECK-NEXT:    %c = graph.call @narrow(%r)
// CHECK-NEXT:    %b = graph.call @widen(%x, %w)
// CHECK-NEXT:    %s = graph.reshape %b
// CHECK-NEXT:    %d = graph.call @narrow(%s)
// CHECK-NEXT:    %y = graph.call @add(%c, %d)
// CHECK-NEXT:    func.return %y
func.func @branches(%x: tensor<16xf32>) -> tensor<f32> {
  %v = graph.weight "v" {hash = "0"} : tensor<64x1xf32>
  %a = graph.call @widen(%x, %v) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %w = graph.weight "w" {hash = "1"} : tensor<64x1xf32>
  %b = graph.call @widen(%x, %w) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %r = graph.reshape %a : (tensor<64x16xf32>) -> tensor<1024xf32>
  %s = graph.reshape %b : (tensor<64x16xf32>) -> tensor<1024xf32>
  %c = graph.call @narrow(%r) : (tensor<1024xf32>) -> tensor<f32>
  %d = graph.call @narrow(%s) : (tensor<1024xf32>) -> tensor<f32>
  %y = graph.call @add(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// Outputs lie outside the arena, so nothing is gained by another order.
// CHECK-LABEL: func.func @declined_for_outputs
// CHECK-NEXT:    %v = graph.weight "v"
// CHECK-NEXT:    %a = graph.call @widen(%x, %v)
// CHECK-NEXT:    %b = graph.call @widen(%x, %v)
// CHECK-NEXT:    %r = graph.reshape %a
// CHECK-NEXT:    %c = graph.call @narrow(%r)
// CHECK-NEXT:    func.return %a, %b, %c
func.func @declined_for_outputs(%x: tensor<16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>, tensor<f32>) {
  %v = graph.weight "v" {hash = "0"} : tensor<64x1xf32>
  %a = graph.call @widen(%x, %v) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %b = graph.call @widen(%x, %v) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %r = graph.reshape %a : (tensor<64x16xf32>) -> tensor<1024xf32>
  %c = graph.call @narrow(%r) : (tensor<1024xf32>) -> tensor<f32>
  func.return %a, %b, %c : tensor<64x16xf32>, tensor<64x16xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @declined_before_fusion
// CHECK-NEXT:    %a = graph.exp
// CHECK-NEXT:    %v = graph.weight
func.func @declined_before_fusion(%x: tensor<16xf32>) -> tensor<64x16xf32> {
  %a = graph.exp %x : tensor<16xf32>
  %v = graph.weight "v" {hash = "0"} : tensor<64x1xf32>
  %y = graph.call @widen(%a, %v) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  func.return %y : tensor<64x16xf32>
}

// What runs a network is a call like others.
// CHECK-LABEL: func.func @scans
// CHECK:         %a = graph.call @widen(%x, %w)
// CHECK-NEXT:    %c = graph.scan @sum_row(%a)
// CHECK-NEXT:    %b = graph.call @widen(%x, %w)
func.func private @sum_row(%x: tensor<16xf32>) -> tensor<f32> {
  %y = graph.reduce_sum %x {axes = array<i64: 0>} : (tensor<16xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @both(%x: tensor<64xf32>, %y: tensor<64x16xf32>) -> tensor<64xf32> attributes {kernel} {
  %s = graph.reduce_sum %y {axes = array<i64: 1>} : (tensor<64x16xf32>) -> tensor<64xf32>
  %z = graph.add %x, %s : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  func.return %z : tensor<64xf32>
}
func.func @scans(%x: tensor<16xf32>) -> tensor<64xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x1xf32>
  %a = graph.call @widen(%x, %w) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %b = graph.call @widen(%x, %w) : (tensor<16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  %c = graph.scan @sum_row(%a) {steps = 64, carried = 0, scanned = 1} : (tensor<64x16xf32>) -> tensor<64xf32>
  %z = graph.call @both(%c, %b) : (tensor<64xf32>, tensor<64x16xf32>) -> tensor<64xf32>
  func.return %z : tensor<64xf32>
}

// A check stands behind every other call, also those that do not depend on it.
// CHECK-LABEL: func.func @checks_come_last
// CHECK-NEXT:    %a = graph.call @flags(%x)
// CHECK-NEXT:    %y = graph.call @copies(%x)
// CHECK-NEXT:    graph.require %a
// CHECK-NEXT:    func.return %y
func.func private @flags(%x: tensor<4xf32>) -> tensor<1xi32> attributes {kernel} {
  %y = graph.constant dense<0> : tensor<1xi32>
  func.return %y : tensor<1xi32>
}
func.func private @copies(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @checks_come_last(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @flags(%x) : (tensor<4xf32>) -> tensor<1xi32>
  graph.require %a : tensor<1xi32>
  %y = graph.call @copies(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
