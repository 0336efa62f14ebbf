// RUN: s2s-opt %s -p tensor-limit-scratch{elements=16} | filecheck %s

#x = #tensor.access<affine_map<(c, h, w, kh, kw) -> (h + kh, w + kw, c)>>
#w = #tensor.access<affine_map<(c, h, w, kh, kw) -> (c, kh, kw)>>

// The plane of a channel is 6 by 4, the rows that a row of the result needs are 3 by 4: these are within the limit.
// CHECK-LABEL: func.func private @depthwise
// CHECK:         cache_read<0 at 1 as i16>
func.func private @depthwise(%x: tensor<6x4x8xi8>, %w: tensor<8x3x3xi8>) -> tensor<8x4x2xi32> {
  %y = tensor.compute [8, 4, 2 | 3, 3] reads(%x at #x, %w at #w)
      schedule #tensor.schedule<[tile<2 by 2>, cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<6x4x8xi8>, tensor<8x3x3xi8>) -> tensor<8x4x2xi32>
  func.return %y : tensor<8x4x2xi32>
}

// Declined: 3 by 4 elements are within the limit as they are.
// CHECK-LABEL: func.func private @small
// CHECK:         cache_read<0 at 0 as i16>
func.func private @small(%x: tensor<3x4x8xi8>, %w: tensor<8x3x3xi8>) -> tensor<8x1x2xi32> {
  %y = tensor.compute [8, 1, 2 | 3, 3] reads(%x at #x, %w at #w)
      schedule #tensor.schedule<[tile<2 by 2>, cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<3x4x8xi8>, tensor<8x3x3xi8>) -> tensor<8x1x2xi32>
  func.return %y : tensor<8x1x2xi32>
}
