// RUN: s2s-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

%n = "test.op"() : () -> index
loop.for %i = 0 to min affine_map<(d0, d1) -> (d0)>(%n) {
}
// CHECK: loop.for upper bound: map takes 2 dimensions, 1 operands given

// -----

%n = "test.op"() : () -> index
loop.for %i = max affine_map<(d0, d1) -> (d1)>(%n) to min affine_map<(d0) -> (d0)>(%n) {
}
// CHECK: loop.for lower bound: map takes 2 dimensions, 1 operands given

// -----

%n, %m = "test.op"() : () -> (index, index)
loop.for %i = max affine_map<(d0) -> (d0)>(%n) to min affine_map<(d0) -> (d0)>(%m) {
}
// CHECK: both bounds take the same indices

// -----

loop.for %i = 0 to 8 step 0 {
}
// CHECK: loop.for: step 0 is not positive

// -----

%n = "test.op"() : () -> index
loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) down {
}
// CHECK: loop.for: a loop that counts down has constant bounds and carries no values

// -----

%zero = arith.constant 0.0 : f32
%sum = loop.for %i = 0 to 8 parallel iter_args(%acc = %zero) -> (f32) {
  loop.yield %acc : f32
}
// CHECK: loop.for: a parallel loop begins at a constant, ends at constants or sizes of the run, and has no direction and no carried values

// -----

"loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> (8)>, step = 1 : index, kind = "vector", operandSegmentSizes = array<i32: 0, 0>}> ({
^bb0(%i: index):
  loop.yield
}) : () -> ()
// CHECK: loop.for: kind 'vector' is none of serial, parallel

// -----

"loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> (8)>, step = 1 : index, kind = "serial", operandSegmentSizes = array<i32: 0, 0>}> ({
^bb0(%i: i32):
  loop.yield
}) : () -> ()
// CHECK: loop.for: body takes (i32), index and initial values are (index)

// -----

%x = "test.op"() : () -> f32
%y = loop.for %i = 0 to 8 iter_args(%a = %x) -> (f32) {
  loop.yield %i : index
}
// CHECK: loop.for: body yields (index), results are (f32)

// -----

%x = "test.op"() : () -> f32
%y = loop.for %i = 0 to 8 iter_args(%a = %x) -> (f32) {
  "test.termop"() : () -> ()
}
// CHECK: 'loop.for' terminates with operation test.termop instead of loop.yield

// -----

%n = "test.op"() : () -> index
loop.if affine_set<(d0) : (d0 >= 0)>(%n) {
  "test.termop"() : () -> ()
}
// CHECK: loop.if: body does not end in loop.yield

// -----

%n = "test.op"() : () -> index
loop.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%n) {
  loop.yield
}
// CHECK: loop.if: set takes 2 dimensions, 1 operands given

// -----

%n, %x = "test.op"() : () -> (index, f32)
%y = loop.if affine_set<(d0) : (d0 >= 0)>(%n) -> f32 {
  loop.yield %x : f32
}
// CHECK: loop.if: a result needs both regions

// -----

%n, %x = "test.op"() : () -> (index, f32)
%y = loop.if affine_set<(d0) : (d0 >= 0)>(%n) -> f32 {
  loop.yield %x : f32
} else {
  loop.yield %n : index
}
// CHECK: loop.if: body yields (index), results are (f32)

// -----

%n = "test.op"() : () -> index
%i = loop.apply affine_map<(d0) -> (d0, d0)>(%n)
// CHECK: loop.apply: map gives 2 results, 1 expected

// -----

%x, %n = "test.op"() : () -> (memref<8xf32>, index)
%v = loop.load %x[affine_map<() -> (0)>(%n)] : memref<8xf32> -> f32
// CHECK: loop.load: map takes 0 dimensions, 1 operands given

// -----

%x = "test.op"() : () -> memref<8x8xf32>
%v = loop.load %x[affine_map<() -> (0)>()] : memref<8x8xf32> -> f32
// CHECK: loop.load: buffer memref<8x8xf32> is not a flat memref

