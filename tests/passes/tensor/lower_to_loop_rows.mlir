// RUN: s2s-opt %s -p tensor-pick-schedule,tensor-lower-to-loop | filecheck %s

// Rings stay in the buffers of the results, which begin as what they are given; the number of rows has memory of its own.

// CHECK:      func.func private @body(%ring: memref<6xf32> {role = "input", shape = array<i64: 1, 3, 2>}, %row: memref<2xf32> {role = "input", shape = array<i64: 1, 1, 2>}) {
// CHECK-NEXT:   func.call @move(%ring, %ring, %row) {shape = array<i64: 1, 3, 2>} : (memref<6xf32>, memref<6xf32>, memref<2xf32>) -> ()
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
// CHECK-NEXT: func.func @main(%y: memref<6xf32> {role = "output", shape = array<i64: 1, 3, 2>}, %x: memref<12xf32> {role = "input", shape = array<i64: 1, 6, 2>}, %begin: memref<6xf32> {role = "input", shape = array<i64: 1, 3, 2>}) {
// CHECK-NEXT:   %count = loop.alloc : memref<1xi32>
// CHECK-NEXT:   loop.copy %y, %begin : memref<6xf32>
// CHECK-NEXT:   loop.call_rows count %count : memref<1xi32>(%x, %y) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 6>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, row = 2 : i64} : (memref<12xf32>, memref<6xf32>)
// CHECK-NEXT:   loop.end_rows %count : memref<1xi32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func private @move(%x: tensor<1x3x2xf32>, %u: tensor<1x1x2xf32>) -> tensor<1x3x2xf32> attributes {kernel, in_place = array<i64: 1>} {
  %base = tensor.compute [3, 2] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (0, d0, d1)>>) apply {
  ^bb0(%p: f32):
    tensor.yield %p : f32
  } : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return %base : tensor<1x3x2xf32>
}
func.func private @body(%ring: tensor<1x3x2xf32>, %row: tensor<1x1x2xf32>) -> tensor<1x3x2xf32> attributes {tied = array<i64: 0>} {
  %y = graph.call @move(%ring, %row) : (tensor<1x3x2xf32>, tensor<1x1x2xf32>) -> tensor<1x3x2xf32>
  func.return %y : tensor<1x3x2xf32>
}
func.func @main(%x: tensor<1x6x2xf32>, %begin: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %y = graph.line_buffers %x(%begin) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 6>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, axis = 1, pushed} : (tensor<1x6x2xf32>, tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return %y : tensor<1x3x2xf32>
}
