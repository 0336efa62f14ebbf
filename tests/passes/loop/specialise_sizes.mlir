// RUN: s2s-opt %s -p loop-specialise-sizes | filecheck %s

// A clone for each named size, with constant bounds of its loops; a kernel that depends on no size has none.
builtin.module attributes {sizes = {m = array<i64: 1, 8>, n = array<i64: 1, 18, 1, 4, 16>}} {
  // CHECK-LABEL: func.func private @rows(
  // CHECK-NEXT:    %n = loop.size "n" from 1 to 18
  // CHECK-LABEL: func.func private @rows_16(
  // CHECK:         loop.for %i = 0 to 16 step 4 {
  // CHECK:           loop.for %j = 0 to min affine_map<(d0) -> (d0)>(%m) {
  // CHECK-LABEL: func.func private @rows_4(
  // CHECK:         loop.for %i = 0 to 4 step 4 {
  func.func private @rows(%y: memref<144xf32>, %x: f32) {
    %n = loop.size "n" from 1 to 18
    %m = loop.size "m" from 1 to 8
    loop.for %i = 0 to min affine_map<(d0) -> (d0, 16)>(%n) step 4 {
      loop.for %j = 0 to min affine_map<(d0) -> (d0)>(%m) {
        loop.store %x, %y[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : f32, memref<144xf32>
      }
    }
    func.return
  }
  // The rest behind the last whole tile is left out at 4 and at 16, and what it carries is what it began with.
  // CHECK-LABEL: func.func private @rest(
  // CHECK:         loop.for %i = 16 to
  // CHECK-LABEL: func.func private @rest_16(
  // CHECK-NOT:     loop.for
  // CHECK:         loop.store %x, %y
  func.func private @rest(%y: memref<144xf32>, %x: f32) {
    %n = loop.size "n" from 1 to 18
    %sum = loop.for %i = 16 to min affine_map<(d0) -> (d0)>(%n) iter_args(%carried = %x) -> (f32) {
      %next = arith.addf %carried, %carried : f32
      loop.yield %next : f32
    }
    loop.store %sum, %y[affine_map<() -> (0)>()] : f32, memref<144xf32>
    func.return
  }
  // CHECK-LABEL: func.func private @other(
  // CHECK-NOT:   func.func private @other_
  func.func private @other(%y: memref<4xf32>, %x: f32) {
    func.return
  }
  // CHECK:       func.call @rows(%y, %x) {specialised = [{callee = "rows_4", sizes = {n = 4 : i64}}, {callee = "rows_16", sizes = {n = 16 : i64}}]}
  func.func @main(%y: memref<144xf32>, %x: f32) {
    func.call @rows(%y, %x) : (memref<144xf32>, f32) -> ()
    func.return
  }
}
