// RUN: s2s-opt %s -p tensor-lower-to-loop --split-input-file | filecheck %s

// Sums of rows, and the rows divided by them: four rows at a time, so that only four sums are kept. Two rows are left.
// CHECK-LABEL: func.func private @rows(%y: memref<60xf32>, %x: memref<60xf32>, %s: memref<4xf32>)
// CHECK-NEXT:    loop.for %i_block = 0 to 8 step 4 {
// CHECK-NEXT:      loop.for %i = 0 to 4 {
// CHECK:             loop.load %x[affine_map<(d0, d1, d2) -> ((((d0 * 6) + (d1 * 6)) + d2))>(%i_block, %i, %r)]
// CHECK:             loop.store {{.*}}, %s[affine_map<(d0) -> (d0)>(%i)]
// CHECK:           loop.for %i_1 = 0 to 4 {
// CHECK:             loop.for %j = 0 to 6 {
// CHECK:               loop.load %s[affine_map<(d0) -> (d0)>(%i_1)]
// CHECK:               loop.store {{.*}}, %y[affine_map<(d0, d1, d2) -> ((((d0 * 6) + (d1 * 6)) + d2))>(%i_block, %i_1, %j)]
// CHECK:         loop.for %i_2 = 0 to 2 {
// CHECK:           loop.load %x[affine_map<(d0, d1) -> ((((d0 * 6) + d1) + 48))>(%i_2, %r_1)]
func.func private @rows(%x: tensor<10x6xf32>) -> tensor<10x6xf32> {
  %s = tensor.compute [10 | 6] reads(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<10x6xf32>) -> tensor<10xf32>
  %y = tensor.compute [10, 6] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>, %s at #tensor.access<affine_map<(i, j) -> (i)>>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4>]> apply {
  ^bb0(%v: f32, %sum: f32):
    %q = arith.divf %v, %sum : f32
    tensor.yield %q : f32
  } : (tensor<10x6xf32>, tensor<10xf32>) -> tensor<10x6xf32>
  func.return %y : tensor<10x6xf32>
}

// -----

// Two shared dimensions, of which the second does not come out even: what comes from outside is cut at the end, the
// block itself has room for whole vectors.
// CHECK-LABEL: func.func private @planes(%y: memref<70xf32>, %x: memref<70xf32>, %t: memref<4xf32>)
// CHECK-NEXT:    loop.for %i_block = 0 to 2 {
// CHECK-NEXT:      loop.for %j_block = 0 to 32 step 4 {
// CHECK:             loop.load %x[affine_map<(d0, d1) -> (((d0 * 35) + d1))>(%i_block, %j_block)] : memref<70xf32> -> vector<4xf32>
// CHECK:           loop.load %x[affine_map<(d0) -> (((d0 * 35) + 32))>(%i_block)] {lanes = 3 : i64}
// CHECK:           loop.store %{{.*}}, %t[affine_map<() -> (0)>()] : vector<4xf32>, memref<4xf32>
// CHECK-NEXT:      loop.load %t[affine_map<() -> (0)>()] : memref<4xf32> -> vector<4xf32>
// CHECK:           loop.store %{{.*}}, %y[affine_map<(d0) -> (((d0 * 35) + 32))>(%i_block)] {lanes = 3 : i64}
func.func private @planes(%x: tensor<2x35xf32>) -> tensor<2x35xf32> {
  %t = tensor.compute [2, 35] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, tile_and_fuse<0 by 1, 1 by 4>]> apply {
  ^bb0(%v: f32):
    %q = math.absf %v : f32
    tensor.yield %q : f32
  } : (tensor<2x35xf32>) -> tensor<2x35xf32>
  %y = tensor.compute [2, 35] epilogue(%t at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, tile_and_fuse<0 by 1, 1 by 4>]> apply {
  ^bb0(%v: f32):
    %q = math.sqrt %v : f32
    tensor.yield %q : f32
  } : (tensor<2x35xf32>) -> tensor<2x35xf32>
  func.return %y : tensor<2x35xf32>
}

// -----

