// RUN: s2s-opt %s -p tensor-pick-schedule{target=x86-64-v3} | filecheck %s

// Halves are carried in lanes of floats, and rounded there where a sum is rounded before the next operation.
// CHECK-LABEL: func.func private @sum_and_product
// CHECK:         vectorize<0 by 8>
func.func private @sum_and_product(%x: tensor<64xf16>) -> tensor<64xf16> {
  %y = tensor.compute [64] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: f16):
    %wide = arith.extf %xv : f16 to f32
    %sum = arith.addf %wide, %wide : f32
    %half = arith.truncf %sum : f32 to f16
    %again = arith.extf %half : f16 to f32
    %product = arith.mulf %again, %wide : f32
    %r = arith.truncf %product : f32 to f16
    tensor.yield %r : f16
  } attributes {dims = "i"} : (tensor<64xf16>) -> tensor<64xf16>
  func.return %y : tensor<64xf16>
}

// Bits of a half have no form in lanes.
// CHECK-LABEL: func.func private @bits
// CHECK-NOT:     vectorize
func.func private @bits(%x: tensor<64xf16>) -> tensor<64xi16> {
  %y = tensor.compute [64] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: f16):
    %wide = arith.extf %xv : f16 to f32
    %sum = arith.addf %wide, %wide : f32
    %half = arith.truncf %sum : f32 to f16
    %r = arith.bitcast %half : f16 to i16
    tensor.yield %r : i16
  } attributes {dims = "i"} : (tensor<64xf16>) -> tensor<64xi16>
  func.return %y : tensor<64xi16>
}

// Numbers of bfloat16 are rounded one by one.
// CHECK-LABEL: func.func private @bfloat16
// CHECK-NOT:     vectorize
func.func private @bfloat16(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %y = tensor.compute [64] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: bf16):
    %wide = arith.extf %xv : bf16 to f32
    %sum = arith.addf %wide, %wide : f32
    %r = arith.truncf %sum : f32 to bf16
    tensor.yield %r : bf16
  } attributes {dims = "i"} : (tensor<64xbf16>) -> tensor<64xbf16>
  func.return %y : tensor<64xbf16>
}
