// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @joined_dimensions_need_no_division(
// CHECK-NEXT: %y = tensor.compute [6, 4] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> ((d0 floordiv 3), (d0 mod 3), d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: tensor.yield %x_1 : f32
func.func private @joined_dimensions_need_no_division(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> attributes {kernel} {
  %y = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  func.return %y : tensor<6x4xf32>
}

// CHECK-LABEL: @transpose(
// CHECK-NEXT: %y = tensor.compute [4, 2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f16):
// CHECK-NEXT: tensor.yield %x_1 : f16
func.func private @transpose(%x: tensor<2x3x4xf16>) -> tensor<4x2x3xf16> attributes {kernel} {
  %y = graph.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf16>) -> tensor<4x2x3xf16>
  func.return %y : tensor<4x2x3xf16>
}

// CHECK-LABEL: @slice_backwards(
// CHECK-NEXT: %y = tensor.compute [3] epilogue(%x at #tensor.access<affine_map<(d0) -> (((d0 * -2) + 7))>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: tensor.yield %x_1 : f32
func.func private @slice_backwards(%x: tensor<8xf32>) -> tensor<3xf32> attributes {kernel} {
  %y = graph.slice %x {starts = array<i64: 7>, sizes = array<i64: 3>, strides = array<i64: -2>} : (tensor<8xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @tile(
// CHECK-NEXT: %y = tensor.compute [2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: tensor.yield %x_1 : f32
// CHECK: } : (tensor<3xf32>) -> tensor<6xf32>
func.func private @tile(%x: tensor<3xf32>) -> tensor<6xf32> attributes {kernel} {
  %y = graph.tile %x {repeats = array<i64: 2>} : (tensor<3xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}

// CHECK-LABEL: @concat_takes_the_input_that_is_in_bounds(
// CHECK-NEXT: %y = tensor.compute [9] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>, guarded>, %b at #tensor.access<affine_map<(d0) -> ((d0 + -2))>, guarded>, %c at #tensor.access<affine_map<(d0) -> ((d0 + -5))>, guarded>) apply {
// CHECK-NEXT: ^bb0(%a_1: f32, %b_1: f32, %c_1: f32):
// CHECK-NEXT: %0 = tensor.in_bounds %b_1 : f32
// CHECK-NEXT: %1 = arith.select %0, %b_1, %c_1 : f32
// CHECK-NEXT: %2 = tensor.in_bounds %a_1 : f32
// CHECK-NEXT: %3 = arith.select %2, %a_1, %1 : f32
// CHECK-NEXT: tensor.yield %3 : f32
func.func private @concat_takes_the_input_that_is_in_bounds(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>) -> tensor<9xf32> attributes {kernel} {
  %y = graph.concat %a, %b, %c {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<9xf32>
  func.return %y : tensor<9xf32>
}

// CHECK-LABEL: @constant_that_is_read_with_a_guard_becomes_a_tensor(
// CHECK-NEXT: %c = tensor.compute [1] apply {
// CHECK-NEXT: %0 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK: %y = tensor.compute [3] epilogue(%c at #tensor.access<affine_map<(d0) -> (d0)>, guarded>, %a at #tensor.access<affine_map<(d0) -> ((d0 + -1))>, guarded>) apply {
// CHECK-NEXT: ^bb0(%c_1: f32, %a_1: f32):
// CHECK-NEXT: %1 = tensor.in_bounds %c_1 : f32
// CHECK-NEXT: %2 = arith.select %1, %c_1, %a_1 : f32
// CHECK-NEXT: tensor.yield %2 : f32
func.func private @constant_that_is_read_with_a_guard_becomes_a_tensor(%a: tensor<2xf32>) -> tensor<3xf32> attributes {kernel} {
  %c = graph.constant dense<1.0> : tensor<1xf32>
  %y = graph.concat %c, %a {axis = 0 : i64} : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @pad_by_a_constant(
// CHECK-NEXT: %y = tensor.compute [7] epilogue(%x at #tensor.access<affine_map<(d0) -> ((d0 + -1))>, guarded>) apply {
// CHECK-NEXT: ^bb0(%x_1: i8):
// CHECK-NEXT: %0 = tensor.in_bounds %x_1 : i8
// CHECK-NEXT: %1 = arith.constant 5 : i8
// CHECK-NEXT: %2 = arith.select %0, %x_1, %1 : i8
// CHECK-NEXT: tensor.yield %2 : i8
func.func private @pad_by_a_constant(%x: tensor<4xi8>) -> tensor<7xi8> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 1>, high = array<i64: 2>, mode = "constant", value = 5 : i64} : (tensor<4xi8>) -> tensor<7xi8>
  func.return %y : tensor<7xi8>
}

// CHECK-LABEL: @mirror_images_are_accesses(
// CHECK-NEXT: %y = tensor.compute [2, 7] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, (d1 + -1))>, guarded>, %x at #tensor.access<affine_map<(d0, d1) -> (d0, ((d1 * -1) + 1))>, guarded>, %x at #tensor.access<affine_map<(d0, d1) -> (d0, ((d1 * -1) + 7))>, guarded>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32, %x_2: f32, %x_3: f32):
// CHECK-NEXT: %0 = tensor.in_bounds %x_2 : f32
// CHECK-NEXT: %1 = arith.select %0, %x_2, %x_3 : f32
// CHECK-NEXT: %2 = tensor.in_bounds %x_1 : f32
// CHECK-NEXT: %3 = arith.select %2, %x_1, %1 : f32
// CHECK-NEXT: tensor.yield %3 : f32
func.func private @mirror_images_are_accesses(%x: tensor<2x4xf32>) -> tensor<2x7xf32> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 0, 1>, high = array<i64: 0, 2>, mode = "reflect"} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  func.return %y : tensor<2x7xf32>
}

// CHECK-LABEL: @probes_tell_the_edges_apart(
// CHECK-NEXT: %y = tensor.compute [7] epilogue(%x at #tensor.access<affine_map<(d0) -> ((d0 + -1))>, guarded>, %x at #tensor.access<affine_map<(d0) -> ((d0 + -5))>, guarded>, %x at #tensor.access<affine_map<(d0) -> ((d0 + -1))>, guarded>, %x at #tensor.access<affine_map<(d0) -> (0)>>, %x at #tensor.access<affine_map<(d0) -> (3)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32, %x_2: f32, %x_3: f32, %x_4: f32, %x_5: f32):
// CHECK-NEXT: %0 = tensor.in_bounds %x_1 : f32
// CHECK-NEXT: %1 = tensor.in_bounds %x_2 : f32
// CHECK-NEXT: %2 = arith.select %1, %x_5, %x_4 : f32
// CHECK-NEXT: %3 = arith.select %0, %x_3, %2 : f32
// CHECK-NEXT: tensor.yield %3 : f32
func.func private @probes_tell_the_edges_apart(%x: tensor<4xf32>) -> tensor<7xf32> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 1>, high = array<i64: 2>, mode = "edge"} : (tensor<4xf32>) -> tensor<7xf32>
  func.return %y : tensor<7xf32>
}

// CHECK-LABEL: @pad_around_is_a_map(
// CHECK-NEXT: %y = tensor.compute [7] epilogue(%x at #tensor.access<affine_map<(d0) -> (((d0 + 3) mod 4))>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: tensor.yield %x_1 : f32
func.func private @pad_around_is_a_map(%x: tensor<4xf32>) -> tensor<7xf32> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 1>, high = array<i64: 2>, mode = "wrap"} : (tensor<4xf32>) -> tensor<7xf32>
  func.return %y : tensor<7xf32>
}

