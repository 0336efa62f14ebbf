// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// CHECK-LABEL: @a_routine_transforms_rows_side_by_side(
// CHECK-NEXT: %y = tensor.extern "fft_f32"(%x, %roots) {numbers = array<i64: 6, 512, 1, 257, 0, 6>, scratch = [tensor<12288xf32>]} : (tensor<2x3x512x1xf32>, tensor<512x2xf32>) -> tensor<2x3x257x2xf32>
func.func private @a_routine_transforms_rows_side_by_side(%x: tensor<2x3x512x1xf32>, %roots: tensor<512x2xf32>) -> tensor<2x3x257x2xf32> attributes {kernel} {
  %y = graph.dft %x, %roots {bins = 257 : i64} : (tensor<2x3x512x1xf32>, tensor<512x2xf32>) -> tensor<2x3x257x2xf32>
  func.return %y : tensor<2x3x257x2xf32>
}

// CHECK-LABEL: @one_row_takes_the_least_scratch(
// CHECK-NEXT: %y = tensor.extern "fft_f64"(%x, %roots) {numbers = array<i64: 1, 12, 2, 12, 1, 1>, scratch = [tensor<48xf64>]} : (tensor<12x2xf64>, tensor<12x2xf64>) -> tensor<12x2xf64>
func.func private @one_row_takes_the_least_scratch(%x: tensor<12x2xf64>, %roots: tensor<12x2xf64>) -> tensor<12x2xf64> attributes {kernel} {
  %y = graph.dft %x, %roots {bins = 12 : i64, inverse} : (tensor<12x2xf64>, tensor<12x2xf64>) -> tensor<12x2xf64>
  func.return %y : tensor<12x2xf64>
}

// CHECK-LABEL: @fixed_point(
// CHECK-NEXT: %y = tensor.extern "fixed_dft_i16"(%x, %roots, %turns) {numbers = array<i64: 6, 8>, scratch = []} : (tensor<2x3x8xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<2x3x5x2xi16>
// CHECK-NEXT: %z = tensor.extern "fixed_idft_i16"(%y, %roots, %turns) {numbers = array<i64: 6, 8>, scratch = []} : (tensor<2x3x5x2xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<2x3x8xi16>
func.func private @fixed_point(%x: tensor<2x3x8xi16>, %roots: tensor<4x2xi16>, %turns: tensor<2x2xi16>) -> tensor<2x3x8xi16> attributes {kernel} {
  %y = graph.fixed_dft %x, %roots, %turns : (tensor<2x3x8xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<2x3x5x2xi16>
  %z = graph.fixed_dft %y, %roots, %turns {inverse} : (tensor<2x3x5x2xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<2x3x8xi16>
  func.return %z : tensor<2x3x8xi16>
}
