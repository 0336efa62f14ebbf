// RUN: s2s-opt %s -p tensor-lower-to-loop | filecheck %s

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
    points(%b at #tensor.access<affine_map<(i) -> (i)>>)
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
  %y = tensor.compute [8, 32] points(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 16 by 8 by 4, 0 by 4 by 1>, vectorize<1 by 4>]> apply {
  ^bb0(%v: f32):
    %s = arith.mulf %v, %v : f32
    tensor.yield %s : f32
  } : (tensor<8x32xf32>) -> tensor<8x32xf32>
  func.return %y : tensor<8x32xf32>
}
