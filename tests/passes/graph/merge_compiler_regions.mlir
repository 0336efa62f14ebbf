// RUN: s2s-opt %s -p graph-merge-compiler-regions | filecheck %s

func.func private @ops(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, composite = ["blas.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// A library computes one product in each call: every call is a region. Regions of joined calls: tests/external.
// CHECK-LABEL: func.func @two_products
// CHECK-NEXT:    graph.call @ops(%x, %x) {external = "blas", region = 0 : i64}
// CHECK-NEXT:    graph.call @ops(%a, %x) {external = "blas", region = 1 : i64}
func.func @two_products(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.call @ops(%x, %x) {external = "blas"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.call @ops(%a, %x) {external = "blas"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// Declined: nobody claims the call. Numbers go on from function to function.
// CHECK-LABEL: func.func @ours
// CHECK-NEXT:    graph.call @ops(%x, %x) :
// CHECK-NEXT:    graph.call @ops(%a, %x) {external = "blas", region = 2 : i64}
func.func @ours(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.call @ops(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.call @ops(%a, %x) {external = "blas"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
