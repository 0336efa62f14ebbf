// RUN: s2s-opt %s --split-input-file -p graph-offset-windows | filecheck %s

// Columns of an even number need no padding in front: the convolution begins with the second padded column then. The
// padded tensor has one column more than its windows read.
// CHECK:      builtin.module attributes
// CHECK-SAME:   "(W - 1) mod 2" = affine_map<(d0) -> (((d0 + -1) mod 2))>
builtin.module attributes {sizes = {W = array<i64: 3, 8>}, derived_sizes = {"W + 2" = affine_map<(d0) -> ((d0 + 2))>}} {
  func.func private @relu(%x: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> attributes {kernel} {
    %y = graph.clamp %x {min = 0.0 : f64} : tensor<1x2x8xf32>
    func.return %y : tensor<1x2x8xf32>
  }
  // CHECK-LABEL: func.func private @same_pad
  // CHECK-NEXT:    graph.pad %x {{{.*}}varies = ["", "", "W + 3"], low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 2>
  func.func private @same_pad(%x: tensor<1x2x8xf32>) -> tensor<1x2x10xf32> attributes {kernel} {
    %y = graph.same_pad %x {windows = array<i64: 1, 1, 3>, strides = array<i64: 1, 1, 2>, side = "upper", value = 0.0 : f64, reduces = ["", "", "W"], varies = ["", "", "W + 2"]} : (tensor<1x2x8xf32>) -> tensor<1x2x10xf32>
    func.return %y : tensor<1x2x10xf32>
  }
  // CHECK-LABEL: func.func private @conv
  // CHECK-SAME:    %x: tensor<1x2x11xf32> {begins = ["", "", "(W - 1) mod 2"]}
  // CHECK-NEXT:    %[[s:.*]] = graph.slice %x {{.*}}varies = ["", "", "W + 2"]
  // CHECK-NEXT:    graph.conv %[[s]], %w
  func.func private @conv(%x: tensor<1x2x10xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x4xf32> attributes {kernel} {
    %y = graph.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, reduces = ["", "", "W + 2"]} : (tensor<1x2x10xf32>, tensor<4x2x3xf32>) -> tensor<1x4x4xf32>
    func.return %y : tensor<1x4x4xf32>
  }
  // CHECK-LABEL: func.func @main
  // CHECK:         graph.call @same_pad(%{{.*}}) : (tensor<1x2x8xf32>) -> tensor<1x2x11xf32>
  func.func @main(%x: tensor<1x2x8xf32> {varies = ["", "", "W"]}, %w: tensor<4x2x3xf32>) -> tensor<1x4x4xf32> {
    %a = graph.call @relu(%x) : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %p = graph.call @same_pad(%a) : (tensor<1x2x8xf32>) -> tensor<1x2x10xf32>
    %y = graph.call @conv(%p, %w) : (tensor<1x2x10xf32>, tensor<4x2x3xf32>) -> tensor<1x4x4xf32>
    func.return %y : tensor<1x4x4xf32>
  }
}

// -----

// An input of the network has no room for padding behind its end, and a stride of 3 makes other offsets.
// CHECK-LABEL: builtin.module
// CHECK-COUNT-2: graph.same_pad
// CHECK-NOT:     begins
builtin.module attributes {sizes = {W = array<i64: 3, 9>}, derived_sizes = {"W + 2" = affine_map<(d0) -> ((d0 + 2))>}} {
  func.func private @relu(%x: tensor<1x2x9xf32>) -> tensor<1x2x9xf32> attributes {kernel} {
    %y = graph.clamp %x {min = 0.0 : f64} : tensor<1x2x9xf32>
    func.return %y : tensor<1x2x9xf32>
  }
  func.func private @of_input(%x: tensor<1x2x9xf32>) -> tensor<1x2x11xf32> attributes {kernel} {
    %y = graph.same_pad %x {windows = array<i64: 1, 1, 3>, strides = array<i64: 1, 1, 2>, side = "upper", value = 0.0 : f64, reduces = ["", "", "W"], varies = ["", "", "W + 2"]} : (tensor<1x2x9xf32>) -> tensor<1x2x11xf32>
    func.return %y : tensor<1x2x11xf32>
  }
  func.func private @of_three(%x: tensor<1x2x9xf32>) -> tensor<1x2x11xf32> attributes {kernel} {
    %y = graph.same_pad %x {windows = array<i64: 1, 1, 3>, strides = array<i64: 1, 1, 3>, side = "upper", value = 0.0 : f64, reduces = ["", "", "W"], varies = ["", "", "W + 2"]} : (tensor<1x2x9xf32>) -> tensor<1x2x11xf32>
    func.return %y : tensor<1x2x11xf32>
  }
  func.func private @pool(%x: tensor<1x2x11xf32>) -> tensor<1x2x5xf32> attributes {kernel} {
    %y = graph.max_pool %x {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, reduces = ["", "", "W + 2"]} : (tensor<1x2x11xf32>) -> tensor<1x2x5xf32>
    func.return %y : tensor<1x2x5xf32>
  }
  func.func @main(%x: tensor<1x2x9xf32> {varies = ["", "", "W"]}) -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>) {
    %p = graph.call @of_input(%x) : (tensor<1x2x9xf32>) -> tensor<1x2x11xf32>
    %y = graph.call @pool(%p) : (tensor<1x2x11xf32>) -> tensor<1x2x5xf32>
    %a = graph.call @relu(%x) : (tensor<1x2x9xf32>) -> tensor<1x2x9xf32>
    %q = graph.call @of_three(%a) : (tensor<1x2x9xf32>) -> tensor<1x2x11xf32>
    %z = graph.call @pool(%q) : (tensor<1x2x11xf32>) -> tensor<1x2x5xf32>
    func.return %y, %z : tensor<1x2x5xf32>, tensor<1x2x5xf32>
  }
}
