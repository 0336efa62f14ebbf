// RUN: s2s-opt %s -p 'graph-annotate-target{generators="blas=always" target="x86-64-v3"}' | filecheck %s

func.func private @blas_matmul_ops(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {kernel, composite = ["blas.matmul"]} {
  %y = graph.matmul %a, %b {node = "one"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
func.func private @blas_matmul_ops_2(%a: tensor<1x4x8xf32>, %b: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> attributes {kernel, composite = ["blas.matmul"]} {
  %y = graph.matmul %a, %b {node = "two"} : (tensor<1x4x8xf32>, tensor<3x8x5xf32>) -> tensor<3x4x5xf32>
  func.return %y : tensor<3x4x5xf32>
}

// CHECK: builtin.module attributes {decisions = [
// CHECK-SAME: chosen = "blas", by = "model", why = "--external always", about = "matmul", nodes = "one"
// CHECK-SAME: chosen = "s2s", by = "model", why = "the fewest cycles", about = "matmul", nodes = "two"
// CHECK-SAME: {note = "blas", refused = "a factor is broadcast over batches"}
// CHECK-SAME: chosen = "s2s", by = "model", why = "the fewest cycles", about = "clamp"
// CHECK-SAME: {note = "blas", refused = "no pattern matches"}

// CHECK-LABEL: func.func @claimed
// CHECK-NEXT:    graph.call @blas_matmul_ops(%x, %w) {external = "blas"}
func.func @claimed(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %y = graph.call @blas_matmul_ops(%x, %w) : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// Declined: the generator cannot compute it, and nothing that it is asked about.
// CHECK-LABEL: func.func @refused
// CHECK-NEXT:    graph.call @blas_matmul_ops_2(%x, %w) :
// CHECK-NEXT:    graph.clamp
func.func @refused(%x: tensor<1x4x8xf32>, %w: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> {
  %a = graph.call @blas_matmul_ops_2(%x, %w) : (tensor<1x4x8xf32>, tensor<3x8x5xf32>) -> tensor<3x4x5xf32>
  %y = graph.clamp %a {min = 0.0 : f64} : tensor<3x4x5xf32>
  func.return %y : tensor<3x4x5xf32>
}
