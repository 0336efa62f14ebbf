// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @updates_replace_elements_of_a_copy_in_order(
// CHECK-NEXT: %base = tensor.compute [10] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK: %y = tensor.scatter [3] base(%base at #tensor.access<affine_map<(d0) -> (0)>>) axes [0] parts(%i at #tensor.access<affine_map<(d0) -> (d0)>>) epilogue(%u at #tensor.access<affine_map<(d0) -> (d0)>>) place {
// CHECK-NEXT: ^bb0(%i_1: i64):
// CHECK-NEXT: %0 = arith.trunci %i_1 : i64 to i32
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.cmpi slt, %0, %1 : i32
// CHECK-NEXT: %3 = arith.constant 10 : i32
// CHECK-NEXT: %4 = arith.addi %0, %3 : i32
// CHECK-NEXT: %5 = arith.select %2, %4, %0 : i32
// CHECK-NEXT: %6 = arith.index_cast %5 : i32 to index
// CHECK-NEXT: tensor.yield %6 : index
// CHECK-NEXT: } apply {
// CHECK-NEXT: ^bb0(%old: f32, %u_1: f32):
// CHECK-NEXT: %7 = arith.addf %old, %u_1 : f32
// CHECK-NEXT: tensor.yield %7 : f32
func.func private @updates_replace_elements_of_a_copy_in_order(%x: tensor<10xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<10xf32> attributes {kernel} {
  %y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<10xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<10xf32>
  func.return %y : tensor<10xf32>
}

// CHECK-LABEL: @nonnegative_indices_stay_as_they_are(
// CHECK: %y = tensor.scatter [3]
// CHECK-NEXT: ^bb0(%i_1: i64):
// CHECK-NEXT: %0 = arith.trunci %i_1 : i64 to i32
// CHECK-NEXT: %1 = arith.index_cast %0 : i32 to index
// CHECK-NEXT: tensor.yield %1 : index
func.func private @nonnegative_indices_stay_as_they_are(%x: tensor<10xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<10xf32> attributes {kernel} {
  %y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "none", nonnegative_indices} : (tensor<10xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<10xf32>
  func.return %y : tensor<10xf32>
}

// CHECK-LABEL: @one_index_places_a_whole_slice(
// CHECK: %y = tensor.scatter [3, 5] base(%base at #tensor.access<affine_map<(d0, d1) -> (0, d1)>>) axes [0] parts(%i at #tensor.access<affine_map<(d0, d1) -> (d0, 0)>>) epilogue(%u at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) place {
func.func private @one_index_places_a_whole_slice(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
  %y = graph.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// A constant that fills x needs no buffer of its own.
// CHECK-LABEL: @constants_are_part_of_the_copy(
// CHECK-NEXT: %base = tensor.compute [4] apply {
// CHECK-NEXT: %0 = arith.constant 0.000000e+00 : f32
func.func private @constants_are_part_of_the_copy(%i: tensor<3xi32>, %u: tensor<3xf32>) -> tensor<4xf32> attributes {kernel} {
  %x = graph.constant dense<0.0> : tensor<4xf32>
  %y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "none"} : (tensor<4xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