// CHECK-LABEL: @iota(
// CHECK-NEXT: %y = tensor.compute [2, 3] apply {
// CHECK-NEXT: %0 = tensor.index 1 : i64
// CHECK-NEXT: %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT: %2 = arith.sitofp %1 : i32 to f32
// CHECK-NEXT: tensor.yield %2 : f32
func.func private @iota() -> tensor<2x3xf32> attributes {kernel} {
  %y = graph.iota {axis = 1 : i64} : tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @wide_padding_calculates_the_place(
// CHECK-NEXT: %y = tensor.compute [9] tables(%x) apply {
// CHECK: tensor.extract %x_1[
func.func private @wide_padding_calculates_the_place(%x: tensor<2xf32>) -> tensor<9xf32> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 3>, high = array<i64: 4>, mode = "edge"} : (tensor<2xf32>) -> tensor<9xf32>
  func.return %y : tensor<9xf32>
}

// CHECK-LABEL: @many_axes_calculate_the_place(
// CHECK-NEXT: %y = tensor.compute [4, 4, 4] tables(%x) apply {
// CHECK: tensor.extract %x_1[
func.func private @many_axes_calculate_the_place(%x: tensor<2x2x2xf32>) -> tensor<4x4x4xf32> attributes {kernel} {
  %y = graph.pad %x {low = array<i64: 1, 1, 1>, high = array<i64: 1, 1, 1>, mode = "reflect"} : (tensor<2x2x2xf32>) -> tensor<4x4x4xf32>
  func.return %y : tensor<4x4x4xf32>
}
