// RUN: s2s-opt %s -p 'graph-fuse-ops{limits="main=5"}' | filecheck %s

// The parts of a concatenation stay kernels of their own where one kernel would read more than three tensors.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: graph.call @concat
// CHECK-NOT:     graph.call
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>) -> tensor<4xf32> {
  %l = graph.concat %a, %b, %c {axis = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %y = graph.concat %l, %d {axis = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
