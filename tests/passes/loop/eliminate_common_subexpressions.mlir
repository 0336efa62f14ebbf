// RUN: s2s-opt %s -p loop-eliminate-common-subexpressions | filecheck %s

// CHECK-LABEL: func.func @pure
// CHECK-NEXT:    %p = arith.mulf %a, %b : f32
// CHECK-NEXT:    %s = arith.addf %p, %p : f32
// CHECK-NEXT:    func.return %s
func.func @pure(%a: f32, %b: f32) -> f32 {
  %p = arith.mulf %a, %b : f32
  %q = arith.mulf %a, %b : f32
  %s = arith.addf %p, %q : f32
  func.return %s : f32
}

// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    func.return %a
func.func @unused(%a: f32) -> f32 {
  %p = arith.mulf %a, %a : f32
  %q = arith.addf %p, %a : f32
  func.return %a : f32
}

// CHECK-LABEL: func.func @known_outside_of_a_loop
// CHECK-NEXT:    %p = arith.mulf %a, %a : f32
// CHECK-NEXT:    loop.store %p
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      loop.store %p
func.func @known_outside_of_a_loop(%a: f32, %y: memref<4xf32>) {
  %p = arith.mulf %a, %a : f32
  loop.store %p, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  loop.for %i = 0 to 4 {
    %q = arith.mulf %a, %a : f32
    loop.store %q, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @reads
// CHECK-COUNT-1: loop.load
// CHECK-NEXT:    arith.addf
func.func @reads(%x: memref<4xf32>) -> f32 {
  %a = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  %c = arith.addf %a, %b : f32
  func.return %c : f32
}

// CHECK-LABEL: func.func @declined_for_reads_around_a_write
// CHECK-NEXT:    loop.load
// CHECK-NEXT:    loop.store
// CHECK-NEXT:    loop.load
func.func @declined_for_reads_around_a_write(%x: memref<4xf32>, %v: f32) -> f32 {
  %a = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  loop.store %v, %x[affine_map<() -> (1)>()] : f32, memref<4xf32>
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  %c = arith.addf %a, %b : f32
  func.return %c : f32
}

// CHECK-LABEL: func.func @declined_for_reads_around_a_loop_that_writes
// CHECK-NEXT:    loop.load
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      loop.store
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.load
func.func @declined_for_reads_around_a_loop_that_writes(%x: memref<4xf32>, %v: f32) -> f32 {
  %a = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  loop.for %i = 0 to 4 {
    loop.store %v, %x[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  %c = arith.addf %a, %b : f32
  func.return %c : f32
}

// CHECK-LABEL: func.func @declined_for_reads_in_different_blocks
// CHECK-NEXT:    loop.load
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      loop.load
func.func @declined_for_reads_in_different_blocks(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
  loop.for %i = 0 to 4 {
    %b = loop.load %x[affine_map<() -> (1)>()] : memref<4xf32> -> f32
    loop.store %b, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  loop.store %a, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  func.return
}
