// RUN: s2s-opt %s -p graph-lift-quantized --sample-weights | filecheck %s

// CHECK-LABEL: func.func @product_with_bias
// CHECK:         %[[p:.*]] = graph.matmul %x, %w {{.*}}a_zp = -7 : i64{{.*}} : (tensor<2x4xi8>, tensor<3x4xi8>) -> tensor<2x3xi32>
// CHECK:         %[[b:.*]] = graph.constant dense<[8, 16, -4]> : tensor<3xi32>
// CHECK-NEXT:    %[[s:.*]] = graph.add %[[p]], %[[b]]
// CHECK-NEXT:    %[[f:.*]] = graph.cast %[[s]]
// CHECK-NEXT:    %[[k:.*]] = graph.constant dense<[1.250000e-01, 6.250000e-02, 5.000000e-01]>
// CHECK-NEXT:    graph.mul %[[f]], %[[k]]
func.func @product_with_bias(%x: tensor<2x4xi8>, %w: tensor<3x4xi8>) -> tensor<2x3xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %xz = graph.constant dense<-7.0> : tensor<f32>
  %scales = graph.constant dense<[[0.25], [0.125], [1.0]]> : tensor<3x1xf32>
  %b = graph.constant dense<[1.0, 1.0, -2.0]> : tensor<3xf32>
  %xf = graph.cast %x : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %xs = graph.sub %xf, %xz : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %xr = graph.mul %xs, %half : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %wf = graph.cast %w : (tensor<3x4xi8>) -> tensor<3x4xf32>
  %wr = graph.mul %wf, %scales : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %p = graph.matmul %xr, %wr {transpose_b} : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %y = graph.add %p, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @product_of_activations
// CHECK:         graph.matmul %a, %b {a_zp = 1 : i64, b_zp = 2 : i64} : (tensor<2x4xi8>, tensor<4x3xui8>) -> tensor<2x3xi32>
func.func @product_of_activations(%a: tensor<2x4xi8>, %b: tensor<4x3xui8>) -> tensor<2x3xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %af = graph.cast %a : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %as = graph.sub %af, %one : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %ar = graph.mul %as, %half : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %bf = graph.cast %b : (tensor<4x3xui8>) -> tensor<4x3xf32>
  %bs = graph.sub %bf, %two : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %br = graph.mul %bs, %half : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %y = graph.matmul %ar, %br : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @addend_for_each_element_stays_real
// CHECK:         graph.matmul {{.*}} -> tensor<2x3xi32>
// CHECK:         graph.add {{.*}} -> tensor<2x3xf32>
func.func @addend_for_each_element_stays_real(%a: tensor<2x4xi8>, %b: tensor<4x3xi8>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %af = graph.cast %a : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %ar = graph.mul %af, %half : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %bf = graph.cast %b : (tensor<4x3xi8>) -> tensor<4x3xf32>
  %br = graph.mul %bf, %half : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %p = graph.matmul %ar, %br : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %y = graph.add %p, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// 300,000 products of up to 255 * 127 do not fit 32 bits.
// CHECK-LABEL: func.func @sums_that_could_overflow_are_wide
// CHECK:         graph.matmul {{.*}}acc_type = i64{{.*}} -> tensor<1x1xi64>
func.func @sums_that_could_overflow_are_wide(%a: tensor<1x300000xi8>, %b: tensor<300000x1xi8>) -> tensor<1x1xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %af = graph.cast %a : (tensor<1x300000xi8>) -> tensor<1x300000xf32>
  %ar = graph.mul %af, %half : (tensor<1x300000xf32>, tensor<f32>) -> tensor<1x300000xf32>
  %bf = graph.cast %b : (tensor<300000x1xi8>) -> tensor<300000x1xf32>
  %br = graph.mul %bf, %half : (tensor<300000x1xf32>, tensor<f32>) -> tensor<300000x1xf32>
  %y = graph.matmul %ar, %br : (tensor<1x300000xf32>, tensor<300000x1xf32>) -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @declined_where_a_scale_varies_along_the_sum
// CHECK:         graph.matmul {{.*}} -> tensor<2x3xf32>
func.func @declined_where_a_scale_varies_along_the_sum(%a: tensor<2x4xi8>, %b: tensor<4x3xi8>) -> tensor<2x3xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %scales = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %af = graph.cast %a : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %ar = graph.mul %af, %scales : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %bf = graph.cast %b : (tensor<4x3xi8>) -> tensor<4x3xf32>
  %br = graph.mul %bf, %half : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %y = graph.matmul %ar, %br : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