// -----

%x = "test.op"() : () -> memref<8xui8>
%v = loop.load %x[affine_map<() -> (0)>()] : memref<8xui8> -> ui8
// CHECK: loop.load: value is ui8, elements of the buffer are ui8

// -----

%x = "test.op"() : () -> memref<8xf32>
%v = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> vector<4xf16>
// CHECK: loop.load: value is vector<4xf16>, elements of the buffer are f32

// -----

%x = "test.op"() : () -> memref<8xf32>
%v = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> vector<2x4xf32>
// CHECK: loop.load: value is vector<2x4xf32>, elements of the buffer are f32

// -----

%x = "test.op"() : () -> memref<8xf32>
%v = loop.load %x[affine_map<() -> (0)>()] {stride = 2 : i64} : memref<8xf32> -> f32
// CHECK: loop.load: stride and lanes belong to vectors, value is f32

// -----

%x = "test.op"() : () -> memref<8xf32>
%v = loop.load %x[affine_map<() -> (0)>()] {lanes = 4 : i64} : memref<8xf32> -> vector<4xf32>
// CHECK: loop.load: 4 lanes of vector<4xf32>

// -----

%x, %v = "test.op"() : () -> (memref<8xf32>, vector<4xf32>)
loop.store %v, %x[affine_map<() -> (0)>()] {lanes = 0 : i64} : vector<4xf32>, memref<8xf32>
// CHECK: loop.store: 0 lanes of vector<4xf32>

// -----

%x, %v = "test.op"() : () -> (memref<8xf32>, i32)
loop.store %v, %x[affine_map<() -> (0)>()] : i32, memref<8xf32>
// CHECK: loop.store: value is i32, elements of the buffer are f32

// -----

%x, %n = "test.op"() : () -> (memref<8xf32>, index)
%v = loop.load_at %x[%n] : memref<8xf32> -> vector<4xf32>
// CHECK: loop.load_at: value is vector<4xf32>, a computed index gives one element

// -----

%x, %n, %v = "test.op"() : () -> (memref<8xf32>, index, f16)
loop.store_at %v, %x[%n] : f16, memref<8xf32>
// CHECK: loop.store_at: value is f16, elements of the buffer are f32

// -----

%x = "test.op"() : () -> memref<8xf32>
%y = loop.advance %x {by = 4 : i64} : memref<8xf32> -> memref<4xf32>
// CHECK: loop.advance: memref<4xf32> moves by 4 in memory with 4 elements more

// -----

%x = "test.op"() : () -> memref<8xf32>
%y = loop.advance %x {by = 2 : i64} : memref<8xf32> -> memref<4xf32>
// CHECK: loop.advance: a position belongs to memory with slack, and it has 4

// -----

%x, %p = "test.op"() : () -> (memref<7xf32>, memref<1xi32>)
%y = "loop.advance"(%x, %p) {by = 2 : i64} : (memref<7xf32>, memref<1xi32>) -> memref<4xf32>
// CHECK: loop.advance: memref<4xf32> moves by 2 in memory with 3 elements more

// -----

%x = "test.op"() : () -> memref<8xi32>
%y = loop.advance %x {by = 2 : i64} : memref<8xi32> -> memref<4xf32>
// CHECK: loop.advance: a window memref<4xf32> of memory memref<8xi32>

// -----

%x, %p = "test.op"() : () -> (memref<8xf32>, memref<2xi32>)
%y = loop.advance %x at %p : memref<2xi32> {by = 2 : i64} : memref<8xf32> -> memref<4xf32>
// CHECK: loop.advance: the position is memref<2xi32>, expected memref<1xi32>

// -----

%x = "test.op"() : () -> memref<8xi32>
%y = loop.view %x[0] : memref<8xi32> -> memref<4xf32>
// CHECK: loop.view: arena memref<8xi32> consists of neither bytes nor f32

// -----

