// RUN: s2s-opt %s -p graph-make-bytes-signed | filecheck %s

// CHECK-LABEL: func.func @quantised_pooled_and_multiplied
// CHECK:         %[[z:.*]] = graph.constant dense<-1.250000e+02>
// CHECK-NEXT:    %[[s:.*]] = graph.add %{{.*}}, %[[z]]
// CHECK-NEXT:    %[[l:.*]] = graph.clamp %[[s]] {min = -1.280000e+02 : f64, max = 1.270000e+02 : f64}
// CHECK-NEXT:    %[[q:.*]] = graph.cast %[[l]] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
// CHECK-NEXT:    %[[m:.*]] = graph.max_pool %[[q]]
// CHECK-NEXT:    %{{.*}} = graph.conv %[[m]], %{{.*}} {{.*}}input_zp = -125 : i64
// CHECK-NOT:     ui8
func.func @quantised_pooled_and_multiplied(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x1x1xi8>) -> tensor<1x3x2x2xi32> {
  %three = graph.constant dense<3.0> : tensor<f32>
  %r = graph.round %x : tensor<1x2x4x4xf32>
  %s = graph.add %r, %three : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %l = graph.clamp %s {min = 0.0 : f64, max = 255.0 : f64} : tensor<1x2x4x4xf32>
  %q = graph.cast %l : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xui8>
  %m = graph.max_pool %q {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
  %y = graph.conv %m, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, input_zp = 3 : i64} : (tensor<1x2x2x2xui8>, tensor<3x2x1x1xi8>) -> tensor<1x3x2x2xi32>
  func.return %y : tensor<1x3x2x2xi32>
}

