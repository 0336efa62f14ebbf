// RUN: s2s-opt %s --sample-weights -p tensor-tile-rows{target=x86-64-v3},tensor-pick-schedule{target=x86-64-v3} --split-input-file | filecheck %s

#id = #tensor.access<affine_map<(n, c, h, w, p) -> (n, c, h, w, p)>>
#first = #tensor.access<affine_map<(n, c, h, w, p) -> (n, 0, h, w, p)>>
#window = #tensor.access<affine_map<(n, c, h, w, p, r) -> (n, c, h + r - 1, w, p)>, guarded>
#taps = #tensor.access<affine_map<(n, c, h, w, p, r) -> (c, r, p)>>

// Four blocks of eight channels over 128 × 128 pixels fit no cache: they are made and used some rows at a time, of which
// the window takes one more on either side.
// CHECK-LABEL: func.func private @row_tiles(%x: tensor<1x1x128x128x8xf32>, %w: tensor<4x3x8xf32>) -> tensor<1x4x128x128x8xf32>
// CHECK-NEXT:    %a = tensor.compute [1, 4, 128, 128, 8] epilogue(%x {{.*}} tile_and_fuse<2 by 4 overlap [1, 1]>
// CHECK:         %y = tensor.compute [1, 4, 128, 128, 8 | 3] reads(%a {{.*}} tile_and_fuse<2 by 4>
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @row_tiles(%x, %w) {blocked = array<i64: 1, 4, 128, 128, 8>, node = "expand, slide"}
func.func private @expand(%x: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8] epilogue(%x at #first) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func private @slide(%x: tensor<1x4x128x128x8xf32>, %w: tensor<4x3x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8 | 3] reads(%x at #window, %w at #taps) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x4x128x128x8xf32>, tensor<4x3x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func @main(%x: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> {
  %w = graph.weight "slide_w" {hash = "0"} : tensor<4x3x8xf32>
  %a = graph.call @expand(%x) {blocked = array<i64: 1, 4, 128, 128, 8>, node = "expand"} : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  %y = graph.call @slide(%a, %w) {blocked = array<i64: 1, 4, 128, 128, 8>, node = "slide"} : (tensor<1x4x128x128x8xf32>, tensor<4x3x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}

// -----

#first = #tensor.access<affine_map<(n, c, h, w, p) -> (n, 0, h, w, p)>>
#window = #tensor.access<affine_map<(n, c, h, w, p, r) -> (n, c, h + r - 1, w, p)>, guarded>

// Declined: the largest of what a window sees is not that of zeros as well.
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @expand
// CHECK:         graph.call @pool
func.func private @expand(%x: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8] epilogue(%x at #first) apply {
  ^bb0(%v: f32):
    %s = arith.negf %v : f32
    tensor.yield %s : f32
  } : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func private @pool(%x: tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8 | 3] reads(%x at #window) inits [-1.0e+30 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.maximumf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func @main(%x: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> {
  %a = graph.call @expand(%x) : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  %y = graph.call @pool(%a) : (tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}

// -----

#id = #tensor.access<affine_map<(n, c, h, w, p) -> (n, c, h, w, p)>>
#first = #tensor.access<affine_map<(n, c, h, w, p) -> (n, 0, h, w, p)>>

// Two chains meet in a sum: it goes into one of them, and reads what the other leaves behind.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %b = graph.call @expand(%z)
// CHECK-NEXT:    %y = graph.call @row_tiles(%x, %b)
// CHECK-NEXT:    func.return %y
func.func private @expand(%x: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8] epilogue(%x at #first) apply {
  ^bb0(%v: f32):
    %s = arith.negf %v : f32
    tensor.yield %s : f32
  } : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func private @sum(%p: tensor<1x4x128x128x8xf32>, %q: tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 128, 128, 8] epilogue(%p at #id, %q at #id) apply {
  ^bb0(%v: f32, %u: f32):
    %s = arith.addf %v, %u : f32
    tensor.yield %s : f32
  } : (tensor<1x4x128x128x8xf32>, tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
func.func @main(%x: tensor<1x1x128x128x8xf32>, %z: tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32> {
  %a = graph.call @expand(%x) : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  %b = graph.call @expand(%z) : (tensor<1x1x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  %y = graph.call @sum(%a, %b) : (tensor<1x4x128x128x8xf32>, tensor<1x4x128x128x8xf32>) -> tensor<1x4x128x128x8xf32>
  func.return %y : tensor<1x4x128x128x8xf32>
}
