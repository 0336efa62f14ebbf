// RUN: s2s-opt %s -p graph-inline | filecheck %s

// CHECK-NOT:     @twice
// CHECK-NOT:     @block
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[a:.*]] = graph.exp %x {node = "first"}
// CHECK-NEXT:    %[[b:.*]] = graph.add %[[a]], %[[a]]
// CHECK-NEXT:    %[[c:.*]] = graph.exp %[[b]] {node = "second"}
// CHECK-NEXT:    %[[d:.*]] = graph.add %[[c]], %[[c]]
// CHECK-NEXT:    func.return %[[d]]
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = graph.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func private @block(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = graph.exp %a : tensor<4xf32>
  %c = graph.call @twice(%b) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %c : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @block(%x) {node = "first"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.call @block(%a) {node = "second"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_kernels
// CHECK-NEXT:    graph.call @kernel
func.func private @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %b = graph.exp %a : tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @declined_for_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
