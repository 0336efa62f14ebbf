// RUN: s2s-opt -p 'graph-quantize-activations{activations="model"}' %s | filecheck %s

// CHECK-LABEL: @marked
// CHECK-NEXT: %s = graph.constant
// CHECK-NEXT: %[[B:.*]] = graph.reshape %x : (tensor<1x32xf32>) -> tensor<1x1x2x16xf32>
// CHECK-NEXT: %[[A:.*]] = graph.abs %[[B]]
// CHECK-NEXT: %[[M:.*]] = graph.reduce_max %[[A]] {axes = array<i64: 2, 3>, keepdims}
// CHECK-NEXT: %{{.*}} = graph.constant dense<0.00787401572> : tensor<f32>
// CHECK-NEXT: %[[T:.*]] = graph.mul %[[M]], %{{.*}}
// CHECK-NEXT: %[[S:.*]] = graph.clamp %[[T]] {min = 1.000000e-32 : f64}
// CHECK-NEXT: %[[I:.*]] = graph.reciprocal %[[S]]
// CHECK-NEXT: %[[F:.*]] = graph.mul %[[B]], %[[I]]
// CHECK-NEXT: %[[R:.*]] = graph.round %[[F]]
// CHECK-NEXT: %[[Q:.*]] = graph.cast %[[R]] : (tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xi8>
// CHECK-NEXT: %[[C:.*]] = graph.reshape %[[S]] : (tensor<1x1x1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %[[W:.*]] = graph.constant dense<{{\[\[\[0, -1, 0, -1, .*}}> : tensor<1x1x16xi8>
// CHECK-NEXT: %y = graph.blockwise_dot %[[Q]], %[[C]], %[[W]], %s {bits = 4 : i64}
func.func @marked(%x: tensor<1x32xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<120> : tensor<1x1x16xi8>
  %s = graph.constant dense<1.0> : tensor<1x1xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64, int8_activations} : (tensor<1x32xf32>, tensor<1x1x16xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @zeros_fill_the_last_block
// CHECK: graph.pad %x {low = array<i64: 0, 0>, high = array<i64: 0, 12>, mode = "constant", value = 0.000000e+00 : f64}
// CHECK: graph.blockwise_dot {{.*}}, %w, %s {bits = 8 : i64}
func.func @zeros_fill_the_last_block(%x: tensor<1x20xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<120> : tensor<1x1x32xi8>
  %s = graph.constant dense<1.0> : tensor<1x1xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64, int8_activations} : (tensor<1x20xf32>, tensor<1x1x32xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @models_that_ask_for_floats_keep_them
// CHECK: graph.blockwise_matmul
func.func @models_that_ask_for_floats_keep_them(%x: tensor<1x32xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<1> : tensor<1x1x32xi8>
  %s = graph.constant dense<1.0> : tensor<1x1xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64} : (tensor<1x32xf32>, tensor<1x1x32xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @computed_weights_stay
// CHECK: graph.blockwise_matmul
func.func @computed_weights_stay(%x: tensor<1x32xf32>, %w: tensor<1x1x32xi8>, %s: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64, int8_activations} : (tensor<1x32xf32>, tensor<1x1x32xi8>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
