// RUN: s2s-opt %s -p tensor-fill-margins | filecheck %s

// The window of `@conv` reaches one position behind the end of what a copy between two devices has brought: it is copied
// again, with 0 behind its end.
builtin.module attributes {sizes = {n = array<i64: 3, 8>}} {
  func.func private @conv(%a: tensor<8xf32>, %w: tensor<3xf32>) -> tensor<8xf32> attributes {kernel} {
    %y = tensor.compute [8 | 3] reads(%a at #tensor.access<affine_map<(i, r) -> (i + r - 1)>, guarded>, %w at #tensor.access<affine_map<(i, r) -> (r)>>) extents ["n", ""] inits [0.0 : f32] reduce {
    ^bb0(%v: f32, %u: f32, %acc: f32):
      %p = arith.mulf %v, %u : f32
      %s = arith.addf %acc, %p : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }

  // CHECK-LABEL: func.func private @copy_b
  // CHECK:         margins = [{axis = 0 : i64, count = 1 : i64, size = "n", value = 0.000000e+00 : f32}]
  // CHECK-LABEL: func.func @main
  // CHECK-NEXT:    %b = graph.device_copy %x from "main" to "dsp"
  // CHECK-NEXT:    %[[COPY:.*]] = graph.call @copy_b(%b)
  // CHECK-NEXT:    graph.call @conv(%[[COPY]], %w)
  func.func @main(%x: tensor<8xf32> {varies = ["n"]}, %w: tensor<3xf32>) -> tensor<8xf32> {
    %b = graph.device_copy %x from "main" to "dsp" : tensor<8xf32>
    %y = graph.call @conv(%b, %w) : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }
}
