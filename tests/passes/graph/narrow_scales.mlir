// RUN: s2s-opt -p graph-narrow-scales %s | filecheck %s

// CHECK-LABEL: @each_scale_is_a_float16
// CHECK: %[[S:.*]] = graph.constant dense<{{\[\[}}5.000000e-01, 5.960460e-08{{\]\]}}> : tensor<1x2xf16>
// CHECK-NEXT: graph.blockwise_matmul %x, %w, %[[S]] {bits = 8 : i64} : (tensor<1x64xf32>, tensor<1x2x32xi8>, tensor<1x2xf16>) -> tensor<1x1xf32>
func.func @each_scale_is_a_float16(%x: tensor<1x64xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<1> : tensor<1x2x32xi8>
  %s = graph.constant dense<[[0.5, 5.9604644775390625e-08]]> : tensor<1x2xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64} : (tensor<1x64xf32>, tensor<1x2x32xi8>, tensor<1x2xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @products_of_integers_too
// CHECK: graph.blockwise_dot %q, %x_scales, %w, %{{.*}} {bits = 8 : i64} : (tensor<1x1x1x32xi8>, tensor<1x1xf32>, tensor<1x1x32xi8>, tensor<1x1xf16>) -> tensor<1x1xf32>
func.func @products_of_integers_too(%q: tensor<1x1x1x32xi8>, %x_scales: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<1> : tensor<1x1x32xi8>
  %s = graph.constant dense<0.5> : tensor<1x1xf32>
  %y = graph.blockwise_dot %q, %x_scales, %w, %s {bits = 8 : i64} : (tensor<1x1x1x32xi8>, tensor<1x1xf32>, tensor<1x1x32xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @one_scale_has_too_many_digits
// CHECK: graph.blockwise_matmul %x, %w, %s
func.func @one_scale_has_too_many_digits(%x: tensor<1x64xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<1> : tensor<1x2x32xi8>
  %s = graph.constant dense<[[0.5, 0.1]]> : tensor<1x2xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64} : (tensor<1x64xf32>, tensor<1x2x32xi8>, tensor<1x2xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @computed_scales_stay
// CHECK: graph.blockwise_matmul %x, %w, %s
func.func @computed_scales_stay(%x: tensor<1x32xf32>, %s: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<1> : tensor<1x1x32xi8>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64} : (tensor<1x32xf32>, tensor<1x1x32xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
