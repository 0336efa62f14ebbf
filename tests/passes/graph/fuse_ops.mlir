// RUN: s2s-opt %s -p graph-fuse-ops --split-input-file --sample-weights | filecheck %s

// A layer and the elementwise operations behind it; weights are arguments, single numbers are inside.
// CHECK-LABEL: func.func private @conv_3x3_mul_relu(
// CHECK-SAME:      %x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xf32>, %bias: tensor<8xf32>) -> tensor<1x8x4x4xf32> attributes {kernel} {
// CHECK-NEXT:    %a = graph.conv %x, %w, %bias {node = "Conv_0",
// CHECK-NEXT:    %half = graph.constant dense<5.000000e-01>
// CHECK-NEXT:    %m = graph.mul %a, %half
// CHECK-NEXT:    %y = graph.clamp %m
// CHECK-NEXT:    func.return %y
// CHECK-LABEL: func.func @layer_with_epilogue
// CHECK-NEXT:    %w = graph.weight "w"
// CHECK-NEXT:    %b = graph.weight "b"
// CHECK-NEXT:    %y = graph.call @conv_3x3_mul_relu(%x, %w, %b) {node = "Conv_0, Mul_1, Relu_2"}
// CHECK-NEXT:    func.return %y
func.func @layer_with_epilogue(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<8xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %a = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, node = "Conv_0"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %m = graph.mul %a, %half {node = "Mul_1"} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
  %y = graph.clamp %m {min = 0.0 : f64, node = "Relu_2"} : tensor<1x8x4x4xf32>
  func.return %y : tensor<1x8x4x4xf32>
}

// -----

// The second layer of a residual block takes the addition; what feeds the other side is a kernel of its own.
// CHECK-LABEL: func.func private @conv_1x1(
// CHECK-LABEL: func.func private @conv_3x3_add_relu(
// CHECK-LABEL: func.func @residual
// CHECK:         %s = graph.call @conv_1x1(
// CHECK-NEXT:    %y = graph.call @conv_3x3_add_relu(%x, %w, %s)
func.func @residual(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %v = graph.weight "v" {hash = "1"} : tensor<8x8x1x1xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  %s = graph.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %t = graph.add %a, %s : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %y = graph.clamp %t {min = 0.0 : f64} : tensor<1x8x4x4xf32>
  func.return %y : tensor<1x8x4x4xf32>
}

// -----

// A value with users on two paths that meet again stays inside.
// CHECK-LABEL: func.func private @conv_3x3_sigmoid_mul(
// CHECK-LABEL: func.func @diamond
// CHECK-NEXT:    %w = graph.weight "w"
// CHECK-NEXT:    %y = graph.call @conv_3x3_sigmoid_mul(%x, %w)
// CHECK-NEXT:    func.return %y
func.func @diamond(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  %s = graph.sigmoid %a : tensor<1x8x4x4xf32>
  %y = graph.mul %a, %s : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  func.return %y : tensor<1x8x4x4xf32>
}

// -----

// Declined: the result of the layer is an output, so its relu is apart.
// CHECK-LABEL: func.func private @conv_3x3(
// CHECK-LABEL: func.func private @relu(
// CHECK-LABEL: func.func @output_in_the_middle
func.func @output_in_the_middle(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  %y = graph.clamp %a {min = 0.0 : f64} : tensor<1x8x4x4xf32>
  func.return %a, %y : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
}

// -----

// Declined: one layer does not feed another in a kernel, whatever stands between.
// CHECK-LABEL: func.func private @conv_3x3_relu(
// CHECK-LABEL: func.func private @conv_3x3(
// CHECK-LABEL: func.func @two_layers
func.func @two_layers(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  %b = graph.clamp %a {min = 0.0 : f64} : tensor<1x8x4x4xf32>
  %y = graph.conv %b, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  func.return %y : tensor<1x8x4x4xf32>
}

// -----

