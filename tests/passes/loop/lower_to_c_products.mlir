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
