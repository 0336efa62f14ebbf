// RUN: s2s-opt %s -p graph-label-ops | filecheck %s

// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    attributes {kernel, hash = "[[first:[0-9a-f]+]]"}
func.func private @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %b = graph.exp %a {node = "Exp_0"} : tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// CHECK-LABEL: func.func private @equal_kernel_of_another_node(
// CHECK-SAME:    attributes {kernel, hash = "[[first]]"}
func.func private @equal_kernel_of_another_node(%c: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %d = graph.exp %c {node = "Exp_1"} : tensor<4xf32>
  func.return %d : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_what_is_no_kernel(
// CHECK-NOT:     hash
func.func @declined_for_what_is_no_kernel(%c: tensor<4xf32>) -> tensor<4xf32> {
  %d = graph.exp %c : tensor<4xf32>
  func.return %d : tensor<4xf32>
}
