// RUN: s2s-opt %s -p graph-lift-quantized | filecheck %s

// CHECK-LABEL: func.func @product
// CHECK:         %[[p:.*]] = graph.mul %{{.*}}, %{{.*}} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[p]]
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<2.500000e-01>
// CHECK-NEXT:    graph.mul %[[f]], %[[k]]
func.func @product(%a: tensor<8xi8>, %b: tensor<8xi8>) -> tensor<8xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %af = graph.cast %a : (tensor<8xi8>) -> tensor<8xf32>
  %as = graph.sub %af, %three : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %ar = graph.mul %as, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %bf = graph.cast %b : (tensor<8xi8>) -> tensor<8xf32>
  %br = graph.mul %bf, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %y = graph.mul %ar, %br : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @sum_with_relu
// CHECK-NOT:     graph.div
// CHECK:         %[[k:.*]] = graph.constant dense<-3.000000e+00>
// CHECK:         %[[a:.*]] = graph.mul %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[t:.*]] = graph.add %[[a]], %[[k]]
// CHECK:         %[[s:.*]] = graph.add %{{.*}}, %[[t]]
// CHECK-NEXT:    %[[r:.*]] = graph.round %[[s]]
// CHECK:         graph.clamp %{{.*}} {min = 4.000000e+00 : f64, max = 1.270000e+02 : f64}
func.func @sum_with_relu(%a: tensor<8xi8>, %b: tensor<8xi8>) -> tensor<8xi8> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %four = graph.constant dense<4.0> : tensor<f32>
  %af = graph.cast %a : (tensor<8xi8>) -> tensor<8xf32>
  %as = graph.sub %af, %three : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %ar = graph.mul %as, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %bf = graph.cast %b : (tensor<8xi8>) -> tensor<8xf32>
  %br = graph.mul %bf, %quarter : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %s = graph.add %ar, %br : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %relu = graph.clamp %s {min = 0.0 : f64} : tensor<8xf32>
  %d = graph.div %relu, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %q = graph.round %d : tensor<8xf32>
  %o = graph.add %q, %four : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %c = graph.clamp %o {min = -128.0 : f64, max = 127.0 : f64} : tensor<8xf32>
  %y = graph.cast %c : (tensor<8xf32>) -> tensor<8xi8>
  func.return %y : tensor<8xi8>
}

// CHECK-LABEL: func.func @average_of_the_image
// CHECK:         %[[s:.*]] = graph.reduce_sum %{{.*}} {axes = array<i64: 2, 3>, keepdims} : (tensor<1x2x4x4xi32>) -> tensor<1x2x1x1xi32>
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[s]]
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<3.125000e-02>
// CHECK-NEXT:    graph.mul %[[f]], %[[k]]
func.func @average_of_the_image(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x1x1xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %y = graph.avg_pool %xr {kernel = array<i64: 4, 4>, strides = array<i64: 4, 4>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  func.return %y : tensor<1x2x1x1xf32>
}

// CHECK-LABEL: func.func @average_of_windows
// CHECK:         %[[s:.*]] = graph.conv %x, %{{.*}} {{.*}}groups = 2 : i64{{.*}} -> tensor<1x2x2x2xi32>
func.func @average_of_windows(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x2x2xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %y = graph.avg_pool %xr {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @declined_where_windows_count_differently
// CHECK:         graph.avg_pool {{.*}} -> tensor<1x2x4x4xf32>
func.func @declined_where_windows_count_differently(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %xr = graph.mul %xf, %half : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %y = graph.avg_pool %xr {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %y : tensor<1x2x4x4xf32>
}
