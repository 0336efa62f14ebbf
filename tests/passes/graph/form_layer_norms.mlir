// RUN: s2s-opt %s --sample-weights -p graph-form-layer-norms,graph-eliminate-dead-code | filecheck %s

// CHECK-LABEL: func.func @in_steps
// CHECK:         graph.layer_norm %x scale %scale : tensor<8xf32> bias %bias : tensor<8xf32> {axis = 1 : i64, epsilon = {{.*}} : f64}
// CHECK-NEXT:    func.return
func.func @in_steps(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = graph.weight "scale" {hash = "0"} : tensor<8xf32>
  %bias = graph.weight "bias" {hash = "1"} : tensor<8xf32>
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %m = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %c = graph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = graph.mul %c, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = graph.reduce_mean %q {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %e = graph.add %v, %epsilon : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %d = graph.sqrt %e : tensor<4x1xf32>
  %n = graph.div %c, %d : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %s = graph.mul %n, %scale : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = graph.add %bias, %s : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// A scale behind the bias stays where it is.
// CHECK-LABEL: func.func @bias_first
// CHECK:         %[[NORM:.*]] = graph.layer_norm %x bias %bias
// CHECK-NEXT:    graph.mul %[[NORM]], %scale
func.func @bias_first(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = graph.weight "scale" {hash = "0"} : tensor<8xf32>
  %bias = graph.weight "bias" {hash = "1"} : tensor<8xf32>
  %n = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = graph.add %n, %bias : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = graph.mul %s, %scale : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// Declined: the variance is an output as well.
// CHECK-LABEL: func.func @variance_wanted
// CHECK-NOT:     graph.layer_norm
func.func @variance_wanted(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %m = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %c = graph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = graph.mul %c, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = graph.reduce_mean %q {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %e = graph.add %v, %epsilon : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %d = graph.sqrt %e : tensor<4x1xf32>
  %n = graph.div %c, %d : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %n, %v : tensor<4x8xf32>, tensor<4x1xf32>
}

// Declined: the mean is that of a column.
// CHECK-LABEL: func.func @along_the_first_dimension
// CHECK-NOT:     graph.layer_norm
func.func @along_the_first_dimension(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %m = graph.reduce_mean %x {axes = array<i64: 0>, keepdims} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %c = graph.sub %x, %m : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %q = graph.mul %c, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = graph.reduce_mean %q {axes = array<i64: 0>, keepdims} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %e = graph.add %v, %epsilon : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %d = graph.sqrt %e : tensor<1x8xf32>
  %n = graph.div %c, %d : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  func.return %n : tensor<4x8xf32>
}