// The zero point is lower by 128; without one, it is -128.
// CHECK-LABEL: func.func @dequantised
// CHECK:         %[[f:.*]] = graph.cast %{{.*}} : (tensor<8xi8>) -> tensor<8xf32>
// CHECK:         graph.constant dense<-1.280000e+02>
// CHECK-NEXT:    %[[b:.*]] = graph.sub %[[f]]
// CHECK-NEXT:    graph.sub %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT:     ui8
func.func @dequantised(%x: tensor<8xf32>) -> tensor<8xf32> {
  %center = graph.constant dense<128.0> : tensor<f32>
  %r = graph.round %x : tensor<8xf32>
  %l = graph.clamp %r {min = 0.0 : f64, max = 255.0 : f64} : tensor<8xf32>
  %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xui8>
  %f = graph.cast %q : (tensor<8xui8>) -> tensor<8xf32>
  %a = graph.sub %f, %center : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %y = graph.sub %a, %f : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @rescaled
// CHECK:         graph.rescale %{{.*}} {output_zp = -118 : i64, max = 100 : i64, rounding = "double"} : (tensor<8xi32>, tensor<i32>, tensor<i8>) -> tensor<8xi8>
// CHECK-NEXT:    graph.rescale %{{.*}} {input_zp = -118 : i64, output_zp = 2 : i64, rounding = "double"} : (tensor<8xi8>, tensor<i32>, tensor<i8>) -> tensor<8xi8>
func.func @rescaled(%x: tensor<8xi32>) -> tensor<8xi8> {
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<-3> : tensor<i8>
  %q = graph.rescale %x, %m, %s {output_zp = 10 : i64, max = 228 : i64, rounding = "double"} : (tensor<8xi32>, tensor<i32>, tensor<i8>) -> tensor<8xui8>
  %y = graph.rescale %q, %m, %s {input_zp = 10 : i64, output_zp = 2 : i64, rounding = "double"} : (tensor<8xui8>, tensor<i32>, tensor<i8>) -> tensor<8xi8>
  func.return %y : tensor<8xi8>
}

// Inputs and weights of a product: the highest bit of each byte is flipped, of weights at once.
// CHECK-LABEL: func.func @product_of_an_input
// CHECK:         %[[c:.*]] = graph.cast %{{.*}} : (tensor<2x3xui8>) -> tensor<2x3xi8>
// CHECK-NEXT:    %[[b:.*]] = graph.constant dense<-128> : tensor<i8>
// CHECK-NEXT:    %[[x:.*]] = graph.bitwise_xor %[[c]], %[[b]]
// CHECK-NEXT:    %[[w:.*]] = graph.weight "w_signed"{{.*}} : tensor<3x2xi8>
// CHECK-NEXT:    graph.matmul %[[x]], %[[w]] {a_zp = -118 : i64, b_zp = 2 : i64}
func.func @product_of_an_input(%x: tensor<2x3xui8>) -> tensor<2x2xi32> {
  %w = graph.constant dense<[[0, 1], [128, 129], [254, 255]]> : tensor<3x2xui8>
  %y = graph.matmul %x, %w {a_zp = 10 : i64, b_zp = 130 : i64} : (tensor<2x3xui8>, tensor<3x2xui8>) -> tensor<2x2xi32>
  func.return %y : tensor<2x2xi32>
}

// An output stays unsigned, whatever is made of it beside.
// CHECK-LABEL: func.func @output
// CHECK:         %[[q:.*]] = graph.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xi8>
// CHECK:         %[[t:.*]] = graph.bitwise_xor %[[q]], %{{.*}}
// CHECK-NEXT:    %[[u:.*]] = graph.cast %[[t]] : (tensor<8xi8>) -> tensor<8xui8>
// CHECK:         func.return %[[u]], %{{.*}}
func.func @output(%x: tensor<8xf32>) -> (tensor<8xui8>, tensor<8xf32>) {
  %r = graph.round %x : tensor<8xf32>
  %l = graph.clamp %r {min = 0.0 : f64, max = 255.0 : f64} : tensor<8xf32>
  %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xui8>
  %f = graph.cast %q : (tensor<8xui8>) -> tensor<8xf32>
  func.return %q, %f : tensor<8xui8>, tensor<8xf32>
}

// Padding and concatenation.
// CHECK-LABEL: func.func @moved
// CHECK:         graph.pad %{{.*}} {{.*}}value = -121 : i64{{.*}} : (tensor<2xi8>) -> tensor<4xi8>
// CHECK:         graph.concat %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<8xi8>
func.func @moved(%x: tensor<2xf32>, %other: tensor<4xui8>) -> tensor<8xf32> {
  %r = graph.round %x : tensor<2xf32>
  %l = graph.clamp %r {min = 0.0 : f64, max = 255.0 : f64} : tensor<2xf32>
  %q = graph.cast %l : (tensor<2xf32>) -> tensor<2xui8>
  %p = graph.pad %q {low = array<i64: 1>, high = array<i64: 1>, mode = "constant", value = 7 : i64} : (tensor<2xui8>) -> tensor<4xui8>
  %c = graph.concat %p, %other {axis = 0 : i64} : (tensor<4xui8>, tensor<4xui8>) -> tensor<8xui8>
  %y = graph.cast %c : (tensor<8xui8>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// Declined: what is cut, not rounded; what nothing calculates with.
// CHECK-LABEL: func.func @cut
// CHECK:         graph.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xui8>
// CHECK-LABEL: func.func @given_away
// CHECK:         graph.clamp %{{.*}} {min = 0.000000e+00 : f64, max = 2.550000e+02 : f64}
// CHECK-NEXT:    graph.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xui8>
func.func @cut(%x: tensor<8xf32>) -> tensor<8xf32> {
  %l = graph.clamp %x {min = 0.0 : f64, max = 255.0 : f64} : tensor<8xf32>
  %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xui8>
  %y = graph.cast %q : (tensor<8xui8>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
func.func @given_away(%x: tensor<8xf32>) -> tensor<8xui8> {
  %r = graph.round %x : tensor<8xf32>
  %l = graph.clamp %r {min = 0.0 : f64, max = 255.0 : f64} : tensor<8xf32>
  %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xui8>
  func.return %q : tensor<8xui8>
}