%x = "test.op"() : () -> memref<8xf32>
loop.poison %x : memref<8xf32>
// CHECK: loop.poison: memref<8xf32> does not consist of bytes

// -----

%x = "test.op"() : () -> memref<8xi32>
%n = "test.op"() : () -> index
%y = loop.shift %x[affine_map<(d0) -> (d0)>(%n)] : memref<8xi32> -> memref<9xi32>
// CHECK: loop.shift: memref<9xi32> is no part of memref<8xi32>

// -----

%x = "test.op"() : () -> memref<64xi8>
%y = loop.view %x[52] : memref<64xi8> -> memref<4xf32>
// CHECK: loop.view: bytes 52 to 68 of memref<64xi8> cannot be a memref<4xf32>

// -----

%x = "test.op"() : () -> memref<64xi8>
%y = loop.view %x[6] : memref<64xi8> -> memref<4xf32>
// CHECK: loop.view: bytes 6 to 22 of memref<64xi8> cannot be a memref<4xf32>

// -----

%x = loop.alloc : memref<2x2xf32>
// CHECK: loop.alloc: buffer memref<2x2xf32> is not a flat memref

// -----

%x = loop.weight "w" {hash = ""} : memref<2x2xf32>
// CHECK: loop.weight: buffer memref<2x2xf32> is not a flat memref

// -----

%s = "test.op"() : () -> f32
%v = loop.broadcast %s : f32 -> vector<4xf16>
// CHECK: loop.broadcast: lanes of vector<4xf16> cannot hold f32

// -----

%v = "test.op"() : () -> vector<4xf32>
%s = loop.reduce "xor" %v : vector<4xf32> -> f32
// CHECK: loop.reduce: kind 'xor' is none of add, mul, max, min

// -----

%v = "test.op"() : () -> vector<4xf32>
%s = loop.reduce "add" %v : vector<4xf32> -> f16
// CHECK: loop.reduce: f16 is no lane of vector<4xf32>

// -----

%y = "test.op"() : () -> memref<6xf32>
loop.call_for @body (%y) {steps = 3 : i64, starts = array<i64: 2>, strides = array<i64: 2>} : (memref<6xf32>)
// CHECK: loop.call_for: slices from 2 to 6 leave memref<6xf32>

// -----

%y = "test.op"() : () -> memref<6xf32>
loop.call_for @body (%y) {steps = 2 : i64, starts = array<i64: 4>, strides = array<i64: -2>, size = "n"} : (memref<6xf32>)
// CHECK: loop.call_for: the last of n steps is at 2, expected 0

// -----

%y = "test.op"() : () -> memref<6xf32>
loop.call_for @body (%y) {steps = 0 : i64, starts = array<i64: 2>, strides = array<i64: 2>} : (memref<6xf32>)
// CHECK: loop.call_for: runs 0 steps, expected at least one

// -----

%y = "test.op"() : () -> memref<6xf32>
loop.call_for @body (%y) {steps = 1 : i64, starts = array<i64: 2, 0>, strides = array<i64: 2>} : (memref<6xf32>)
// CHECK: loop.call_for: 2 starts, 1 strides, 1 buffers

// -----

%y, %c = "test.op"() : () -> (memref<6xf32>, memref<2xi1>)
loop.call_if %c then @a else @b (%y) : memref<2xi1> (memref<6xf32>)
// CHECK: loop.call_if: the condition is memref<2xi1>, expected one bool

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0, 1)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64} : memref<6xi8>, memref<6xi16>
// CHECK: loop.cache_read: map gives 3 results, 2 or 4 expected

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi32>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64} : memref<6xi8>, memref<6xi32>
// CHECK: loop.cache_read: buffer memref<6xi32> is not a flat memref of i16

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi8>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 2 : i64, stride = 1 : i64, offset = 3 : i64} : memref<6xi8>, memref<6xi8>
// CHECK: loop.cache_read: offset 3 on a copy of bytes

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi8>)
loop.cache_read %x, %y[affine_map<() -> (0, 0, 1, 2)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64, fill = 128 : i64} : memref<6xi8>, memref<6xi8>
// CHECK: loop.cache_read: fill 128 is no element of memref<6xi8>

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0, 1, 2)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64, fill = 5 : i64} : memref<6xi8>, memref<6xi16>
// CHECK: loop.cache_read: fill 5 is no element of memref<6xi16>

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 2 : i64, stride = 1 : i64, offset = 32767 : i64} : memref<6xi8>, memref<6xi16>
// CHECK: loop.cache_read: offset 32767 leaves 16 bits

