// RUN: s2s-opt %s -p loop-lower-to-c | filecheck %s

// Lanes that only a store saturates are stored by one function.
//
// CHECK-LABEL: c.func @net_saturated
// CHECK:         "s2s_i32x4_store_saturated_i8"(%{{.*}}, %v)
func.func @saturated(%y: memref<8xi8>, %x: memref<8xi32>) {
  loop.for %i = 0 to 8 step 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xi32> -> vector<4xi32>
    %s = loop.saturate_lanes %v : vector<4xi32> -> vector<4xi8>
    loop.store %s, %y[affine_map<(d0) -> (d0)>(%i)] : vector<4xi8>, memref<8xi8>
  }
  func.return
}

// Some of the lanes, and lanes that have another use, are saturated apart.
//
// CHECK-LABEL: c.func @net_apart
// CHECK:         %s = c.call "s2s_i32x4_saturate_i8"(%v)
// CHECK:         "s2s_i32x4_store_i8_part"(%{{.*}}, %{{.*}}, %s)
// CHECK:         "s2s_i32x4_store_i8"(%{{.*}}, %s)
func.func @apart(%y: memref<4xi8>, %z: memref<4xi8>, %x: memref<4xi32>) {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xi32> -> vector<4xi32>
  %s = loop.saturate_lanes %v : vector<4xi32> -> vector<4xi8>
  loop.store %s, %y[affine_map<() -> (0)>()] {lanes = 3 : i64} : vector<4xi8>, memref<4xi8>
  loop.store %s, %z[affine_map<() -> (0)>()] : vector<4xi8>, memref<4xi8>
  func.return
}
