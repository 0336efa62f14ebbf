// RUN: s2s-opt %s --sample-weights -p tensor-block-channels{target=x86-64-v3} --split-input-file | filecheck %s

#conv = #tensor.access<affine_map<(n, o, h, w, i, r) -> (n, i, h + r - 1, w)>, guarded>
#id = #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>

// The tensor between the two kernels is blocked; the network's input and output stay as they are.
// CHECK-LABEL: func.func private @first
// CHECK-SAME:    %x: tensor<1x3x4x4xf32>
// CHECK-SAME:    -> tensor<1x2x4x4x8xf32>
// CHECK-NEXT:    tensor.compute [1, 2, 4, 4, 8 | 3, 3]
// CHECK-SAME:      (d0, d1, d2, d3, d4, d5, d6) -> (0, d5, ((d2 + d6) + -1), d3)>, guarded>
// CHECK-SAME:      (((d1 * 8) + d4), d5, d6)
func.func private @first(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x3xf32>) -> tensor<1x16x4x4xf32> {
  %y = tensor.compute [1, 16, 4, 4 | 3, 3]
    reads(%x at #conv, %w at #tensor.access<affine_map<(n, o, h, w, i, r) -> (o, i, r)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x3x4x4xf32>, tensor<16x3x3xf32>) -> tensor<1x16x4x4xf32>
  func.return %y : tensor<1x16x4x4xf32>
}

// Its reader walks over blocks, and in a block over places.
// CHECK-LABEL: func.func private @second
// CHECK-SAME:    %x: tensor<1x2x4x4x8xf32>
// CHECK-NEXT:    tensor.compute [1, 5, 4, 4 | 2, 8, 3]
// CHECK-SAME:      (d0, d1, d2, d3, d4, d5, d6) -> (0, d4, ((d2 + d6) + -1), d3, d5)>, guarded>
func.func private @second(%x: tensor<1x16x4x4xf32>, %w: tensor<5x16x3xf32>) -> tensor<1x5x4x4xf32> {
  %y = tensor.compute [1, 5, 4, 4 | 16, 3]
    reads(%x at #conv, %w at #tensor.access<affine_map<(n, o, h, w, i, r) -> (o, i, r)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x16x4x4xf32>, tensor<5x16x3xf32>) -> tensor<1x5x4x4xf32>
  func.return %y : tensor<1x5x4x4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK:         graph.call @first(%x, %w) {blocked = array<i64: 1, 2, 4, 4, 8>} : (tensor<1x3x4x4xf32>, tensor<16x3x3xf32>) -> tensor<1x2x4x4x8xf32>
// CHECK-NEXT:    graph.call @second(%a, %v) : (tensor<1x2x4x4x8xf32>, tensor<5x16x3xf32>) -> tensor<1x5x4x4xf32>
func.func @main(%x: tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<16x3x3xf32>
  %v = graph.weight "v" {hash = "1"} : tensor<5x16x3xf32>
  %a = graph.call @first(%x, %w) : (tensor<1x3x4x4xf32>, tensor<16x3x3xf32>) -> tensor<1x16x4x4xf32>
  %y = graph.call @second(%a, %v) : (tensor<1x16x4x4xf32>, tensor<5x16x3xf32>) -> tensor<1x5x4x4xf32>
  func.return %y : tensor<1x5x4x4xf32>
}

// -----

#id = #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>

// Declined: the tensor between the kernels is seen through a reshape, which knows rows only.
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @relu(%x) : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
func.func private @relu(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
  %y = tensor.compute [1, 8, 2, 2] epilogue(%x at #id) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  func.return %y : tensor<1x8x2x2xf32>
}
func.func @main(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
  %a = graph.call @relu(%x) : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  %r = graph.reshape %a : (tensor<1x8x2x2xf32>) -> tensor<1x8x4x1xf32>
  %s = graph.reshape %r : (tensor<1x8x4x1xf32>) -> tensor<1x8x2x2xf32>
  %y = graph.call @relu(%s) : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  func.return %y : tensor<1x8x2x2xf32>
}

// -----

// Declined: the second kernel slides its window along the second dimension, so that channels are the last.
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @relu(%x) : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
// CHECK-NEXT:    graph.call @column(%a, %w) : (tensor<1x8x8x8xf32>, tensor<8x3xf32>) -> tensor<1x6x8x8xf32>
func.func private @relu(%x: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %y = tensor.compute [1, 8, 8, 8] epilogue(%x at #tensor.access<affine_map<(n, h, w, c) -> (n, h, w, c)>>) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  func.return %y : tensor<1x8x8x8xf32>
}
func.func private @column(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3xf32>) -> tensor<1x6x8x8xf32> {
  %y = tensor.compute [1, 6, 8, 8 | 3]
      reads(%x at #tensor.access<affine_map<(n, h, w, c, k) -> (n, h + k, w, c)>>,
            %w at #tensor.access<affine_map<(n, h, w, c, k) -> (c, k)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x8x8x8xf32>, tensor<8x3xf32>) -> tensor<1x6x8x8xf32>
  func.return %y : tensor<1x6x8x8xf32>
}
func.func @main(%x: tensor<1x8x8x8xf32>) -> tensor<1x6x8x8xf32> {
  %w = graph.weight "column" {hash = "2"} : tensor<8x3xf32>
  %a = graph.call @relu(%x) : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %y = graph.call @column(%a, %w) : (tensor<1x8x8x8xf32>, tensor<8x3xf32>) -> tensor<1x6x8x8xf32>
  func.return %y : tensor<1x6x8x8xf32>
}

// -----

#image = #tensor.access<affine_map<(n, o, h, w, i) -> (n, i, h, w)>>
#matrix = #tensor.access<affine_map<(n, o, h, w, i) -> (o, i)>>
#id = #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>
#row = #tensor.access<affine_map<(n, c, h, w) -> (c)>>

// Twelve channels take two blocks of eight, the second one half used: the producer computes all of it, from constants
// filled up with zeros.
// CHECK-LABEL: func.func private @expand
// CHECK-SAME:    %w: tensor<16x3xf32>, %b: tensor<16xf32>) -> tensor<1x2x4x4x8xf32>
// CHECK-NEXT:    tensor.compute [1, 2, 4, 4, 8 | 3]
func.func private @expand(%x: tensor<1x3x4x4xf32>, %w: tensor<12x3xf32>, %b: tensor<12xf32>) -> tensor<1x12x4x4xf32> {
  %y = tensor.compute [1, 12, 4, 4 | 3] reads(%x at #image, %w at #matrix) epilogue(%b at #row) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    tensor.yield %s : f32
  } : (tensor<1x3x4x4xf32>, tensor<12x3xf32>, tensor<12xf32>) -> tensor<1x12x4x4xf32>
  func.return %y : tensor<1x12x4x4xf32>
}

// What goes from block to block is computed over all of them …
// CHECK-LABEL: func.func private @relu
// CHECK-NEXT:    tensor.compute [1, 2, 4, 4, 8] epilogue
func.func private @relu(%x: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %y = tensor.compute [1, 12, 4, 4] epilogue(%x at #id) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  func.return %y : tensor<1x12x4x4xf32>
}

// … but a sum over channels stops at the last one: three steps of four, two of them in the first block.
// CHECK-LABEL: func.func private @project
// CHECK-NEXT:    tensor.compute [1, 5, 4, 4 | 3, 4]
// CHECK-SAME:      (d0, d1, d2, d3, d4, d5) -> (0, (d4 floordiv 2), d2, d3, (((d4 mod 2) * 4) + d5))>>
// CHECK-SAME:      (d0, d1, d2, d3, d4, d5) -> (d1, ((d4 * 4) + d5))>>
func.func private @project(%x: tensor<1x12x4x4xf32>, %w: tensor<5x12xf32>) -> tensor<1x5x4x4xf32> {
  %y = tensor.compute [1, 5, 4, 4 | 12] reads(%x at #image, %w at #matrix) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x12x4x4xf32>, tensor<5x12xf32>) -> tensor<1x5x4x4xf32>
  func.return %y : tensor<1x5x4x4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK:         graph.weight "expand_w_filled" {{.*}} : tensor<16x3xf32>
// CHECK:         graph.call @expand(%x, %w, %b) {blocked = array<i64: 1, 2, 4, 4, 8>, channels = 12 : i64} :
// CHECK:         graph.call @relu(%a) {blocked = array<i64: 1, 2, 4, 4, 8>, channels = 12 : i64} :
func.func @main(%x: tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32> {
  %w = graph.weight "expand_w" {hash = "3"} : tensor<12x3xf32>
  %b = graph.weight "expand_b" {hash = "4"} : tensor<12xf32>
  %v = graph.weight "project_w" {hash = "5"} : tensor<5x12xf32>
  %a = graph.call @expand(%x, %w, %b) : (tensor<1x3x4x4xf32>, tensor<12x3xf32>, tensor<12xf32>) -> tensor<1x12x4x4xf32>
  %r = graph.call @relu(%a) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  %y = graph.call @project(%r, %v) : (tensor<1x12x4x4xf32>, tensor<5x12xf32>) -> tensor<1x5x4x4xf32>
  func.return %y : tensor<1x5x4x4xf32>
}

// -----

#id = #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>
#reversed = #tensor.access<affine_map<(n, c, h, w) -> (n, -c + 11, h, w)>>

// Declined: the second kernel walks through the channels backwards, so that what lies behind the last one would be in
// front of the first.
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @turn(%x) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
// CHECK-NEXT:    graph.call @turn(%a) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
func.func private @turn(%x: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %y = tensor.compute [1, 12, 4, 4] epilogue(%x at #reversed) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  func.return %y : tensor<1x12x4x4xf32>
}
func.func @main(%x: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %a = graph.call @turn(%x) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  %y = graph.call @turn(%a) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  func.return %y : tensor<1x12x4x4xf32>
}