// -----

%v = "test.op"() : () -> vector<4xi8>
%w = loop.extend %v {part = 0 : i64, offset = 0 : i64} : vector<4xi8> -> vector<2xi16>
// CHECK: loop.extend: vector<4xi8> does not extend to vector<2xi16>

// -----

%v = "test.op"() : () -> vector<4xi8>
%w = loop.extend %v {part = 1 : i64, offset = 0 : i64} : vector<4xi8> -> vector<4xi16>
// CHECK: loop.extend: vector<4xi8> has no part 1

// -----

%acc, %a, %b = "test.op"() : () -> (i32, vector<4xi16>, vector<2xi16>)
%s = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %a, %b) : i32, vector<4xi16>, vector<2xi16> -> i32
// CHECK: loop.intrinsic: vector<2xi16> where smlad wants vector<4xi16>

// -----

%x = "test.op"() : () -> memref<4xi8>
loop.callback "blur" sets() from(%x) : (), (memref<4xi8>)
// CHECK: blur sets nothing, expected at least one output

// -----

%x = "test.op"() : () -> memref<4xi8>
loop.block_call "f"(%x) [affine_map<() -> (0)>()] {arguments = [0 : index], extents = [], header = "h"} : memref<4xi8>
// CHECK: f takes 1 blocks, expected extents for each

// -----

%x = "test.op"() : () -> memref<4xi8>
loop.block_call "f"(%x) [affine_map<() -> (0, 1)>()] {arguments = [0 : index], extents = [array<i64: 4, 1>], header = "h"} : memref<4xi8>
// CHECK: loop.block_call: map gives 2 results, 1 expected

// -----

%x, %w = "test.op"() : () -> (memref<16xi8>, memref<64xi8>)
%s = loop.intrinsic_rows <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%x, %w[affine_map<() -> (0, 0)>()]) {steps = 12 : i64} : memref<16xi8>, memref<64xi8> -> vector<4xi32>
// CHECK: loop.intrinsic_rows: 12 steps are no groups of 8

// -----

%x, %w = "test.op"() : () -> (memref<24xi8>, memref<64xi8>)
%s = loop.intrinsic_rows <"mve-halves", dot_half_rows(i8, u8) by 16, "s2s_i32x{lanes}_dot_halves_by_16" in "s2s_half_rows.h">(%x, %w[affine_map<() -> (0, 0)>()]) {steps = 24 : i64} : memref<24xi8>, memref<64xi8> -> vector<4xi32>
// CHECK: loop.intrinsic_rows: 24 steps are no groups of 16 bytes

// -----

%x, %w = "test.op"() : () -> (memref<16xi8>, memref<64xi16>)
%s = loop.intrinsic_rows <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%x, %w[affine_map<() -> (0, 0)>()]) {steps = 16 : i64} : memref<16xi8>, memref<64xi16> -> vector<4xi32>
// CHECK: loop.intrinsic_rows: buffer memref<64xi16> is not a flat memref of i8

// -----

%x, %w = "test.op"() : () -> (memref<16xi8>, memref<64xi8>)
%s = loop.intrinsic_rows <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%x, %w[affine_map<() -> (0)>()]) {steps = 16 : i64} : memref<16xi8>, memref<64xi8> -> vector<4xi32>
// CHECK: loop.intrinsic_rows: map gives 1 results, 2 expected

// -----

