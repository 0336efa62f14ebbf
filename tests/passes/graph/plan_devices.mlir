// RUN: s2s-opt %s -p 'graph-plan-devices{devices=dsp layers="dsp=block/*"}' --split-input-file | filecheck %s

// The layers of a pattern run on the device; what is elementwise follows its operand; each way is one copy.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = graph.exp %x {node = "first"}
// CHECK-NEXT:    %a_1 = graph.device_copy %a from "main" to "dsp" {node = "first"} : tensor<1x4xf32>
// CHECK-NEXT:    %b = graph.softmax %a_1 {node = "block/a", device = "dsp", axis = 1 : i64}
// CHECK-NEXT:    %c = graph.neg %b {node = "after", device = "dsp"}
// CHECK-NEXT:    %c_1 = graph.device_copy %c from "dsp" to "main"
// CHECK-NEXT:    %y = graph.softmax %c_1 {node = "last", axis = 1 : i64}
// CHECK-NEXT:    func.return %y
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %a = graph.exp %x {node = "first"} : tensor<1x4xf32>
  %b = graph.softmax %a {axis = 1 : i64, node = "block/a"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %c = graph.neg %b {node = "after"} : tensor<1x4xf32>
  %y = graph.softmax %c {axis = 1 : i64, node = "last"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}

// -----

// Two readers share one copy; an output goes back.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %x_1 = graph.device_copy %x from "main" to "dsp"
// CHECK-NEXT:    %a = graph.exp %x_1
// CHECK-NEXT:    %b = graph.neg %x_1
// CHECK-NEXT:    %y = graph.add %a, %b
// CHECK-SAME:      device = "dsp"
// CHECK-NEXT:    %y_1 = graph.device_copy %y from "dsp" to "main"
// CHECK-NEXT:    func.return %y_1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x {node = "block/a"} : tensor<4xf32>
  %b = graph.neg %x {node = "block/b"} : tensor<4xf32>
  %y = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// A constant that both devices read is one for each.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %w = graph.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %a = graph.add %x, %w
// CHECK-NEXT:    %a_1 = graph.device_copy %a from "main" to "dsp"
// CHECK-NEXT:    %w_1 = graph.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %b = graph.mul %a_1, %w_1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.constant dense<2.0> : tensor<4xf32>
  %a = graph.add %x, %w {node = "first"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = graph.mul %a, %w {node = "block/b"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
