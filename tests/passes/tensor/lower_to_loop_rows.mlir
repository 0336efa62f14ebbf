// RUN: s2s-opt %s -p tensor-pick-schedule,tensor-lower-to-loop | filecheck %s

// A ring stays in the buffer that begins as what it is given, results get row after row; the number of rows has memory
// of its own.

// CHECK:      func.func private @first(%y: memref<2xf32> {role = "output", shape = array<i64: 1, 1, 2>}, %row: memref<2xf32> {role = "input", shape = array<i64: 1, 1, 2>}) {
// CHECK:      func.func private @second(%y: memref<2xf32> {role = "output", shape = array<i64: 1, 1, 2>}, %ring: memref<4xf32> {role = "input", shape = array<i64: 1, 2, 2>}) {
// CHECK:      func.func @main(%y: memref<10xf32> {role = "output", shape = array<i64: 1, 5, 2>}, %x: memref<12xf32> {role = "input", shape = array<i64: 1, 6, 2>}, %begin: memref<4xf32> {role = "input", shape = array<i64: 1, 2, 2>}) {
// CHECK-NEXT:   %ring = loop.alloc : memref<4xf32>
// CHECK-NEXT:   %count = loop.alloc : memref<1xi32>
// CHECK-NEXT:   loop.copy %ring, %begin : memref<4xf32>
// CHECK-NEXT:   loop.call_rows count %count : memref<1xi32>(%x, %ring, %y) {bodies = [@first, @second], every = array<i64: 1, 1>, firsts = array<i64: 0, 1>, steps = array<i64: 6, 5>, taken = array<i64: 1, 0, 2, 1>, counts = array<i64: 2, 2>, written = array<i64: 1, 1>, sizes = array<i64: 2, 2, 2>} : (memref<12xf32>, memref<4xf32>, memref<10xf32>)
// CHECK-NEXT:   loop.end_rows %count : memref<1xi32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func private @copy(%x: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> attributes {kernel} {
  %y = tensor.compute [1, 2] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (0, d0, d1)>>) apply {
  ^bb0(%p: f32):
    tensor.yield %p : f32
  } : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  func.return %y : tensor<1x1x2xf32>
}
func.func private @cut(%x: tensor<1x2x2xf32>) -> tensor<1x1x2xf32> attributes {kernel} {
  %y = tensor.compute [1, 2] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (0, d0 + 1, d1)>>) apply {
  ^bb0(%p: f32):
    tensor.yield %p : f32
  } : (tensor<1x2x2xf32>) -> tensor<1x1x2xf32>
  func.return %y : tensor<1x1x2xf32>
}
func.func private @first(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> attributes {tied = array<i64: -1>} {
  %y = graph.call @copy(%row) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  func.return %y : tensor<1x1x2xf32>
}
func.func private @second(%ring: tensor<1x2x2xf32>) -> tensor<1x1x2xf32> attributes {tied = array<i64: -1>} {
  %y = graph.call @cut(%ring) : (tensor<1x2x2xf32>) -> tensor<1x1x2xf32>
  func.return %y : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x6x2xf32>, %begin: tensor<1x2x2xf32>) -> tensor<1x5x2xf32> {
  %ring, %y = graph.line_buffers %x(%begin) {bodies = [@first, @second], every = array<i64: 1, 1>, firsts = array<i64: 0, 1>, steps = array<i64: 6, 5>, taken = array<i64: 1, 0, 2, 1>, counts = array<i64: 2, 2>, written = array<i64: 1, 1>, rows = array<i64: 2, 5>, axis = 1, pushed} : (tensor<1x6x2xf32>, tensor<1x2x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x5x2xf32>)
  func.return %y : tensor<1x5x2xf32>
}