// Declined: an epilogue may not broadcast what the layer computes.
// CHECK-LABEL: func.func private @matmul(
// CHECK-LABEL: func.func private @add(
// CHECK-LABEL: func.func @broadcast_epilogue
func.func @broadcast_epilogue(%x: tensor<1x8xf32>, %w: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = graph.matmul %x, %w : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %y = graph.add %z, %a : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// -----

// A reduction takes what is computed elementwise before it, and nothing behind it.
// CHECK-LABEL: func.func private @sub_mul_reduce_mean(
// CHECK-LABEL: func.func private @sqrt_elements(
// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<4x8xf32>, %m: tensor<8xf32>) -> tensor<4xf32> {
  %a = graph.sub %x, %m : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %b = graph.mul %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = graph.reduce_mean %b {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %y = graph.sqrt %c : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// Chains of operations that move elements are one kernel, with what is computed before and after.
// CHECK-LABEL: func.func private @exp_transpose_slice_neg(
// CHECK-LABEL: func.func @moving
func.func @moving(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %a = graph.exp %x : tensor<4x8xf32>
  %b = graph.transpose %a {perm = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %c = graph.slice %b {starts = array<i64: 2, 0>, sizes = array<i64: 4, 4>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %y = graph.neg %c : tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// -----

// Producers go into a concatenation, unless they belong to a layer.
// CHECK-LABEL: func.func private @conv_3x3_relu(
// CHECK-LABEL: func.func private @abs_concat(%x: tensor<1x8x4x4xf32>, %x_1: tensor<1x8x4x4xf32>)
// CHECK-LABEL: func.func @concatenation
func.func @concatenation(%x: tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x8x3x3xf32>
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  %b = graph.clamp %a {min = 0.0 : f64} : tensor<1x8x4x4xf32>
  %c = graph.abs %x : tensor<1x8x4x4xf32>
  %y = graph.concat %b, %c {axis = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32>
  func.return %y : tensor<1x16x4x4xf32>
}

// -----

// Opaque operations stay alone.
// CHECK-LABEL: func.func private @exp_elements(
// CHECK-LABEL: func.func private @softmax(
// CHECK-LABEL: func.func private @log_elements(
// CHECK-LABEL: func.func @opaque
func.func @opaque(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = graph.exp %x : tensor<4x8xf32>
  %b = graph.softmax %a {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = graph.log %b : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

// Reshapes are other names for the same bytes: none at the border of a kernel, none alone.
// CHECK-LABEL: func.func private @relu(%x: tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK-LABEL: func.func private @matmul(%a: tensor<1x128xf32>, %b: tensor<128x2xf32>)
// CHECK-LABEL: func.func @reshapes
// CHECK-NEXT:    %w = graph.weight "fc"
// CHECK-NEXT:    %a = graph.reshape %x
// CHECK-NEXT:    %b = graph.call @relu(%a)
// CHECK-NEXT:    %c = graph.reshape %b
// CHECK-NEXT:    %d = graph.call @matmul(%c, %w)
// CHECK-NEXT:    %y = graph.reshape %d
// CHECK-NEXT:    func.return %y
func.func @reshapes(%x: tensor<1x8x4x4xf32>) -> tensor<2xf32> {
  %w = graph.weight "fc" {hash = "0"} : tensor<128x2xf32>
  %a = graph.reshape %x : (tensor<1x8x4x4xf32>) -> tensor<8x16xf32>
  %b = graph.clamp %a {min = 0.0 : f64} : tensor<8x16xf32>
  %c = graph.reshape %b : (tensor<8x16xf32>) -> tensor<1x128xf32>
  %d = graph.matmul %c, %w : (tensor<1x128xf32>, tensor<128x2xf32>) -> tensor<1x2xf32>
  %y = graph.reshape %d : (tensor<1x2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// A reshape between operations of one kernel stays with them.
// CHECK-LABEL: func.func private @exp_reshape_transpose(%x: tensor<2x8xf32>) -> tensor<4x4xf32>
// CHECK-LABEL: func.func @reshape_inside
func.func @reshape_inside(%x: tensor<2x8xf32>) -> tensor<4x4xf32> {
  %a = graph.exp %x : tensor<2x8xf32>
  %b = graph.reshape %a : (tensor<2x8xf32>) -> tensor<4x4xf32>
  %y = graph.transpose %b {perm = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// -----

// Constants of several numbers become weights; one number that a layer reads does too.
// CHECK-LABEL: func.func @constants
// CHECK-DAG:     %c = graph.weight "c"
// CHECK-DAG:     %k = graph.weight "k"
// CHECK:         graph.call @conv_1x1_add(%x, %k, %c)
func.func @constants(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %k = graph.constant dense<2.0> : tensor<1x1x1x1xf32>
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = graph.conv %x, %k {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %y = graph.add %a, %c : (tensor<1x1x2x2xf32>, tensor<2xf32>) -> tensor<1x1x2x2xf32>
  func.return %y : tensor<1x1x2x2xf32>
}

// CHECK-LABEL: func.func @a_widening_goes_to_its_reduction
// CHECK:         %[[a:.*]] = graph.call @matmul{{.*}}(%x, {{.*}}) : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi8>
// CHECK-NEXT:    %y = graph.call @neg_reduce_sum(%[[a]]) : (tensor<4x8xi8>) -> tensor<4xi32>
func.func @a_widening_goes_to_its_reduction(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> tensor<4xi32> {
  %p = graph.matmul %x, %w : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %a = graph.cast %p : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %c = graph.cast %a : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %n = graph.neg %c : tensor<4x8xi32>
  %y = graph.reduce_sum %n {axes = array<i64: 1>} : (tensor<4x8xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: func.func @a_widening_goes_to_the_sum_of_two_branches
// CHECK:         %[[c:.*]] = graph.call @matmul{{.*}}(%z, %w) : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi8>
// CHECK-NEXT:    %y = graph.call @{{.*}}_add(%{{.*}}) : (tensor<4x8xi8>, tensor<8x8xi8>, tensor<4x8xi8>) -> tensor<4x8xf32>
func.func @a_widening_goes_to_the_sum_of_two_branches(%x: tensor<4x8xi8>, %z: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> tensor<4x8xf32> {
  %p = graph.matmul %x, %w : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %a = graph.cast %p : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %b = graph.cast %a : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %q = graph.matmul %z, %w : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %c = graph.cast %q : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %d = graph.cast %c : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %y = graph.add %b, %d : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @a_widening_with_two_readers_stays
// CHECK:         graph.call @matmul_cast(%x, %w) : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xf32>
func.func @a_widening_with_two_readers_stays(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> (tensor<4xf32>, tensor<8xf32>) {
  %p = graph.matmul %x, %w : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %a = graph.cast %p : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %b = graph.cast %a : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %y = graph.reduce_sum %b {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %z = graph.reduce_sum %b {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  func.return %y, %z : tensor<4xf32>, tensor<8xf32>
}

// -----

// A constant that fills the base of a scatter is inside, and an argument where the indices are that constant too.
// CHECK-LABEL: func.func private @scatter_elements(
// CHECK-SAME:      %x: tensor<1xi32>, %x_1: tensor<1xi32>) -> tensor<1xi32> attributes {kernel} {
// CHECK-NEXT:    %zero = graph.constant dense<0>
// CHECK-NEXT:    %y = graph.scatter_elements %zero, %x, %x_1
func.func @one_constant_as_base_and_indices(%u: tensor<1xi32>) -> tensor<1xi32> {
  %zero = graph.constant dense<0> : tensor<1xi32>
  %y = graph.scatter_elements %zero, %zero, %u {axis = 0 : i64, reduction = "none"} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  func.return %y : tensor<1xi32>
}

// -----

// The steps of a composed function name the kernel together.
// CHECK-LABEL: func.func private @matmul_gelu(
// CHECK-LABEL: func.func @composed
func.func @composed(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %m = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %h = graph.mul %m, %half {part_of = "gelu"} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %e = graph.erf %m {part_of = "gelu"} : tensor<4x6xf32>
  %g = graph.mul %h, %e {part_of = "gelu"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %g : tensor<4x6xf32>
}

// -----

// Steps of one function are called by its name, not by a list of theirs.
// CHECK-LABEL: func.func private @softmax(
// CHECK-LABEL: func.func @steps_of_one_function
func.func @steps_of_one_function(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = graph.exp %a {part_of = "softmax_powers"} : tensor<4x8xf32>
  %s = graph.reciprocal %p {part_of = "softmax_shares"} : tensor<4x8xf32>
  func.return %s : tensor<4x8xf32>
}

// -----

// Steps of one operator of integers are one kernel; steps of another node are another one.
// CHECK-LABEL: func.func private @softmax(
// CHECK:         graph.reduce_max
// CHECK:         graph.reduce_sum
// CHECK:         graph.mul
// CHECK-LABEL: func.func private @softmax_2(
// CHECK-LABEL: func.func @steps_of_an_operator_of_integers
func.func @steps_of_an_operator_of_integers(%a: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %m = graph.reduce_max %a {axes = array<i64: 1>, keepdims, part_of = "softmax_largest", node = "first"} : (tensor<4x8xi32>) -> tensor<4x1xi32>
  %p = graph.sub %m, %a {part_of = "softmax_powers", node = "first"} : (tensor<4x1xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %t = graph.reduce_sum %p {axes = array<i64: 1>, keepdims, part_of = "softmax_total", node = "first"} : (tensor<4x8xi32>) -> tensor<4x1xi32>
  %s = graph.mul %p, %t {part_of = "softmax_shares", node = "first"} : (tensor<4x8xi32>, tensor<4x1xi32>) -> tensor<4x8xi32>
  %n = graph.reduce_max %s {axes = array<i64: 1>, keepdims, part_of = "softmax_largest", node = "second"} : (tensor<4x8xi32>) -> tensor<4x1xi32>
  %q = graph.sub %n, %s {part_of = "softmax_powers", node = "second"} : (tensor<4x1xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  func.return %q : tensor<4x8xi32>
}

// -----

// A step that others read, and steps of floats, stay apart.
// CHECK-LABEL: func.func @steps_that_others_read
// CHECK:         graph.call @softmax_largest(
// CHECK:         graph.call @softmax_powers(
// CHECK-LABEL: func.func @steps_of_floats
// CHECK:         graph.call @softmax_largest_2(
// CHECK:         graph.call @softmax_powers_2(
func.func @steps_that_others_read(%a: tensor<4x8xi32>) -> (tensor<4x1xi32>, tensor<4x8xi32>) {
  %m = graph.reduce_max %a {axes = array<i64: 1>, keepdims, part_of = "softmax_largest", node = "first"} : (tensor<4x8xi32>) -> tensor<4x1xi32>
  %p = graph.sub %m, %a {part_of = "softmax_powers", node = "first"} : (tensor<4x1xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  func.return %m, %p : tensor<4x1xi32>, tensor<4x8xi32>
}
func.func @steps_of_floats(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = graph.reduce_max %a {axes = array<i64: 1>, keepdims, part_of = "softmax_largest", node = "first"} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %p = graph.sub %m, %a {part_of = "softmax_powers", node = "first"} : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %p : tensor<4x8xf32>
}
