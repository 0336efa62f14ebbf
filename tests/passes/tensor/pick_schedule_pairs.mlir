// RUN: s2s-opt %s -p tensor-pick-schedule{target=x86-64-v3} | filecheck %s --check-prefix=AVX2
// RUN: s2s-opt %s -p tensor-pick-schedule{target=x86-64-v4} | filecheck %s --check-prefix=AVX512
// RUN: s2s-opt %s -p tensor-pick-schedule{target=cortex-m55} | filecheck %s --check-prefix=M55

#at = #tensor.access<affine_map<(d0) -> (d0)>>

// A function of many operations runs in two registers at once, if the target has enough of them.
// AVX2-LABEL: @function(
// AVX2:         vectorize<0 by 16>
// AVX512-LABEL: @function(
// AVX512:         vectorize<0 by 16>
// M55-LABEL: @function(
// M55-NOT:      vectorize<0 by 8>
func.func private @function(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {kernel} {
  %y = tensor.compute [4096] epilogue(%x at #at) apply {
  ^bb0(%v: f32):
    %t = math.tanh %v : f32
    tensor.yield %t : f32
  } : (tensor<4096xf32>) -> tensor<4096xf32>
  func.return %y : tensor<4096xf32>
}

// Few vectors that two at a time do not divide stay as they are.
// AVX2-LABEL: @three_vectors(
// AVX2:         vectorize<0 by 8>
func.func private @three_vectors(%x: tensor<24xf32>) -> tensor<24xf32> attributes {kernel} {
  %y = tensor.compute [24] epilogue(%x at #at) apply {
  ^bb0(%v: f32):
    %t = math.tanh %v : f32
    tensor.yield %t : f32
  } : (tensor<24xf32>) -> tensor<24xf32>
  func.return %y : tensor<24xf32>
}

// So do operations that are one instruction.
// AVX2-LABEL: @one_instruction(
// AVX2:         vectorize<0 by 8>
func.func private @one_instruction(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {kernel} {
  %y = tensor.compute [4096] epilogue(%x at #at) apply {
  ^bb0(%v: f32):
    %t = math.sqrt %v : f32
    tensor.yield %t : f32
  } : (tensor<4096xf32>) -> tensor<4096xf32>
  func.return %y : tensor<4096xf32>
}