%x, %w = "test.op"() : () -> (memref<16xi8>, memref<64xi8>)
%s = loop.intrinsic_rows <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%x, %w[affine_map<() -> (0, 0)>()]) {steps = 16 : i64} : memref<16xi8>, memref<64xi8> -> vector<4xi32>
// CHECK: loop.intrinsic_rows: form dot takes registers

// -----

%acc, %x = "test.op"() : () -> (i32, vector<7xi8>)
%s = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%acc, %x, %x) : i32, vector<7xi8>, vector<7xi8> -> i32
// CHECK: loop.intrinsic: vector<7xi8> where mve-window-by-8 wants vector<8xi8>

// -----

%acc, %x = "test.op"() : () -> (vector<4xi32>, vector<8xi8>)
%s = loop.intrinsic <"mve-group-by-8", dot_group(i8, i8) by 8, "s2s_i32x{lanes}_dot_rows8" in "s2s_windows.h">(%acc, %x, %x) : vector<4xi32>, vector<8xi8>, vector<8xi8> -> vector<4xi32>
// CHECK: loop.intrinsic: vector<8xi8> where mve-group-by-8 wants vector<32xi8>

// -----

%acc = "test.op"() : () -> vector<4xi32>
%s = loop.intrinsic <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%acc, %acc, %acc) : vector<4xi32>, vector<4xi32>, vector<4xi32> -> vector<4xi32>
// CHECK: loop.intrinsic: form dot_rows takes rows in memory

// -----

"test.op"() {i = #loop.intrinsic<"new", matmul(i8, i8) by 8, "f" in "f.h">} : () -> ()
// CHECK: form matmul is none of dot, dot_pairs, dot_points, dot_taps, dot_next, dot_two, dot_lanes, dot_rows, dot_half_rows, dot_window, dot_group

// -----

"test.op"() {i = #loop.intrinsic<"new", dot(i8, i3) by 8, "f" in "f.h">} : () -> ()
// CHECK: element i3 is none of i8, u8, i16, i4

// -----

%x, %s = "test.op"() : () -> (vector<4xi32>, vector<4xi8>)
%r = loop.rescale_lanes %x, %x, %s "single" : vector<4xi32>, vector<4xi32>, vector<4xi8> -> vector<4xi32>
// CHECK: loop.rescale_lanes: rounding is "single", not double, high, negative, upward

// -----

%x = "test.op"() : () -> vector<4xi16>
%r = loop.saturate_lanes %x : vector<4xi16> -> vector<4xi8>
// CHECK: loop.saturate_lanes: vector<4xi16> is not 4 lanes of i32

// -----

%x = "test.op"() : () -> vector<4xi32>
%r = loop.quantize_lanes %x {zero_point = 0 : i32} : vector<4xi32> -> vector<4xi8>
// CHECK: loop.quantize_lanes: vector<4xi32> is not 4 lanes of f32

// -----

%x = "test.op"() : () -> vector<4xi8>
%r = loop.cast_lanes %x : vector<4xi8> -> vector<4xi16>
// CHECK: loop.cast_lanes: vector<4xi8> does not become vector<4xi16>

// -----

%x = "test.op"() : () -> memref<8x8xf32>
loop.prefetch %x[affine_map<() -> (0)>()] : memref<8x8xf32>
// CHECK: loop.prefetch: buffer memref<8x8xf32> is not a flat memref

// -----

%x = "test.op"() : () -> memref<32xi32>
%low, %high = loop.load_pair %x[affine_map<() -> (0)>()] : memref<32xi32> -> f32, f32
// CHECK: loop.load_pair: buffer memref<32xi32> is not a flat memref of f32

// -----

%x, %i = "test.op"() : () -> (memref<32xf32>, index)
%low, %high = loop.load_pair %x[affine_map<() -> (0)>(%i)] : memref<32xf32> -> f32, f32
// CHECK: loop.load_pair: map takes 0 dimensions, 1 operands given

// -----

%y, %x = "test.op"() : () -> (memref<32xi32>, memref<32xf32>)
loop.cast_run %y, %x[affine_map<() -> (0, 0)>()] : memref<32xi32>, memref<32xf32>
// CHECK: loop.cast_run: f32 does not become i32 in runs

// -----

%y, %x = "test.op"() : () -> (memref<32xi64>, memref<32xf32>)
loop.cast_run %y, %x[affine_map<() -> (0)>()] : memref<32xi64>, memref<32xf32>
// CHECK: loop.cast_run: map gives 1 results, 2 expected

// -----

%x = "test.op"() : () -> memref<32xi32>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64} : memref<32xi32> -> vector<8xi32>
// CHECK: loop.load_groups: buffer memref<32xi32> is not a flat memref of i8

// -----

%x = "test.op"() : () -> memref<32xi16>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 1 : i64, stride = 1 : i64, count = 2 : i64} : memref<32xi16> -> vector<8xi32>
// CHECK: loop.load_groups: lane_stride 1 is none of [0, 2]

