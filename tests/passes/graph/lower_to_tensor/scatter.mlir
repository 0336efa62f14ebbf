// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @element_takes_the_updates_meant_for_it(
// CHECK-NEXT: %y = tensor.compute [10 | 3] reads(%i at #tensor.access<affine_map<(d0, d1) -> (d1)>>, %u at #tensor.access<affine_map<(d0, d1) -> (d1)>>, %x at #tensor.access<affine_map<(d0, d1) -> (d0)>>) points(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [0.000000e+00 : f32, false] reduce {
// CHECK-NEXT: ^bb0(%i_1: i64, %u_1: f32, %x_1: f32, %acc: f32, %acc_1: i1):
// CHECK-NEXT: %0 = tensor.index 0 : i64
// CHECK-NEXT: %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT: %2 = arith.trunci %i_1 : i64 to i32
// CHECK-NEXT: %3 = arith.constant 0 : i32
// CHECK-NEXT: %4 = arith.cmpi slt, %2, %3 : i32
// CHECK-NEXT: %5 = arith.constant 10 : i32
// CHECK-NEXT: %6 = arith.addi %2, %5 : i32
// CHECK-NEXT: %7 = arith.select %4, %6, %2 : i32
// CHECK-NEXT: %8 = arith.cmpi eq, %1, %7 : i32
// CHECK-NEXT: %9 = arith.select %acc_1, %acc, %x_1 : f32
// CHECK-NEXT: %10 = arith.addf %9, %u_1 : f32
// CHECK-NEXT: %11 = arith.select %8, %10, %acc : f32
// CHECK-NEXT: %12 = arith.ori %acc_1, %8 : i1
// CHECK-NEXT: tensor.yield %11, %12 : f32, i1
// CHECK: ^bb0(%acc_2: f32, %acc_3: i1, %x_2: f32):
// CHECK-NEXT: %13 = arith.select %acc_3, %acc_2, %x_2 : f32
// CHECK-NEXT: tensor.yield %13 : f32
func.func private @element_takes_the_updates_meant_for_it(%x: tensor<10xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<10xf32> attributes {kernel} {
  %y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<10xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<10xf32>
  func.return %y : tensor<10xf32>
}

// CHECK-LABEL: @slices_are_guarded_by_nothing(
// CHECK-NEXT: %y = tensor.compute [4, 5 | 3] reads(%i at #tensor.access<affine_map<(d0, d1, d2) -> (d2, 0)>>, %u at #tensor.access<affine_map<(d0, d1, d2) -> (d2, d1)>>) points(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0.000000e+00 : f32, false] reduce {
// CHECK-NEXT: ^bb0(%i_1: i32, %u_1: f32, %acc: f32, %acc_1: i1):
// CHECK-NEXT: %0 = tensor.index 0 : i64
// CHECK-NEXT: %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT: %2 = arith.constant 0 : i32
// CHECK-NEXT: %3 = arith.cmpi slt, %i_1, %2 : i32
// CHECK-NEXT: %4 = arith.constant 4 : i32
// CHECK-NEXT: %5 = arith.addi %i_1, %4 : i32
// CHECK-NEXT: %6 = arith.select %3, %5, %i_1 : i32
// CHECK-NEXT: %7 = arith.cmpi eq, %1, %6 : i32
// CHECK-NEXT: %8 = arith.select %7, %u_1, %acc : f32
// CHECK-NEXT: %9 = arith.ori %acc_1, %7 : i1
// CHECK-NEXT: tensor.yield %8, %9 : f32, i1
// CHECK: ^bb0(%acc_2: f32, %acc_3: i1, %x_1: f32):
// CHECK-NEXT: %10 = arith.select %acc_3, %acc_2, %x_1 : f32
// CHECK-NEXT: tensor.yield %10 : f32
func.func private @slices_are_guarded_by_nothing(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) -> tensor<4x5xf32> attributes {kernel} {
  %y = graph.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
