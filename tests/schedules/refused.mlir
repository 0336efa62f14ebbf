// RUN: s2s-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<2 by 4>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile names dimension 2; there are 2 dimensions of [6, 8]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[tile<1 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: tile gives reduction 1 a register tile of 4; unroll it, or name cache blocks before the unrolled steps

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 2, 0 by 3>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile names a dimension twice in [0, 0]; name it once

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile gives dimension 0 the sizes [0]; give positive ones

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile gives dimension 0 the sizes []; give positive ones

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 6 by 4 by 1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile cuts blocks of 6 along dimension 0 into 4; take a divisor

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[unroll<0 by 2>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: unroll names dimension 0 with [2]; give the steps of a reduction, and the passes to unroll, and tile parallel dimensions

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[unroll<1 by 4 by 2 by 2>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: unroll names dimension 1 with [4, 2, 2]; give the steps of a reduction

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[reorder<[0, 0]>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: reorder [0, 0] is no order of the 2 dimensions of [6, 8]; name each once

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[reorder<[1, 0]>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: reorder [1, 0] puts a reduction outside a parallel dimension; the last 1 places are for reductions

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 6>, vectorize<1 by 4>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: a tile of 6 along dimension 1 is no multiple of 4 lanes; tile it by 8

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[vectorize<1 by 1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: vectorize 1 by 1; vectors have 4, 8, 16 lanes

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>, vectorize<0 by 4>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: vectorize names dimension 0 after 1; one runs in vectors

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[prefetch<0 along 0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: prefetch names read 0 of 0; name a read

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[prefetch<0 along 2>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: prefetch names dimension 2; there are 2 dimensions of [6, 8]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[cache_read<1 packed [0]>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: cache_read packs operand 1 of 1

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[cache_read<0 as i8>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: cache_read copies read 0 of 0

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[cache_read<0 at 1 as i16>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: cache_read names dimension 1; there are 1 parallel dimensions of [6, 8]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[cache_read<0 as i16>, cache_read<0 at 0 as i16>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: cache_read copies read 0 after 0; copy one

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[raw_bytes<0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: raw_bytes names read 0 of 0

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[raw_bytes<0>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: raw_bytes names read 0 of what is no sum of products; leave it out

// -----

%x, %w = "test.op"() : () -> (tensor<6x10xi8>, tensor<6x3xi8>)
%y = tensor.compute [6, 8 | 3] reads(%x at #tensor.access<affine_map<(c, i, r) -> (c, i + r)>>,
                                     %w at #tensor.access<affine_map<(c, i, r) -> (c, r)>>)
    schedule #tensor.schedule<[cache_read<0 at 0 as i16>, raw_bytes<0>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32):
  tensor.yield %acc : i32
} : (tensor<6x10xi8>, tensor<6x3xi8>) -> tensor<6x8xi32>
// CHECK: tensor.compute: raw_bytes takes read 0 in place, step by step; leave it out, or cache_read, tensorize and rfactor

// -----

%x, %w = "test.op"() : () -> (tensor<6x10xi8>, tensor<6x3xi8>)
%y = tensor.compute [6, 8 | 3] reads(%x at #tensor.access<affine_map<(c, i, r) -> (c, i + r - 1)>, guarded>,
                                     %w at #tensor.access<affine_map<(c, i, r) -> (c, r)>>)
    schedule #tensor.schedule<[raw_bytes<1>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32):
  tensor.yield %acc : i32
} : (tensor<6x10xi8>, tensor<6x3xi8>) -> tensor<6x8xi32>
// CHECK: tensor.compute: raw_bytes names read 1, but read 0 may miss its operand

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[init_from<1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: init_from names operand 1 of 1 of the epilogue

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[tensorize<"dot3">]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: there is no intrinsic 'dot3'; known are smlad, smlad-pairs, smlad-points, smlad-taps, smlad-next, smlad-two, mve-i8-by-16, mve-i8-by-8, mve-i16-by-8, mve-window-by-8, mve-window-by-16, mve-group-by-8, mve-group-by-16, smlad-halves, mve-halves, strip-dot, vnni, vnni-by-unsigned, vnni-signed, x86-pairs, x86-wide, neon-dot, wasm-pairs, plain-dot

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[tensorize<"vnni">]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: vnni makes a vector of results; vectorize a dimension before it

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[compute_at<1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: compute_at wants a computation that is fused with its reader

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[compute_at<1>, tile_and_fuse<1 by 2>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: compute_at takes dimension 1 one by one; tile another one

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile_and_fuse<2 by 1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile_and_fuse names dimension 2; there are 2 parallel dimensions of [6, 8]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile_and_fuse<0 by 0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: tile_and_fuse has empty tiles; give positive sizes

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 4 by 1>, tile_and_fuse<0 by 2>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: dimension 0 has cache blocks and fused tiles; keep one of them

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> schedule #tensor.schedule<[tile<1 by 2 by 4>, vectorize<1 by 4>, reorder<[1, 0]>]> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: tile cuts blocks of 2 along dimension 1 into 4; take a divisor

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> schedule #tensor.schedule<[cache_read<0 as i8>]> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: cache_read names operand 0; a transform has a strip of its own

// -----

"test.op"() {schedule = #tensor.schedule<[speed<3>]>} : () -> ()
// CHECK: 'speed' is no directive of a schedule; known are cache_read, compute_at, init_from, parallel, prefetch, raw_bytes, reorder,

// -----

"test.op"() {schedule = #tensor.schedule<[tile_and_fuse<0 by 2 overlap [1]>]>} : () -> ()
// CHECK: expected the positions in front and behind, not [1]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[rfactor<0 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: rfactor 0 by 4; name a reduction and two accumulators or more

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[rfactor<1 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: rfactor changes the order of a reduction that is no sum, product, maximum or minimum of floats

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[vectorize<0 by 4>, rfactor<1 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: rfactor names dimension 1, but dimension 0 runs in vectors; name that reduction, or leave the vectors out

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: dimension 1 is a reduction that vectors cannot take in any order

// -----

%x = "test.op"() : () -> tensor<2x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i floordiv 3, r)>>)
    schedule #tensor.schedule<[vectorize<0 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: operand 0 does not move in equal steps along the lanes of dimension 0; vectorize another dimension

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[cache_read<0 at 0 as i16>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: cache_read copies read 0 of what is no sum of products of 8-bit integers; leave it out

// -----

%x, %w = "test.op"() : () -> (tensor<6x10xi8>, tensor<6x3xi8>)
%y = tensor.compute [6, 8 | 3] reads(%x at #tensor.access<affine_map<(c, i, r) -> (c, i + r)>>,
                                     %w at #tensor.access<affine_map<(c, i, r) -> (c, r)>>)
    schedule #tensor.schedule<[tile<0 by 2>, cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32):
  tensor.yield %acc : i32
} : (tensor<6x10xi8>, tensor<6x3xi8>) -> tensor<6x8xi32>
// CHECK: tensor.compute: cache_read copies the window of one point, but dimension 0 around it is tiled; copy before its loop

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> schedule #tensor.schedule<[tile<0 by 2 by 1>, reorder<[1, 0]>]> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: blocks of 2 cut dimension 0, a whole row of tiles; block another dimension

// -----

%x = "test.op"() : () -> tensor<600x800xf32>
%y = tensor.compute [600, 800] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 600, 1 by 8>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<600x800xf32>) -> tensor<600x800xf32>
// CHECK: tensor.compute: the register tile [600, 8] of [600, 800] writes its body out 4800 times; tile and unroll to 4096 at most

// -----

%x = "test.op"() : () -> tensor<6x8xi64>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>]> apply {
^bb0(%v: i64):
  tensor.yield %v : i64
} : (tensor<6x8xi64>) -> tensor<6x8xi64>
// CHECK: tensor.compute: a region computes what has no form in vectors; leave vectorize out

// -----

%x = "test.op"() : () -> tensor<4x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i - 1, r)>, guarded>)
    schedule #tensor.schedule<[prefetch<0 along 1>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<4x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: prefetch names read 0, which may miss its operand; leave it out

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[tensorize<"smlad">]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: smlad adds up products of 8-bit integers, and there are none; leave it out

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[vectorize<2 by 8>, tensorize<"vnni">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: dimension 2 is a reduction that vectors cannot take in any order

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[vectorize<1 by 8>, tensorize<"mve-i8-by-8">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: mve-i8-by-8 has no form with 8 lanes; there are 4

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>, tensorize<"mve-halves">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: mve-halves multiplies by halves of bytes, of which no dimension counts both

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<0 at 0 as i8>, tensorize<"smlad">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: smlad takes its first factor as i16; copy it so, or leave it in place

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>, tensorize<"mve-i16-by-8">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: mve-i16-by-8 takes 16 bits in memory; copy the first factor with cache_read

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[vectorize<1 by 8>, tensorize<"x86-wide">]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: x86-wide takes 16 bits in memory; copy the first factor with cache_read

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<0 at 0 as i8>, init_from<0>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: init_from names operand 0 of the epilogue, which is no initial value that only sums of products use

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<0 at 0 as i16>, vectorize<1 by 4>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: cache_read copies read 0 for scalars, but dimension 1 runs in vectors; tensorize it

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<1 packed [0 mod 4, 1]>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: cache_read keeps 4 of the 6 elements along axes [0] of operand 1; name their blocks too

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<1 packed [0]>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: cache_read lays operand 1 out as [0], which does not name each of its 2 axes once; name them all

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<1 packed [0 floordiv 4, 1, 0 mod 2]>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: cache_read lays operand 1 out with the digit 0 floordiv 4 where one of 2 elements is next

// -----

%x, %w, %b = "test.op"() : () -> (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>)
%y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                     %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[cache_read<1 packed [1, 0]>, cache_read<1 packed [0, 1]>]> inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32, %bv: i32):
  %t = arith.addi %acc, %bv : i32
  tensor.yield %t : i32
} : (tensor<4x8xi8>, tensor<6x8xi8>, tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: tensor.compute: cache_read packs operand 1 twice; pack it once

// -----

%x = "test.op"() : () -> tensor<6x4x8xf32>
%y = tensor.compute [6 | 4, 8] reads(%x at #tensor.access<affine_map<(i, q, r) -> (i, q, r)>>)
    schedule #tensor.schedule<[tile<2 by 4 by 1>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.subf %v, %acc : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x4x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: tile blocks reduction 2, but its steps cannot be done in another order; leave its blocks out

// -----

%x = "test.op"() : () -> tensor<6x4x8xf32>
%y = tensor.compute [6 | 4, 8] reads(%x at #tensor.access<affine_map<(i, q, r) -> (i, q, r)>>)
    schedule #tensor.schedule<[tile<2 by 3 by 1>, rfactor<2 by 2>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x4x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: tile blocks reduction 2, which is folded in parts, in blocks of 3 of 8; take a divisor

// -----

%x, %w = "test.op"() : () -> (tensor<8x8xi8>, tensor<3x4xi8>)
%y = tensor.compute [6, 6 | 3, 3] reads(%x at #tensor.access<affine_map<(i, j, q, r) -> (i + q, j + r)>>,
                                        %w at #tensor.access<affine_map<(i, j, q, r) -> (q, r)>>)
    schedule #tensor.schedule<[tile<2 by 2 by 1, 3 by 2 by 1>, cache_read<0 as i16>, tensorize<"smlad-taps">]>
    inits [0 : i32] reduce {
^bb0(%xv: i8, %wv: i8, %acc: i32):
  %xe = arith.extsi %xv : i8 to i32
  %we = arith.extsi %wv : i8 to i32
  %p = arith.muli %xe, %we : i32
  %s = arith.addi %acc, %p : i32
  tensor.yield %s : i32
} apply {
^bb0(%acc: i32):
  %t = arith.trunci %acc : i32 to i8
  tensor.yield %t : i8
} : (tensor<8x8xi8>, tensor<3x4xi8>) -> tensor<6x6xi8>
// CHECK: tensor.compute: tile blocks reduction 2, but the 3 taps of reduction 3 are taken at once; block another reduction

// -----

%x = "test.op"() : () -> tensor<6x4x8xf32>
%y = tensor.compute [6 | 4, 8] reads(%x at #tensor.access<affine_map<(i, q, r) -> (i, q, r)>>)
    schedule #tensor.schedule<[tile<2 by 4 by 1>, prefetch<0 along 0>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x4x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: tile blocks reduction 2, so that panels are not read as a whole; leave prefetch out

// -----

%x = "test.op"() : () -> tensor<6x4x8xf32>
%y = tensor.compute [6 | 4, 8] reads(%x at #tensor.access<affine_map<(i, q, r) -> (i, q, r)>>)
    schedule #tensor.schedule<[reorder<[0, 2, 1]>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.subf %v, %acc : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x4x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: reorder [0, 2, 1] changes the order of a reduction whose result depends on it; keep [1, 2]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[rfactor<1 by 4>, vectorize<0 by 4>]> inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %s = arith.addf %acc, %v : f32
  tensor.yield %s : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<6x8xf32>) -> tensor<6xf32>
// CHECK: tensor.compute: rfactor names dimension 1, but dimension 0 runs in vectors

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[parallel<2>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel names dimension 2; there are 2 parallel dimensions of [6, 8]

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[parallel<1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel names the loops over dimensions [1], but the outermost ones are over [0]; name those, or reorder the loops

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 6>, parallel<0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel names dimension 0, of which one tile does all 6 positions outside of other loops; make its tile smaller

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 4 by 1>, parallel<0>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel names the loops over dimensions [0], but the outermost ones are over [1]; name those, or reorder the loops

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[parallel<0>, parallel<1>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel stands twice; name all dimensions in one

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[parallel<>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: parallel names no dimension; name that of the outermost loop

// -----

%x = "test.op"() : () -> tensor<6x8xf32>
%y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 2>, tile_and_fuse<0 by 3 overlap [1, 0]>]> apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK: tensor.compute: dimension 0 has fused tiles that overlap and a register tile of 2, which may reach beyond the dimension; leave one of them out
