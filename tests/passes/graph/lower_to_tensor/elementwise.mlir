// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @function_of_floats(
// CHECK-NEXT: %y = tensor.compute [2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %0 = math.exp %x_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
// CHECK-NEXT: attributes {node = "exp1"}
func.func private @function_of_floats(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {kernel} {
  %y = graph.exp %x {node = "exp1"} : tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @power_of_what_is_never_above_zero(
// CHECK: tensor.exp_nonpositive %x_1 : f32
func.func private @power_of_what_is_never_above_zero(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {kernel} {
  %y = graph.exp %x {nonpositive} : tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @relu(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %1 = arith.maximumf %x_1, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 0.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: @operands_are_broadcast(
// CHECK-NEXT: %y = tensor.compute [2, 4, 3] epilogue(%a at #tensor.access<affine_map<(d0, d1, d2) -> (d0, 0, d2)>>, %b at #tensor.access<affine_map<(d0, d1, d2) -> (d1, 0)>>) apply {
// CHECK-NEXT: ^bb0(%a_1: f32, %b_1: f32):
// CHECK-NEXT: %0 = arith.addf %a_1, %b_1 : f32
// CHECK-NEXT: tensor.yield %0 : f32
func.func private @operands_are_broadcast(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>) -> tensor<2x4x3xf32> attributes {kernel} {
  %y = graph.add %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  func.return %y : tensor<2x4x3xf32>
}

// CHECK-LABEL: @sign_is_in_the_operation(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>>, %b at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%a_1: i8, %b_1: i8):
// CHECK-NEXT: %0 = arith.divui %a_1, %b_1 : i8
// CHECK-NEXT: tensor.yield %0 : i8
func.func private @sign_is_in_the_operation(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> attributes {kernel} {
  %y = graph.div %a, %b : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// CHECK-LABEL: @half_is_calculated_with_as_float(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f16):
// CHECK-NEXT: %0 = arith.extf %x_1 : f16 to f32
// CHECK-NEXT: %1 = math.sqrt %0 : f32
// CHECK-NEXT: %2 = arith.truncf %1 : f32 to f16
// CHECK-NEXT: tensor.yield %2 : f16
func.func private @half_is_calculated_with_as_float(%x: tensor<4xf16>) -> tensor<4xf16> attributes {kernel} {
  %y = graph.sqrt %x : tensor<4xf16>
  func.return %y : tensor<4xf16>
}

// CHECK-LABEL: @constant_goes_into_the_region(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %0 = arith.constant 2.500000e+00 : f32
// CHECK-NEXT: %1 = arith.mulf %x_1, %0 : f32
// CHECK-NEXT: tensor.yield %1 : f32
// CHECK: %z = tensor.compute [4] epilogue(%y at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%y_1: f32):
// CHECK-NEXT: %2 = arith.constant 2.500000e+00 : f32
// CHECK-NEXT: %3 = arith.mulf %2, %y_1 : f32
// CHECK-NEXT: tensor.yield %3 : f32
func.func private @constant_goes_into_the_region(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %c = graph.constant dense<2.5> : tensor<1xf32>
  %y = graph.mul %x, %c : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %z = graph.mul %c, %y : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// CHECK-LABEL: @returned_constant_is_computed(
// CHECK-NEXT: %c = tensor.compute [2] apply {
// CHECK-NEXT: %0 = arith.constant 7 : i32
// CHECK-NEXT: tensor.yield %0 : i32
func.func private @returned_constant_is_computed() -> tensor<2xi32> attributes {kernel} {
  %c = graph.constant dense<7> : tensor<2xi32>
  func.return %c : tensor<2xi32>
}

// CHECK-LABEL: @float_to_byte(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f16):
// CHECK-NEXT: %0 = arith.extf %x_1 : f16 to f32
// CHECK-NEXT: %1 = arith.fptoui %0 : f32 to i8
// CHECK-NEXT: tensor.yield %1 : i8
func.func private @float_to_byte(%x: tensor<4xf16>) -> tensor<4xui8> attributes {kernel} {
  %y = graph.cast %x : (tensor<4xf16>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// CHECK-LABEL: @half_to_bool_tests_bits(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%x_1: f16):
// CHECK-NEXT: %0 = arith.bitcast %x_1 : f16 to i16
// CHECK-NEXT: %1 = arith.constant 32767 : i16
// CHECK-NEXT: %2 = arith.andi %0, %1 : i16
// CHECK-NEXT: %3 = arith.constant 0 : i16
// CHECK-NEXT: %4 = arith.cmpi ne, %2, %3 : i16
// CHECK-NEXT: tensor.yield %4 : i1
func.func private @half_to_bool_tests_bits(%x: tensor<4xf16>) -> tensor<4xi1> attributes {kernel} {
  %y = graph.cast %x : (tensor<4xf16>) -> tensor<4xi1>
  func.return %y : tensor<4xi1>
}

// CHECK-LABEL: @remainder_with_the_sign_of_the_divisor(
// CHECK-NEXT: %y = tensor.compute [4] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>>, %b at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
// CHECK-NEXT: ^bb0(%a_1: i32, %b_1: i32):
// CHECK-NEXT: %0 = arith.remsi %a_1, %b_1 : i32
// CHECK-NEXT: %1 = arith.constant 0 : i32
// CHECK-NEXT: %2 = arith.cmpi ne, %0, %1 : i32
// CHECK-NEXT: %3 = arith.cmpi slt, %0, %1 : i32
// CHECK-NEXT: %4 = arith.cmpi slt, %b_1, %1 : i32
// CHECK-NEXT: %5 = arith.xori %3, %4 : i1
// CHECK-NEXT: %6 = arith.andi %2, %5 : i1
// CHECK-NEXT: %7 = arith.addi %0, %b_1 : i32
// CHECK-NEXT: %8 = arith.select %6, %7, %0 : i32
// CHECK-NEXT: tensor.yield %8 : i32
func.func private @remainder_with_the_sign_of_the_divisor(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> attributes {kernel} {
  %y = graph.mod %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @network_is_left_alone(
// CHECK-NEXT: %y = graph.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = graph.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
func.func @network_is_left_alone(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %y = graph.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = graph.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
  func.return %z : tensor<2x2xf32>
}

// CHECK-LABEL: @bits_of_floats(
// CHECK:        arith.bitcast {{.*}} : f32 to i32
// CHECK-NEXT:   tensor.yield {{.*}} : i32
func.func private @bits_of_floats(%x: tensor<4xf32>) -> tensor<4xui32> attributes {kernel} {
  %y = graph.bitcast %x : (tensor<4xf32>) -> tensor<4xui32>
  func.return %y : tensor<4xui32>
}
