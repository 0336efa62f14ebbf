// RUN: s2s-opt %s --sample-weights -p tensor-lower-to-loop | filecheck %s

// A reduction of 12 steps in blocks of 4, inside blocks of 4 rows: the first block starts from the initial value, later
// ones from the partial sums in the result, and only the last one adds the bias.
//
// CHECK-LABEL: func.func private @blocked
// CHECK:         loop.for %i_block = 0 to 8 step 4 {
// CHECK-NEXT:      loop.for %r_block = 0 to 12 step 4 {
// CHECK-NEXT:        loop.for %i = max affine_map<(d0) -> (d0)>(%i_block) to min affine_map<(d0) -> ((d0 + 4))>(%i_block) step 2 {
// CHECK:               loop.if affine_set<(d0) : ((d0 * -1) >= 0)>(%r_block) -> f32, f32 {
// CHECK:               } else {
// CHECK-NEXT:            loop.load %y
// CHECK:               loop.for %r = max affine_map<(d0) -> (d0)>(%r_block) to min affine_map<(d0) -> ((d0 + 4))>(%r_block)
// CHECK:               loop.if affine_set<(d0) : ((d0 + -8) >= 0)>(%r_block) {
// CHECK:                 loop.load %b
// CHECK:               } else {
// CHECK-NEXT:            loop.store %acc
func.func private @blocked(%x: tensor<8x12xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8 | 12] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    epilogue(%b at #tensor.access<affine_map<(i) -> (i)>>)
    schedule #tensor.schedule<[tile<0 by 4 by 2, 1 by 4 by 1>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %c: f32):
    %o = arith.addf %acc, %c : f32
    tensor.yield %o : f32
  } : (tensor<8x12xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// Two levels of blocks of one dimension.
//
// CHECK-LABEL: func.func private @levels
// CHECK:         loop.for %j_block = 0 to 32 step 16 {
// CHECK-NEXT:      loop.for %i_block = 0 to 8 step 4 {
// CHECK-NEXT:        loop.for %j_block_1 = max affine_map<(d0) -> (d0)>(%j_block) to min affine_map<(d0) -> ((d0 + 16))>(%j_block) step 8 {
// CHECK-NEXT:          loop.for %i =
// CHECK-NEXT:            loop.for %j = max affine_map<(d0) -> (d0)>(%j_block_1) to min affine_map<(d0) -> ((d0 + 8))>(%j_block_1) step 4 {
func.func private @levels(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %y = tensor.compute [8, 32] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 16 by 8 by 4, 0 by 4 by 1>, vectorize<1 by 4>]> apply {
  ^bb0(%v: f32):
    %s = arith.mulf %v, %v : f32
    tensor.yield %s : f32
  } : (tensor<8x32xf32>) -> tensor<8x32xf32>
  func.return %y : tensor<8x32xf32>
}

// Sums of 32 bits for a result of 8 bits wait in scratch, with room for the block of 4 rows around those of the reduction.
// The copy to scratch is of one block, a row of 6 steps.
//
// CHECK-LABEL: func.func private @bytes
// CHECK-SAME:    %y: memref<48xi8>, %x: memref<96xi8>, %w: memref<72xi8>, %rows: memref<6xi16>, %partial: memref<24xi32>
// CHECK:         loop.for %i_block = 0 to 8 step 4 {
// CHECK-NEXT:      loop.for %r_block = 0 to 12 step 6 {
// CHECK:             loop.cache_read %x{{.*}}count = 6
// CHECK:             loop.if affine_set<(d0) : ((d0 * -1) >= 0)>(%r_block) -> i32 {
// CHECK:             } else {
// CHECK-NEXT:          loop.load %partial
// CHECK:             loop.if affine_set<(d0) : ((d0 + -6) >= 0)>(%r_block) {
// CHECK:               loop.store {{.*}}, %y
// CHECK:             } else {
// CHECK-NEXT:          loop.store %acc{{.*}}, %partial
func.func private @bytes(%x: tensor<8x12xi8>, %w: tensor<6x12xi8>) -> tensor<8x6xi8> {
  %y = tensor.compute [8, 6 | 12] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>,
                                        %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    schedule #tensor.schedule<[tile<0 by 4 by 1, 2 by 6 by 1>, cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
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
  } : (tensor<8x12xi8>, tensor<6x12xi8>) -> tensor<8x6xi8>
  func.return %y : tensor<8x6xi8>
}

