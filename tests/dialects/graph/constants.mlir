// RUN: s2s-opt %s | s2s-opt | filecheck %s

// Only the custom form is exact for these: in the generic form xDSL prints NaN, infinities and long floats as hexadecimal
// numbers and parses them as integers.

// CHECK-LABEL: func.func @special_values_keep_their_bits
func.func @special_values_keep_their_bits() {
  // CHECK-NEXT: graph.constant dense<"0x000080FF"> : tensor<f32>
  %minus_infinity = graph.constant dense<"0x000080FF"> : tensor<f32>
  // CHECK-NEXT: graph.constant {node = "mask"} dense<"0x0000C07F0000807F"> : tensor<2xf32>
  %nan_and_infinity = graph.constant {node = "mask"} dense<"0x0000C07F0000807F"> : tensor<2xf32>
  // CHECK-NEXT: graph.constant dense<"0x0000000000000080"> : tensor<2xf32>
  %both_zeros = graph.constant dense<[0.0, -0.0]> : tensor<2xf32>
  // CHECK-NEXT: graph.constant dense<-0.000000e+00> : tensor<2xf32>
  %minus_zeros = graph.constant dense<-0.0> : tensor<2xf32>
  // CHECK-NEXT: graph.constant dense<"0x38B4964B"> : tensor<f32>
  %seven_digits = graph.constant dense<19753072.0> : tensor<f32>
  // CHECK-NEXT: graph.constant dense<"0x807F"> : tensor<bf16>
  %brain_infinity = graph.constant dense<"0x807F"> : tensor<bf16>
  func.return
}

// CHECK-LABEL: func.func @a_splat_in_hexadecimal_is_spread
func.func @a_splat_in_hexadecimal_is_spread() {
  // CHECK-NEXT: graph.constant dense<"0x0000807F0000807F"> : tensor<2xf32>
  %infinities = graph.constant dense<"0x0000807F"> : tensor<2xf32>
  func.return
}
