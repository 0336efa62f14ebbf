// RUN: s2s-opt %s -p tensor-lower-to-loop --split-input-file | filecheck %s

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>>

// Six columns in vectors of four. The second block of the constant is filled up: a whole vector is loaded, two lanes of
// which are stored.
// CHECK-LABEL: func.func private @packed
// CHECK:         loop.load %b[affine_map<(d0) -> (((d0 * 4) + 32))>(%r_1)] : memref<64xf32> -> vector<4xf32>
// CHECK:         loop.store {{.*}} {lanes = 2 : i64} : vector<4xf32>, memref<18xf32>
func.func private @packed(%a: tensor<3x8xf32>, %b: tensor<2x8x4xf32>) -> tensor<3x6xf32> {
  %y = tensor.compute [3, 6 | 8] reads(%a at #a, %b at #b)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, reorder<[1, 0, 2]>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x8xf32>, tensor<2x8x4xf32>) -> tensor<3x6xf32>
  func.return %y : tensor<3x6xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// Declined: the last row of the operand ends with its sixth column.
// CHECK-LABEL: func.func private @rows
// CHECK:         loop.load %b[affine_map<(d0) -> (((d0 * 6) + 4))>(%r_1)] {lanes = 2 : i64} : memref<48xf32> -> vector<4xf32>
func.func private @rows(%a: tensor<3x8xf32>, %b: tensor<8x6xf32>, %x: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %y = tensor.compute [3, 6 | 8] reads(%a at #a, %b at #b) epilogue(%x at #tensor.access<affine_map<(m, n) -> (m, n)>>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, reorder<[1, 0, 2]>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %xv: f32):
    %s = arith.addf %acc, %xv : f32
    tensor.yield %s : f32
  } : (tensor<3x8xf32>, tensor<8x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  func.return %y : tensor<3x6xf32>
}

// -----

#x = #tensor.access<affine_map<(p, c, k) -> (p + k - 1, c)>, guarded>
#w = #tensor.access<affine_map<(p, c, k) -> (k, c)>>

// Raw bytes: all products are made, of padding as well, which counts as the zero point.
// CHECK-LABEL: func.func private @raw
// CHECK:         arith.muli
// CHECK:         arith.muli
// CHECK:         arith.muli
// CHECK:         loop.store
// CHECK:         loop.for
func.func private @raw(%x: tensor<5x4xi8>, %w: tensor<3x4xi8>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3] reads(%x at #x, %w at #w)
    schedule #tensor.schedule<[tile<1 by 4>, unroll<2 by 3>, vectorize<1 by 4>, raw_bytes<0>]>
    inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant 0 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x4xi8>, tensor<3x4xi8>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}
