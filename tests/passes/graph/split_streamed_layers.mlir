// RUN: s2s-opt %s -p 'graph-split-streamed-layers{room=1024}' --split-input-file | filecheck %s

// Weights of 512 bytes become two blocks of 256; factors per channel are split, too, up to the narrowest result.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     tensor<4x128xi8>
// CHECK:         %[[w1:.*]] = graph.weight {{.*}}block1{{.*}} : tensor<2x128xi8>
// CHECK-NEXT:    %[[a1:.*]] = graph.matmul %x, %[[w1]] {transpose_b} : (tensor<1x128xi8>, tensor<2x128xi8>) -> tensor<1x2xi32>
// CHECK-NEXT:    %[[b1:.*]] = graph.constant dense<[10, 20]> : tensor<2xi32>
// CHECK-NEXT:    %[[s1:.*]] = graph.add %[[a1]], %[[b1]]
// CHECK-NEXT:    %[[c1:.*]] = graph.cast %[[s1]] : (tensor<1x2xi32>) -> tensor<1x2xi8>
// CHECK:         %[[b2:.*]] = graph.constant dense<[30, 40]> : tensor<2xi32>
// CHECK:         %[[c2:.*]] = graph.cast %{{.*}} : (tensor<1x2xi32>) -> tensor<1x2xi8>
// CHECK-NEXT:    %[[y:.*]] = graph.concat %[[c1]], %[[c2]] {axis = 1 : i64}
// CHECK-NEXT:    %z = graph.cast %[[y]]
func.func @main(%x: tensor<1x128xi8>) -> tensor<1x4xi32> {
  %w = graph.constant dense<7> : tensor<4x128xi8>
  %a = graph.matmul %x, %w {transpose_b} : (tensor<1x128xi8>, tensor<4x128xi8>) -> tensor<1x4xi32>
  %b = graph.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %s = graph.add %a, %b : (tensor<1x4xi32>, tensor<4xi32>) -> tensor<1x4xi32>
  %c = graph.cast %s : (tensor<1x4xi32>) -> tensor<1x4xi8>
  %z = graph.cast %c : (tensor<1x4xi8>) -> tensor<1x4xi32>
  func.return %z : tensor<1x4xi32>
}

// -----

// Declined: weights that fit at once.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     graph.concat
func.func @main(%x: tensor<1x2xi8>) -> tensor<1x2xi32> {
  %w = graph.constant dense<[[1, 2], [5, 6]]> : tensor<2x2xi8>
  %a = graph.matmul %x, %w {transpose_b} : (tensor<1x2xi8>, tensor<2x2xi8>) -> tensor<1x2xi32>
  func.return %a : tensor<1x2xi32>
}

// -----

// Declined: a layer with groups, whose channels read different inputs.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     graph.concat
func.func @main(%x: tensor<1x2x1x1xi8>) -> tensor<1x2x1x1xi32> {
  %w = graph.constant dense<1> : tensor<2x1x32x32xi8>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 16, 16, 15, 15>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x2x1x1xi8>, tensor<2x1x32x32xi8>) -> tensor<1x2x1x1xi32>
  func.return %a : tensor<1x2x1x1xi32>
}

// -----

// The numbers of a batch normalisation belong to channels, whatever the last axis is as long as.
// CHECK-LABEL: func.func @main
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x2x4x4xf32>
// CHECK:         graph.batch_norm {{.*}} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
// CHECK:         graph.concat {{.*}} {axis = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
func.func @main(%x: tensor<1x24x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<4x24x1x1xf32>
  %n = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x24x4x4xf32>, tensor<4x24x1x1xf32>) -> tensor<1x4x4x4xf32>
  %y = graph.batch_norm %c, %n, %n, %n, %n {epsilon = 1.0e-05 : f64} : (tensor<1x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  func.return %y : tensor<1x4x4x4xf32>
}
