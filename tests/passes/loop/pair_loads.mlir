// RUN: s2s-opt %s -p 'loop-pair-loads{target=cortex-m4}' | filecheck %s
// RUN: s2s-opt %s -p loop-pair-loads | filecheck %s --check-prefix SINGLE

// One load moves one float on the target `c`.
//
// SINGLE-NOT: loop.load_pair

// CHECK-LABEL: func.func private @product
// CHECK:         loop.for %k
// CHECK-NEXT:      %x = loop.load %v[affine_map<(d0) -> (d0)>(%k)] : memref<16xf32> -> f32
// CHECK-NEXT:      %a, %b = loop.load_pair %w[affine_map<(d0) -> ((d0 * 3))>(%k)] : memref<64xf32> -> f32, f32
// CHECK-NEXT:      %c = loop.load %w[affine_map<(d0) -> (((d0 * 3) + 2))>(%k)] : memref<64xf32> -> f32
// CHECK-NEXT:      %p = arith.mulf %x, %a : f32
// CHECK-NEXT:      %q = arith.mulf %x, %b : f32
// CHECK-NEXT:      %r = arith.mulf %x, %c : f32
func.func private @product(%y: memref<16xf32>, %v: memref<16xf32>, %w: memref<64xf32>) {
  loop.for %k = 0 to 16 {
    %x = loop.load %v[affine_map<(d0) -> (d0)>(%k)] : memref<16xf32> -> f32
    %a = loop.load %w[affine_map<(d0) -> (d0 * 3)>(%k)] : memref<64xf32> -> f32
    %b = loop.load %w[affine_map<(d0) -> (d0 * 3 + 1)>(%k)] : memref<64xf32> -> f32
    %c = loop.load %w[affine_map<(d0) -> (d0 * 3 + 2)>(%k)] : memref<64xf32> -> f32
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %x, %b : f32
    %r = arith.mulf %x, %c : f32
    %s = arith.addf %p, %q : f32
    %t = arith.addf %s, %r : f32
    loop.store %t, %y[affine_map<(d0) -> (d0)>(%k)] : f32, memref<16xf32>
  }
  func.return
}

// The load of the lower element may come second.
//
// CHECK-LABEL: func.func private @downwards
// CHECK-NEXT:    %a, %b = loop.load_pair %w[affine_map<() -> (4)>()] : memref<64xf32> -> f32, f32
// CHECK-NEXT:    %p = arith.mulf %b, %a : f32
func.func private @downwards(%y: memref<16xf32>, %w: memref<64xf32>) {
  %b = loop.load %w[affine_map<() -> (5)>()] : memref<64xf32> -> f32
  %a = loop.load %w[affine_map<() -> (4)>()] : memref<64xf32> -> f32
  %p = arith.mulf %b, %a : f32
  loop.store %p, %y[affine_map<() -> (0)>()] : f32, memref<16xf32>
  func.return
}

// Declined: the store may write what is loaded behind it.
//
// CHECK-LABEL: func.func private @written_between
// CHECK-NOT:     loop.load_pair
func.func private @written_between(%y: memref<16xf32>, %w: memref<64xf32>) {
  %a = loop.load %w[affine_map<() -> (4)>()] : memref<64xf32> -> f32
  %p = arith.mulf %a, %a : f32
  loop.store %p, %y[affine_map<() -> (0)>()] : f32, memref<16xf32>
  %b = loop.load %w[affine_map<() -> (5)>()] : memref<64xf32> -> f32
  %q = arith.mulf %b, %b : f32
  loop.store %q, %y[affine_map<() -> (1)>()] : f32, memref<16xf32>
  func.return
}

// Declined: neither a factor, nor a float.
//
// CHECK-LABEL: func.func private @no_factors
// CHECK-NOT:     loop.load_pair
func.func private @no_factors(%y: memref<16xf32>, %w: memref<64xf32>, %n: memref<64xi32>, %o: memref<64xi32>) {
  %a = loop.load %w[affine_map<() -> (4)>()] : memref<64xf32> -> f32
  %b = loop.load %w[affine_map<() -> (5)>()] : memref<64xf32> -> f32
  %s = arith.addf %a, %b : f32
  loop.store %s, %y[affine_map<() -> (0)>()] : f32, memref<16xf32>
  %c = loop.load %n[affine_map<() -> (4)>()] : memref<64xi32> -> i32
  %d = loop.load %n[affine_map<() -> (5)>()] : memref<64xi32> -> i32
  %p = arith.muli %c, %d : i32
  loop.store %p, %o[affine_map<() -> (1)>()] : i32, memref<64xi32>
  func.return
}
