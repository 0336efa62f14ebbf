// RUN: s2s-opt %s -p tensor-pick-schedule,tensor-lower-to-loop --split-input-file | filecheck %s

// What a scan carries stays in the buffer of its result; slices are steps along the buffers. The first result of the
// body takes over the place of its argument, which nobody reads later.
// CHECK-LABEL: func.func private @step
// CHECK-SAME:    (%y: memref<4xf32> {role = "output", shape = array<i64: 4>}, %h: memref<4xf32> {role = "input", shape = array<i64: 4>}, %x: memref<4xf32> {role = "input", shape = array<i64: 4>})
// CHECK-NEXT:    func.call @add(%h, %h, %x)
// CHECK-NEXT:    func.call @copy(%y, %h)
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%all: memref<12xf32> {role = "output", shape = array<i64: 3, 4>}, %xs: memref<12xf32> {role = "input", shape = array<i64: 3, 4>}, %h: memref<4xf32> {role = "input", shape = array<i64: 4>})
// CHECK-NEXT:    %last = loop.alloc : memref<4xf32>
// CHECK-NEXT:    loop.copy %last, %h : memref<4xf32>
// CHECK-NEXT:    loop.call_for @step(%all, %last, %xs) {steps = 3 : i64, starts = array<i64: 0, 0, 8>, strides = array<i64: 4, 0, -4>}
func.func private @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = tensor.compute [4] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>>, %b at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.addf %p, %q : f32
    tensor.yield %0 : f32
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @copy(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = tensor.compute [4] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
  ^bb0(%p: f32):
    tensor.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @step(%h: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tied = array<i64: 0, -1>} {
  %s = graph.call @add(%h, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @copy(%s) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %s, %y : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%xs: tensor<3x4xf32>, %h: tensor<4xf32>) -> tensor<3x4xf32> {
  %last, %all = graph.scan @step(%h, %xs) {steps = 3, carried = 1, scanned = 1, backward = array<i64: 0>} : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
  func.return %all : tensor<3x4xf32>
}

// -----

// The argument is read after the result is there: the result is copied at the end.
// CHECK-LABEL: func.func private @late
// CHECK-SAME:    (%y: memref<4xf32> {{.*}}, %h: memref<4xf32>
// CHECK-NEXT:    %s = loop.alloc : memref<4xf32>
// CHECK-NEXT:    func.call @copy(%s, %h)
// CHECK-NEXT:    func.call @copy(%y, %h)
// CHECK-NEXT:    loop.copy %h, %s : memref<4xf32>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %go: memref<1xi1> {role = "input", shape = array<i64>}, %h: memref<4xf32> {name = "h", state, role = "state", shape = array<i64: 4>})
// CHECK-NEXT:    %t = loop.alloc : memref<4xf32>
// CHECK-NEXT:    loop.call_if %go then @late2 else @late2(%t, %h) : memref<1xi1>(memref<4xf32>, memref<4xf32>)
// CHECK-NEXT:    loop.copy %h, %t : memref<4xf32>
func.func private @copy(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = tensor.compute [4] epilogue(%a at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
  ^bb0(%p: f32):
    tensor.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @late(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tied = array<i64: 0, -1>} {
  %s = graph.call @copy(%h) : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @copy(%h) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %s, %y : tensor<4xf32>, tensor<4xf32>
}
func.func private @late2(%h: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.call @copy(%h) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}
func.func @main(%go: tensor<i1>, %h: tensor<4xf32> {name = "h", state}) -> tensor<4xf32> attributes {tied = array<i64: 1>} {
  %t = graph.if %go then @late2 else @late2(%h) : tensor<i1>, (tensor<4xf32>) -> tensor<4xf32>
  func.return %t : tensor<4xf32>
}
