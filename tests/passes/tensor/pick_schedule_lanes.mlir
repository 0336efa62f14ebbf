// RUN: s2s-opt %s -p tensor-pick-schedule{target=cortex-m55} | filecheck %s

// Bytes that become floats are computed four at a time.
// CHECK-LABEL: func.func private @dequantized
// CHECK:         vectorize<1 by 4>
func.func private @dequantized(%x: tensor<6x8xi8>) -> tensor<6x8xf32> {
  %y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>) apply {
  ^bb0(%xv: i8):
    %wide = arith.extsi %xv : i8 to i32
    %f = arith.sitofp %wide : i32 to f32
    %scale = arith.constant 0.25 : f32
    %r = arith.mulf %f, %scale : f32
    tensor.yield %r : f32
  } attributes {dims = "i j"} : (tensor<6x8xi8>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// Floats alone are left to the schedules of floats.
// CHECK-LABEL: func.func private @floats
// CHECK-NOT:     vectorize
func.func private @floats(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %y = tensor.compute [6, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>) apply {
  ^bb0(%xv: f32):
    %r = arith.addf %xv, %xv : f32
    tensor.yield %r : f32
  } attributes {dims = "i j"} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}
