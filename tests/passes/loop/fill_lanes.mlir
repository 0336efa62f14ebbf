// RUN: s2s-opt %s -p 'loop-fill-lanes' --split-input-file | filecheck %s

// With n = 20, lanes 24 to 31 are read, and belong to no position: they become zeros.
// CHECK-LABEL: func.func private @k(
// CHECK:         loop.for %j = 0 to min affine_map<(d0) -> ((d0 + 8), 32)>(%n) step 8 {
// CHECK-NEXT:      %v = loop.if affine_set<(d0, d1) : (((d0 + (d1 * -1)) + -1) >= 0)>(%n, %j) -> vector<8xf32> {
// CHECK-NEXT:        %v_1 = loop.load %x[
// CHECK-NEXT:        loop.yield %v_1 : vector<8xf32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %1 = loop.broadcast %0 : f32 -> vector<8xf32>
// CHECK-NEXT:        loop.yield %1 : vector<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      loop.store %v, %s[
// CHECK:         loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 16 {
func.func private @k(%y: memref<32xf32>, %x: memref<32xf32>, %s: memref<32xf32>) {
  %n = loop.size "N" from 1 to 32
  loop.for %j = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%j)] : memref<32xf32> -> vector<8xf32>
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%j)] : vector<8xf32>, memref<32xf32>
  }
  loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 16 {
    %w = loop.load %s[affine_map<(d0) -> (d0)>(%k)] : memref<32xf32> -> vector<16xf32>
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%k)] : vector<16xf32>, memref<32xf32>
  }
  func.return
}
func.func @main(%y: memref<32xf32>, %x: memref<32xf32>) {
  %s = loop.alloc : memref<32xf32>
  func.call @k(%y, %x, %s) : (memref<32xf32>, memref<32xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// In a block of 16 positions, of which a run has one at least, a loop that ends 8 later takes 0 and 8.
// CHECK-LABEL: func.func private @block(
// CHECK:         loop.for %j = 0 to 16 step 8 {
// CHECK-NEXT:      %v = loop.if affine_set<(d0, d1, d2) : ((((d0 + (d1 * -1)) + (d2 * -1)) + -1) >= 0)>(%n, %b, %j)
func.func private @block(%y: memref<64xf32>, %x: memref<64xf32>, %s: memref<16xf32>) {
  %n = loop.size "N" from 1 to 64
  loop.for %b = 0 to min affine_map<(d0) -> (d0)>(%n) step 16 {
    loop.for %j = 0 to min affine_map<(d0, d1) -> (d0 - d1, 16)>(%n, %b) step 8 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 + d1)>(%b, %j)] : memref<64xf32> -> vector<8xf32>
      loop.store %v, %s[affine_map<(d0) -> (d0)>(%j)] : vector<8xf32>, memref<16xf32>
    }
    loop.for %k = 0 to min affine_map<(d0, d1) -> (d0 - d1, 16)>(%n, %b) step 16 {
      %w = loop.load %s[affine_map<() -> (0)>()] : memref<16xf32> -> vector<16xf32>
      loop.store %w, %y[affine_map<(d0) -> (d0)>(%b)] : vector<16xf32>, memref<64xf32>
    }
  }
  func.return
}
func.func @main(%y: memref<64xf32>, %x: memref<64xf32>) {
  %s = loop.alloc : memref<16xf32>
  func.call @block(%y, %x, %s) : (memref<64xf32>, memref<64xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// Declined: steps of the same length, and another size.
// CHECK-LABEL: func.func private @alike(
// CHECK-NOT:     loop.if
func.func private @alike(%y: memref<32xf32>, %x: memref<32xf32>, %s: memref<32xf32>) {
  %n = loop.size "N" from 1 to 32
  %m = loop.size "M" from 1 to 32
  loop.for %j = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%j)] : memref<32xf32> -> vector<8xf32>
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%j)] : vector<8xf32>, memref<32xf32>
  }
  loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 8 {
    %w = loop.load %s[affine_map<(d0) -> (d0)>(%k)] : memref<32xf32> -> vector<8xf32>
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%k)] : vector<8xf32>, memref<32xf32>
  }
  loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%m) step 16 {
    %w = loop.load %s[affine_map<(d0) -> (d0)>(%k)] : memref<32xf32> -> vector<16xf32>
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%k)] : vector<16xf32>, memref<32xf32>
  }
  func.return
}
func.func @main(%y: memref<32xf32>, %x: memref<32xf32>) {
  %s = loop.alloc : memref<32xf32>
  func.call @alike(%y, %x, %s) : (memref<32xf32>, memref<32xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// Declined: the loop works on scratch in place, so others have written it.
// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT:     loop.if
func.func private @in_place(%y: memref<32xf32>, %s: memref<32xf32>) {
  %n = loop.size "N" from 1 to 32
  loop.for %j = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 8 {
    %v = loop.load %s[affine_map<(d0) -> (d0)>(%j)] : memref<32xf32> -> vector<8xf32>
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%j)] : vector<8xf32>, memref<32xf32>
  }
  loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 16 {
    %w = loop.load %s[affine_map<(d0) -> (d0)>(%k)] : memref<32xf32> -> vector<16xf32>
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%k)] : vector<16xf32>, memref<32xf32>
  }
  func.return
}
func.func @main(%y: memref<32xf32>) {
  %s = loop.alloc : memref<32xf32>
  func.call @in_place(%y, %s) : (memref<32xf32>, memref<32xf32>) -> ()
  func.return
}