// -----

%x = "test.op"() : () -> memref<32xi16>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 2 : i64, stride = 1 : i64, count = 2 : i64, widened} : memref<32xi16> -> vector<8xi32>
// CHECK: loop.load_groups: buffer memref<32xi16> is not a flat memref of i8

// -----

%x = "test.op"() : () -> memref<32xi8>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 0 : i64, stride = 1 : i64, count = 2 : i64, widened} : memref<32xi8> -> vector<8xi32>
// CHECK: loop.load_groups: lane_stride 0 is none of [2]

// -----

%x = "test.op"() : () -> memref<32xi8>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 2 : i64, stride = 1 : i64, count = 4 : i64} : memref<32xi8> -> vector<8xi32>
// CHECK: loop.load_groups: lane_stride 2 is none of [0, 1, 4]

// -----

%x = "test.op"() : () -> memref<32xi8>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 4 : i64, stride = 2 : i64, count = 4 : i64} : memref<32xi8> -> vector<8xi32>
// CHECK: loop.load_groups: 4 elements at distance 2 make no group of lanes 4 apart

// -----

%x = "test.op"() : () -> memref<32xi8>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 1 : i64, stride = 2 : i64, count = 5 : i64} : memref<32xi8> -> vector<8xi32>
// CHECK: loop.load_groups: 5 elements at distance 2 make no group of lanes 1 apart

// -----

%x = "test.op"() : () -> memref<32xi8>
%g = loop.load_groups %x[affine_map<() -> (0)>()] {lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64} : memref<32xi8> -> vector<8xi8>
// CHECK: loop.load_groups: vector<8xi8> is no vector of i32

// -----

%a, %b = "test.op"() : () -> (vector<8xi32>, vector<4xi32>)
%s = loop.intrinsic <"x86-pairs", dot_lanes(i8, i8) by 4, "s2s_i32x{lanes}_add_dot_i8" in "s2s_simd_bytes.h">(%a, %a, %b) : vector<8xi32>, vector<8xi32>, vector<4xi32> -> vector<8xi32>
// CHECK: loop.intrinsic: vector<4xi32> where x86-pairs wants vector<8xi32>

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64, flip} : memref<6xi8>, memref<6xi16>
// CHECK: loop.cache_read: flip on a copy to memref<6xi16>

// -----

%y, %a = "test.op"() : () -> (memref<64xi8>, vector<8xi8>)
loop.store_interleaved %y[affine_map<() -> (0)>()] from %a : memref<64xi8>, vector<8xi8>
// CHECK: loop.store_interleaved: 1 vectors, 2 to 8 expected

// -----

%y, %a = "test.op"() : () -> (memref<64xi8>, vector<8xi16>)
loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a : memref<64xi8>, vector<8xi16>, vector<8xi16>
// CHECK: loop.store_interleaved: vector<8xi16> is no vector of i8, i32 or f32

// -----

%y, %a = "test.op"() : () -> (memref<64xi32>, vector<8xi8>)
loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a : memref<64xi32>, vector<8xi8>, vector<8xi8>
// CHECK: loop.store_interleaved: buffer memref<64xi32> is not a flat memref of i8 or ui8

