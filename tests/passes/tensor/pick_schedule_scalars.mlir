// RUN: s2s-opt %s -p tensor-pick-schedule{target=cortex-m4} --split-input-file | filecheck %s

#x = #tensor.access<affine_map<(o, p, k) -> (k, p)>>
#w = #tensor.access<affine_map<(o, p, k) -> (o, k)>>

// Two frames share eight weights a step: 16 accumulators of floats.
// CHECK-LABEL: func.func private @two_frames
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 8, 1 by 2>, unroll<2 by 1 by 8>
func.func private @two_frames(%x: tensor<64x2xf32>, %w: tensor<64x64xf32>) -> tensor<64x2xf32> {
  %y = tensor.compute [64, 2 | 64] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<64x2xf32>, tensor<64x64xf32>) -> tensor<64x2xf32>
  func.return %y : tensor<64x2xf32>
}
func.func @main(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x64xf32>
  %y = graph.call @two_frames(%x, %w) : (tensor<64x2xf32>, tensor<64x64xf32>) -> tensor<64x2xf32>
  func.return %y : tensor<64x2xf32>
}

// -----

#x = #tensor.access<affine_map<(o, c, t) -> (c, t)>>
#w = #tensor.access<affine_map<(o, c, t) -> (o, c, t)>>

// One frame, of three taps: eight accumulators leave registers to the eight weights of a step, and the channels, which
// are more than the taps, come last and are unrolled.
// CHECK-LABEL: func.func private @one_frame
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 8>, unroll<1 by 1 by 8>, reorder<[0, 2, 1]>
func.func private @one_frame(%x: tensor<64x5xf32>, %w: tensor<64x64x3xf32>) -> tensor<64xf32> {
  %y = tensor.compute [64 | 64, 3] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<64x5xf32>, tensor<64x64x3xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}
func.func @main(%x: tensor<64x5xf32>) -> tensor<64xf32> {
  %w = graph.weight "taps" {hash = "1"} : tensor<64x64x3xf32>
  %y = graph.call @one_frame(%x, %w) : (tensor<64x5xf32>, tensor<64x64x3xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}

// -----

#x = #tensor.access<affine_map<(c, k) -> (k, c)>>

// The columns of a sum share no element: more of them would be code alone.
// CHECK-LABEL: func.func private @sum_of_rows
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 4>]>
func.func private @sum_of_rows(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %y = tensor.compute [64 | 64] reads(%x at #x) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.addf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<64x64xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}
func.func @main(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %y = graph.call @sum_of_rows(%x) : (tensor<64x64xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}
