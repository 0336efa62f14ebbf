// RUN: s2s-opt -p graph-gather-quantized %s | filecheck %s

// CHECK-LABEL: @one_scale
// CHECK: %[[G:.*]] = graph.gather %w, %i {axis = 0 : i64} : (tensor<4x8xi8>, tensor<2x3xi64>) -> tensor<2x3x8xi8>
// CHECK: %[[F:.*]] = graph.cast %[[G]]
// CHECK: graph.mul %[[F]], %{{.*}} : (tensor<2x3x8xf32>, tensor<1x1x1xf32>) -> tensor<2x3x8xf32>
func.func @one_scale(%i: tensor<2x3xi64>) -> tensor<2x3x8xf32> {
  %w = graph.constant dense<1> : tensor<4x8xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %f = graph.cast %w : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %d = graph.mul %f, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  func.return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: @one_scale_for_two_rows
// CHECK: %[[AT:.*]] = graph.shift_right %i, %{{.*}} : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
// CHECK: graph.gather %{{.*}}, %[[AT]] {axis = 0 : i64} : (tensor<2x1xf32>, tensor<3xi64>) -> tensor<3x1xf32>
func.func @one_scale_for_two_rows(%i: tensor<3xi64>) -> tensor<3x8xf32> {
  %w = graph.constant dense<1> : tensor<4x8xi8>
  %s = graph.constant dense<[[0.5], [0.5], [0.25], [0.25]]> : tensor<4x1xf32>
  %f = graph.cast %w : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %d = graph.mul %f, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @one_scale_for_two_columns
// CHECK: %[[S:.*]] = graph.gather %{{.*}}, %i {axis = 0 : i64} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
// CHECK: graph.broadcast_to %{{.*}} : (tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
func.func @one_scale_for_two_columns(%i: tensor<3xi64>) -> tensor<3x4xf32> {
  %w = graph.constant dense<1> : tensor<4x4xi8>
  %s = graph.constant dense<[[0.5, 0.5, 0.25, 0.25], [1.0, 1.0, 2.0, 2.0], [0.5, 0.5, 1.0, 1.0], [0.25, 0.25, 2.0, 2.0]]> : tensor<4x4xf32>
  %f = graph.cast %w : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %d = graph.mul %f, %s : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<4x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}

// CHECK-LABEL: @codes_of_numbers
// CHECK: %[[G:.*]] = graph.gather %w, %i {axis = 0 : i64} : (tensor<4x8xui8>, tensor<3xi64>) -> tensor<3x8xui8>
// CHECK: graph.gather %t, %[[G]] {axis = 0 : i64} : (tensor<2xf32>, tensor<3x8xui8>) -> tensor<3x8xf32>
func.func @codes_of_numbers(%i: tensor<3xi64>) -> tensor<3x8xf32> {
  %w = graph.constant dense<1> : tensor<4x8xui8>
  %t = graph.constant dense<[0.5, 6.0]> : tensor<2xf32>
  %d = graph.gather %t, %w {axis = 0 : i64} : (tensor<2xf32>, tensor<4x8xui8>) -> tensor<4x8xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @declined_for_a_table_with_another_reader
// CHECK: graph.gather %d, %i
func.func @declined_for_a_table_with_another_reader(%i: tensor<3xi64>) -> (tensor<3x8xf32>, tensor<4x8xf32>) {
  %w = graph.constant dense<1> : tensor<4x8xi8>
  %d = graph.cast %w : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y, %d : tensor<3x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @declined_where_constants_grow
// CHECK: graph.gather %d, %i
func.func @declined_where_constants_grow(%i: tensor<3xi64>) -> tensor<3x2xf32> {
  %w = graph.constant dense<1> : tensor<2x2xi8>
  %s = graph.constant dense<[[0.5, 0.25], [0.125, 2.0]]> : tensor<2x2xf32>
  %f = graph.cast %w : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %d = graph.mul %f, %s : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = graph.gather %d, %i {axis = 0 : i64} : (tensor<2x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}
