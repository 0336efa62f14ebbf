// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @index_is_kept_inside(
// CHECK-NEXT: %y = tensor.compute [3, 4] epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) tables(%x) apply {
// CHECK-NEXT: ^bb0(%i_1: i64, %x_1: tensor<10x4xf32>):
// CHECK-NEXT: %0 = arith.trunci %i_1 : i64 to i32
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.cmpi slt, %0, %1 : i32
// CHECK-NEXT: %3 = arith.constant 10 : i32
// CHECK-NEXT: %4 = arith.addi %0, %3 : i32
// CHECK-NEXT: %5 = arith.select %2, %4, %0 : i32
// CHECK-NEXT: %6 = arith.maxsi %5, %1 : i32
// CHECK-NEXT: %7 = arith.constant 9 : i32
// CHECK-NEXT: %8 = arith.minsi %6, %7 : i32
// CHECK-NEXT: %9 = tensor.index 1 : i64
// CHECK-NEXT: %10 = arith.index_cast %8 : i32 to index
// CHECK-NEXT: %11 = tensor.extract %x_1[%10, %9] : tensor<10x4xf32> -> f32
// CHECK-NEXT: tensor.yield %11 : f32
func.func private @index_is_kept_inside(%x: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> attributes {kernel} {
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}

// CHECK-LABEL: @unsigned_index_does_not_count_from_the_end(
// CHECK-NEXT: %y = tensor.compute [10, 3] epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d1)>>) tables(%x) apply {
// CHECK-NEXT: ^bb0(%i_1: i32, %x_1: tensor<10x4xf32>):
// CHECK-NEXT: %0 = tensor.index 0 : i64
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.maxsi %i_1, %1 : i32
// CHECK-NEXT: %3 = arith.constant 3 : i32
// CHECK-NEXT: %4 = arith.minsi %2, %3 : i32
// CHECK-NEXT: %5 = arith.index_cast %4 : i32 to index
// CHECK-NEXT: %6 = tensor.extract %x_1[%0, %5] : tensor<10x4xf32> -> f32
// CHECK-NEXT: tensor.yield %6 : f32
func.func private @unsigned_index_does_not_count_from_the_end(%x: tensor<10x4xf32>, %i: tensor<3xui32>) -> tensor<10x3xf32> attributes {kernel} {
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<10x4xf32>, tensor<3xui32>) -> tensor<10x3xf32>
  func.return %y : tensor<10x3xf32>
}

// CHECK-LABEL: @constant_index_is_a_map(
// CHECK-NEXT: %y = tensor.compute [10] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0, 3)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: tensor.yield %x_1 : f32
func.func private @constant_index_is_a_map(%x: tensor<10x4xf32>) -> tensor<10xf32> attributes {kernel} {
  %i = graph.constant dense<-1> : tensor<i64>
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<10x4xf32>, tensor<i64>) -> tensor<10xf32>
  func.return %y : tensor<10xf32>
}

// CHECK-LABEL: @every_element_has_its_index(
// CHECK-NEXT: %y = tensor.compute [2, 4] epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) tables(%x) apply {
// CHECK-NEXT: ^bb0(%i_1: i32, %x_1: tensor<5x4xf32>):
// CHECK-NEXT: %0 = tensor.index 1 : i64
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.cmpi slt, %i_1, %1 : i32
// CHECK-NEXT: %3 = arith.constant 5 : i32
// CHECK-NEXT: %4 = arith.addi %i_1, %3 : i32
// CHECK-NEXT: %5 = arith.select %2, %4, %i_1 : i32
// CHECK-NEXT: %6 = arith.maxsi %5, %1 : i32
// CHECK-NEXT: %7 = arith.constant 4 : i32
// CHECK-NEXT: %8 = arith.minsi %6, %7 : i32
// CHECK-NEXT: %9 = arith.index_cast %8 : i32 to index
// CHECK-NEXT: %10 = tensor.extract %x_1[%9, %0] : tensor<5x4xf32> -> f32
// CHECK-NEXT: tensor.yield %10 : f32
func.func private @every_element_has_its_index(%x: tensor<5x4xf32>, %i: tensor<2x4xi32>) -> tensor<2x4xf32> attributes {kernel} {
  %y = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<5x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @place_comes_in_parts(
// CHECK-NEXT: %y = tensor.compute [3] epilogue(%i at #tensor.access<affine_map<(d0) -> (d0, 0)>>, %i at #tensor.access<affine_map<(d0) -> (d0, 1)>>) tables(%x) apply {
// CHECK-NEXT: ^bb0(%i_1: i32, %i_2: i32, %x_1: tensor<5x4xf32>):
// CHECK-NEXT: %0 = arith.constant 0 : i32
// CHECK-NEXT: %1 = arith.cmpi slt, %i_1, %0 : i32
// CHECK-NEXT: %2 = arith.constant 5 : i32
// CHECK-NEXT: %3 = arith.addi %i_1, %2 : i32
// CHECK-NEXT: %4 = arith.select %1, %3, %i_1 : i32
// CHECK-NEXT: %5 = arith.maxsi %4, %0 : i32
// CHECK-NEXT: %6 = arith.constant 4 : i32
// CHECK-NEXT: %7 = arith.minsi %5, %6 : i32
// CHECK-NEXT: %8 = arith.cmpi slt, %i_2, %0 : i32
// CHECK-NEXT: %9 = arith.addi %i_2, %6 : i32
// CHECK-NEXT: %10 = arith.select %8, %9, %i_2 : i32
// CHECK-NEXT: %11 = arith.maxsi %10, %0 : i32
// CHECK-NEXT: %12 = arith.constant 3 : i32
// CHECK-NEXT: %13 = arith.minsi %11, %12 : i32
// CHECK-NEXT: %14 = arith.index_cast %7 : i32 to index
// CHECK-NEXT: %15 = arith.index_cast %13 : i32 to index
// CHECK-NEXT: %16 = tensor.extract %x_1[%14, %15] : tensor<5x4xf32> -> f32
// CHECK-NEXT: tensor.yield %16 : f32
func.func private @place_comes_in_parts(%x: tensor<5x4xf32>, %i: tensor<3x2xi32>) -> tensor<3xf32> attributes {kernel} {
  %y = graph.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<5x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
