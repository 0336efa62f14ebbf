// RUN: s2s-opt %s --split-input-file -p graph-take-byte-ports | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:  %x: tensor<2x3xi8> {name = "x", quant_scale = 5.000000e-01 : f64, quant_zero_point = 3 : i64}
// CHECK-SAME:  tensor<2x3xi8> {name = "y", quant_scale = 2.500000e-01 : f64, quant_zero_point = 0 : i64}
// CHECK-NOT:   graph.round
// CHECK:       %z = graph.clamp %x
// CHECK:       func.return %z : tensor<2x3xi8>
func.func @main(%x: tensor<2x3xf32> {name = "x"}) -> (tensor<2x3xf32> {name = "y"}) {
  %scale = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<3.0> : tensor<f32>
  %d = graph.div %x, %scale : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r = graph.round %d : tensor<2x3xf32>
  %s = graph.add %r, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %c = graph.clamp %s {min = -128.0 : f64, max = 127.0 : f64} : tensor<2x3xf32>
  %q = graph.cast %c : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %z = graph.clamp %q {min = 3 : i64} : tensor<2x3xi8>
  %f = graph.cast %z : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %y = graph.mul %f, %quarter : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// -----

// An input that something else reads keeps its type, and one whose bytes are not given back: the second clamp is narrow.

// CHECK-LABEL: func.func @main
// CHECK-SAME:  %x: tensor<2xf32> {name = "x"}, %w: tensor<2xf32> {name = "w"}
func.func @main(%x: tensor<2xf32> {name = "x"}, %w: tensor<2xf32> {name = "w"}) -> (tensor<2xi8> {name = "y"}, tensor<2xf32> {name = "z"}, tensor<2xi8> {name = "v"}) {
  %scale = graph.constant dense<0.5> : tensor<f32>
  %d = graph.div %x, %scale : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %r = graph.round %d : tensor<2xf32>
  %c = graph.clamp %r {min = -128.0 : f64, max = 127.0 : f64} : tensor<2xf32>
  %q = graph.cast %c : (tensor<2xf32>) -> tensor<2xi8>
  %e = graph.div %w, %scale : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %t = graph.round %e : tensor<2xf32>
  %n = graph.clamp %t {min = -100.0 : f64, max = 100.0 : f64} : tensor<2xf32>
  %v = graph.cast %n : (tensor<2xf32>) -> tensor<2xi8>
  func.return %q, %x, %v : tensor<2xi8>, tensor<2xf32>, tensor<2xi8>
}

// -----

// What moves values before the quantisation and behind the dequantisation moves bytes: the pad adds those of its numbers.

// CHECK-LABEL: func.func @main
// CHECK-SAME:  %x: tensor<2x3xi8> {name = "x", quant_scale = 5.000000e-01 : f64, quant_zero_point = 0 : i64}
// CHECK:       [[T:%[0-9]+]] = graph.transpose %x
// CHECK-NEXT:  [[P:%[a-z0-9]+]] = graph.pad [[T]] {{.*}}value = 4 : i64{{.*}} : (tensor<3x2xi8>) -> tensor<4x2xi8>
// CHECK:       [[Y:%[0-9]+]] = graph.reshape [[P]] : (tensor<4x2xi8>) -> tensor<8xi8>
// CHECK:       func.return [[Y]] : tensor<8xi8>
func.func @main(%x: tensor<2x3xf32> {name = "x"}) -> (tensor<8xf32> {name = "y"}) {
  %scale = graph.constant dense<0.5> : tensor<f32>
  %t = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %p = graph.pad %t {low = array<i64: 1, 0>, high = array<i64: 0, 0>, mode = "constant", value = 2.0 : f64} : (tensor<3x2xf32>) -> tensor<4x2xf32>
  %d = graph.div %p, %scale : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %r = graph.round %d : tensor<4x2xf32>
  %c = graph.clamp %r {min = -128.0 : f64, max = 127.0 : f64} : tensor<4x2xf32>
  %q = graph.cast %c : (tensor<4x2xf32>) -> tensor<4x2xi8>
  %f = graph.cast %q : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %m = graph.mul %f, %scale : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %y = graph.reshape %m : (tensor<4x2xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
