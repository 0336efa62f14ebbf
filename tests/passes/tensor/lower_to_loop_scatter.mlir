// RUN: s2s-opt -p graph-lower-to-tensor,tensor-pick-schedule,tensor-lower-to-loop %s | filecheck %s

// The index is tested once for each row; the result may overwrite %x, which nobody reads after the copy.
// CHECK-LABEL: @rows_go_where_their_index_says
// CHECK-SAME:  in_place = array<i64: 1>
// CHECK:       loop.for %i_2 = 0 to 3 {
// CHECK-NEXT:    %i_3 = loop.load %i[affine_map<(d0) -> (d0)>(%i_2)] : memref<3xi32> -> i32
// CHECK:         %5 = arith.index_cast %4 : i32 to index
// CHECK-NEXT:    loop.if affine_set<(d0) : (d0 >= 0, ((d0 * -1) + 3) >= 0)>(%5) {
// CHECK-NEXT:      loop.for %j_1 = 0 to 5 {
// CHECK-NEXT:        %6 = loop.apply affine_map<(d0, d1) -> (((d1 * 5) + d0))>(%j_1, %5)
// CHECK-NEXT:        %u_1 = loop.load %u[affine_map<(d0, d1) -> (((d0 * 5) + d1))>(%i_2, %j_1)] : memref<15xf32> -> f32
// CHECK-NEXT:        loop.store_at %u_1, %y[%6] : f32, memref<20xf32>
func.func private @rows_go_where_their_index_says(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
  %y = graph.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// CHECK-LABEL: @updates_that_are_the_tensor_itself_are_not_overwritten
// CHECK-SAME:  in_place = array<i64>
func.func private @updates_that_are_the_tensor_itself_are_not_overwritten(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.scatter_elements %x, %i, %x {axis = 0 : i64, reduction = "max"} : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// A routine takes its scratch behind the inputs of the kernel.
// CHECK-LABEL: @routines_are_called_with_scratch_of_the_arena
// CHECK-SAME:  (%y: memref<20xi32>, %x: memref<400xf32>, %scratch: memref<656xui32>)
// CHECK-NEXT:    loop.extern "largest_f32" sets(%y) uses(%scratch) from(%x) {numbers = array<i64: 4, 100, 5>} : (memref<20xi32>), (memref<656xui32>), (memref<400xf32>)
func.func private @routines_are_called_with_scratch_of_the_arena(%x: tensor<4x100xf32>) -> tensor<4x5xi32> attributes {kernel} {
  %y = graph.top_k %x {count = 5 : i64} : (tensor<4x100xf32>) -> tensor<4x5xi32>
  func.return %y : tensor<4x5xi32>
}
