// RUN: s2s-opt %s -p tensor-split-dims{target=x86-64-v3} --split-input-file | filecheck %s

// The outputs of two groups of four: groups, and outputs of one.
// CHECK-LABEL: func.func @grouped
// CHECK-NEXT:    tensor.compute [2, 4, 5 | 3] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (((d0 * 3) + d3), d2)>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3) -> (((d0 * 4) + d1), d3)>>)
func.func @grouped(%x: tensor<6x5xf32>, %w: tensor<8x3xf32>) -> tensor<8x5xf32> {
  %y = tensor.compute [8, 5 | 3]
      reads(%x at #tensor.access<affine_map<(o, h, i) -> (o floordiv 4 * 3 + i, h)>>,
            %w at #tensor.access<affine_map<(o, h, i) -> (o, i)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x5xf32>, tensor<8x3xf32>) -> tensor<8x5xf32>
  func.return %y : tensor<8x5xf32>
}

// -----

// Declined: blocks of three do not make up eight; what only moves elements stays as it is.
// CHECK-LABEL: func.func @ragged
// CHECK-NEXT:    tensor.compute [8 | 2]
// CHECK-LABEL: func.func @moved
// CHECK-NEXT:    tensor.compute [8]
func.func @ragged(%x: tensor<3x2xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8 | 2] reads(%x at #tensor.access<affine_map<(o, i) -> (o floordiv 3, i)>>) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %acc: f32):
    %s = arith.addf %acc, %xv : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x2xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
func.func @moved(%x: tensor<2xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(o) -> (o floordiv 4)>>) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<2xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
