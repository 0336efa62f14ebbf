// RUN: s2s-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [0] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<0xf32>
// CHECK: tensor.compute: domain [0] has an empty dimension

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [2, 2] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<2x2xf32>
// CHECK: tensor.compute: (d0) -> (d0) does not index tensor<4xf32> from 2 dimensions

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0, 0)>>) apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.compute: (d0) -> (d0, 0) does not index tensor<4xf32> from 1 dimensions

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<2xf32>
// CHECK: tensor.compute: result tensor<2xf32> does not hold the parallel domain [4]

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: i32):
  tensor.yield %v : i32
} : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: tensor.compute apply: takes ['i32'], expected ['f32']

// -----

%x = "test.op"() : () -> tensor<4xui8>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: i8):
  %w = arith.extui %v : i8 to i32
  tensor.yield %w : i32
} : (tensor<4xui8>) -> tensor<4xui8>
// CHECK: tensor.compute apply: yields ['i32'], expected ['i8']

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  "test.termop"(%v) : (f32) -> ()
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.compute apply: does not end in tensor.yield

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0:
  %zero = arith.constant 0.0 : f32
  tensor.yield %zero : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.compute: reads without a reduction

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [ | 4] apply {
^bb0:
  %zero = arith.constant 0.0 : f32
  tensor.yield %zero : f32
} : () -> tensor<f32>
// CHECK: tensor.compute: reduction dimensions, inits and a reduce region come together

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [ | 4] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v, %acc : f32, f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<4xf32>) -> tensor<f32>
// CHECK: tensor.compute reduce: yields ['f32', 'f32'], expected ['f32']

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [ | 4] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits ["zero"] reduce {
^bb0(%v: f32, %acc: f32):
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<4xf32>) -> tensor<f32>
// CHECK: tensor.compute: "zero" is not a number

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = "tensor.compute"(%x) <{domain = array<i64: 4>, parallel = 1, accesses = [], inits = [], operandSegmentSizes = array<i32: 0, 1, 0>}> ({
^bb0(%v: f32):
  tensor.yield %v : f32
}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.compute: 0 accesses for 0 reads and 1 operands of the epilogue

// -----

%y = "tensor.compute"() <{domain = array<i64: 4>, parallel = 2, accesses = [], inits = [], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
^bb0:
  %zero = arith.constant 0.0 : f32
  tensor.yield %zero : f32
}) : () -> tensor<4xf32>
// CHECK: tensor.compute: 2 parallel dimensions of the domain [4]

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  %i = tensor.index 1
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.index: dimension 1 of 1

// -----

%x = "test.op"() : () -> tensor<4x4xf32>
%y = tensor.compute [4 | 4] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0.0 : f32] reduce {
^bb0(%v: f32, %acc: f32):
  %i = tensor.index 1
  tensor.yield %v : f32
} apply {
^bb0(%acc: f32):
  %j = tensor.index 1
  tensor.yield %acc : f32
} : (tensor<4x4xf32>) -> tensor<4xf32>
// CHECK: %j = "tensor.index"
// CHECK: tensor.index: dimension 1 of 1

// -----

