// RUN: s2s-opt %s -p tensor-cache-images{target=x86-64-v3},tensor-pick-schedule{target=x86-64-v3} --split-input-file | filecheck %s

#x = #tensor.access<affine_map<(n, c, h, w, r, s) -> (n, c, h + r - 1, w + s - 1)>, guarded>
#w = #tensor.access<affine_map<(n, c, h, w, r, s) -> (c, 0, r, s)>>

// A window over each channel: eight of them are copied to lie side by side, image by image, and the weights with them.
// CHECK-LABEL: func.func private @depthwise
// CHECK:         %x_copy = tensor.compute [2, 3, 5, 6, 8] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d0, ((d1 * 8) + d4), d2, d3)>>)
// CHECK-SAME:      schedule #tensor.schedule<[tile<3 by 8, 4 by 8>, vectorize<3 by 8>, tile_and_fuse<0 by 1, 1 by 1>]>
// CHECK:         tensor.compute [2, 3, 8, 5, 6 | 3, 3] reads(%x_copy at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, ((d3 + d5) + -1), ((d4 + d6) + -1), d2)>, guarded>
// CHECK-SAME:      vectorize<2 by 8>{{.*}} cache_read<1 packed [0 floordiv 8, 2, 3, 1, 0 mod 8]>, tile_and_fuse<0 by 1, 1 by 1>]>
func.func private @depthwise(%x: tensor<2x24x5x6xf32>, %w: tensor<24x1x3x3xf32>) -> tensor<2x24x5x6xf32> {
  %y = tensor.compute [2, 24, 5, 6 | 3, 3] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x24x5x6xf32>, tensor<24x1x3x3xf32>) -> tensor<2x24x5x6xf32>
  func.return %y : tensor<2x24x5x6xf32>
}
func.func @main(%x: tensor<2x24x5x6xf32>) -> tensor<2x24x5x6xf32> {
  %w = graph.weight "w" {hash = ""} : tensor<24x1x3x3xf32>
  %y = graph.call @depthwise(%x, %w) : (tensor<2x24x5x6xf32>, tensor<24x1x3x3xf32>) -> tensor<2x24x5x6xf32>
  func.return %y : tensor<2x24x5x6xf32>
}

// -----

#x = #tensor.access<affine_map<(c, h, w, r, s) -> (0, c, h * 3 + r, w * 3 + s)>>

// The largest of each window, with a stride.
// CHECK-LABEL: func.func private @pool
// CHECK:         %x_copy = tensor.compute [1, 2, 15, 15, 8] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (0, ((d1 * 8) + d4), d2, d3)>>)
// CHECK:         tensor.compute [2, 8, 5, 5 | 3, 3] reads(%x_copy at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d0, ((d2 * 3) + d4), ((d3 * 3) + d5), d1)>>)
// CHECK-SAME:      vectorize<1 by 8>{{.*}} tile_and_fuse<0 by 1>
func.func private @pool(%x: tensor<1x16x15x15xf32>) -> tensor<1x16x5x5xf32> {
  %y = tensor.compute [16, 5, 5 | 3, 3] reads(%x at #x) inits [-0.5 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.maximumf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x16x15x15xf32>) -> tensor<1x16x5x5xf32>
  func.return %y : tensor<1x16x5x5xf32>
}

// -----

#x = #tensor.access<affine_map<(c, h, w, r, s) -> (0, c, h * 2 + r, w * 2 + s)>>

// Declined: every other element of a row is a choice from two vectors.
// CHECK-LABEL: func.func private @even_pool
// CHECK-NOT:     _copy
func.func private @even_pool(%x: tensor<1x16x10x10xf32>) -> tensor<1x16x5x5xf32> {
  %y = tensor.compute [16, 5, 5 | 2, 2] reads(%x at #x) inits [-0.5 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.maximumf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x16x10x10xf32>) -> tensor<1x16x5x5xf32>
  func.return %y : tensor<1x16x5x5xf32>
}

// -----

#x = #tensor.access<affine_map<(c, h, w, r, s) -> (0, c, h + r, w + s)>>

// Declined: thirteen channels fill no vectors.
// CHECK-LABEL: func.func private @odd_channels
// CHECK-NOT:     _copy
func.func private @odd_channels(%x: tensor<1x13x10x10xf32>) -> tensor<1x13x8x8xf32> {
  %y = tensor.compute [13, 8, 8 | 3, 3] reads(%x at #x) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.addf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x13x10x10xf32>) -> tensor<1x13x8x8xf32>
  func.return %y : tensor<1x13x8x8xf32>
}

// -----

#x = #tensor.access<affine_map<(c, h, w, r, s) -> (0, c, h + r, w + s)>>

// Declined: without stride and borders the window slides along the rows as they are.
// CHECK-LABEL: func.func private @along_rows
// CHECK-NOT:     _copy
func.func private @along_rows(%x: tensor<1x16x17x34xf32>) -> tensor<1x16x16x32xf32> {
  %y = tensor.compute [16, 16, 32 | 2, 3] reads(%x at #x) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.addf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x16x17x34xf32>) -> tensor<1x16x16x32xf32>
  func.return %y : tensor<1x16x16x32xf32>
}

// -----

#x = #tensor.access<affine_map<(o, h, w, c, r, s) -> (0, c, h * 2 + r, w * 2 + s)>>
#w = #tensor.access<affine_map<(o, h, w, c, r, s) -> (o, c, r, s)>>

// Declined: each result is a sum over all channels.
// CHECK-LABEL: func.func private @all_channels
// CHECK-NOT:     _copy
func.func private @all_channels(%x: tensor<1x8x10x10xf32>, %w: tensor<16x8x2x2xf32>) -> tensor<1x16x5x5xf32> {
  %y = tensor.compute [16, 5, 5 | 8, 2, 2] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x8x10x10xf32>, tensor<16x8x2x2xf32>) -> tensor<1x16x5x5xf32>
  func.return %y : tensor<1x16x5x5xf32>
}
func.func @main(%x: tensor<1x8x10x10xf32>) -> tensor<1x16x5x5xf32> {
  %w = graph.weight "all" {hash = ""} : tensor<16x8x2x2xf32>
  %y = graph.call @all_channels(%x, %w) : (tensor<1x8x10x10xf32>, tensor<16x8x2x2xf32>) -> tensor<1x16x5x5xf32>
  func.return %y : tensor<1x16x5x5xf32>
}
