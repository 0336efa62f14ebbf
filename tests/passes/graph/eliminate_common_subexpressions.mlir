// RUN: s2s-opt %s -p graph-eliminate-common-subexpressions | filecheck %s

// CHECK-LABEL: func.func @source_nodes_are_joined
// CHECK-NEXT:    %a = graph.exp %x {node = "Exp_1, Exp_2"}
// CHECK-NEXT:    %y = graph.mul %a, %a
func.func @source_nodes_are_joined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x {node = "Exp_1"} : tensor<4xf32>
  %b = graph.exp %x {node = "Exp_2"} : tensor<4xf32>
  %y = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @chains
// CHECK-NEXT:    %a = graph.exp %x
// CHECK-NEXT:    %c = graph.log %a
// CHECK-NEXT:    %y = graph.mul %c, %c
func.func @chains(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.exp %x : tensor<4xf32>
  %c = graph.log %a : tensor<4xf32>
  %d = graph.log %b : tensor<4xf32>
  %y = graph.mul %c, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @weights_of_equal_content
// CHECK-NEXT:    %v = graph.weight "v"
// CHECK-NEXT:    %y = graph.add %v, %v
func.func @weights_of_equal_content() -> tensor<4xf32> {
  %v = graph.weight "v" {hash = "5e"} : tensor<4xf32>
  %w = graph.weight "v_2" {hash = "5e"} : tensor<4xf32>
  %y = graph.add %v, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @operands_in_either_order
// CHECK-NEXT:    %a = graph.add %x, %z
// CHECK-NEXT:    %y = graph.sub %a, %a
func.func @operands_in_either_order(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.add %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = graph.add %z, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_when_the_order_matters
// CHECK-NEXT:    graph.sub %x, %z
// CHECK-NEXT:    graph.sub %z, %x
func.func @declined_when_the_order_matters(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.sub %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = graph.sub %z, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_other_attributes
// CHECK-NEXT:    graph.clamp %x
// CHECK-NEXT:    graph.clamp %x
func.func @declined_for_other_attributes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.clamp %x {min = 0.0 : f64} : tensor<4xf32>
  %b = graph.clamp %x {min = 1.0 : f64} : tensor<4xf32>
  %y = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
