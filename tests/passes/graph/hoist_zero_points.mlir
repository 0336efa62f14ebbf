// RUN: s2s-opt %s -p graph-hoist-zero-points | filecheck %s

// CHECK-LABEL: func.func @product
// CHECK:         %[[p:.*]] = graph.matmul %x, %w {b_zp = 2 : i64} : (tensor<4x2xui8>, tensor<2x3xi8>) -> tensor<4x3xi32>
// CHECK-NEXT:    %[[r:.*]] = graph.reshape %z
// CHECK-NEXT:    %[[k:.*]] = graph.cast %[[r]] : (tensor<ui8>) -> tensor<i32>
// CHECK-NEXT:    %[[s:.*]] = graph.constant dense<[1, 3, 5]> : tensor<3xi32>
// CHECK-NEXT:    %[[m:.*]] = graph.mul %[[s]], %[[k]]
// CHECK-NEXT:    graph.sub %[[p]], %[[m]]
func.func @product(%x: tensor<4x2xui8>, %z: tensor<ui8>) -> tensor<4x3xi32> {
  %w = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %a = graph.cast %x : (tensor<4x2xui8>) -> tensor<4x2xi16>
  %b = graph.cast %z : (tensor<ui8>) -> tensor<i16>
  %d = graph.sub %a, %b : (tensor<4x2xi16>, tensor<i16>) -> tensor<4x2xi16>
  %y = graph.matmul %d, %w {b_zp = 2 : i64, acc_type = i32} : (tensor<4x2xi16>, tensor<2x3xi8>) -> tensor<4x3xi32>
  func.return %y : tensor<4x3xi32>
}

// Padding goes in front of the quantisation.
// CHECK-LABEL: func.func @convolution
// CHECK:         %[[i:.*]] = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>{{.*}}value = 0.000000e+00 : f64}
// CHECK-NEXT:    %[[d:.*]] = graph.div %[[i]], %step
// CHECK-NEXT:    %[[r:.*]] = graph.round %[[d]]
// CHECK-NEXT:    %[[a:.*]] = graph.add %[[r]], %zf
// CHECK-NEXT:    %[[l:.*]] = graph.clamp %[[a]]
// CHECK-NEXT:    %[[q:.*]] = graph.cast %[[l]] : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xui8>
// CHECK-NEXT:    %[[p:.*]] = graph.conv %[[q]], %w {{.*}}pads = array<i64: 0, 0, 0, 0>
// CHECK:         %[[s:.*]] = graph.constant dense<20> : tensor<1x1x1xi32>
// CHECK-NEXT:    %[[m:.*]] = graph.mul %[[s]], %{{.*}}
// CHECK-NEXT:    graph.sub %[[p]], %[[m]]
func.func @convolution(%x: tensor<1x1x2x2xf32>, %z: tensor<ui8>) -> tensor<1x1x3x3xi32> {
  %w = graph.constant dense<[[[[4, 5], [5, 6]]]]> : tensor<1x1x2x2xi8>
  %step = graph.constant dense<0.5> : tensor<f32>
  %zf = graph.cast %z : (tensor<ui8>) -> tensor<f32>
  %e = graph.div %x, %step : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %r = graph.round %e : tensor<1x1x2x2xf32>
  %s = graph.add %r, %zf : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %l = graph.clamp %s {min = 0.0 : f64, max = 255.0 : f64} : tensor<1x1x2x2xf32>
  %q = graph.cast %l : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xui8>
  %a = graph.cast %q : (tensor<1x1x2x2xui8>) -> tensor<1x1x2x2xi16>
  %b = graph.cast %z : (tensor<ui8>) -> tensor<i16>
  %d = graph.sub %a, %b : (tensor<1x1x2x2xi16>, tensor<i16>) -> tensor<1x1x2x2xi16>
  %y = graph.conv %d, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc_type = i32} : (tensor<1x1x2x2xi16>, tensor<1x1x2x2xi8>) -> tensor<1x1x3x3xi32>
  func.return %y : tensor<1x1x3x3xi32>
}

// Declined: weights that are computed; padding of what is given.
// CHECK-LABEL: func.func @computed
// CHECK:         graph.matmul %{{.*}} : (tensor<4x2xi16>, tensor<2x3xi8>)
// CHECK-LABEL: func.func @given
// CHECK:         graph.conv %{{.*}} : (tensor<1x1x2x2xi16>, tensor<1x1x2x2xi8>)
func.func @computed(%x: tensor<4x2xui8>, %z: tensor<ui8>, %w: tensor<2x3xi8>) -> tensor<4x3xi32> {
  %a = graph.cast %x : (tensor<4x2xui8>) -> tensor<4x2xi16>
  %b = graph.cast %z : (tensor<ui8>) -> tensor<i16>
  %d = graph.sub %a, %b : (tensor<4x2xi16>, tensor<i16>) -> tensor<4x2xi16>
  %y = graph.matmul %d, %w {acc_type = i32} : (tensor<4x2xi16>, tensor<2x3xi8>) -> tensor<4x3xi32>
  func.return %y : tensor<4x3xi32>
}
func.func @given(%x: tensor<1x1x2x2xui8>, %z: tensor<ui8>) -> tensor<1x1x3x3xi32> {
  %w = graph.constant dense<[[[[4, 5], [5, 6]]]]> : tensor<1x1x2x2xi8>
  %a = graph.cast %x : (tensor<1x1x2x2xui8>) -> tensor<1x1x2x2xi16>
  %b = graph.cast %z : (tensor<ui8>) -> tensor<i16>
  %d = graph.sub %a, %b : (tensor<1x1x2x2xi16>, tensor<i16>) -> tensor<1x1x2x2xi16>
  %y = graph.conv %d, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc_type = i32} : (tensor<1x1x2x2xi16>, tensor<1x1x2x2xi8>) -> tensor<1x1x3x3xi32>
  func.return %y : tensor<1x1x3x3xi32>
}