// Vectors along the reduction: the lanes are combined in each block, and the result with those of earlier blocks.
//
// CHECK-LABEL: func.func private @vectors
// CHECK:         loop.for %r_block = 0 to 64 step 16 {
// CHECK:           loop.reduce
// CHECK:           loop.if affine_set<(d0) : ((d0 * -1) >= 0)>(%r_block) -> f32 {
// CHECK:           } else {
// CHECK-NEXT:        loop.load %y
// CHECK-NEXT:        arith.addf
func.func private @vectors(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4 | 64] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[tile<1 by 16 by 1>, vectorize<1 by 8>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4x64xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// A padded row of 8 steps, elements -1 to 6, in blocks of 3. The copy of the first block begins with padding; that of
// the last one has room for step 8 as well, which is in the operand and not used.
//
// CHECK-LABEL: func.func private @padded
// CHECK-SAME:    %rows: memref<3xi16>
// CHECK:         loop.for %r_block = 0 to 8 step 3 {
// CHECK:             loop.cache_read %x, %rows[affine_map<(d0, d1) -> (0, {{.*}}, ((d0 * -1) + 1), 3)>(%r_block, %i)] {count = 3
// CHECK:             loop.for %k = max affine_map<(d0) -> (d0)>(%r_block) to min affine_map<(d0) -> ((d0 + 3), 8)>(%r_block)
func.func private @padded(%x: tensor<4x8xi8>, %w: tensor<6x8xi8>) -> tensor<4x6xi8> {
  %y = tensor.compute [4, 6 | 8] reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r - 1)>, guarded>,
                                       %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    schedule #tensor.schedule<[tile<2 by 3 by 1>, cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
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
  } : (tensor<4x8xi8>, tensor<6x8xi8>) -> tensor<4x6xi8>
  func.return %y : tensor<4x6xi8>
}

// A window of 3 rows of 3 taps, a row in one group, in blocks of 2 rows. The copy has 2 rows of 6 elements; behind the
// last row of the operand it holds padding. The rows of a block are a loop, because the last block has one row only.
//
// CHECK-LABEL: func.func private @window
// CHECK-SAME:    %rows: memref<15xi16>, %partial: memref<16xi32>
// CHECK:         loop.for %r0_block = 0 to 3 step 2 {
// CHECK:             loop.for %row = 0 to 2 {
// CHECK:               loop.if affine_set<(d0, d1, d2) : (((((d1 * -1) + (d0 * -1)) + (d2 * -1)) + 5) >= 0)>(%r0_block, %i, %row) {
// CHECK:                 loop.cache_read %x
// CHECK:             loop.for %r0 = max affine_map<(d0) -> (d0)>(%r0_block) to min affine_map<(d0) -> ((d0 + 2), 3)>(%r0_block)
// CHECK:               loop.intrinsic <"smlad-taps",
// CHECK:               loop.intrinsic <"smlad-next",
func.func private @window(%x: tensor<6x8xi8>, %w: tensor<3x4xi8>) -> tensor<4x4xi8> {
  %y = tensor.compute [4, 4 | 3, 3] reads(%x at #tensor.access<affine_map<(i, j, q, r) -> (i + q, j + r)>>,
    %w at #tensor.access<affine_map<(i, j, q, r) -> (q, r)>>)
    schedule #tensor.schedule<[tile<2 by 2 by 1, 1 by 2>, cache_read<0 at 0 as i16>, tensorize<"smlad-taps">,
                               tensorize<"smlad-next">]>
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
  } : (tensor<6x8xi8>, tensor<3x4xi8>) -> tensor<4x4xi8>
  func.return %y : tensor<4x4xi8>
}

// A read that may miss its operand: the steps that read padding are left out of the block that they are in.
//
// CHECK-LABEL: func.func private @clipped
// CHECK:         loop.for %r_block = 0 to 3 step 2 {
// CHECK:           loop.for %i
// CHECK:             loop.for %r = max affine_map<(d0, d1) -> (((d1 * -1) + 1), d0)>(%r_block, %i) to min affine_map<(d0, d1) -> (((d1 * -1) + 9), (d0 + 2), 3)>(%r_block, %i)
func.func private @clipped(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8 | 3] reads(%x at #tensor.access<affine_map<(i, r) -> (i + r - 1)>, guarded>)
    schedule #tensor.schedule<[tile<1 by 2 by 1>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The taps of a window are constants, which are encoded: the one in the middle of a row lies there twice.
//
// CHECK-LABEL: func.func @main
// CHECK:         loop.weight "w_taps"
func.func @main(%x: tensor<6x8xi8> {name = "x"}) -> (tensor<4x4xi8> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<3x4xi8>
  %y = graph.call @window(%x, %w) : (tensor<6x8xi8>, tensor<3x4xi8>) -> tensor<4x4xi8>
  func.return %y : tensor<4x4xi8>
}
