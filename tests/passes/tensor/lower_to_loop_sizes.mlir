// RUN: s2s-opt %s -p tensor-lower-to-loop | filecheck %s

// Only trip counts depend on the size of a run. Tiles of parallel dimensions may reach beyond it, where they compute
// what nobody reads; reductions end where it says.
builtin.module attributes {sizes = {n = array<i64: 1, 18>}} {
  // Tiles of four rows, then the two rows that the greatest size leaves, which not every run has.
  // CHECK-LABEL: func.func private @rows
  // CHECK-NEXT:    %n = loop.size "n" from 1 to 18
  // CHECK-NEXT:    loop.for %i = 0 to min affine_map<(d0) -> (d0, 16)>(%n) step 4 {
  // CHECK-NEXT:      loop.for %j = 0 to 8 step 4 {
  // CHECK:         loop.for %{{.*}} = 16 to min affine_map<(d0) -> (d0)>(%n) step 2 {
  func.func private @rows(%x: tensor<18x8xf32>) -> tensor<18x8xf32> {
    %y = tensor.compute [18, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>) extents ["n", ""]
      schedule #tensor.schedule<[tile<0 by 4, 1 by 4>, vectorize<1 by 4>]> apply {
    ^bb0(%v: f32):
      %z = arith.mulf %v, %v : f32
      tensor.yield %z : f32
    } : (tensor<18x8xf32>) -> tensor<18x8xf32>
    func.return %y : tensor<18x8xf32>
  }

  // Steps three at a time, the rest one by one.
  // CHECK-LABEL: func.func private @steps
  // CHECK:         loop.for %r = 0 to min affine_map<(d0) -> ((d0 + -2))>(%n) step 3 iter_args
  // CHECK:         loop.for %{{.*}} = max affine_map<(d0) -> (((d0 floordiv 3) * 3))>(%n) to min affine_map<(d0) -> (d0)>(%n) iter_args
  func.func private @steps(%x: tensor<18x8xf32>) -> tensor<8xf32> {
    %y = tensor.compute [8 | 18] reads(%x at #tensor.access<affine_map<(i, k) -> (k, i)>>) extents ["", "n"]
      schedule #tensor.schedule<[tile<0 by 4>, unroll<1 by 3>, vectorize<0 by 4>]> inits [0.0 : f32] reduce {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<18x8xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }

  // A fold in vectors of four, the rest in scalars.
  // CHECK-LABEL: func.func private @fold
  // CHECK:         loop.for %r = 0 to min affine_map<(d0) -> ((d0 + -3))>(%n) step 4 iter_args
  // CHECK:         loop.reduce "max"
  // CHECK:         loop.for %{{.*}} = max affine_map<(d0) -> (((d0 floordiv 4) * 4))>(%n) to min affine_map<(d0) -> (d0)>(%n) iter_args
  func.func private @fold(%x: tensor<18xf32>) -> tensor<f32> {
    %y = tensor.compute [ | 18] reads(%x at #tensor.access<affine_map<(k) -> (k)>>) extents ["n"]
      schedule #tensor.schedule<[vectorize<0 by 4>]> inits [0xFF800000 : f32] reduce {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.maximumf %acc, %v : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<18xf32>) -> tensor<f32>
    func.return %y : tensor<f32>
  }

  // Two computations in blocks of eight: blocks end with the size, and the last block of a run is clipped.
  // CHECK-LABEL: func.func private @blocks
  // CHECK:         loop.for %i_block = 0 to min affine_map<(d0) -> (d0, 16)>(%n) step 8 {
  // CHECK-NEXT:      loop.for %i = 0 to min affine_map<(d0, d1) -> ((d0 + (d1 * -1)), 8)>(%n, %i_block) {
  // CHECK:           loop.for %{{.*}} = 0 to min affine_map<(d0, d1) -> ((d0 + (d1 * -1)), 8)>(%n, %i_block) {
  // CHECK:         loop.for %{{.*}} = 0 to min affine_map<(d0) -> ((d0 + -16))>(%n) {
  func.func private @blocks(%x: tensor<18xf32>) -> tensor<18xf32> {
    %s = tensor.compute [18] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) extents ["n"]
      schedule #tensor.schedule<[tile_and_fuse<0 by 8>]> apply {
    ^bb0(%v: f32):
      %z = arith.mulf %v, %v : f32
      tensor.yield %z : f32
    } : (tensor<18xf32>) -> tensor<18xf32>
    %y = tensor.compute [18] epilogue(%s at #tensor.access<affine_map<(i) -> (i)>>) extents ["n"]
      schedule #tensor.schedule<[tile_and_fuse<0 by 8>]> apply {
    ^bb0(%v: f32):
      %z = arith.addf %v, %v : f32
      tensor.yield %z : f32
    } : (tensor<18xf32>) -> tensor<18xf32>
    func.return %y : tensor<18xf32>
  }

  // Positions beyond the size may hold no index: no tile reaches them.
  // CHECK-LABEL: func.func private @gather
  // CHECK:         loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) {
  func.func private @gather(%x: tensor<18xi32>, %t: tensor<5xf32>) -> tensor<18xf32> {
    %y = tensor.compute [18] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) tables(%t) extents ["n"]
      schedule #tensor.schedule<[tile<0 by 4>]> apply {
    ^bb0(%v: i32, %table: tensor<5xf32>):
      %at = arith.index_cast %v : i32 to index
      %e = tensor.extract %table[%at] : tensor<5xf32> -> f32
      tensor.yield %e : f32
    } : (tensor<18xi32>, tensor<5xf32>) -> tensor<18xf32>
    func.return %y : tensor<18xf32>
  }

  // A margin is stored when all loops are done, as far as the axis has room.
  // CHECK-LABEL: func.func private @margin
  // CHECK:         loop.for %{{.*}} = 0 to 4 {
  // CHECK-NEXT:      loop.for %{{.*}} = 0 to min affine_map<(d0) -> (d0)>(%n) {
  // CHECK:         loop.for %{{.*}} = 0 to 4 {
  // CHECK-NEXT:      loop.for %{{.*}} = max affine_map<(d0) -> (d0)>(%n) to min affine_map<(d0) -> ((d0 + 2), 18)>(%n) {
  // CHECK-NEXT:        arith.constant 0.000000e+00 : f32
  // CHECK-NEXT:        loop.store
  func.func private @margin(%x: tensor<4x18xf32>) -> tensor<4x18xf32> {
    %y = tensor.compute [4, 18] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>) extents ["", "n"]
      schedule #tensor.schedule<[]> apply {
    ^bb0(%v: f32):
      tensor.yield %v : f32
    } attributes {margins = [{axis = 1 : i64, count = 2 : i64, size = "n", value = 0.0 : f32}]} : (tensor<4x18xf32>) -> tensor<4x18xf32>
    func.return %y : tensor<4x18xf32>
  }
}
