// RUN: s2s-opt %s --split-input-file -p tensor-fuse-computes | filecheck %s

// A transpose is read in place by a sum over windows, whose guard holds for the transpose's operand as well.
// CHECK:     func.func private @kernel
// CHECK-NOT: epilogue
// CHECK:     tensor.compute [1, 4, 4, 3 | 3, 3, 2] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (0, d6, ((d1 + d4) + -1), ((d2 + d5) + -1))>, guarded>
func.func private @kernel(%x: tensor<1x2x4x4xi8>, %w: tensor<3x2x3x3xi8>) -> tensor<1x4x4x3xi32> {
  %t = tensor.compute [1, 4, 4, 2] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (0, d3, d1, d2)>>) apply {
  ^bb0(%v: i8):
    tensor.yield %v : i8
  } : (tensor<1x2x4x4xi8>) -> tensor<1x4x4x2xi8>
  %y = tensor.compute [1, 4, 4, 3 | 3, 3, 2] reads(%t at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (0, d1 + d4 - 1, d2 + d5 - 1, d6)>, guarded>, %w at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d6, d4, d5)>>) inits [0 : i32] reduce {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %c = arith.extsi %a : i8 to i32
    %d = arith.extsi %b : i8 to i32
    %e = arith.muli %c, %d : i32
    %f = arith.addi %acc, %e : i32
    tensor.yield %f : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<1x4x4x2xi8>, tensor<3x2x3x3xi8>) -> tensor<1x4x4x3xi32>
  func.return %y : tensor<1x4x4x3xi32>
}

// -----

// Declined: the guard holds along a dimension of one position, which the operand's access leaves out.
// CHECK:     func.func private @kernel
// CHECK:     %t = tensor.compute [1, 4, 2]
// CHECK:     tensor.compute [3, 4, 2] epilogue(%t at
func.func private @kernel(%x: tensor<1x2x4xi8>) -> tensor<3x4x2xi8> {
  %t = tensor.compute [1, 4, 2] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (0, d2, d1)>>) apply {
  ^bb0(%v: i8):
    tensor.yield %v : i8
  } : (tensor<1x2x4xi8>) -> tensor<1x4x2xi8>
  %y = tensor.compute [3, 4, 2] epilogue(%t at #tensor.access<affine_map<(d0, d1, d2) -> (d0 - 1, d1, d2)>, guarded>) apply {
  ^bb0(%v: i8):
    tensor.yield %v : i8
  } : (tensor<1x4x2xi8>) -> tensor<3x4x2xi8>
  func.return %y : tensor<3x4x2xi8>
}
