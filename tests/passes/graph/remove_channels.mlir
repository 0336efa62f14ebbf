// RUN: s2s-opt %s -p graph-remove-channels | filecheck %s

// Channel 1 is 5 for every input: it adds 5 * 4 to each sum.
// CHECK-LABEL: func.func @filter_of_zeros
// CHECK:         %[[W:.*]] = graph.constant dense<[[[1.{{0*}}e+00]], [[3.{{0*}}e+00]]]> : tensor<2x1x1xf32>
// CHECK:         %[[Y:.*]] = graph.conv %x, %[[W]], %{{.*}} : (tensor<1x1x8xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x8xf32>
// CHECK:         %[[V:.*]] = graph.constant dense<[[[2.{{0*}}e+00], [6.{{0*}}e+00]]]> : tensor<1x2x1xf32>
// CHECK:         %[[C:.*]] = graph.constant dense<2.700000e+01> : tensor<1xf32>
// CHECK:         graph.conv %[[Y]], %[[V]], %[[C]]
func.func @filter_of_zeros(%x: tensor<1x1x8xf32>) -> tensor<1x1x8xf32> {
  %w = graph.constant dense<[[[1.0]], [[0.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %b = graph.constant dense<[0.0, 5.0, 1.0]> : tensor<3xf32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<3x1x1xf32>, tensor<3xf32>) -> tensor<1x3x8xf32>
  %v = graph.constant dense<[[[2.0], [4.0], [6.0]]]> : tensor<1x3x1xf32>
  %c = graph.constant dense<7.0> : tensor<1xf32>
  %z = graph.conv %y, %v, %c {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
  func.return %z : tensor<1x1x8xf32>
}

// Channel 0 is at most 127 - 12800 before it is rescaled, so it saturates.
// CHECK-LABEL: func.func @clamped_by_its_range
// CHECK:         graph.conv {{.*}} -> tensor<1x8x1xi32>
// CHECK:         graph.rescale {{.*}} -> tensor<1x8x1xi8>
// CHECK:         %[[C:.*]] = graph.constant dense<-1280> : tensor<1xi32>
// CHECK:         graph.conv %{{.*}}, %{{.*}}, %[[C]] {{.*}} -> tensor<1x8x1xi32>
func.func @clamped_by_its_range(%x: tensor<1x8x1xi8>) -> tensor<1x8x1xi32> {
  %w = graph.constant dense<[[[1]], [[2]]]> : tensor<2x1x1xi8>
  %b = graph.constant dense<[-12800, 0]> : tensor<2xi32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x1xi8>, tensor<2x1x1xi8>, tensor<2xi32>) -> tensor<1x8x2xi32>
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<0> : tensor<i8>
  %q = graph.rescale %y, %m, %s {rounding = "double"} : (tensor<1x8x2xi32>, tensor<i32>, tensor<i8>) -> tensor<1x8x2xi8>
  %v = graph.constant dense<[[[10], [3]]]> : tensor<1x2x1xi8>
  %z = graph.conv %q, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x2xi8>, tensor<1x2x1xi8>) -> tensor<1x8x1xi32>
  func.return %z : tensor<1x8x1xi32>
}

// The weights of equal channels are added.
// CHECK-LABEL: func.func @equal_channels
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x8x2xi32>
// CHECK:         graph.constant dense<[[[7], [3]]]> : tensor<1x2x1xi8>
func.func @equal_channels(%x: tensor<1x8x1xi8>) -> tensor<1x8x1xi32> {
  %w = graph.constant dense<[[[1]], [[2]], [[1]]]> : tensor<3x1x1xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x1xi8>, tensor<3x1x1xi8>) -> tensor<1x8x3xi32>
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<0> : tensor<i8>
  %q = graph.rescale %y, %m, %s {rounding = "double"} : (tensor<1x8x3xi32>, tensor<i32>, tensor<i8>) -> tensor<1x8x3xi8>
  %v = graph.constant dense<[[[2], [3], [5]]]> : tensor<1x3x1xi8>
  %z = graph.conv %q, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x3xi8>, tensor<1x3x1xi8>) -> tensor<1x8x1xi32>
  func.return %z : tensor<1x8x1xi32>
}

