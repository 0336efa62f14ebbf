// RUN: s2s-opt %s --split-input-file -p graph-propagate-sizes | filecheck %s

// Each operator of a kernel states the extents of its result. A size that follows from a given one has its formula as
// its name; the convolution after the pool has `(W + 3) floordiv 4` columns, not a division of a division.
// CHECK:      builtin.module attributes
// CHECK-SAME:   derived_sizes = {"(W + 1) floordiv 2" = affine_map<(d0) -> (((d0 + 1) floordiv 2))>, "(W + 3) floordiv 4" = affine_map<(d0) -> (((d0 + 3) floordiv 4))>, "W - 1"
builtin.module attributes {sizes = {W = array<i64: 3, 64>}} {
  // CHECK-LABEL: func.func private @strided
  // CHECK:         graph.conv {{.*}}varies = ["", "", "(W + 1) floordiv 2"]
  // CHECK:         graph.max_pool {{.*}}varies = ["", "", "(W + 3) floordiv 4"]
  // CHECK:         graph.clamp {{.*}}varies = ["", "", "(W + 3) floordiv 4"]
  func.func private @strided(%x: tensor<1x2x64xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x16xf32> attributes {kernel} {
    %y = graph.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x64xf32>, tensor<4x2x3xf32>) -> tensor<1x4x32xf32>
    %p = graph.max_pool %y {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %z = graph.clamp %p {min = 0.0 : f64} : tensor<1x4x16xf32>
    func.return %z : tensor<1x4x16xf32>
  }

  // A slice that reaches the end of an axis does so in every run; one that does not is of constant size.
  // CHECK-LABEL: func.func private @sliced
  // CHECK:         graph.slice {{.*}}varies = ["", "", "W - 1"]
  // CHECK-NOT:     varies
  // CHECK:         func.return
  func.func private @sliced(%x: tensor<1x2x64xf32>) -> (tensor<1x2x63xf32>, tensor<1x2x3xf32>) attributes {kernel} {
    %y = graph.slice %x {starts = array<i64: 0, 0, 1>, sizes = array<i64: 1, 2, 63>, strides = array<i64: 1, 1, 1>} : (tensor<1x2x64xf32>) -> tensor<1x2x63xf32>
    %z = graph.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 2, 3>, strides = array<i64: 1, 1, 1>} : (tensor<1x2x64xf32>) -> tensor<1x2x3xf32>
    func.return %y, %z : tensor<1x2x63xf32>, tensor<1x2x3xf32>
  }

  func.func @main(%x: tensor<1x2x64xf32> {varies = ["", "", "W"]}, %w: tensor<4x2x3xf32>) -> (tensor<1x4x16xf32>, tensor<1x2x63xf32>, tensor<1x2x3xf32>) {
    %y = graph.call @strided(%x, %w) : (tensor<1x2x64xf32>, tensor<4x2x3xf32>) -> tensor<1x4x16xf32>
    %s, %t = graph.call @sliced(%x) : (tensor<1x2x64xf32>) -> (tensor<1x2x63xf32>, tensor<1x2x3xf32>)
    func.return %y, %s, %t : tensor<1x4x16xf32>, tensor<1x2x63xf32>, tensor<1x2x3xf32>
  }
}

// -----

// A kernel whose result has a size that another one computes says which of its operands holds that size; what is read
// at these positions has the size as well. A reshape to a row of a matrix of as many rows has a multiple of it.
builtin.module attributes {sizes = {found = array<i64: 0, 16>}, computed_sizes = ["found"]} {
  // CHECK-LABEL: func.func private @positions
  // CHECK-SAME:    reads_size = {found = 1 : i64}
  // CHECK:         graph.nonzero {{.*}}varies = ["found"]
  func.func private @positions(%mask: tensor<64xi1>, %count: tensor<i32>) -> tensor<16xi32> attributes {kernel} {
    %y = graph.nonzero %mask, %count {size = "found", bound = 16 : i64} : (tensor<64xi1>, tensor<i32>) -> tensor<16xi32>
    func.return %y : tensor<16xi32>
  }
  // CHECK-LABEL: func.func private @rows
  // CHECK:         graph.gather {{.*}}varies = ["found", ""]
  // CHECK:         graph.reshape {{.*}}varies = ["found * 4"]
  func.func private @rows(%x: tensor<64x4xf32>, %i: tensor<16xi32>) -> tensor<64xf32> attributes {kernel} {
    %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<64x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
    %z = graph.reshape %y : (tensor<16x4xf32>) -> tensor<64xf32>
    func.return %z : tensor<64xf32>
  }
  func.func @main(%mask: tensor<64xi1>, %count: tensor<i32>, %x: tensor<64x4xf32>) -> tensor<64xf32> {
    %i = graph.call @positions(%mask, %count) : (tensor<64xi1>, tensor<i32>) -> tensor<16xi32>
    %y = graph.call @rows(%x, %i) : (tensor<64x4xf32>, tensor<16xi32>) -> tensor<64xf32>
    func.return %y : tensor<64xf32>
  }
}
