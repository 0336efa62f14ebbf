// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s

// Two whole vectors that leave nothing out have a function of their own.
// CHECK-LABEL: void net_a_pair(
// CHECK:         s2s_f32x8_store_by_2(y, s2s_f32x8_load(x), s2s_f32x8_load(&x[8]));
func.func private @a_pair(%y: memref<16xf32>, %x: memref<16xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<16xf32> -> vector<8xf32>
  %b = loop.load %x[affine_map<() -> (8)>()] : memref<16xf32> -> vector<8xf32>
  loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b : memref<16xf32>, vector<8xf32>, vector<8xf32>
  func.return
}

// CHECK-LABEL: void net_parts_of_a_pair(
// CHECK:         s2s_f32x4_store_interleaved(y, 2, 3, 2, s2s_f32x4_load(x), b, b, b);
func.func private @parts_of_a_pair(%y: memref<6xf32>, %x: memref<8xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> vector<4xf32>
  %b = loop.load %x[affine_map<() -> (4)>()] : memref<8xf32> -> vector<4xf32>
  loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b {lanes = 3 : i64} : memref<6xf32>, vector<4xf32>, vector<4xf32>
  func.return
}

// CHECK-LABEL: void net_a_pair_with_a_place_between(
// CHECK:         s2s_f32x4_store_interleaved(y, 3, 4, 2, s2s_f32x4_load(x), b, b, b);
func.func private @a_pair_with_a_place_between(%y: memref<12xf32>, %x: memref<8xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> vector<4xf32>
  %b = loop.load %x[affine_map<() -> (4)>()] : memref<8xf32> -> vector<4xf32>
  loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b {stride = 3 : i64} : memref<12xf32>, vector<4xf32>, vector<4xf32>
  func.return
}
