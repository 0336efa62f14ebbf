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

// -----

#x = #tensor.access<affine_map<(o, t, c) -> (t * 2, c)>>
#w = #tensor.access<affine_map<(o, t, c) -> (o, c, t)>>

// One frame of bytes: eight channels share it. Its taps lie apart, so it is copied to 16 bits once for all channels.
// CHECK-LABEL: func.func private @one_frame_of_bytes
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 8>, unroll<2 by 16>
// CHECK-SAME:    cache_read<0 as i16>, tensorize<"smlad">]>
func.func private @one_frame_of_bytes(%x: tensor<5x64xi8>, %w: tensor<64x64x3xi8>) -> tensor<64xi32> {
  %y = tensor.compute [64 | 3, 64] reads(%x at #x, %w at #w) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xw = arith.extsi %xv : i8 to i32
    %ww = arith.extsi %wv : i8 to i32
    %p = arith.muli %xw, %ww : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x64xi8>, tensor<64x64x3xi8>) -> tensor<64xi32>
  func.return %y : tensor<64xi32>
}
func.func @main(%x: tensor<5x64xi8>) -> tensor<64xi32> {
  %w = graph.weight "bytes" {hash = "2"} : tensor<64x64x3xi8>
  %y = graph.call @one_frame_of_bytes(%x, %w) : (tensor<5x64xi8>, tensor<64x64x3xi8>) -> tensor<64xi32>
  func.return %y : tensor<64xi32>
}

// -----

#x = #tensor.access<affine_map<(o, p, t, c) -> (p + t, c)>>
#w = #tensor.access<affine_map<(o, p, t, c) -> (o, c, t)>>

// Two frames of bytes: two channels share them, and each weight is loaded for both.
// CHECK-LABEL: func.func private @two_frames_of_bytes
// CHECK:         schedule #tensor.schedule<{{\[}}tile<1 by 2, 0 by 2>, unroll<3 by 32>
func.func private @two_frames_of_bytes(%x: tensor<4x64xi8>, %w: tensor<64x64x3xi8>) -> tensor<64x2xi32> {
  %y = tensor.compute [64, 2 | 3, 64] reads(%x at #x, %w at #w) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xw = arith.extsi %xv : i8 to i32
    %ww = arith.extsi %wv : i8 to i32
    %p = arith.muli %xw, %ww : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<4x64xi8>, tensor<64x64x3xi8>) -> tensor<64x2xi32>
  func.return %y : tensor<64x2xi32>
}
func.func @main(%x: tensor<4x64xi8>) -> tensor<64x2xi32> {
  %w = graph.weight "pairs" {hash = "3"} : tensor<64x64x3xi8>
  %y = graph.call @two_frames_of_bytes(%x, %w) : (tensor<4x64xi8>, tensor<64x64x3xi8>) -> tensor<64x2xi32>
  func.return %y : tensor<64x2xi32>
}

// -----

#x = #tensor.access<affine_map<(p, c, h, t) -> (h, p + t - 1, c)>, guarded>
#w = #tensor.access<affine_map<(p, c, h, t) -> (c, h, t)>>

// A single row of a depthwise convolution reads its window in place: a copy would hold three rows for one.
// CHECK-LABEL: func.func private @one_row
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 5>, unroll<2 by 3, 3 by 3>, reorder<[1, 0, 2, 3]>]>
func.func private @one_row(%x: tensor<3x5x64xi8>, %w: tensor<64x3x3xi8>) -> tensor<5x64xi32> {
  %y = tensor.compute [5, 64 | 3, 3] reads(%x at #x, %w at #w) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xw = arith.extsi %xv : i8 to i32
    %ww = arith.extsi %wv : i8 to i32
    %p = arith.muli %xw, %ww : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<3x5x64xi8>, tensor<64x3x3xi8>) -> tensor<5x64xi32>
  func.return %y : tensor<5x64xi32>
}
func.func @main(%x: tensor<3x5x64xi8>) -> tensor<5x64xi32> {
  %w = graph.weight "rows" {hash = "4"} : tensor<64x3x3xi8>
  %y = graph.call @one_row(%x, %w) : (tensor<3x5x64xi8>, tensor<64x3x3xi8>) -> tensor<5x64xi32>
  func.return %y : tensor<5x64xi32>
}