// -----

%y, %a, %b = "test.op"() : () -> (memref<64xf32>, vector<8xf32>, vector<4xf32>)
loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b : memref<64xf32>, vector<8xf32>, vector<4xf32>
// CHECK: loop.store_interleaved: vectors of 2 types, one expected

// -----

%y, %a = "test.op"() : () -> (memref<64xf32>, vector<8xf32>)
loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a, %a {stride = 2 : i64} : memref<64xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK: loop.store_interleaved: 8 lanes of vector<8xf32> at distance 2 overlap

// -----

%t, %i = "test.op"() : () -> (memref<128xi8>, vector<8xi32>)
%y = loop.look_up_lanes %t, %i : memref<128xi8>, vector<8xi32> -> vector<8xi8>
// CHECK: loop.look_up_lanes: a table of 128 bytes, 256 expected

// -----

%t, %i = "test.op"() : () -> (memref<256xi8>, vector<8xi32>)
%y = "loop.look_up_lanes"(%t, %i) : (memref<256xi8>, vector<8xi32>) -> vector<4xi8>
// CHECK: loop.look_up_lanes: vector<4xi8> is not 8 lanes of i8

// -----

%v = "test.op"() : () -> vector<16xf32>
%s = loop.halve "xor" %v : vector<16xf32> -> vector<8xf32>
// CHECK: loop.halve: kind 'xor' is none of add, mul, max, min

// -----

%v = "test.op"() : () -> vector<4xf32>
%s = loop.halve "add" %v : vector<4xf32> -> vector<2xf32>
// CHECK: loop.halve: vector<2xf32> is no half of vector<4xf32>

// -----

%v = "test.op"() : () -> vector<4xf32>
%s = loop.choose "ult" %v, %v, %v, %v : vector<4xf32>
// CHECK: loop.choose: predicate 'ult' is none of oeq, une, olt, ole, ogt, oge

// -----

%v = "test.op"() : () -> vector<4xi32>
%s = loop.choose "olt" %v, %v, %v, %v : vector<4xi32>
// CHECK: loop.choose: vector<4xi32> is no vector of floats

// -----

loop.for %i = 0 to 8 unroll 1 {
}
// CHECK: unroll 1 is below 2

// -----

%x, %y = "test.op"() : () -> (memref<6xi8>, memref<6xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 2 : i64, stride = 1 : i64, offset = 0 : i64, pairs} : memref<6xi8>, memref<6xi16>
// CHECK: loop.cache_read: pairs of bytes are 16-bit copies of whole groups of 4 neighbours

// -----

%v = "test.op"() : () -> vector<4xi8>
%w = loop.pairs %v {part = 1 : i64} : vector<4xi8> -> vector<4xi16>
// CHECK: loop.pairs: vector<4xi8> has no part 1

// -----

%v = "test.op"() : () -> vector<8xi8>
%w = loop.pair_factors %v : vector<8xi8> -> vector<4xi16>
// CHECK: loop.pair_factors: vector<8xi8> has no factors vector<4xi16>

// -----

%v = "test.op"() : () -> vector<4xi16>
%w = loop.half %v {part = 2 : i64} : vector<4xi16> -> vector<2xi16>
// CHECK: loop.half: half 2 of two

// -----

%v = "test.op"() : () -> vector<8xi16>
%w = loop.half %v {part = 0 : i64} : vector<8xi16> -> vector<2xi16>
// CHECK: loop.half: vector<8xi16> has no half vector<2xi16>

// -----

%x, %y = "test.op"() : () -> (memref<16xi8>, memref<16xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, points = 2 : i64} : memref<16xi8>, memref<16xi16>
// CHECK: loop.cache_read: 2 rows side by side, of what are no pairs

// -----

