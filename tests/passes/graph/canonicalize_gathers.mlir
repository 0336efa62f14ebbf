// RUN: s2s-opt -p graph-canonicalize-gathers %s | filecheck %s

// CHECK-LABEL: @progression
// CHECK: graph.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 2>}
func.func @progression(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %i = graph.constant dense<[1, 3, 5]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x6xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @backwards_from_the_end
// CHECK: graph.slice %x {starts = array<i64: 3, 0>, sizes = array<i64: 3, 2>, strides = array<i64: -1, 1>}
func.func @backwards_from_the_end(%x: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %i = graph.constant dense<[-1, -2, -3]> : tensor<3xi32>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @other_places
// CHECK: %[[I:.*]] = graph.constant dense<[0, 0, 3]> : tensor<3xui8>
// CHECK: graph.gather %x, %[[I]] {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4x2xf32>, tensor<3xui8>)
func.func @other_places(%x: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %i = graph.constant dense<[0, -4, -1]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @places_beyond_a_byte
// CHECK: dense<[0, 300, 2]> : tensor<3xui16>
func.func @places_beyond_a_byte(%x: tensor<400x2xf32>) -> tensor<3x2xf32> {
  %i = graph.constant dense<[0, 300, 2]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<400x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @matrix_of_places
// CHECK: graph.gather %x, %{{.*}} {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4x2xf32>, tensor<2x2xui8>)
func.func @matrix_of_places(%x: tensor<4x2xf32>) -> tensor<2x2x2xf32> {
  %i = graph.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4x2xf32>, tensor<2x2xi64>) -> tensor<2x2x2xf32>
  func.return %y : tensor<2x2x2xf32>
}

// CHECK-LABEL: @rows_of_a_batch
// CHECK: %[[I:.*]] = graph.constant dense<{{\[\[\[1\], \[0\]\], \[\[0\], \[2\]\]\]}}> : tensor<2x2x1xui8>
// CHECK: graph.gather_nd %x, %[[I]] {batch_dims = 1 : i64, in_range, nonnegative_indices}
func.func @rows_of_a_batch(%x: tensor<2x3x2xf32>) -> tensor<2x2x2xf32> {
  %i = graph.constant dense<[[[1, 1], [0, 0]], [[0, 0], [-1, -1]]]> : tensor<2x2x2xi64>
  %y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3x2xf32>, tensor<2x2x2xi64>) -> tensor<2x2x2xf32>
  func.return %y : tensor<2x2x2xf32>
}

// CHECK-LABEL: @rows_beside_each_other
// CHECK: %[[I:.*]] = graph.constant dense<{{\[\[\[1, 0\], \[0, 1\]\], \[\[2, 0\], \[2, 1\]\]\]}}> : tensor<2x2x2xui8>
// CHECK: graph.gather_nd %x, %[[I]] {batch_dims = 0 : i64, in_range, nonnegative_indices}
func.func @rows_beside_each_other(%x: tensor<3x2x2xf32>) -> tensor<2x2x2xf32> {
  %i = graph.constant dense<[[[1, 1], [0, 0]], [[2, 2], [2, 2]]]> : tensor<2x2x2xi64>
  %y = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x2x2xf32>, tensor<2x2x2xi64>) -> tensor<2x2x2xf32>
  func.return %y : tensor<2x2x2xf32>
}

// CHECK-LABEL: @elements_that_differ_along_the_last_axis
// CHECK: graph.gather_elements %x, %{{.*}} {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<3x2xf32>, tensor<2x2xui8>)
func.func @elements_that_differ_along_the_last_axis(%x: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %i = graph.constant dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>
  %y = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x2xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @a_part_of_each_row
// CHECK: graph.gather_elements %x, %{{.*}} {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<3x4xf32>, tensor<2x2xui8>)
func.func @a_part_of_each_row(%x: tensor<3x4xf32>) -> tensor<2x2xf32> {
  %i = graph.constant dense<[[1, 1], [2, 2]]> : tensor<2x2xi64>
  %y = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x4xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @coordinates
// CHECK: %[[I:.*]] = graph.constant dense<{{\[\[2, 1\], \[0, 0\]\]}}> : tensor<2x2xui8>
// CHECK: graph.gather_nd %x, %[[I]] {batch_dims = 0 : i64, in_range, nonnegative_indices}
func.func @coordinates(%x: tensor<3x2xf32>) -> tensor<2xf32> {
  %i = graph.constant dense<[[-1, 1], [0, -2]]> : tensor<2x2xi64>
  %y = graph.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<3x2xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: @declined_for_places_of_a_run
// CHECK: graph.gather %x, %i {axis = 0 : i64}
func.func @declined_for_places_of_a_run(%x: tensor<4x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf32> {
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}
