// RUN: s2s-opt %s -p tensor-fill-margins | filecheck %s

// The window of `@conv` reaches one position behind the end of `%a`: `@relu`, which makes it, stores 0 there. The
// maximum of `@pool` reads an input of the network, whose copy ends in -inf. A window that stays inside needs nothing.
builtin.module attributes {sizes = {n = array<i64: 3, 8>}, derived_sizes = {"n - 2" = affine_map<(d0) -> (d0 - 2)>}} {
  // CHECK-LABEL: func.func private @relu
  // CHECK:         margins = [{axis = 0 : i64, count = 1 : i64, size = "n", value = 0.000000e+00 : f32}]
  func.func private @relu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {kernel} {
    %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
    ^bb0(%v: f32):
      tensor.yield %v : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }

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

  func.func private @pool(%a: tensor<8xf32>) -> tensor<8xf32> attributes {kernel} {
    %y = tensor.compute [8 | 3] reads(%a at #tensor.access<affine_map<(i, r) -> (i + r - 1)>, guarded>) extents ["n", ""] inits [-1.0 : f32] reduce {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.maximumf %acc, %v : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    func.return %y : tensor<8xf32>
  }

  // CHECK-LABEL: func.func private @valid
  // CHECK-NOT:     margins
  func.func private @valid(%a: tensor<8xf32>) -> tensor<6xf32> attributes {kernel} {
    %y = tensor.compute [6 | 3] reads(%a at #tensor.access<affine_map<(i, r) -> (i + r)>>) extents ["n - 2", ""] inits [0.0 : f32] reduce {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      tensor.yield %s : f32
    } apply {
    ^bb0(%acc: f32):
      tensor.yield %acc : f32
    } : (tensor<8xf32>) -> tensor<6xf32>
    func.return %y : tensor<6xf32>
  }

  // CHECK-LABEL: func.func private @copy_x
  // CHECK:         tensor.compute [8] {{.*}} extents ["n"]
  // CHECK:         margins = [{axis = 0 : i64, count = 1 : i64, size = "n", value = 0xff800000 : f32}]
  // CHECK-LABEL: func.func @main
  // CHECK:         %[[COPY:.*]] = graph.call @copy_x(%x)
  // CHECK:         graph.call @relu(%[[COPY]])
  // CHECK:         graph.call @pool(%[[COPY]])
  func.func @main(%x: tensor<8xf32> {varies = ["n"]}, %w: tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<6xf32>) {
    %a = graph.call @relu(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %y = graph.call @conv(%a, %w) : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
    %z = graph.call @pool(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %v = graph.call @valid(%a) : (tensor<8xf32>) -> tensor<6xf32>
    func.return %y, %z, %v : tensor<8xf32>, tensor<8xf32>, tensor<6xf32>
  }
}
