// RUN: s2s-opt %s -p tensor-pick-schedule{target=x86-64-v4} --split-input-file | filecheck %s

#x = #tensor.access<affine_map<(p, o, k) -> (p, k)>>
#w = #tensor.access<affine_map<(p, o, k) -> (k, o)>>

// 14 rows of two vectors: 28 accumulators, two vectors of %w and an element of %x are alive at once.
// CHECK-LABEL: func.func private @product
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 14, 1 by 32>,
func.func private @product(%x: tensor<56x16xf32>, %w: tensor<16x64xf32>) -> tensor<56x64xf32> {
  %y = tensor.compute [56, 64 | 16] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<56x16xf32>, tensor<16x64xf32>) -> tensor<56x64xf32>
  func.return %y : tensor<56x64xf32>
}

func.func @main(%x: tensor<56x16xf32>) -> tensor<56x64xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<16x64xf32>
  %y = graph.call @product(%x, %w) : (tensor<56x16xf32>, tensor<16x64xf32>) -> tensor<56x64xf32>
  func.return %y : tensor<56x64xf32>
}

// -----

#x = #tensor.access<affine_map<(p, o, i, r) -> (i, p + r)>>
#w = #tensor.access<affine_map<(p, o, i, r) -> (o, i, r)>>

// A window slides along the rows: an element serves three of them, one after the other, and waits in a register.
// CHECK-LABEL: func.func private @window
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 8, 1 by 32>,
func.func private @window(%x: tensor<16x58xf32>, %w: tensor<64x16x3xf32>) -> tensor<56x64xf32> {
  %y = tensor.compute [56, 64 | 16, 3] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<16x58xf32>, tensor<64x16x3xf32>) -> tensor<56x64xf32>
  func.return %y : tensor<56x64xf32>
}

func.func @main(%x: tensor<16x58xf32>) -> tensor<56x64xf32> {
  %w = graph.weight "taps" {hash = "0"} : tensor<64x16x3xf32>
  %y = graph.call @window(%x, %w) : (tensor<16x58xf32>, tensor<64x16x3xf32>) -> tensor<56x64xf32>
  func.return %y : tensor<56x64xf32>
}

// -----

#x = #tensor.access<affine_map<(p, o, k) -> (k, p)>>
#w = #tensor.access<affine_map<(p, o, k) -> (o, k)>>

// Both results of a point are in one tile, whose vectors run along the points: they interleave when they are stored.
// CHECK-LABEL: func.func private @points
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 128, 1 by 2>, vectorize<0 by 16>]>
func.func private @points(%x: tensor<3x512xf32>, %w: tensor<2x3xf32>) -> tensor<512x2xf32> {
  %y = tensor.compute [512, 2 | 3] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x512xf32>, tensor<2x3xf32>) -> tensor<512x2xf32>
  func.return %y : tensor<512x2xf32>
}

func.func @main(%x: tensor<3x512xf32>, %w: tensor<2x3xf32>) -> tensor<512x2xf32> {
  %y = graph.call @points(%x, %w) : (tensor<3x512xf32>, tensor<2x3xf32>) -> tensor<512x2xf32>
  func.return %y : tensor<512x2xf32>
}
