// RUN: s2s-opt %s -p loop-run-backwards --split-input-file | filecheck %s

// Both the loops and their order are reversed; the sum inside is not.
// CHECK-LABEL: func.func private @k
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    loop.for %j = 4 to 6 down {
// CHECK-NEXT:      loop.store %zero, %y
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.for %i = 0 to 4 down {
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      %sum = loop.for %r = 0 to 3 iter_args
func.func private @k(%y: memref<6xf32>, %x: memref<6xf32>) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0.0 : f32
    %sum = loop.for %r = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 + d1)>(%i, %r)] : memref<6xf32> -> f32
      %next = arith.addf %acc, %v : f32
      loop.yield %next : f32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<6xf32>
  }
  %zero = arith.constant 0.0 : f32
  loop.for %j = 4 to 6 {
    loop.store %zero, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<6xf32>
  }
  func.return
}

// -----

// A copy into scratch stays before what reads it.
// CHECK-LABEL: func.func private @k
// CHECK-NEXT:    loop.for %i = 0 to 2 down {
// CHECK-NEXT:      loop.cache_read %x, %rows
// CHECK-NEXT:      loop.for %j = 0 to 4 down {
func.func private @k(%y: memref<8xi16>, %x: memref<8xi8>, %rows: memref<4xi16>) {
  loop.for %i = 0 to 2 {
    loop.cache_read %x, %rows[affine_map<(d0) -> (0, d0 * 4)>(%i)] {count = 4 : i64, stride = 1 : i64, offset = 0 : i64} : memref<8xi8>, memref<4xi16>
    loop.for %j = 0 to 4 {
      %v = loop.load %rows[affine_map<(d0) -> (d0)>(%j)] : memref<4xi16> -> i16
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j)] : i16, memref<8xi16>
    }
  }
  func.return
}

// -----

// Declined: each iteration reads what the one before has left in scratch.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     down
func.func private @k(%y: memref<8xf32>, %x: memref<8xf32>, %last: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %last[affine_map<() -> (0)>()] : f32, memref<1xf32>
  loop.for %i = 0 to 8 {
    %before = loop.load %last[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    %s = arith.addf %before, %v : f32
    loop.store %s, %last[affine_map<() -> (0)>()] : f32, memref<1xf32>
    loop.store %s, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// -----

// Declined: the second loop stores new elements over the base that the first one has copied.
// CHECK-LABEL: func.func private @insert
// CHECK-NOT:     down
func.func private @insert(%y: memref<64xf32>, %x: memref<64xf32>, %u: memref<4xf32>) {
  loop.for %i = 0 to 64 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
  }
  loop.for %i = 0 to 4 {
    %v = loop.load %u[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0 + 60)>(%i)] : f32, memref<64xf32>
  }
  func.return
}

// -----

// Declined: iterations store to elements of their neighbours.
// CHECK-LABEL: func.func private @smear
// CHECK-NOT:     down
func.func private @smear(%y: memref<9xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<9xf32>
    loop.store %v, %y[affine_map<(d0) -> (d0 + 1)>(%i)] : f32, memref<9xf32>
  }
  func.return
}
