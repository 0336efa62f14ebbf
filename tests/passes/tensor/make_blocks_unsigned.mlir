// RUN: s2s-opt %s --sample-weights -p tensor-make-blocks-unsigned{target=x86-64-v4} | filecheck %s

#x = #tensor.access<affine_map<(b, j, k) -> (b, k)>>
#w = #tensor.access<affine_map<(b, j, k) -> (j, b, k)>>
#p = #tensor.access<affine_map<(j, b) -> (b, j)>>
#s = #tensor.access<affine_map<(j, b) -> (j, b)>>

// Declined: the target has no instruction that multiplies signed by unsigned bytes. Where it has one, see
// test_make_blocks_unsigned.py.
// CHECK-LABEL: func.func private @blocks
// CHECK:         arith.extsi
// CHECK:         arith.extsi
// CHECK-NOT:     arith.extui
// CHECK:         func.return
func.func private @blocks(%x: tensor<2x32xi8>, %w: tensor<16x2x32xi8>, %s: tensor<16x2xf32>) -> tensor<16xf32> {
  %p = tensor.compute [2, 16 | 32] reads(%x at #x, %w at #w) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %m = arith.muli %xe, %we : i32
    %sum = arith.addi %acc, %m : i32
    tensor.yield %sum : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<2x32xi8>, tensor<16x2x32xi8>) -> tensor<2x16xi32>
  %y = tensor.compute [16 | 2] reads(%p at #p, %s at #s) inits [0.0 : f32] reduce {
  ^bb0(%pv: i32, %sv: f32, %acc: f32):
    %f = arith.sitofp %pv : i32 to f32
    %m = arith.mulf %f, %sv : f32
    %sum = arith.addf %acc, %m : f32
    tensor.yield %sum : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x16xi32>, tensor<16x2xf32>) -> tensor<16xf32>
  func.return %y : tensor<16xf32>
}
