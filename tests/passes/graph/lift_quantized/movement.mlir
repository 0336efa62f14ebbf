// RUN: s2s-opt %s -p graph-lift-quantized | filecheck %s

// CHECK-LABEL: func.func @integers_are_transposed
// CHECK-NEXT:    %[[t:.*]] = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xi8>) -> tensor<3x2xi8>
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[t]]
// CHECK:         %[[y:.*]] = graph.mul
// CHECK-NEXT:    func.return %[[y]]
func.func @integers_are_transposed(%x: tensor<2x3xi8>) -> tensor<3x2xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %xr = graph.mul %xf, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = graph.transpose %xr {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @quantised_again_as_before
// CHECK-NEXT:    %[[t:.*]] = graph.max_pool %x {{.*}} : (tensor<1x1x4x4xi8>) -> tensor<1x1x2x2xi8>
// CHECK-NEXT:    func.return %[[t]]
func.func @quantised_again_as_before(%x: tensor<1x1x4x4xi8>) -> tensor<1x1x2x2xi8> {
  %scale = graph.constant dense<0.3> : tensor<f32>
  %zp = graph.constant dense<-7.0> : tensor<f32>
  %xf = graph.cast %x : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xf32>
  %xs = graph.sub %xf, %zp : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %xr = graph.mul %xs, %scale : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %m = graph.max_pool %xr {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
  %d = graph.div %m, %scale : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %q = graph.round %d : tensor<1x1x2x2xf32>
  %o = graph.add %q, %zp : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %c = graph.clamp %o {min = -128.0 : f64, max = 127.0 : f64} : tensor<1x1x2x2xf32>
  %y = graph.cast %c : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xi8>
  func.return %y : tensor<1x1x2x2xi8>
}

// Each part of a concatenation is quantised on its own.
// CHECK-LABEL: func.func @quantisation_goes_in_front_of_a_concatenation
// CHECK:         %[[y:.*]] = graph.concat %a, %{{.*}} {axis = 0 : i64} : (tensor<2xi8>, tensor<2xi8>) -> tensor<4xi8>
// CHECK-NEXT:    func.return %[[y]]
func.func @quantisation_goes_in_front_of_a_concatenation(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<4xi8> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %af = graph.cast %a : (tensor<2xi8>) -> tensor<2xf32>
  %ar = graph.mul %af, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %bf = graph.cast %b : (tensor<2xi8>) -> tensor<2xf32>
  %br = graph.mul %bf, %quarter : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %m = graph.concat %ar, %br {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %d = graph.div %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = graph.round %d : tensor<4xf32>
  %c = graph.clamp %q {min = -128.0 : f64, max = 127.0 : f64} : tensor<4xf32>
  %y = graph.cast %c : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// CHECK-LABEL: func.func @padding_is_the_integer_of_its_value
// CHECK:         graph.pad %x {{.*}}value = -5 : i64{{.*}} : (tensor<2xi8>) -> tensor<4xi8>
func.func @padding_is_the_integer_of_its_value(%x: tensor<2xi8>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %zp = graph.constant dense<-7.0> : tensor<f32>
  %xf = graph.cast %x : (tensor<2xi8>) -> tensor<2xf32>
  %xs = graph.sub %xf, %zp : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %xr = graph.mul %xs, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %y = graph.pad %xr {low = array<i64: 1>, high = array<i64: 1>, mode = "constant", value = 1.0 : f64} : (tensor<2xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_padding_between_two_steps
// CHECK:         graph.pad {{.*}} -> tensor<4xf32>
func.func @declined_for_padding_between_two_steps(%x: tensor<2xi8>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xf = graph.cast %x : (tensor<2xi8>) -> tensor<2xf32>
  %xr = graph.mul %xf, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %y = graph.pad %xr {low = array<i64: 1>, high = array<i64: 1>, mode = "constant", value = 0.7 : f64} : (tensor<2xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_a_scale_that_is_computed
// CHECK:         graph.transpose {{.*}} -> tensor<3x2xf32>
func.func @declined_for_a_scale_that_is_computed(%x: tensor<2x3xi8>, %scale: tensor<f32>) -> tensor<3x2xf32> {
  %xf = graph.cast %x : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %xr = graph.mul %xf, %scale : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = graph.transpose %xr {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}