// A window moves along another dimension than the shared one: borders stay where they are. What the kernel returns, or
// what a later computation reads, is whole.
// CHECK-LABEL: func.func private @window(%y: memref<24xf32>, %x: memref<24xf32>, %u: memref<16xf32>, %t: memref<24xf32>)
// CHECK-NEXT:    loop.for %c = 0 to 2 {
// CHECK:         loop.for %i_1 = 0 to 2 {
// CHECK:           loop.for %r = max affine_map<(d0) -> (((d0 * -1) + 1), 0)>(%j) to min affine_map<(d0) -> (((d0 * -1) + 9), 3)>(%j)
// CHECK:             loop.load %u[affine_map<(d0, d1, d2) -> (((((d0 * 8) + d1) + d2) + -1))>(%i_1, %j, %r)]
// CHECK:           loop.store %acc_1, %t[affine_map<(d0, d1) -> (((d0 * 8) + d1))>(%i_1, %j)]
// CHECK:         loop.store %acc_5, %t[affine_map<(d0) -> ((d0 + 16))>(%j_1)]
// CHECK:         loop.for %k = 0 to 24 {
func.func private @window(%x: tensor<3x8xf32>) -> tensor<24xf32> {
  %u = tensor.compute [3, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 2>]> apply {
  ^bb0(%v: f32):
    %q = math.absf %v : f32
    tensor.yield %q : f32
  } attributes {dims = "c i"} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %t = tensor.compute [3, 8 | 3] reads(%u at #tensor.access<affine_map<(c, i, r) -> (c, i + r - 1)>, guarded>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %y = tensor.compute [24] epilogue(%t at #tensor.access<affine_map<(k) -> ((k + 1) floordiv 10, (k + 1) mod 8)>>)
    schedule #tensor.schedule<[]> apply {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    tensor.yield %n : f32
  } attributes {dims = "k"} : (tensor<3x8xf32>) -> tensor<24xf32>
  func.return %y : tensor<24xf32>
}

// -----

// A window along the shared dimension of what comes from outside, and a position that is asked for: both are those of
// the whole.
// CHECK-LABEL: func.func private @border(%y: memref<12xf32>, %x: memref<12xf32>, %t: memref<4xf32>)
// CHECK-NEXT:    loop.for %i_block = 0 to 12 step 4
// CHECK:           loop.for %r = max affine_map<(d0, d1) -> ((((d0 * -1) + (d1 * -1)) + 1), 0)>(%i_block, %i)
// CHECK:           loop.store %acc_1, %t[affine_map<(d0) -> (d0)>(%i)]
// CHECK:           loop.apply affine_map<(d0, d1) -> ((d0 + d1))>(%i_block, %i_1)
func.func private @border(%x: tensor<12xf32>) -> tensor<12xf32> {
  %t = tensor.compute [12 | 3] reads(%x at #tensor.access<affine_map<(i, r) -> (i + r - 1)>, guarded>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<12xf32>) -> tensor<12xf32>
  %y = tensor.compute [12] epilogue(%t at #tensor.access<affine_map<(i) -> (i)>>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4>]> apply {
  ^bb0(%v: f32):
    %i = tensor.index 0
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %q = arith.addf %v, %f : f32
    tensor.yield %q : f32
  } : (tensor<12xf32>) -> tensor<12xf32>
  func.return %y : tensor<12xf32>
}

// -----

// Sums of three blocks, each computed where the sum over all blocks reads it: two rows of one block are kept.
// CHECK-LABEL: func.func private @blocks(%y: memref<6xf32>, %x: memref<72xf32>, %w: memref<3xf32>, %p: memref<2xf32>)
// CHECK-NEXT:    loop.for %i_block = 0 to 6 step 2 {
// CHECK:           loop.for %b = 0 to 3 {{.*}}{
// CHECK-NEXT:        loop.for %i = 0 to 2 {
// CHECK:               loop.for %k = 0 to 4 {{.*}}{
// CHECK:                 loop.load %x
// CHECK:               loop.store {{.*}}, %p[affine_map<(d0) -> (d0)>(%i)]
// CHECK:             loop.load %p[affine_map<() -> (0)>()]
// CHECK:             loop.load %p[affine_map<() -> (1)>()]
// CHECK:           loop.store {{.*}}, %y
func.func private @blocks(%x: tensor<6x3x4xf32>, %w: tensor<3xf32>) -> tensor<6xf32> {
  %p = tensor.compute [6, 3 | 4] reads(%x at #tensor.access<affine_map<(i, b, k) -> (i, b, k)>>)
    schedule #tensor.schedule<[compute_at<1>, tile_and_fuse<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "i b k"} : (tensor<6x3x4xf32>) -> tensor<6x3xf32>
  %y = tensor.compute [6 | 3] reads(%p at #tensor.access<affine_map<(i, b) -> (i, b)>>, %w at #tensor.access<affine_map<(i, b) -> (b)>>)
    schedule #tensor.schedule<[tile<0 by 2>, tile_and_fuse<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %f: f32, %acc: f32):
    %m = arith.mulf %v, %f : f32
    %s = arith.addf %acc, %m : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "i b"} : (tensor<6x3xf32>, tensor<3xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}
