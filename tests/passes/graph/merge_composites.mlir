// RUN: s2s-opt %s -p 'graph-merge-composites{generators="blas=always","dsp:blas=always"}' --sample-weights | filecheck %s

// CHECK-LABEL: func.func private @blas_matmul_ops(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32>
// CHECK-SAME:    composite = ["blas.matmul"]
// CHECK-NEXT:    graph.matmul %a, %b
// CHECK-LABEL: func.func @product
// CHECK-NEXT:    %w = graph.weight "w"
// CHECK-NEXT:    graph.call @blas_matmul_ops(%x, %w) {node = "one"}
// CHECK-NEXT:    graph.clamp
func.func @product(%x: tensor<4x8xf32>) -> tensor<4x5xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x5xf32>
  %a = graph.matmul %x, %w {node = "one"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %y = graph.clamp %a {min = 0.0 : f64} : tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// Declined: the pattern wants floats of 32 bits.
// CHECK-LABEL: func.func @doubles
// CHECK-NEXT:    graph.matmul
func.func @doubles(%x: tensor<4x8xf64>, %w: tensor<8x5xf64>) -> tensor<4x5xf64> {
  %y = graph.matmul %x, %w : (tensor<4x8xf64>, tensor<8x5xf64>) -> tensor<4x5xf64>
  func.return %y : tensor<4x5xf64>
}

// Declined: the operators of kernels belong to them.
// CHECK-LABEL: func.func private @kernel
// CHECK-NEXT:    graph.matmul
func.func private @kernel(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
  %y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// A composite is on the device of its operators; a reshape is where its operand is.
// CHECK-LABEL: func.func private @blas_matmul_ops_2(
// CHECK-SAME:    device = "dsp", composite = ["blas.matmul"]
// CHECK-LABEL: func.func @elsewhere
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.call @blas_matmul_ops_2
func.func @elsewhere(%x: tensor<32xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %a = graph.reshape %x : (tensor<32xf32>) -> tensor<4x8xf32>
  %y = graph.matmul %a, %w {device = "dsp"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// Declined: the generators of this device are others.
// CHECK-LABEL: func.func @not_asked
// CHECK-NEXT:    graph.matmul
func.func @not_asked(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %y = graph.matmul %x, %w {device = "npu"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
