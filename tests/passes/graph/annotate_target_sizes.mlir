// RUN: s2s-opt %s -p 'graph-annotate-target{generators="blas=always" target="x86-64-v3"}' | filecheck %s

// A generator is not asked about a product of as many rows as the run has; the maximum over them has a constant shape.
// CHECK: builtin.module attributes {
// CHECK-SAME: chosen = "s2s", by = "model", why = "the fewest cycles", about = "matmul", nodes = "rows"
// CHECK-SAME: {note = "blas", refused = "its size N varies from run to run, and generators take constant ones"}
// CHECK-SAME: chosen = "blas", by = "model", why = "--external always", about = "matmul", nodes = "one"
builtin.module attributes {sizes = {N = array<i64: 1, 8>}} {
  func.func private @blas_matmul_ops(%a: tensor<8x6xf32>, %b: tensor<6x5xf32>) -> tensor<8x5xf32> attributes {kernel, composite = ["blas.matmul"]} {
    %y = graph.matmul %a, %b {node = "rows"} : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
    func.return %y : tensor<8x5xf32>
  }
  func.func private @blas_matmul_ops_2(%a: tensor<1x5xf32>, %b: tensor<5x5xf32>) -> tensor<1x5xf32> attributes {kernel, composite = ["blas.matmul"]} {
    %y = graph.matmul %a, %b {node = "one"} : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<1x5xf32>
    func.return %y : tensor<1x5xf32>
  }

  // CHECK-LABEL: func.func @main
  // CHECK:         graph.call @blas_matmul_ops(%x, %w) :
  // CHECK:         graph.call @blas_matmul_ops_2(%{{.*}}, %v) {external = "blas"}
  func.func @main(%x: tensor<8x6xf32> {varies = ["N", ""]}, %w: tensor<6x5xf32>, %v: tensor<5x5xf32>) -> tensor<1x5xf32> {
    %a = graph.call @blas_matmul_ops(%x, %w) : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
    %m = graph.reduce_max %a {axes = array<i64: 0>, keepdims} : (tensor<8x5xf32>) -> tensor<1x5xf32>
    %y = graph.call @blas_matmul_ops_2(%m, %v) : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<1x5xf32>
    func.return %y : tensor<1x5xf32>
  }
}
