// RUN: s2s-opt -p graph-lower-to-tensor %s | filecheck %s

// Of the patch at place (h - r0 * 1, w - r1): a sum over the taps, those that are of no patch missing.
// CHECK-LABEL: @patches(
// CHECK: tensor.compute [1, 2, 6, 7 | 3, 2] reads(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d1, d4, d5, (d2 + (d4 * -1)), (d3 + (d5 * -1)))>, guarded>) inits
func.func private @patches(%x: tensor<1x2x3x2x4x6xf32>) -> tensor<1x2x6x7xf32> attributes {kernel} {
  %y = graph.sum_patches %x {sizes = array<i64: 6, 7>, strides = array<i64: 1, 1>, low = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x2x4x6xf32>) -> tensor<1x2x6x7xf32>
  func.return %y : tensor<1x2x6x7xf32>
}
