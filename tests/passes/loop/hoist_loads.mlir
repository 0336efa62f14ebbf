// RUN: s2s-opt %s --sample-weights -p loop-hoist-loads | filecheck %s

// A multiplier of each channel is loaded once for all rows of the channel, although two of its loads read it there.
//
// CHECK-LABEL: func.func private @rows
// CHECK:         loop.for %c = 0 to 4 {
// CHECK-NEXT:      %m = loop.load %w
// CHECK-NEXT:      loop.for %row = 0 to 3 {
// CHECK-NEXT:        %v = loop.load %x
// CHECK-NEXT:        %p = arith.muli %v, %m : i32
// CHECK-NEXT:        %q = arith.muli %p, %m : i32
// CHECK-NEXT:        loop.store %q
func.func private @rows(%y: memref<12xi32>, %x: memref<12xi32>, %w: memref<4xi32>) {
  loop.for %c = 0 to 4 {
    loop.for %row = 0 to 3 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 3 + d1)>(%c, %row)] : memref<12xi32> -> i32
      %m = loop.load %w[affine_map<(d0) -> (d0)>(%c)] : memref<4xi32> -> i32
      %p = arith.muli %v, %m : i32
      %n = loop.load %w[affine_map<(d0) -> (d0)>(%c)] : memref<4xi32> -> i32
      %q = arith.muli %p, %n : i32
      loop.store %q, %y[affine_map<(d0, d1) -> (d0 * 3 + d1)>(%c, %row)] : i32, memref<12xi32>
    }
  }
  func.return
}

// Declined: rows of no constant may be written in the loop, a loop may run no pass, and a condition may not hold.
//
// CHECK-LABEL: func.func private @declined
// CHECK:         loop.for %row = 0 to 3 {
// CHECK-NEXT:      %v = loop.load %x
// CHECK:         loop.for %none = 0 to 0 {
// CHECK-NEXT:      %m = loop.load %w
// CHECK:         loop.for %often = 0 to 3 {
// CHECK-NEXT:      loop.if
// CHECK-NEXT:        %n = loop.load %w
func.func private @declined(%y: memref<3xi32>, %x: memref<4xi32>, %w: memref<4xi32>) {
  loop.for %row = 0 to 3 {
    %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xi32> -> i32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%row)] : i32, memref<3xi32>
  }
  loop.for %none = 0 to 0 {
    %m = loop.load %w[affine_map<() -> (1)>()] : memref<4xi32> -> i32
    loop.store %m, %y[affine_map<(d0) -> (d0)>(%none)] : i32, memref<3xi32>
  }
  loop.for %often = 0 to 3 {
    loop.if affine_set<(d0) : (d0 - 1 >= 0)>(%often) {
      %n = loop.load %w[affine_map<() -> (2)>()] : memref<4xi32> -> i32
      loop.store %n, %y[affine_map<(d0) -> (d0)>(%often)] : i32, memref<3xi32>
      loop.yield
    }
  }
  func.return
}

func.func @main(%y: memref<12xi32>, %z: memref<3xi32>, %x: memref<12xi32>, %u: memref<4xi32>) {
  %w = loop.weight "w" {hash = "0"} : memref<4xi32>
  func.call @rows(%y, %x, %w) : (memref<12xi32>, memref<12xi32>, memref<4xi32>) -> ()
  func.call @declined(%z, %u, %w) : (memref<3xi32>, memref<4xi32>, memref<4xi32>) -> ()
  func.return
}
