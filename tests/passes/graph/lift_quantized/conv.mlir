// RUN: s2s-opt %s -p graph-lift-quantized --sample-weights | filecheck %s

// CHECK-LABEL: func.func @convolution_with_bias_and_relu
// CHECK:         %[[s:.*]] = graph.conv %x, %w, %{{.*}} {{.*}}input_zp = 3 : i64{{.*}} : (tensor<1x2x4x4xi8>, tensor<3x2x3x3xi8>, tensor<3xi32>) -> tensor<1x3x4x4xi32>
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[s]]
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<6.250000e-02>
// CHECK-NEXT:    %[[m:.*]] = graph.mul %[[f]], %[[k]]
// CHECK-NEXT:    %[[r:.*]] = graph.round %[[m]]
// CHECK-NEXT:    %[[z:.*]] = graph.constant dense<-5.000000e+00>
// CHECK-NEXT:    %[[a:.*]] = graph.add %[[r]], %[[z]]
// CHECK-NEXT:    %[[c:.*]] = graph.clamp %[[a]] {min = -5.000000e+00 : f64, max = 1.270000e+02 : f64}
// CHECK-NEXT:    %[[y:.*]] = graph.cast %[[c]] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xi8>
// CHECK-NEXT:    func.return %[[y]]
func.func @convolution_with_bias_and_relu(%x: tensor<1x2x4x4xi8>, %w: tensor<3x2x3x3xi8>) -> tensor<1x3x4x4xi8> {
  %b = graph.constant dense<[10, -20, 300]> : tensor<3xi32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %eighth = graph.constant dense<0.125> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %xz = graph.constant dense<3.0> : tensor<f32>
  %yz = graph.constant dense<-5.0> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xs = graph.sub %xf, %xz : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xs, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %wf = graph.cast %w : (tensor<3x2x3x3xi8>) -> tensor<3x2x3x3xf32>
  %wr = graph.mul %wf, %quarter : (tensor<3x2x3x3xf32>, tensor<f32>) -> tensor<3x2x3x3xf32>
  %bf = graph.cast %b : (tensor<3xi32>) -> tensor<3xf32>
  %br = graph.mul %bf, %eighth : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %r = graph.conv %xr, %wr, %br {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %relu = graph.clamp %r {min = 0.0 : f64} : tensor<1x3x4x4xf32>
  %d = graph.div %relu, %two : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  %q = graph.round %d : tensor<1x3x4x4xf32>
  %a = graph.add %q, %yz : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  %c = graph.clamp %a {min = -128.0 : f64, max = 127.0 : f64} : tensor<1x3x4x4xf32>
  %y = graph.cast %c : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xi8>
  func.return %y : tensor<1x3x4x4xi8>
}

// The bias has a scale of its own and is rounded to the units of the sums; the result stays real.
// CHECK-LABEL: func.func @scale_for_each_channel
// CHECK:         %[[b:.*]] = graph.constant dense<[8, 64, 2]> : tensor<3xi32>
// CHECK:         %[[s:.*]] = graph.conv %x, %w, %[[b]]
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[s]] : (tensor<1x3x2x2xi32>) -> tensor<1x3x2x2xf32>
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<{{\[\[\[}}1.250000e-01]], {{\[\[}}3.125000e-02]], {{\[\[}}1.000000e+00]]]> : tensor<3x1x1xf32>
// CHECK-NEXT:    %[[y:.*]] = graph.mul %[[f]], %[[k]]
// CHECK-NEXT:    func.return %[[y]]
func.func @scale_for_each_channel(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x2x2xf32> {
  %w = graph.weight "per_channel" {hash = "0"} : tensor<3x2x3x3xi8>
  %half = graph.constant dense<0.5> : tensor<f32>
  %scales = graph.constant dense<[[[[0.25]]], [[[0.0625]]], [[[2.0]]]]> : tensor<3x1x1x1xf32>
  %b = graph.constant dense<[1.0, 2.0, 1.75]> : tensor<3xf32>
  %xf = graph.cast %x : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %wf = graph.cast %w : (tensor<3x2x3x3xi8>) -> tensor<3x2x3x3xf32>
  %wr = graph.mul %wf, %scales : (tensor<3x2x3x3xf32>, tensor<3x1x1x1xf32>) -> tensor<3x2x3x3xf32>
  %bz = graph.constant dense<[1.0, 2.0, 2.0]> : tensor<3xf32>
  %y = graph.conv %xr, %wr, %bz {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<1x3x2x2xf32>
  func.return %y : tensor<1x3x2x2xf32>
}

// CHECK-LABEL: func.func @unsigned_weights_become_signed
// CHECK:         graph.constant dense<{{.*}}> : tensor<2x1x1x1xi8>
// CHECK-NOT:     weight_zp
func.func @unsigned_weights_become_signed(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[3]]], [[[255]]]]> : tensor<2x1x1x1xui8>
  %half = graph.constant dense<0.5> : tensor<f32>
  %middle = graph.constant dense<128.0> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %wf = graph.cast %w : (tensor<2x1x1x1xui8>) -> tensor<2x1x1x1xf32>
  %ws = graph.sub %wf, %middle : (tensor<2x1x1x1xf32>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %wr = graph.mul %ws, %half : (tensor<2x1x1x1xf32>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %y = graph.conv %xr, %wr {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @declined_for_weights_scaled_along_their_inputs
// CHECK-NOT:     xi32
// CHECK:         graph.conv {{.*}} -> tensor<1x2x4x4xf32>
func.func @declined_for_weights_scaled_along_their_inputs(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x1x1xi8>) -> tensor<1x2x4x4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %scales = graph.constant dense<[[[0.25]], [[0.5]]]> : tensor<2x1x1xf32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %wf = graph.cast %w : (tensor<2x2x1x1xi8>) -> tensor<2x2x1x1xf32>
  %wr = graph.mul %wf, %scales : (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x2x1x1xf32>
  %y = graph.conv %xr, %wr {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @declined_for_a_bias_that_is_computed
// CHECK:         graph.conv {{.*}} -> tensor<1x2x4x4xf32>
func.func @declined_for_a_bias_that_is_computed(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x1x1xi8>, %b: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %wf = graph.cast %w : (tensor<2x2x1x1xi8>) -> tensor<2x2x1x1xf32>
  %wr = graph.mul %wf, %half : (tensor<2x2x1x1xf32>, tensor<f32>) -> tensor<2x2x1x1xf32>
  %y = graph.conv %xr, %wr, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @declined_for_real_activations
// CHECK:         graph.conv {{.*}} -> tensor<1x2x4x4xf32>
func.func @declined_for_real_activations(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xi8>) -> tensor<1x2x4x4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %wf = graph.cast %w : (tensor<2x2x1x1xi8>) -> tensor<2x2x1x1xf32>
  %wr = graph.mul %wf, %half : (tensor<2x2x1x1xf32>, tensor<f32>) -> tensor<2x2x1x1xf32>
  %y = graph.conv %x, %wr {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}
