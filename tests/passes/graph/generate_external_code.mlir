// RUN: s2s-opt %s -p 'graph-generate-external-code{prefix=net target="x86-64-v3"}' | filecheck %s

func.func private @ops(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {kernel, composite = ["blas.matmul"]} {
  %y = graph.matmul %a, %b {node = "one"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// CHECK:       func.func private @blas_matmul(tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32> attributes {callback = "net_blas_{{[0-9a-f]+}}", external = "blas"
// CHECK-SAME:    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 4, 5, 8
// CHECK-SAME:    doc = "blas_matmul: matmul, by blas\0Anodes: one", headers = ["<cblas.h>"]
func.func private @blas_matmul(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {kernel, external = "blas"} {
  %y = graph.call @ops(%x, %w) {node = "one"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// Declined for kernels without a generator.
// CHECK:       func.func private @relu(%x: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
func.func private @relu(%x: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 0.0 : f64} : tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = graph.call @blas_matmul(%x, %w) {node = "one"}
// CHECK-NEXT:    graph.call @relu(%a)
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %a = graph.call @blas_matmul(%x, %w) {node = "one"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %y = graph.call @relu(%a) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// What the C function computes, for the interpreters.
// CHECK:       builtin.module @meanings {
// CHECK-NEXT:    func.func private @blas_matmul(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>)
// CHECK-NEXT:      graph.matmul %x, %w
