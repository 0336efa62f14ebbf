// RUN: s2s-opt %s -p tensor-propagate-sizes | filecheck %s

// `@rows` runs over the rows of `%x`, and of its result; `@scores` reduces along them. `@both` is called with a tensor
// of constant size too, for which a clone is made. Results of `@main` state what varies.
builtin.module attributes {sizes = {n = array<i64: 1, 8>}} {
  // CHECK-LABEL: func.func private @rows
  // CHECK:         tensor.compute [8, 4] epilogue({{.*}}) extents ["n", ""] apply
  func.func private @rows(%x: tensor<1x8x4xf32>) -> tensor<8x4xf32> {
    %y = tensor.compute [8, 4] epilogue(%x at #tensor.access<affine_map<(i, j) -> (0, i, j)>>) apply {
    ^bb0(%v: f32):
      tensor.yield %v : f32
    } : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
    func.return %y : tensor<8x4xf32>
  }

  // CHECK-LABEL: func.func private @scores
  // CHECK:         tensor.compute [4 | 8] reads({{.*}}) extents ["", "n"] inits
  func.func private @scores(%x: tensor<8x4xf32>) -> tensor<4xf32> {
    %y = tensor.compute [4 | 8] reads(%x at #tensor.access<affine_map<(i, k) -> (k, i)>>) inits [0.0 : f32] reduce {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<8x4xf32>) -> tensor<4xf32>
    func.return %y : tensor<4xf32>
  }

  // CHECK-LABEL: func.func private @both
  // CHECK:         tensor.compute [8] epilogue({{.*}}) extents ["n"] apply
  // CHECK-LABEL: func.func private @both_2
  // CHECK:         tensor.compute [8] epilogue({{.*}}) apply
  func.func private @both(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
    ^bb0(%v: f32):
      tensor.yield %v : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }

  // CHECK-LABEL: func.func @main
  // CHECK-SAME:    -> (tensor<4xf32> {varies = [""]}, tensor<2x4x4xf32> {varies = ["", "", ""]}, tensor<8x1xf32> {varies = ["n", ""]}, tensor<8xf32> {varies = [""]})
  // CHECK:         graph.call @both(%v)
  // CHECK:         graph.call @both_2(%c)
  func.func @main(
    %x: tensor<1x8x4xf32> {varies = ["", "n", ""]}, %v: tensor<8xf32> {varies = ["n"]}, %c: tensor<8xf32>,
    %w: tensor<2x16xf32>
  ) -> (tensor<4xf32>, tensor<2x4x4xf32>, tensor<8x1xf32>, tensor<8xf32>) {
    %r = graph.call @rows(%x) : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
    %s = graph.call @scores(%r) : (tensor<8x4xf32>) -> tensor<4xf32>
    %b = graph.call @both(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %f = graph.reshape %b : (tensor<8xf32>) -> tensor<8x1xf32>
    %d = graph.call @both(%c) : (tensor<8xf32>) -> tensor<8xf32>
    %t = graph.reshape %w : (tensor<2x16xf32>) -> tensor<2x4x4xf32>
    func.return %s, %t, %f, %d : tensor<4xf32>, tensor<2x4x4xf32>, tensor<8x1xf32>, tensor<8xf32>
  }
}
