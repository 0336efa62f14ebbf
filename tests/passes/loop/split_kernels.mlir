// RUN: s2s-opt %s -p 'loop-split-kernels{least=8}' --split-input-file | filecheck %s

// The second loop reads what all of the first one has written: two kernels, the constant in each that wants it.
// CHECK-LABEL: func.func private @k_step1(%s: memref<8xf32>, %x: memref<8xf32>)
// CHECK-NOT:     func.func private @k(
// CHECK-LABEL: func.func private @k_step2(%y: memref<8xf32>, %s: memref<8xf32>)
// CHECK:         func.func @main
// CHECK:         func.call @k_step1(
// CHECK-NEXT:    func.call @k_step2(
func.func private @k(%y: memref<8xf32>, %s: memref<8xf32>, %x: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    %w = arith.addf %v, %zero : f32
    loop.store %w, %s[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  loop.for %j = 0 to 8 {
    %v = loop.load %s[affine_map<(d0) -> (7 - d0)>(%j)] : memref<8xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<8xf32>
  }
  func.return
}
func.func @main(%y: memref<8xf32>, %x: memref<8xf32>) {
  %s = loop.alloc : memref<8xf32>
  func.call @k(%y, %s, %x) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.return
}

// -----

// What is short stays with what stands beside it, and in place where the result is known.
// CHECK-LABEL: func.func private @k_step1(%y: memref<9xf32>, %x: memref<9xf32>) attributes {in_place = array<i64: 1>}
// CHECK-LABEL: func.func private @k_step2(%y: memref<9xf32>, %x: memref<9xf32>) attributes {in_place = array<i64: 1>}
// CHECK-NOT:     step3
func.func private @k(%y: memref<9xf32>, %x: memref<9xf32>) attributes {in_place = array<i64: 1>} {
  loop.for %i = 0 to 7 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<9xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<9xf32>
  }
  %v7 = loop.load %x[affine_map<() -> (7)>()] : memref<9xf32> -> f32
  loop.store %v7, %y[affine_map<() -> (7)>()] : f32, memref<9xf32>
  %v8 = loop.load %x[affine_map<() -> (8)>()] : memref<9xf32> -> f32
  loop.store %v8, %y[affine_map<() -> (8)>()] : f32, memref<9xf32>
  func.return
}
func.func @main(%y: memref<9xf32>, %x: memref<9xf32>) {
  func.call @k(%y, %x) : (memref<9xf32>, memref<9xf32>) -> ()
  func.return
}

// -----

// Declined: a value passes from one to the next.
// CHECK-LABEL: func.func private @k(
// CHECK-NOT:     step
func.func private @k(%y: memref<8xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  %last = loop.load %x[affine_map<() -> (7)>()] : memref<8xf32> -> f32
  loop.for %j = 0 to 8 {
    loop.store %last, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<8xf32>
  }
  func.return
}
func.func @main(%y: memref<8xf32>, %x: memref<8xf32>) {
  func.call @k(%y, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return
}

// -----

// A short loop that a schedule asks to divide gets a kernel of its own.
// CHECK-LABEL: func.func private @k_step1(%y: memref<9xf32>, %x: memref<9xf32>)
// CHECK-NEXT:    loop.for
// CHECK:         } {parallelize}
// CHECK-LABEL: func.func private @k_step2(%y: memref<9xf32>, %x: memref<9xf32>)
func.func private @k(%y: memref<9xf32>, %x: memref<9xf32>) {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<9xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<9xf32>
  } {parallelize}
  %v7 = loop.load %x[affine_map<() -> (7)>()] : memref<9xf32> -> f32
  loop.store %v7, %y[affine_map<() -> (7)>()] : f32, memref<9xf32>
  func.return
}
func.func @main(%y: memref<9xf32>, %x: memref<9xf32>) {
  func.call @k(%y, %x) : (memref<9xf32>, memref<9xf32>) -> ()
  func.return
}

// -----

// The work of a loop that ends at a size of the run is that of the greatest size: zeros behind a row leave it a kernel of
// its own.
// CHECK-LABEL: func.func private @k_step1(%y: memref<40xf32>, %x: memref<40xf32>)
// CHECK:         loop.for %i = 0 to 4 {
// CHECK-LABEL: func.func private @k_step2(%y: memref<40xf32>)
// CHECK:         loop.for %l =
func.func private @k(%y: memref<40xf32>, %x: memref<40xf32>) {
  %n = loop.size "n" from 1 to 8
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to min affine_map<(d0) -> (d0)>(%n) {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)] : memref<40xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)] : f32, memref<40xf32>
    }
  }
  %zero = arith.constant 0.0 : f32
  loop.for %l = max affine_map<(d0) -> (d0 + 30)>(%n) to min affine_map<(d0) -> (d0 + 32)>(%n) {
    loop.store %zero, %y[affine_map<(d0) -> (d0)>(%l)] : f32, memref<40xf32>
  }
  func.return
}
func.func @main(%y: memref<40xf32>, %x: memref<40xf32>) {
  func.call @k(%y, %x) : (memref<40xf32>, memref<40xf32>) -> ()
  func.return
}
