// RUN: s2s-opt %s -p tensor-collapse-dims | filecheck %s

// A pointwise convolution: rows and columns are one dimension, and those of one point are gone.
// CHECK-LABEL: func.func private @rows_and_columns
// CHECK-NEXT:    tensor.compute [8, 49 | 4] reads(
// CHECK-SAME:      %x at #tensor.access<affine_map<(d0, d1, d2) -> (0, d2, (d1 floordiv 7), (d1 mod 7))>>
// CHECK:         attributes {dims = "o hw i"}
func.func private @rows_and_columns(%x: tensor<1x4x7x7xf32>, %w: tensor<8x4xf32>) -> tensor<1x8x7x7xf32> {
  %y = tensor.compute [1, 8, 7, 7 | 4]
    reads(%x at #tensor.access<affine_map<(n, o, h, w, i) -> (n, i, h, w)>>,
          %w at #tensor.access<affine_map<(n, o, h, w, i) -> (o, i)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "n o h w i"} : (tensor<1x4x7x7xf32>, tensor<8x4xf32>) -> tensor<1x8x7x7xf32>
  func.return %y : tensor<1x8x7x7xf32>
}

// Declined: a transposed operand does not walk through both dimensions as one.
// CHECK-LABEL: func.func private @declined_for_a_transpose
// CHECK-NEXT:    tensor.compute [4, 8]
func.func private @declined_for_a_transpose(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %y = tensor.compute [4, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (j, i)>>) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<8x4xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// Declined: the guard of the second dimension must stay visible.
// CHECK-LABEL: func.func private @declined_for_a_guard
// CHECK-NEXT:    tensor.compute [4, 6]
func.func private @declined_for_a_guard(%x: tensor<4x4xf32>) -> tensor<4x6xf32> {
  %y = tensor.compute [4, 6] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j - 1)>, guarded>) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %hit = tensor.in_bounds %v : f32
    %w = arith.select %hit, %v, %zero : f32
    tensor.yield %w : f32
  } : (tensor<4x4xf32>) -> tensor<4x6xf32>
  func.return %y : tensor<4x6xf32>
}

// The steps of a maximum may be taken in any order, so in that of memory; a sum keeps its own.
// CHECK-LABEL: func.func private @largest
// CHECK:         tensor.compute [ | 24] reads(%x at #tensor.access<affine_map<(d0) -> ((d0 floordiv 12), ((d0 mod 12) floordiv 4), ((d0 mod 12) mod 4))>>)
// CHECK-LABEL: func.func private @total
// CHECK:         tensor.compute [ | 4, 6]
func.func private @largest(%x: tensor<2x3x4xf32>) -> tensor<f32> {
  %y = tensor.compute [ | 4, 2, 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>) inits [0xff800000 : f32] reduce {
  ^bb0(%a: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    tensor.yield %m : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x3x4xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @total(%x: tensor<2x3x4xf32>) -> tensor<f32> {
  %y = tensor.compute [ | 4, 2, 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>) inits [0.0 : f32] reduce {
  ^bb0(%a: f32, %acc: f32):
    %m = arith.addf %acc, %a : f32
    tensor.yield %m : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x3x4xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
