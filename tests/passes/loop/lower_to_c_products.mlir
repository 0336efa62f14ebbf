// RUN: s2s-opt %s -p loop-lower-to-c | filecheck %s

// A product widens the bytes that nothing else reads, in the registers they are in.
//
// CHECK-LABEL: c.func @net_alone
// CHECK-NOT:     "s2s_i8x8_pairs_low"
// CHECK:         "s2s_i8x8_dot_pairs_low"({{.*}}, {{.*}}, {{.*}})
// CHECK-NOT:     "s2s_i8x4_extend"
// CHECK:         "s2s_i8x4_dot_extend"({{.*}}, {{.*}}, {{.*}})
func.func @alone(%rows: memref<16xi16>, %w: memref<16xi8>, %y: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %x = loop.load %rows[affine_map<() -> (0)>()] : memref<16xi16> -> vector<4xi16>
  %a = loop.load %w[affine_map<() -> (0)>()] : memref<16xi8> -> vector<8xi8>
  %b = loop.load %w[affine_map<() -> (8)>()] : memref<16xi8> -> vector<4xi8>
  %low = loop.pairs %a {part = 0 : i64} : vector<8xi8> -> vector<4xi16>
  %wide = loop.extend %b {part = 0 : i64, offset = 0 : i64} : vector<4xi8> -> vector<4xi16>
  %p = loop.intrinsic <"smlad-pairs", dot_pairs(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%zero, %x, %low) : i32, vector<4xi16>, vector<4xi16> -> i32
  %q = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%p, %x, %wide) : i32, vector<4xi16>, vector<4xi16> -> i32
  loop.store %q, %y[affine_map<() -> (0)>()] : i32, memref<4xi32>
  func.return
}

// Halves of constants in pairs are made where products take them, and copies say how many rows lie side by side.
//
// CHECK-LABEL: c.func @net_by_halves
// CHECK:         "s2s_cache_read_all_points"(
// CHECK:         "s2s_cache_read_points_clipped"(
// CHECK:         [[one:%.*]] = c.call "s2s_i16x4_high"(
// CHECK:         [[first:%.*]] = c.call "s2s_i8x8_pairs_low_first"(
// CHECK:         [[sum:%.*]] = c.call "s2s_i16x2_dot"({{.*}}, [[one]], [[first]])
// CHECK:         [[second:%.*]] = c.call "s2s_i8x8_pairs_low_second"(
// CHECK:         c.call "s2s_i16x2_dot"({{.*}}, [[one]], [[second]])
// CHECK-NOT:     "s2s_i8x8_pairs_low"(
func.func @by_halves(%from: memref<8xi8>, %rows: memref<16xi16>, %w: memref<16xi8>, %y: memref<4xi32>) {
  loop.cache_read %from, %rows[affine_map<() -> (0, 0)>()] {count = 4 : i64, stride = 1 : i64, offset = 0 : i64, pairs, points = 2 : i64, rows = 2 : i64} : memref<8xi8>, memref<16xi16>
  loop.cache_read %from, %rows[affine_map<() -> (2, 0, 1, 4)>()] {count = 4 : i64, stride = 1 : i64, offset = 0 : i64, pairs, points = 2 : i64} : memref<8xi8>, memref<16xi16>
  %zero = arith.constant 0 : i32
  %x = loop.load %rows[affine_map<() -> (0)>()] : memref<16xi16> -> vector<4xi16>
  %a = loop.load %w[affine_map<() -> (0)>()] : memref<16xi8> -> vector<8xi8>
  %low = loop.pairs %a {part = 0 : i64} : vector<8xi8> -> vector<4xi16>
  %one = loop.half %x {part = 1 : i64} : vector<4xi16> -> vector<2xi16>
  %first = loop.half %low {part = 0 : i64} : vector<4xi16> -> vector<2xi16>
  %p = loop.intrinsic <"smlad-points", dot_points(i16, i16) by 4, "s2s_i16x2_dot" in "s2s_dsp.h">(%zero, %one, %first) : i32, vector<2xi16>, vector<2xi16> -> i32
  %second = loop.half %low {part = 1 : i64} : vector<4xi16> -> vector<2xi16>
  %q = loop.intrinsic <"smlad-points", dot_points(i16, i16) by 4, "s2s_i16x2_dot" in "s2s_dsp.h">(%p, %one, %second) : i32, vector<2xi16>, vector<2xi16> -> i32
  loop.store %q, %y[affine_map<() -> (0)>()] : i32, memref<4xi32>
  func.return
}

// Two products share what is widened once; bytes with an offset, the other factor, and other functions are left alone.
//
// CHECK-LABEL: c.func @net_shared
// CHECK-NOT:     _dot_pairs
// CHECK-NOT:     _dot_extend
func.func @shared(%rows: memref<16xi16>, %w: memref<16xi8>, %y: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %x = loop.load %rows[affine_map<() -> (0)>()] : memref<16xi16> -> vector<4xi16>
  %a = loop.load %w[affine_map<() -> (0)>()] : memref<16xi8> -> vector<4xi8>
  %b = loop.load %w[affine_map<() -> (4)>()] : memref<16xi8> -> vector<4xi8>
  %c = loop.load %w[affine_map<() -> (8)>()] : memref<16xi8> -> vector<4xi8>
  %both = loop.pairs %a {part = 0 : i64} : vector<4xi8> -> vector<4xi16>
  %more = loop.extend %b {part = 0 : i64, offset = 3 : i64} : vector<4xi8> -> vector<4xi16>
  %wide = loop.extend %c {part = 0 : i64, offset = 0 : i64} : vector<4xi8> -> vector<4xi16>
  %p = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%zero, %x, %both) : i32, vector<4xi16>, vector<4xi16> -> i32
  %q = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%p, %x, %both) : i32, vector<4xi16>, vector<4xi16> -> i32
  %r = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%q, %x, %more) : i32, vector<4xi16>, vector<4xi16> -> i32
  %s = loop.intrinsic <"mine", dot(i16, i16) by 4, "my_dot" in "mine.h">(%r, %wide, %x) : i32, vector<4xi16>, vector<4xi16> -> i32
  loop.store %s, %y[affine_map<() -> (0)>()] : i32, memref<4xi32>
  func.return
}
