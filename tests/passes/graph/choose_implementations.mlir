// RUN: s2s-opt %s -p graph-choose-implementations | filecheck %s

// CHECK-LABEL: func.func @declined_without_a_strategy
// CHECK-NEXT:    graph.exp
func.func @declined_without_a_strategy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
