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

// Vectors of bytes in lanes share the address of the first one that lies less than 128 bytes before them, but those near
// the first one of all.
//
// CHECK-LABEL: c.func @net_lanes
// CHECK:         "s2s_i32x4_load_i8"(
// CHECK:         "s2s_i32x4_load_i8"(
// CHECK:         "s2s_i32x4_load_i8"(
// CHECK:         "s2s_i32x4_load_i8_at"({{.*}}, {{.*}})
func.func @lanes(%x: memref<1024xi8>, %y: memref<16xi32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<1024xi8> -> vector<4xi8>
  %b = loop.load %x[affine_map<() -> (8)>()] : memref<1024xi8> -> vector<4xi8>
  %c = loop.load %x[affine_map<() -> (512)>()] : memref<1024xi8> -> vector<4xi8>
  %d = loop.load %x[affine_map<() -> (639)>()] : memref<1024xi8> -> vector<4xi8>
  %ae = loop.cast_lanes %a : vector<4xi8> -> vector<4xi32>
  %be = loop.cast_lanes %b : vector<4xi8> -> vector<4xi32>
  %ce = loop.cast_lanes %c : vector<4xi8> -> vector<4xi32>
  %de = loop.cast_lanes %d : vector<4xi8> -> vector<4xi32>
  loop.store %ae, %y[affine_map<() -> (0)>()] : vector<4xi32>, memref<16xi32>
  loop.store %be, %y[affine_map<() -> (4)>()] : vector<4xi32>, memref<16xi32>
  loop.store %ce, %y[affine_map<() -> (8)>()] : vector<4xi32>, memref<16xi32>
  loop.store %de, %y[affine_map<() -> (12)>()] : vector<4xi32>, memref<16xi32>
  func.return
}