%i = tensor.index 0
// CHECK: tensor.index: is outside of a tensor.compute

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
^bb0(%v: f32):
  %i = tensor.in_bounds %v : f32
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.in_bounds: %v is not read by a guarded access

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>, guarded>) apply {
^bb0(%v: f32):
  %w = arith.negf %v : f32
  %i = tensor.in_bounds %w : f32
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.in_bounds: %w is not read by a guarded access

// -----

%x = "test.op"() : () -> tensor<4x4xf32>
%y = tensor.compute [4] tables(%x) apply {
^bb0(%t: tensor<4x4xf32>):
  %i = tensor.index 0
  %v = tensor.extract %t[%i] : tensor<4x4xf32> -> f32
  tensor.yield %v : f32
} : (tensor<4x4xf32>) -> tensor<4xf32>
// CHECK: tensor.extract: 1 indices into tensor<4x4xf32>

// -----

%x = "test.op"() : () -> tensor<4xui8>
%y = tensor.compute [4] tables(%x) apply {
^bb0(%t: tensor<4xui8>):
  %i = tensor.index 0
  %v = tensor.extract %t[%i] : tensor<4xui8> -> i32
  tensor.yield %v : i32
} : (tensor<4xui8>) -> tensor<4xi32>
// CHECK: tensor.extract: i32 is no element of tensor<4xui8>

// -----

"test.op"() {access = #tensor.access<affine_map<(d0) -> (d0)>, guarded, divisors [2, 2]>} : () -> ()
// CHECK: tensor.access: 1 map results, 2 divisors

// -----

"test.op"() {access = #tensor.access<affine_map<(d0) -> (d0)>, guarded, divisors [0]>} : () -> ()
// CHECK: tensor.access: divisors [0] are not all positive

// -----

"test.op"() {access = #tensor.access<affine_map<(d0) -> (d0)>, divisors [2]>} : () -> ()
// CHECK: tensor.access: a division may leave a rest, so the access must be guarded

// -----

%x, %m, %s = "test.op"() : () -> (i32, i32, i8)
%y = tensor.rescale %x, %m, %s "triple" : i32
// CHECK: tensor.rescale: rounding is "triple", not double, single, reduced, high, negative, upward

// -----

%x, %m, %s = "test.op"() : () -> (i32, i32, i8)
%y = tensor.rescale %x, %m, %s "reduced" : i32
// CHECK: tensor.rescale: rounding reduced takes i64, not i32

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 0] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: domain [2, 0] has an empty dimension

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<4xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: tensor<4xf32> is no matrix of f32

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k) -> (k, t, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: (d0, d1, d2) -> (d2, d0, d1) does not index tensor<2x4x4xf32> from 4 dimensions

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>, guarded, divisors [1, 2, 1]>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: the access {{.*}} divides

// -----

%x, %b = "test.op"() : () -> (tensor<2x4x4xf32>, tensor<4xf32>)
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) epilogue(%b at #tensor.access<affine_map<(t, c, i, j) -> (c)>, guarded>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32, %bv: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>, tensor<4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: operands of the epilogue are read where the result is written, without a guard

// -----

%x = "test.op"() : () -> tensor<2x4x4xi32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xi32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: transforms tensor<2x4x4xi32> to tensor<2x4x4xf32>, neither f32 to f32 nor integers to integers

// -----

%x = "test.op"() : () -> tensor<2x4x4xi8>
%y = tensor.transform [2, 4] left dense<0.5> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: i32):
  tensor.yield %acc : i32
} : (tensor<2x4x4xi8>) -> tensor<2x4x4xi32>
// CHECK: tensor.transform: 0.5 in a matrix of integers

// -----

%x = "test.op"() : () -> tensor<2x4x4xi8>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> divisor -4 apply {
^bb0(%acc: i32):
  tensor.yield %acc : i32
} : (tensor<2x4x4xi8>) -> tensor<2x4x4xi32>
// CHECK: tensor.transform: divides by -4, which is not positive

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> divisor 4 apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: divides numbers of f32; a divisor is for integers

// -----

%x = "test.op"() : () -> tensor<2x4x4xi8>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>>
  schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, reorder<[1, 0]>]> apply {
^bb0(%acc: i16):
  tensor.yield %acc : i16
} : (tensor<2x4x4xi8>) -> tensor<2x4x4xi16>
// CHECK: tensor.transform: vectorize 1 by 4; vectors have 2 lanes

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> offset 128 apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
// CHECK: tensor.transform: adds 128 to numbers of f32; an offset is for integers

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 3 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x5x4xf32>
// CHECK: tensor.transform: {{.*}} does not count through an axis of tensor<2x5x4xf32>

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x3x4xf32>
// CHECK: tensor.transform: {{.*}} takes 4 values, an axis of tensor<2x3x4xf32> 3

// -----

%x = "test.op"() : () -> tensor<2x4x4xf32>
%y = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
  read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>) into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j)>> apply {
^bb0(%acc: f32):
  tensor.yield %acc : f32
} : (tensor<2x4x4xf32>) -> tensor<2x4xf32>
// CHECK: tensor.transform: dimensions [1] write the same elements again

// -----