%x, %y = "test.op"() : () -> (memref<16xi8>, memref<64xi16>)
loop.cache_read %x, %y[affine_map<() -> (0, 0)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, pairs, points = 4 : i64, rows = 2 : i64} : memref<16xi8>, memref<64xi16>
// CHECK: loop.cache_read: 2 rows at once, clipped or of 4

// -----

%b = "test.op"() : () -> memref<2xi32>
loop.read_size "found" from %b {most = 5 : i64} : memref<2xi32>
// CHECK: loop.read_size: reads memref<2xi32>, expected one element

// -----

%b = "test.op"() : () -> memref<2xi32>
loop.require %b : memref<2xi32>
// CHECK: loop.require: reads memref<2xi32>, expected one element

// -----

%n = loop.size "sequence" from 9 to 8
// CHECK: loop.size: 9 to 8 are no bounds

// -----

%t = loop.tile of 1
// CHECK: loop.tile: 1 tiles are no division

// -----

%n = loop.size "sequence" from 1 to 8
%t = loop.tile of 2
// CHECK: loop.tile: stands behind loop.size, expected the start of a kernel

// -----

%b, %i = "test.op"() : () -> (memref<32xi8>, index)
%n = loop.load_nibbles %b[affine_map<(d0) -> (d0)>(%i)] {group = 8 : i64} : memref<32xi8> -> vector<6xi8>
// CHECK: loop.load_nibbles: result is vector<6xi8>; 4 or 8 numbers of i8 expected

// -----

%b, %i = "test.op"() : () -> (memref<32xi8>, index)
%n = loop.load_nibbles %b[affine_map<(d0) -> (d0)>(%i)] {group = 8 : i64} : memref<32xi8> -> vector<4xi8>
// CHECK: loop.load_nibbles: 4 lanes in groups of 8

// -----

%b, %i = "test.op"() : () -> (memref<32xi8>, index)
%n = loop.load_groups %b[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 1 : i64, stride = 8 : i64, count = 3 : i64, nibbles} : memref<32xi8> -> vector<4xi32>
// CHECK: loop.load_groups: numbers of four bits are no neighbours

// -----

%a, %b = "test.op"() : () -> (vector<8xi32>, vector<4xi32>)
%c = loop.add_pairs %a, %b : vector<8xi32>, vector<4xi32> -> vector<8xi32>
// CHECK: loop.add_pairs: vector<4xi32> where the result has vector<8xi32>

// -----

%b, %i = "test.op"() : () -> (memref<40xi8>, index)
%n = loop.look_up %b[affine_map<(d0) -> (d0, 32)>(%i)] {values = 17 : i64} : memref<40xi8>
// CHECK: loop.look_up: 17 values in a table; 1 to 16 expected

// -----

%x, %h = "test.op"() : () -> (memref<7xf32>, memref<4xf32>)
loop.call_rows (%x, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2, 2>} : (memref<7xf32>, memref<4xf32>)
// CHECK: loop.call_rows: memref<7xf32> is not made of rows of 2 elements

// -----

%x, %h, %count = "test.op"() : () -> (memref<6xf32>, memref<4xf32>, memref<2xi32>)
loop.call_rows count %count : memref<2xi32> (%x, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2, 2>} : (memref<6xf32>, memref<4xf32>)
// CHECK: loop.call_rows: counts in memref<2xi32>, expected memref<1xi32>

// -----

%x, %h = "test.op"() : () -> (memref<6xf32>, memref<4xf32>)
loop.call_rows (%x, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2>} : (memref<6xf32>, memref<4xf32>)
// CHECK: loop.call_rows: 1 sizes of rows for 2 buffers

// -----

%x, %h = "test.op"() : () -> (memref<6xf32>, memref<4xf32>)
loop.call_rows (%x, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2, 2>, parts = 2 : i64} : (memref<6xf32>, memref<4xf32>)
// CHECK: loop.call_rows: 2 parts of a row of 2 elements; only a caller who hands rows over puts parts together

// -----

loop.for %c = 0 to 8 step 2 scalable {
}
// CHECK: loop.for: a scalable loop has a step of 1 and no carried values
