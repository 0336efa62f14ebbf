// RUN: s2s-opt %s -p loop-lower-to-c | filecheck %s

// Four loads that differ by constants share a base, whose offsets instructions hold. The first one has none, and the
// last one's is too far away.
//
// CHECK-LABEL: c.func @net_shared
// CHECK:         "s2s_i16x4_load"(
// CHECK:         "s2s_i16x4_load_at"({{.*}}, {{.*}})
// CHECK:         "s2s_i16x4_load_at"({{.*}}, {{.*}})
// CHECK:         "s2s_i16x4_load"(
func.func @shared(%rows: memref<1024xi16>, %y: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %a = loop.load %rows[affine_map<() -> (0)>()] : memref<1024xi16> -> vector<4xi16>
  %b = loop.load %rows[affine_map<() -> (8)>()] : memref<1024xi16> -> vector<4xi16>
  %c = loop.load %rows[affine_map<() -> (510)>()] : memref<1024xi16> -> vector<4xi16>
  %d = loop.load %rows[affine_map<() -> (512)>()] : memref<1024xi16> -> vector<4xi16>
  %p = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%zero, %a, %b) : i32, vector<4xi16>, vector<4xi16> -> i32
  %q = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%p, %c, %d) : i32, vector<4xi16>, vector<4xi16> -> i32
  loop.store %q, %y[affine_map<() -> (0)>()] : i32, memref<4xi32>
  func.return
}

// Two loads are too few: where the loop around is unrolled, each copy of its body would compute the base.
//
// CHECK-LABEL: c.func @net_apart
// CHECK-NOT:     "s2s_i16x4_load_at"
func.func @apart(%rows: memref<1024xi16>, %y: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %a = loop.load %rows[affine_map<() -> (0)>()] : memref<1024xi16> -> vector<4xi16>
  %b = loop.load %rows[affine_map<() -> (8)>()] : memref<1024xi16> -> vector<4xi16>
  %p = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%zero, %a, %b) : i32, vector<4xi16>, vector<4xi16> -> i32
  loop.store %p, %y[affine_map<() -> (0)>()] : i32, memref<4xi32>
  func.return
}
