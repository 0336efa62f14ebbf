// RUN: s2s-opt %s --sample-weights -p tensor-block-channels{target=x86-64-v3} --split-input-file | filecheck %s

// A convolution along the last of three dimensions shows that the second one holds channels.
// CHECK-LABEL: func.func private @convolve
// CHECK-SAME:    -> tensor<1x2x4x8xf32>
// CHECK-NEXT:    tensor.compute [1, 2, 4, 8 | 3, 3]
func.func private @convolve(%x: tensor<1x3x4xf32>, %w: tensor<16x3x3xf32>) -> tensor<1x16x4xf32> {
  %y = tensor.compute [1, 16, 4 | 3, 3]
    reads(%x at #tensor.access<affine_map<(n, o, w, i, r) -> (n, i, w + r - 1)>, guarded>,
          %w at #tensor.access<affine_map<(n, o, w, i, r) -> (o, i, r)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x3x4xf32>, tensor<16x3x3xf32>) -> tensor<1x16x4xf32>
  func.return %y : tensor<1x16x4xf32>
}

// Its reader puts channels last, where blocks lie in one piece.
// CHECK-LABEL: func.func private @transpose
// CHECK-SAME:    %x: tensor<1x2x4x8xf32>
// CHECK-NEXT:    tensor.compute [1, 4, 2, 8] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d2, d1, d3)>>)
func.func private @transpose(%x: tensor<1x16x4xf32>) -> tensor<1x4x16xf32> {
  %y = tensor.compute [1, 4, 16] epilogue(%x at #tensor.access<affine_map<(n, w, c) -> (n, c, w)>>) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<1x16x4xf32>) -> tensor<1x4x16xf32>
  func.return %y : tensor<1x4x16xf32>
}

func.func @main(%x: tensor<1x3x4xf32>) -> tensor<1x4x16xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<16x3x3xf32>
  %a = graph.call @convolve(%x, %w) : (tensor<1x3x4xf32>, tensor<16x3x3xf32>) -> tensor<1x16x4xf32>
  %y = graph.call @transpose(%a) : (tensor<1x16x4xf32>) -> tensor<1x4x16xf32>
  func.return %y : tensor<1x4x16xf32>
}

// -----

#id = #tensor.access<affine_map<(n, t, d) -> (n, t, d)>>

// Declined: the constants of a dense layer follow the last dimension; the second one are steps of a sequence.
// CHECK-LABEL: func.func private @dense
// CHECK-SAME:    -> tensor<1x16x8xf32>
func.func private @dense(%x: tensor<1x16x4xf32>, %w: tensor<4x8xf32>) -> tensor<1x16x8xf32> {
  %y = tensor.compute [1, 16, 8 | 4]
    reads(%x at #tensor.access<affine_map<(n, t, d, k) -> (n, t, k)>>,
          %w at #tensor.access<affine_map<(n, t, d, k) -> (k, d)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x16x4xf32>, tensor<4x8xf32>) -> tensor<1x16x8xf32>
  func.return %y : tensor<1x16x8xf32>
}
func.func private @relu(%x: tensor<1x16x8xf32>) -> tensor<1x16x8xf32> {
  %y = tensor.compute [1, 16, 8] epilogue(%x at #id) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
  func.return %y : tensor<1x16x8xf32>
}
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @dense(%x, %w) : {{.*}} -> tensor<1x16x8xf32>
func.func @main(%x: tensor<1x16x4xf32>) -> tensor<1x16x8xf32> {
  %w = graph.weight "dense" {hash = "0"} : tensor<4x8xf32>
  %a = graph.call @dense(%x, %w) : (tensor<1x16x4xf32>, tensor<4x8xf32>) -> tensor<1x16x8xf32>
  %y = graph.call @relu(%a) : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
  func.return %y : tensor<1x16x8xf32>
}