// 100 + 100 is no weight of 8 bits.
// CHECK-LABEL: func.func @equal_channels_with_large_weights
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x8x2xi32>
func.func @equal_channels_with_large_weights(%x: tensor<1x8x1xi8>) -> tensor<1x8x1xi32> {
  %w = graph.constant dense<[[[1]], [[1]]]> : tensor<2x1x1xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x1xi8>, tensor<2x1x1xi8>) -> tensor<1x8x2xi32>
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<0> : tensor<i8>
  %q = graph.rescale %y, %m, %s {rounding = "double"} : (tensor<1x8x2xi32>, tensor<i32>, tensor<i8>) -> tensor<1x8x2xi8>
  %v = graph.constant dense<[[[100], [100]]]> : tensor<1x2x1xi8>
  %z = graph.conv %q, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, layout = "NHWC"} : (tensor<1x8x2xi8>, tensor<1x2x1xi8>) -> tensor<1x8x1xi32>
  func.return %z : tensor<1x8x1xi32>
}

// CHECK-LABEL: func.func @unread_channel_of_a_depthwise_layer
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x1x8xf32>
// CHECK:         graph.conv {{.*}}groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x8xf32>
// CHECK:         graph.clamp {{.*}} : tensor<1x1x8xf32>
func.func @unread_channel_of_a_depthwise_layer(%x: tensor<1x1x8xf32>) -> tensor<1x1x8xf32> {
  %w = graph.constant dense<[[[1.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x8xf32>
  %d = graph.constant dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> : tensor<2x1x3xf32>
  %e = graph.conv %y, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x2x8xf32>, tensor<2x1x3xf32>) -> tensor<1x2x8xf32>
  %a = graph.clamp %e {min = 0.0 : f64} : tensor<1x2x8xf32>
  %v = graph.constant dense<[[[2.0], [0.0]]]> : tensor<1x2x1xf32>
  %z = graph.conv %a, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x8xf32>, tensor<1x2x1xf32>) -> tensor<1x1x8xf32>
  func.return %z : tensor<1x1x8xf32>
}

// Both sides of a sum keep what one needs.
// CHECK-LABEL: func.func @residual_sum
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x2x8xf32>
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x2x8xf32>
// CHECK:         graph.add {{.*}} -> tensor<1x2x8xf32>
func.func @residual_sum(%x: tensor<1x1x8xf32>) -> tensor<1x1x8xf32> {
  %u = graph.constant dense<[[[1.0]], [[0.0]], [[0.0]]]> : tensor<3x1x1xf32>
  %a = graph.conv %x, %u {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8xf32>
  %w = graph.constant dense<[[[1.0]], [[3.0]], [[0.0]]]> : tensor<3x1x1xf32>
  %b = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8xf32>
  %s = graph.add %a, %b : (tensor<1x3x8xf32>, tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %v = graph.constant dense<[[[2.0], [4.0], [6.0]]]> : tensor<1x3x1xf32>
  %z = graph.conv %s, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<1x3x1xf32>) -> tensor<1x1x8xf32>
  func.return %z : tensor<1x1x8xf32>
}

// A product without a bias gets one; of the flattened image, all elements of the channel leave.
// CHECK-LABEL: func.func @flattened
// CHECK:         graph.reshape {{.*}} : (tensor<1x1x2xf32>) -> tensor<1x2xf32>
// CHECK:         %[[P:.*]] = graph.matmul {{.*}} : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
// CHECK:         %[[B:.*]] = graph.constant dense<3.500000e+01> : tensor<1xf32>
// CHECK:         graph.add %[[P]], %[[B]]
func.func @flattened(%x: tensor<1x1x2xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<[[[1.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %b = graph.constant dense<[0.0, 5.0]> : tensor<2xf32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x2xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
  %f = graph.reshape %y : (tensor<1x2x2xf32>) -> tensor<1x4xf32>
  %m = graph.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %z = graph.matmul %f, %m : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  func.return %z : tensor<1x1xf32>
}

// What a padded layer sums at its border is another number than inside.
// CHECK-LABEL: func.func @constant_before_padding
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x2x8xf32>
func.func @constant_before_padding(%x: tensor<1x1x8xf32>) -> tensor<1x1x8xf32> {
  %w = graph.constant dense<[[[1.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %b = graph.constant dense<[0.0, 5.0]> : tensor<2xf32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x8xf32>
  %v = graph.constant dense<[[[2.0, 4.0, 6.0], [1.0, 2.0, 3.0]]]> : tensor<1x2x3xf32>
  %z = graph.conv %y, %v {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x8xf32>, tensor<1x2x3xf32>) -> tensor<1x1x8xf32>
  func.return %z : tensor<1x1x8xf32>
}

// Outputs of the network keep their shapes.
// CHECK-LABEL: func.func @result_of_the_network
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x2x8xf32>
func.func @result_of_the_network(%x: tensor<1x1x8xf32>) -> tensor<1x2x8xf32> {
  %w = graph.constant dense<[[[1.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x8xf32>
  func.return %y : tensor<1x2x8xf32>
}
