// RUN: s2s-opt %s -p graph-lift-quantized --sample-weights | filecheck %s

// CHECK-LABEL: func.func @sigmoid_between_bytes
// CHECK-NEXT:    %[[t:.*]] = graph.weight "{{.*}}_table" {{.*}} : tensor<256xi8>
// CHECK-NEXT:    %[[y:.*]] = graph.table %x, %[[t]]{{.*}} : (tensor<300xi8>, tensor<256xi8>) -> tensor<300xi8>
// CHECK-NEXT:    func.return %[[y]]
func.func @sigmoid_between_bytes(%x: tensor<300xi8>) -> tensor<300xi8> {
  %scale = graph.constant dense<0.0371> : tensor<f32>
  %step = graph.constant dense<0.00390625> : tensor<f32>
  %low = graph.constant dense<-128.0> : tensor<f32>
  %f = graph.cast %x : (tensor<300xi8>) -> tensor<300xf32>
  %r = graph.mul %f, %scale : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %s = graph.sigmoid %r : tensor<300xf32>
  %d = graph.div %s, %step : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %q = graph.round %d : tensor<300xf32>
  %o = graph.add %q, %low : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %c = graph.clamp %o {min = -128.0 : f64, max = 127.0 : f64} : tensor<300xf32>
  %y = graph.cast %c : (tensor<300xf32>) -> tensor<300xi8>
  func.return %y : tensor<300xi8>
}

// x * sigmoid(x) reads x twice, and nothing else.
// CHECK-LABEL: func.func @function_with_two_branches
// CHECK:         graph.table %x, %{{.*}} : (tensor<300xui8>, tensor<256xi8>) -> tensor<300xi8>
// CHECK-NEXT:    func.return
func.func @function_with_two_branches(%x: tensor<300xui8>) -> tensor<300xi8> {
  %scale = graph.constant dense<0.0371> : tensor<f32>
  %zp = graph.constant dense<100.0> : tensor<f32>
  %f = graph.cast %x : (tensor<300xui8>) -> tensor<300xf32>
  %z = graph.sub %f, %zp : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %r = graph.mul %z, %scale : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %s = graph.sigmoid %r : tensor<300xf32>
  %m = graph.mul %r, %s : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  %d = graph.div %m, %scale : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %q = graph.round %d : tensor<300xf32>
  %c = graph.clamp %q {min = -128.0 : f64, max = 127.0 : f64} : tensor<300xf32>
  %y = graph.cast %c : (tensor<300xf32>) -> tensor<300xi8>
  func.return %y : tensor<300xi8>
}

// CHECK-LABEL: func.func @declined_for_a_function_of_two_tensors
// CHECK-NOT:     graph.table
// CHECK:         graph.maximum
func.func @declined_for_a_function_of_two_tensors(%x: tensor<300xi8>, %z: tensor<300xi8>) -> tensor<300xi8> {
  %f = graph.cast %x : (tensor<300xi8>) -> tensor<300xf32>
  %g = graph.cast %z : (tensor<300xi8>) -> tensor<300xf32>
  %m = graph.maximum %f, %g : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  %q = graph.round %m : tensor<300xf32>
  %c = graph.clamp %q {min = -128.0 : f64, max = 127.0 : f64} : tensor<300xf32>
  %y = graph.cast %c : (tensor<300xf32>) -> tensor<300xi8>
  func.return %y : tensor<300xi8>
}

// CHECK-LABEL: func.func @declined_for_reals
// CHECK-NOT:     graph.table
// CHECK:         graph.sigmoid
func.func @declined_for_reals(%x: tensor<300xf32>) -> tensor<300xi8> {
  %s = graph.sigmoid %x : tensor<300xf32>
  %q = graph.round %s : tensor<300xf32>
  %c = graph.clamp %q {min = -128.0 : f64, max = 127.0 : f64} : tensor<300xf32>
  %y = graph.cast %c : (tensor<300xf32>) -> tensor<300xi8>
  func.return %y : tensor<300xi8>
}
