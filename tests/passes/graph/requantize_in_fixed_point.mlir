// RUN: s2s-opt %s -p graph-requantize-in-fixed-point --sample-weights | filecheck %s

// CHECK-LABEL: func.func @sums_with_a_factor
// CHECK:         %[[r:.*]] = graph.rescale %s, %{{.*}}, %{{.*}} {{.*}}output_zp = -5 : i64{{.*}}rounding = "double"{{.*}} : (tensor<2x3xi32>, tensor<i32>, tensor<i8>) -> tensor<2x3xi8>
// CHECK-NEXT:    %[[c:.*]] = graph.clamp %[[r]] {min = -5 : i64, max = 127 : i64}
// CHECK-NEXT:    func.return %[[c]]
func.func @sums_with_a_factor(%x: tensor<2x9xi8>, %w: tensor<9x3xi8>) -> tensor<2x3xi8> {
  %s = graph.matmul %x, %w : (tensor<2x9xi8>, tensor<9x3xi8>) -> tensor<2x3xi32>
  %factor = graph.constant dense<0.00317> : tensor<f32>
  %zp = graph.constant dense<-5.0> : tensor<f32>
  %f = graph.cast %s : (tensor<2x3xi32>) -> tensor<2x3xf32>
  %m = graph.mul %f, %factor : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r = graph.round %m : tensor<2x3xf32>
  %a = graph.add %r, %zp : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %c = graph.clamp %a {min = -5.0 : f64, max = 127.0 : f64} : tensor<2x3xf32>
  %y = graph.cast %c : (tensor<2x3xf32>) -> tensor<2x3xi8>
  func.return %y : tensor<2x3xi8>
}

// CHECK-LABEL: func.func @factor_for_each_channel
// CHECK:         graph.rescale %s, %{{.*}}, %{{.*}} {{.*}}axis = 1 : i64{{.*}} : (tensor<2x3x2xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3x2xui8>
// CHECK-NEXT:    func.return
func.func @factor_for_each_channel(%x: tensor<2x3x9xi8>, %w: tensor<9x2xi8>) -> tensor<2x3x2xui8> {
  %s = graph.matmul %x, %w : (tensor<2x3x9xi8>, tensor<9x2xi8>) -> tensor<2x3x2xi32>
  %factor = graph.constant dense<[[0.00317], [0.0173], [0.00071]]> : tensor<3x1xf32>
  %zp = graph.constant dense<117.0> : tensor<f32>
  %f = graph.cast %s : (tensor<2x3x2xi32>) -> tensor<2x3x2xf32>
  %m = graph.mul %f, %factor : (tensor<2x3x2xf32>, tensor<3x1xf32>) -> tensor<2x3x2xf32>
  %r = graph.round %m : tensor<2x3x2xf32>
  %a = graph.add %r, %zp : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<2x3x2xf32>
  %c = graph.clamp %a {min = 0.0 : f64, max = 255.0 : f64} : tensor<2x3x2xf32>
  %y = graph.cast %c : (tensor<2x3x2xf32>) -> tensor<2x3x2xui8>
  func.return %y : tensor<2x3x2xui8>
}

// CHECK-LABEL: func.func @weighted_sum_of_two
// CHECK-NOT:     f32
// CHECK:         graph.mul %{{.*}} : (tensor<9xi32>, tensor<i32>) -> tensor<9xi32>
// CHECK:         %[[s:.*]] = graph.shift_right %{{.*}} : (tensor<9xi32>, tensor<i32>) -> tensor<9xi32>
// CHECK-NEXT:    %[[c:.*]] = graph.clamp %[[s]] {min = -128 : i64, max = 127 : i64}
// CHECK-NEXT:    graph.cast %[[c]] : (tensor<9xi32>) -> tensor<9xi8>
func.func @weighted_sum_of_two(%a: tensor<9xi8>, %b: tensor<9xi8>) -> tensor<9xi8> {
  %fa = graph.constant dense<0.3721> : tensor<f32>
  %fb = graph.constant dense<1.1013> : tensor<f32>
  %k = graph.constant dense<-3.1416> : tensor<f32>
  %zp = graph.constant dense<7.0> : tensor<f32>
  %ac = graph.cast %a : (tensor<9xi8>) -> tensor<9xf32>
  %am = graph.mul %ac, %fa : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %ak = graph.add %am, %k : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %bc = graph.cast %b : (tensor<9xi8>) -> tensor<9xf32>
  %bm = graph.mul %bc, %fb : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %t = graph.add %bm, %ak : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %r = graph.round %t : tensor<9xf32>
  %o = graph.add %r, %zp : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %c = graph.clamp %o {min = -128.0 : f64, max = 127.0 : f64} : tensor<9xf32>
  %y = graph.cast %c : (tensor<9xf32>) -> tensor<9xi8>
  func.return %y : tensor<9xi8>
}

// CHECK-LABEL: func.func @declined_for_reals
// CHECK:         graph.round
func.func @declined_for_reals(%x: tensor<9xf32>) -> tensor<9xi8> {
  %r = graph.round %x : tensor<9xf32>
  %c = graph.clamp %r {min = -128.0 : f64, max = 127.0 : f64} : tensor<9xf32>
  %y = graph.cast %c : (tensor<9xf32>) -> tensor<9xi8>
  func.return %y : tensor<9xi8>
}

// CHECK-LABEL: func.func @declined_for_a_factor_out_of_range
// CHECK:         graph.round
func.func @declined_for_a_factor_out_of_range(%x: tensor<9xi32>) -> tensor<9xi8> {
  %factor = graph.constant dense<4.0e+9> : tensor<f32>
  %f = graph.cast %x : (tensor<9xi32>) -> tensor<9xf32>
  %m = graph.mul %f, %factor : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %r = graph.round %m : tensor<9xf32>
  %c = graph.clamp %r {min = -128.0 : f64, max = 127.0 : f64} : tensor<9xf32>
  %y = graph.cast %c : (tensor<9xf32>) -> tensor<9xi8>
  func.return %y : tensor<9xi8>
}

// CHECK-LABEL: func.func @softmax_between_bytes
// CHECK-NOT:     f32
// CHECK:         %[[m:.*]] = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<4x10xi8>) -> tensor<4x1xi8>
// CHECK:         %[[e:.*]] = graph.table %{{.*}}, %{{.*}} : (tensor<4x10xui8>, tensor<256xi32>) -> tensor<4x10xi32>
// CHECK:         graph.div %{{.*}}, %{{.*}} : (tensor<4x10xi32>, tensor<4x1xi32>) -> tensor<4x10xi32>
func.func @softmax_between_bytes(%x: tensor<4x10xi8>) -> tensor<4x10xi8> {
  %scale = graph.constant dense<0.0371> : tensor<f32>
  %step = graph.constant dense<0.00390625> : tensor<f32>
  %low = graph.constant dense<-128.0> : tensor<f32>
  %f = graph.cast %x : (tensor<4x10xi8>) -> tensor<4x10xf32>
  %r = graph.mul %f, %scale : (tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
  %s = graph.softmax %r {axis = 1 : i64} : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %d = graph.div %s, %step : (tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
  %q = graph.round %d : tensor<4x10xf32>
  %o = graph.add %q, %low : (tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
  %c = graph.clamp %o {min = -128.0 : f64, max = 127.0 : f64} : tensor<4x10xf32>
  %y = graph.cast %c : (tensor<4x10xf32>) -> tensor<4x10xi8>
  func.return %y : tensor<4x10xi8>
}
