// RUN: s2s-opt %s -p 'graph-plan-devices{devices=dsp costs="dsp=c/8.0/1.0/100.0/cost/own"}' --split-input-file | filecheck %s

// A large product runs on the fast device, although its operand and its result are copied.
// CHECK-LABEL: func.func @main
// CHECK:         %x_1 = graph.device_copy %x from "main" to "dsp"
// CHECK-NEXT:    %a = graph.matmul %x_1, %w {device = "dsp"}
// CHECK-NEXT:    %a_1 = graph.device_copy %a from "dsp" to "main"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = graph.constant dense<2.0> : tensor<64x64xf32>
  %a = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %a : tensor<64x64xf32>
}

// -----

// Declined: a product whose copies take longer than it saves.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     graph.device_copy
// CHECK:         func.return
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x2xf32> {
  %w = graph.constant dense<2.0> : tensor<64x2xf32>
  %a = graph.matmul %x, %w : (tensor<1x64xf32>, tensor<64x2xf32>) -> tensor<1x2xf32>
  func.return %a : tensor<1x2xf32>
}

// -----

// What ends a run is no kernel: the first device reads the flag that a fast device computes.
// CHECK-LABEL: func.func @main
// CHECK:         %b_1 = graph.device_copy %b from "dsp" to "main"
// CHECK-NEXT:    graph.require %b_1 : tensor<1xi32>
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = graph.constant dense<2.0> : tensor<64x64xf32>
  %v = graph.constant dense<-2.0> : tensor<64x64xf32>
  %a = graph.matmul %w, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = graph.reduce_max %a {axes = array<i64: 0, 1>} : (tensor<64x64xf32>) -> tensor<f32>
  %r = graph.reshape %m : (tensor<f32>) -> tensor<1xf32>
  %b = graph.cast %r : (tensor<1xf32>) -> tensor<1xi32>
  graph.require %b : tensor<1xi32>
  func.return %x : tensor<1x64xf32>
}
