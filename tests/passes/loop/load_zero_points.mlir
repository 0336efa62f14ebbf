// RUN: s2s-opt %s -p loop-load-zero-points --split-input-file | filecheck %s

// Each zero point is loaded once, at the start; one in two forms has two places.
// CHECK-LABEL: func.func private @layer(%y: memref<4xi8>, %x: memref<4xi8>, %rows: memref<4xi16>, %zero_points: memref<3xi32>)
// CHECK-NEXT:    %zero_point0 = loop.load %zero_points[affine_map<() -> (0)>()] {packed_number = 0 : i64}
// CHECK-NEXT:    %zero_point1 = loop.load %zero_points[affine_map<() -> (1)>()] {packed_number = 1 : i64}
// CHECK-NEXT:    %zero_point2 = loop.load %zero_points[affine_map<() -> (2)>()] {packed_number = 2 : i64}
// CHECK:         loop.cache_read {{.*}} {packed_number = 0 : i64, {{.*}} offset = 83 : i64
// CHECK:         arith.subi %e, %zero_point1 : i32
// CHECK:         "negative" {packed_number = 2 : i64, offset = 5 : i32}
// CHECK-LABEL: func.func @main
// CHECK:         %zero_points = loop.weight "layer/zero_points"
// CHECK:         func.call @layer(%y, %x, %rows, %zero_points)
func.func private @layer(%y: memref<4xi8>, %x: memref<4xi8>, %rows: memref<4xi16>) attributes {kernel} {
  loop.cache_read %x, %rows[affine_map<() -> (0, 0)>()] {count = 4 : i64, stride = 1 : i64, offset = 83 : i64, packed_number = 0 : i64} : memref<4xi8>, memref<4xi16>
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xi8> -> i8
  %e = arith.extsi %v : i8 to i32
  %zp = arith.constant {packed_number = 0 : i64} -83 : i32
  %d = arith.subi %e, %zp : i32
  %m = arith.constant 1278221461 : i32
  %s = arith.constant -2 : i8
  %r = tensor.rescale %d, %m, %s "negative" {offset = 5 : i32, packed_number = 1 : i64} : i32
  %q = tensor.saturate %r
  loop.store %q, %y[affine_map<() -> (0)>()] : i8, memref<4xi8>
  func.return
}
func.func @main(%y: memref<4xi8> {role = "output"}, %x: memref<4xi8> {role = "input"}) {
  %rows = loop.alloc : memref<4xi16>
  func.call @layer(%y, %x, %rows) : (memref<4xi8>, memref<4xi8>, memref<4xi16>) -> ()
  func.return
}

// -----

// A kernel without numbers stays.
// CHECK-LABEL: func.func private @plain(%y: memref<4xi8>, %x: memref<4xi8>)
// CHECK:         func.call @plain(%y, %x)
func.func private @plain(%y: memref<4xi8>, %x: memref<4xi8>) attributes {kernel} {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xi8> -> i8
  loop.store %v, %y[affine_map<() -> (0)>()] : i8, memref<4xi8>
  func.return
}
func.func @main(%y: memref<4xi8> {role = "output"}, %x: memref<4xi8> {role = "input"}) {
  func.call @plain(%y, %x) : (memref<4xi8>, memref<4xi8>) -> ()
  func.return
}
