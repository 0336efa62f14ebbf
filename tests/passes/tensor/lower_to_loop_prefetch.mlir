// RUN: s2s-opt %s -p tensor-lower-to-loop --split-input-file | filecheck %s

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>>

// A panel of b is 8 * 4 elements. While its six rows of tiles are done, the next panel is fetched: three elements further
// with each point of m, one with each step of k, so that the last tile ends with the panel.
// CHECK-LABEL: func.func private @panels(%y: memref<144xf32>, %a: memref<96xf32>, %b: memref<96xf32>)
// CHECK:         loop.for %j = 0 to 12 step 4 {
// CHECK-NEXT:      loop.for %i = 0 to 12 step 2 {
// CHECK:             loop.for %r = 0 to 8 iter_args
// CHECK-NEXT:          loop.prefetch %b[affine_map<(d0, d1, d2) -> (((((d0 * 8) + (d1 * 3)) + d2) + 32))>(%j, %i, %r)] : memref<96xf32>
// CHECK-NEXT:          loop.load %a
func.func private @panels(%a: tensor<12x8xf32>, %b: tensor<3x8x4xf32>) -> tensor<12x12xf32> {
  %y = tensor.compute [12, 12 | 8] reads(%a at #a, %b at #b)
    schedule #tensor.schedule<[tile<0 by 2, 1 by 4>, vectorize<1 by 4>, reorder<[1, 0, 2]>, prefetch<1 along 1>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<12x8xf32>, tensor<3x8x4xf32>) -> tensor<12x12xf32>
  func.return %y : tensor<12x12xf32>
}

// -----

#x = #tensor.access<affine_map<(p, l, i, r) -> (i, p, r)>>
#w = #tensor.access<affine_map<(p, l, i, r) -> (i, r, l)>>

// Along a reduction, what the two points of the tile read in the next step comes first: their elements are 16 apart,
// which is a prefetch for each.
// CHECK-LABEL: func.func private @planes
// CHECK:         loop.for %r0 = 0 to 3 iter_args
// CHECK-NEXT:      loop.prefetch %x[affine_map<(d0, d1) -> ((((d1 * 64) + (d0 * 16)) + 64))>(%i, %r0)] near : memref<192xf32>
// CHECK-NEXT:      loop.prefetch %x[affine_map<(d0, d1) -> ((((d1 * 64) + (d0 * 16)) + 80))>(%i, %r0)] near : memref<192xf32>
// CHECK-NEXT:      loop.for %r1 = 0 to 16 iter_args
// CHECK-NOT:         loop.prefetch
func.func private @planes(%x: tensor<3x4x16xf32>, %w: tensor<3x16x4xf32>) -> tensor<4x4xf32> {
  %y = tensor.compute [4, 4 | 3, 16] reads(%x at #x, %w at #w)
    schedule #tensor.schedule<[tile<0 by 2, 1 by 4>, vectorize<1 by 4>, prefetch<0 along 2>]> inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x4x16xf32>, tensor<3x16x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>>

// With one tile of m, a step of k fetches as much as it uses.
// CHECK-LABEL: func.func private @one_tile
// CHECK:         loop.prefetch %b[affine_map<(d0, d1) -> ((((d0 * 8) + (d1 * 4)) + 32))>(%j, %r)] : memref<96xf32>
func.func private @one_tile(%a: tensor<2x8xf32>, %b: tensor<3x8x4xf32>) -> tensor<2x12xf32> {
  %y = tensor.compute [2, 12 | 8] reads(%a at #a, %b at #b)
    schedule #tensor.schedule<[tile<0 by 2, 1 by 4>, vectorize<1 by 4>, reorder<[1, 0, 2]>, prefetch<1 along 1>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x8xf32>, tensor<3x8x4xf32>) -> tensor<2x12xf32>
  func.return %y : tensor<2x12xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (n floordiv 48, k, n mod 48)>>

// Declined: a row of 48 columns at each step is a stream that needs no help.
// CHECK-LABEL: func.func private @one_row
// CHECK-NOT:     loop.prefetch
func.func private @one_row(%a: tensor<1x8xf32>, %b: tensor<2x8x48xf32>) -> tensor<1x96xf32> {
  %y = tensor.compute [1, 96 | 8] reads(%a at #a, %b at #b)
    schedule #tensor.schedule<[tile<1 by 48>, vectorize<1 by 16>, reorder<[1, 0, 2]>, prefetch<1 along 1>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x8xf32>, tensor<2x8x48xf32>) -> tensor<1x96xf32>
  func.return %y : tensor<1x96xf32>
}

// -----

#x = #tensor.access<affine_map<(l, h, i, r) -> (h + r - 1, i)>, guarded>
#w = #tensor.access<affine_map<(l, h, i, r) -> (l floordiv 4, i, r, l mod 4)>>

// At the border one of three steps of r is left out. The other two prefetch what three do elsewhere, some of it twice.
// CHECK-LABEL: func.func private @border
// CHECK:           loop.for %r1 = max affine_map<(d0) -> (((d0 * -1) + 1), 0)>(%j){{.*}}
// CHECK-NEXT:        loop.prefetch %w[affine_map<(d0, d1, d2, d3) -> ((((((d0 * 24) + (d1 * 16)) + (d2 * 2)) + (d3 mod 2)) + 96))>(%i, %j, %r0, %r1)] : memref<192xf32>
func.func private @border(%x: tensor<6x8xf32>, %w: tensor<2x8x3x4xf32>) -> tensor<8x6xf32> {
  %y = tensor.compute [8, 6 | 8, 3] reads(%x at #x, %w at #w)
    schedule #tensor.schedule<[tile<0 by 4>, vectorize<0 by 4>, prefetch<1 along 0>]> inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x8xf32>, tensor<2x8x3x4xf32>) -> tensor<8x6xf32>
  func.return %y : tensor<8x6xf32>
}
