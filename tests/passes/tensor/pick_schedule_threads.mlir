// RUN: s2s-opt %s --sample-weights -p 'tensor-transform-convolutions{target=x86-64-v4 outputs=4},tensor-pick-schedule{target=x86-64-v4 threads=2}' | filecheck %s

// Two threads take half of the channels of the image each, around the borders of its rows, then half of the results.
// CHECK-LABEL: func.func private @k
// CHECK:         tensor.transform [2, 2, 4, 16]
// CHECK-SAME:      schedule #tensor.schedule<[tile<2 by 2 by 1, 3 by 16>, vectorize<3 by 16>, reorder<[0, 2, 3, 1]>]>
// CHECK:         tensor.compute [36, 4, 64 | 64]
// CHECK-SAME:      tile_and_fuse<2 by 32>, prefetch<1 along 0>, prefetch<0 along 1>
// CHECK:         tensor.transform [2, 2, 4, 16]
// CHECK-SAME:      schedule #tensor.schedule<[tile<3 by 16>, vectorize<3 by 16>, reorder<[0, 2, 3, 1]>, tile_and_fuse<2 by 2>]>
func.func private @k(%x: tensor<4x8x8x16xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<4x8x8x16xf32> {
  %y = tensor.compute [4, 8, 8, 16 | 4, 16, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 16 + p, i * 16 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc16 ic ic16 kh kw"} : (tensor<4x8x8x16xf32>, tensor<64x64x3x3xf32>) -> tensor<4x8x8x16xf32>
  func.return %y : tensor<4x8x8x16xf32>
}

func.func @main(%x: tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x64x3x3xf32>
  %y = graph.call @k(%x, %w) : (tensor<4x8x8x16xf32>, tensor<64x64x3x3xf32>) -> tensor<4x8x8x16xf32>
  func.return %y : tensor<4x8x8x16xf32>
}
