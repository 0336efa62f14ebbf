// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// Room for the weights of 6 rows and of 4 columns for each of 5 bins, and for the ends of the latter.
// CHECK-LABEL: @means(
// CHECK-NEXT: %y = tensor.extern "roi_align_f32"(%x, %n, %s, %s, %size) {numbers = array<i64: 8, 7, 5, 0, 0, 1, 6, 4, 3>, scratch = [tensor<26xf32>, tensor<10xi32>]}
func.func private @means(%x: tensor<1x6x4x3xf32>, %n: tensor<8xi32>, %s: tensor<8x2xf32>, %size: tensor<2xi32>) -> tensor<8x7x5x3xf32> attributes {kernel} {
  %y = graph.roi_align %x, %n, %s, %s, %size {rows = 7 : i64, columns = 5 : i64, ratio = 0 : i64} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi32>) -> tensor<8x7x5x3xf32>
  func.return %y : tensor<8x7x5x3xf32>
}

// CHECK-LABEL: @maxima(
// CHECK-NEXT: %y = tensor.extern "max_regions_f64"(%x, %n, %h, %w) {numbers = array<i64: 8, 7, 5, 1, 6, 4, 3>, scratch = []}
func.func private @maxima(%x: tensor<1x6x4x3xf64>, %n: tensor<8xi32>, %h: tensor<8x7x2xi32>, %w: tensor<8x5x2xi32>) -> tensor<8x7x5x3xf64> attributes {kernel} {
  %y = graph.max_regions %x, %n, %h, %w : (tensor<1x6x4x3xf64>, tensor<8xi32>, tensor<8x7x2xi32>, tensor<8x5x2xi32>) -> tensor<8x7x5x3xf64>
  func.return %y : tensor<8x7x5x3xf64>
}

// CHECK-LABEL: @determinants(
// CHECK-NEXT: %y = tensor.extern "determinant_f32"(%x) {numbers = array<i64: 6, 5>, scratch = [tensor<25xf32>]}
func.func private @determinants(%x: tensor<2x3x5x5xf32>) -> tensor<2x3xf32> attributes {kernel} {
  %y = graph.determinant %x : (tensor<2x3x5x5xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
