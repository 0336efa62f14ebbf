// RUN: s2s-opt -p tensor-describe-kernels,tensor-lower-to-loop %s | filecheck %s

// Blocks are started before the first loop of their reduction, in loops of their own over what is inside of it.
// CHECK-LABEL: @a_reduction_outside_of_blocks_has_a_start
// CHECK-SAME:  doc = "y = blocks by reset, update from x\0Ay[4][8], x[4][8][6]"
// CHECK:       loop.for %i0 = 0 to 4 {
// CHECK-NEXT:    loop.for %i2 = 0 to 2 {
// CHECK-NEXT:      loop.block_call "reset"(%y, %x) [affine_map<(d0, d1) -> (((d0 * 8) + (d1 * 4)), ((d0 * 48) + (d1 * 24)))>(%i0, %i2)]
// CHECK:         loop.for %i1 = 0 to 3 {
// CHECK-NEXT:      loop.for %i2_1 = 0 to 2 {
// CHECK-NEXT:        loop.block_call "update"(%y, %x) [affine_map<(d0, d1, d2) -> (((d0 * 8) + (d2 * 4)), (((d0 * 48) + (d2 * 24)) + (d1 * 2)))>(%i0, %i1, %i2_1)]
// CHECK-SAME:          extents = [array<i64: 1, 8, 4, 1>, array<i64: 1, 48, 4, 6, 2, 1>]
func.func private @a_reduction_outside_of_blocks_has_a_start(%x: tensor<4x8x6xf32>) -> tensor<4x8xf32> attributes {kernel} {
  %y = tensor.call_blocks (%x) {domain = array<i64: 4, 3, 2>, reduced = array<i64: 1>,
    accesses = [#tensor.access<affine_map<(i, k, j) -> (i, j * 4)>>, #tensor.access<affine_map<(i, k, j) -> (i, j * 4, k * 2)>>],
    blocks = [array<i64: 1, 4>, array<i64: 1, 4, 2>], starts = [#tensor.block_call<"reset", [0 : index, 4 : i32]>],
    steps = [#tensor.block_call<"update", [0 : index, 1 : index, 4 : i32]>], header = "\"f.h\""} : (tensor<4x8x6xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// Without a start the first step of the reduction is another call. Loops of one step are none.
// CHECK-LABEL: @the_first_step_of_a_reduction_is_another_call
// CHECK:       loop.for %i1 = 0 to 3 {
// CHECK-NEXT:    loop.if affine_set<(d0) : ((d0 * -1) >= 0)>(%i1) {
// CHECK-NEXT:      loop.block_call "set"(%y, %x) [affine_map<(d0) -> (0, (d0 * 2))>(%i1)]
// CHECK:         } else {
// CHECK-NEXT:      loop.block_call "add"(%y, %x) [affine_map<(d0) -> (0, (d0 * 2))>(%i1)]
func.func private @the_first_step_of_a_reduction_is_another_call(%x: tensor<4x6xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = tensor.call_blocks (%x) {domain = array<i64: 1, 3>, reduced = array<i64: 1>,
    accesses = [#tensor.access<affine_map<(i, k) -> (i * 4)>>, #tensor.access<affine_map<(i, k) -> (i * 4, k * 2)>>],
    blocks = [array<i64: 4>, array<i64: 4, 2>], first = [#tensor.block_call<"set", [0 : index, 1 : index]>],
    steps = [#tensor.block_call<"add", [0 : index, 1 : index]>], header = "\"f.h\""} : (tensor<4x6xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
