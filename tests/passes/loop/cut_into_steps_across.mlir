// RUN: s2s-opt %s -p 'loop-cut-into-steps{most=40 unit=macs}' | filecheck %s

// An iteration of %i takes 44: a copy of 8, and 6 times 6. With the copy as a unit and each iteration of %j as one, 5 tiles
// of 6 units do all four; tiles that end with the iterations of %i are 8.
// CHECK-LABEL: func.func private @across(
// CHECK-NEXT:    %tile = loop.tile of 5
// CHECK-NEXT:    loop.for %turn = max affine_map<(d0) -> (((d0 * 6) floordiv 7))>(%tile) to min affine_map<(d0) -> ((((d0 * 6) + 12) floordiv 7), 4)>(%tile) {
// CHECK-NEXT:      %i = loop.apply affine_map<(d0) -> (d0)>(%turn)
// CHECK-NEXT:      loop.if affine_set<(d0, d1) : (((d0 * 7) + (d1 * -6)) >= 0, (((d0 * -7) + (d1 * 6)) + 5) >= 0)>(%turn, %tile) {
// CHECK-NEXT:        loop.for %k = 0 to 8 {
// CHECK:           loop.for %j = max affine_map<(d0, d1) -> (0, (((d0 * -7) + (d1 * 6)) + -1))>(%turn, %tile) to min affine_map<(d0, d1) -> (6, (((d0 * -7) + (d1 * 6)) + 5))>(%turn, %tile) {
// CHECK-NEXT:        loop.for %l = 0 to 6 {
func.func private @across(%y: memref<144xf32>, %x: memref<32xf32>, %s: memref<8xf32>) attributes {kernel} {
  loop.for %i = 0 to 4 {
    loop.for %k = 0 to 8 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %k)] : memref<32xf32> -> f32
      loop.store %v, %s[affine_map<(d0) -> (d0)>(%k)] : f32, memref<8xf32>
    }
    loop.for %j = 0 to 6 {
      loop.for %l = 0 to 6 {
        %w = loop.load %s[affine_map<(d0) -> (d0)>(%l)] : memref<8xf32> -> f32
        loop.store %w, %y[affine_map<(d0, d1, d2) -> (d0 * 36 + d1 * 6 + d2)>(%i, %j, %l)] : f32, memref<144xf32>
      }
    }
  }
  func.return
}

func.func private @short(%y: memref<2xf32>, %x: memref<2xf32>) attributes {kernel} {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<2xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<2xf32>
  }
  func.return
}

// What follows shares the last step of a kernel in tiles, where it fits.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    attributes {step_count = 6 : i64, longest_step = 40 : i64, step_unit = "macs"}
// CHECK-NEXT:    func.call @across({{.*}}) {step = 0 : i64, tiles = 5 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 0 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 1 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 1 : i64}
func.func @main(%arena: memref<4096xi8> {role = "arena"}, %y: memref<2xf32> {role = "output"}, %x: memref<2xf32> {role = "input"}, %a: memref<144xf32>, %b: memref<32xf32>, %c: memref<8xf32>) {
  func.call @across(%a, %b, %c) : (memref<144xf32>, memref<32xf32>, memref<8xf32>) -> ()
  func.call @short(%y, %x) : (memref<2xf32>, memref<2xf32>) -> ()
  func.call @short(%y, %x) : (memref<2xf32>, memref<2xf32>) -> ()
  func.call @short(%y, %x) : (memref<2xf32>, memref<2xf32>) -> ()
  func.return
}
