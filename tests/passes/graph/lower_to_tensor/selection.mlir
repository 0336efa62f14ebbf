// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// The result of the routine keeps the size that the operation states.
// CHECK-LABEL: @positions(
// CHECK-NEXT: %y = tensor.extern "nonzero_bool"(%mask, %count) {varies = ["found"], numbers = array<i64: 64, 16>, scratch = []} : (tensor<64xi1>, tensor<i32>) -> tensor<16xi32>
func.func private @positions(%mask: tensor<64xi1>, %count: tensor<i32>) -> tensor<16xi32> attributes {kernel} {
  %y = graph.nonzero %mask, %count {size = "found", bound = 16 : i64, varies = ["found"]} : (tensor<64xi1>, tensor<i32>) -> tensor<16xi32>
  func.return %y : tensor<16xi32>
}

// Room for scores that are high enough, for their places, and for sorting.
// CHECK-LABEL: @boxes(
// CHECK-NEXT: %y = tensor.extern "suppressed_f32"(%b, %s, %o, %l) {numbers = array<i64: 1, 2, 6, 3, 0>, scratch = [tensor<6xf32>, tensor<12xi32>, tensor<280xui32>]}
func.func private @boxes(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %o: tensor<f32>, %l: tensor<f32>) -> tensor<1x2x3xi32> attributes {kernel} {
  %y = graph.non_max_suppression %b, %s, %o, %l {most = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x3xi32>
  func.return %y : tensor<1x2x3xi32>
}