%x, %i, %u = "test.op"() : () -> (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>)
%y = tensor.scatter [3, 5] base(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) axes [0] parts(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) epilogue(%u at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) place {
^bb0(%iv: i32):
  %at = arith.index_cast %iv : i32 to index
  tensor.yield %at : index
} apply {
^bb0(%old: f32, %uv: f32):
  tensor.yield %uv : f32
} : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
// CHECK: tensor.scatter: (d0, d1) -> (d0, d1) moves along an axis that has a computed index

// -----

%x, %i, %u = "test.op"() : () -> (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>)
%y = tensor.scatter [3, 5] base(%x at #tensor.access<affine_map<(d0, d1) -> (0, d1)>>) axes [0] parts(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) epilogue(%u at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) place {
^bb0(%iv: i32):
  tensor.yield %iv : i32
} apply {
^bb0(%old: f32, %uv: f32):
  tensor.yield %uv : f32
} : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
// CHECK: tensor.scatter place: yields ['i32'], expected ['index']

// -----

%x, %i, %u = "test.op"() : () -> (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>)
%y = tensor.scatter [3, 5] base(%x at #tensor.access<affine_map<(d0, d1) -> (0, d1)>>) axes [0, 0] parts(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) epilogue(%u at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) place {
^bb0(%iv: i32):
  %at = arith.index_cast %iv : i32 to index
  tensor.yield %at, %at : index, index
} apply {
^bb0(%old: f32, %uv: f32):
  tensor.yield %uv : f32
} : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
// CHECK: tensor.scatter: [0, 0] are not different axes of tensor<4x5xf32>

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.extern "largest_f32"(%x) {numbers = array<i64: 1, 4, 2>, scratch = [tensor<2x2xui32>]} : (tensor<4xf32>) -> tensor<2xi32>
// CHECK: tensor.extern: scratch tensor<2x2xui32> is not a row of elements

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) extents ["n", ""] apply {
^bb0(%v: f32):
  tensor.yield %v : f32
} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tensor.compute: 2 extents of the domain [4]

// -----

%a = "test.op"() : () -> f32
%y = tensor.tree %a {features = array<i64: 0, 0>, comparisons = array<i64: 0, 0>, splits = array<f64: 0.5, 0.0>, yes = array<i64: 1, 0>, no = array<i64: 1, 0>, missing = array<i64: 0, 0>, values = array<f64: 0.0, 1.0>} : (f32) -> f32
// CHECK: tensor.tree: its trees are over 512 levels deep, or run in circles

// -----

%a = "test.op"() : () -> f32
%y = tensor.tree %a {features = array<i64: 1, 0>, comparisons = array<i64: 0, 0>, splits = array<f64: 0.5, 0.0>, yes = array<i64: 1, 1>, no = array<i64: 1, 1>, missing = array<i64: 0, 0>, values = array<f64: 0.0, 1.0>} : (f32) -> f32
// CHECK: tensor.tree: a feature is beyond its 1 operands

// -----

%x = "test.op"() : () -> f32
%y = tensor.quantize %x {zero_point = 128 : i32} : i8
// CHECK: tensor.quantize: zero point 128 is outside of i8

// -----

%x = "test.op"() : () -> f32
%y = tensor.quantize %x {zero_point = 0 : i32} : i32
// CHECK: tensor.quantize: the result is i32, neither i8 nor i16

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 0>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index, 1 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: loops [0] with 1 calls

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: loops [4] with 0 calls

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64: 1>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index, 1 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: [1] are no loops of [4]

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64: 0>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index, 1 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: starts or first belong to a reduction outside of the blocks

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4 + 1)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index, 1 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: blocks of 4 from 1 to 13 leave a dimension of 16 of tensor<16xf32>

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4, 1>, array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index, 1 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: (d0) -> ((d0 * 4)) with blocks [4, 1] does not fit tensor<16xf32>

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>, #tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>, array<i64: 4>], steps = [#tensor.block_call<"f", [2 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: f takes block [2]

// -----

%x = "test.op"() : () -> tensor<16xf32>
%y = tensor.call_blocks (%x) {domain = array<i64: 4>, reduced = array<i64>, accesses = [#tensor.access<affine_map<(i) -> (i * 4)>>], blocks = [array<i64: 4>], steps = [#tensor.block_call<"f", [0 : index]>], header = "h"} : (tensor<16xf32>) -> tensor<16xf32>
// CHECK: tensor.call_blocks: 2 tensors, expected an access and a block for each
