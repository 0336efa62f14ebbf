// RUN: s2s-opt %s -p graph-share-kernels --split-input-file | filecheck %s

// Names of values and of source nodes do not count.
// CHECK-LABEL: func.func private @double(
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @equal
// CHECK-NEXT:    %a = graph.call @double(%x) {node = "Add_0"}
// CHECK-NEXT:    %y = graph.call @double(%a) {node = "Add_1"}
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.add %x, %x {node = "Add_0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @double_2(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %b = graph.add %a, %a {node = "Add_1"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @double(%x) {node = "Add_0"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @double_2(%a) {node = "Add_1"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// Declined: other attributes, other operands, another order of arguments.
// CHECK-LABEL: func.func private @limit(
// CHECK-LABEL: func.func private @limit_2(
// CHECK-LABEL: func.func private @sub(
// CHECK-LABEL: func.func private @sub_2(
// CHECK-LABEL: func.func @different
func.func private @limit(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 0.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @limit_2(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 1.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @sub(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @sub_2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.sub %b, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @different(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @limit(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.call @limit_2(%z) : (tensor<4xf32>) -> tensor<4xf32>
  %c = graph.call @sub(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @sub_2(%a, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
