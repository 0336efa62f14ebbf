// RUN: s2s-opt %s -p graph-combine-parallel-convs --sample-weights | filecheck %s

// CHECK-LABEL: func.func @three_convolutions_are_one
// CHECK:         %[[y:.*]] = graph.conv %x, %{{.*}}, %{{.*}} {{.*}} : (tensor<1x8x5x5xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>) -> tensor<1x16x5x5xf32>
// CHECK-NEXT:    %a = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 4, 5, 5>
// CHECK-NEXT:    %b = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 4, 0, 0>, sizes = array<i64: 1, 8, 5, 5>
// CHECK-NEXT:    %c = graph.slice %[[y]] {{.*}}starts = array<i64: 0, 12, 0, 0>, sizes = array<i64: 1, 4, 5, 5>
// CHECK-NEXT:    func.return %a, %b, %c
func.func @three_convolutions_are_one(%x: tensor<1x8x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x8x5x5xf32>, tensor<1x4x5x5xf32>) {
  %u = graph.weight "u" {hash = "0"} : tensor<4x8x1x1xf32>
  %v = graph.weight "v" {hash = "1"} : tensor<8x8x1x1xf32>
  %w = graph.weight "w" {hash = "2"} : tensor<4x8x1x1xf32>
  %bias = graph.weight "bias" {hash = "3"} : tensor<8xf32>
  %a = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %b = graph.conv %x, %v, %bias {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<8x8x1x1xf32>, tensor<8xf32>) -> tensor<1x8x5x5xf32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  func.return %a, %b, %c : tensor<1x4x5x5xf32>, tensor<1x8x5x5xf32>, tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @activations_of_all_branches_are_one
// CHECK:         %[[y:.*]] = graph.conv
// CHECK-NEXT:    %[[z:.*]] = graph.clamp %[[y]] {min = 0.000000e+00 : f64} : tensor<1x12x5x5xf32>
// CHECK-NEXT:    %p = graph.slice %[[z]]
// CHECK-NEXT:    %q = graph.slice %[[z]]
// CHECK-NEXT:    %r = graph.slice %[[z]]
func.func @activations_of_all_branches_are_one(%x: tensor<1x8x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) {
  %u = graph.weight "u2" {hash = "4"} : tensor<4x8x1x1xf32>
  %a = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %b = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %c = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %p = graph.clamp %a {min = 0.0 : f64} : tensor<1x4x5x5xf32>
  %q = graph.clamp %b {min = 0.0 : f64} : tensor<1x4x5x5xf32>
  %r = graph.clamp %c {min = 0.0 : f64} : tensor<1x4x5x5xf32>
  func.return %p, %q, %r : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @declined_for_two_branches
// CHECK-COUNT-2: graph.conv
// CHECK-NEXT:    func.return
func.func @declined_for_two_branches(%x: tensor<1x8x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) {
  %u = graph.weight "u3" {hash = "5"} : tensor<4x8x1x1xf32>
  %a = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %b = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  func.return %a, %b : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @declined_for_windows_that_differ
// CHECK-COUNT-3: graph.conv
// CHECK-NEXT:    func.return
func.func @declined_for_windows_that_differ(%x: tensor<1x8x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x4x3x3xf32>) {
  %u = graph.weight "u4" {hash = "6"} : tensor<4x8x1x1xf32>
  %v = graph.weight "v4" {hash = "7"} : tensor<4x8x3x3xf32>
  %a = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %b = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
  %c = graph.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x3x3xf32>
  func.return %a, %b, %c : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x4x3x3xf32>
}

// CHECK-LABEL: func.func @sums_of_integers_are_rescaled_together
// CHECK:         %[[y:.*]] = graph.conv %x, %{{.*}}, %{{.*}} {input_zp = 3 : i64, {{.*}} : (tensor<1x8x5x5xi8>, tensor<16x8x1x1xi8>, tensor<16xi32>) -> tensor<1x16x5x5xi32>
// CHECK:         %[[z:.*]] = graph.rescale %[[y]], %{{.*}}, %{{.*}} {output_zp = 1 : i64, rounding = "double", axis = 1 : i64} : (tensor<1x16x5x5xi32>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x16x5x5xi8>
// CHECK-NEXT:    %p = graph.slice %[[z]]
// CHECK-NEXT:    %q = graph.slice %[[z]]
// CHECK-NEXT:    %r = graph.slice %[[z]]
// CHECK-NEXT:    func.return %p, %q, %r
func.func @sums_of_integers_are_rescaled_together(%x: tensor<1x8x5x5xi8>) -> (tensor<1x4x5x5xi8>, tensor<1x8x5x5xi8>, tensor<1x4x5x5xi8>) {
  %u = graph.weight "u5" {hash = "8"} : tensor<4x8x1x1xi8>
  %v = graph.weight "v5" {hash = "9"} : tensor<8x8x1x1xi8>
  %bias = graph.weight "bias5" {hash = "10"} : tensor<8xi32>
  %m = graph.constant dense<1518500250> : tensor<i32>
  %n = graph.constant dense<[1518500250, 1073741824, 1273741824, 1373741824]> : tensor<4xi32>
  %s = graph.constant dense<-7> : tensor<i8>
  %t = graph.constant dense<[-7, -6, -8, -7]> : tensor<4xi8>
  %a = graph.conv %x, %u {input_zp = 3 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x5x5xi32>
  %b = graph.conv %x, %v, %bias {input_zp = 3 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<8x8x1x1xi8>, tensor<8xi32>) -> tensor<1x8x5x5xi32>
  %c = graph.conv %x, %u {input_zp = 3 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x5x5xi32>
  %p = graph.rescale %a, %n, %t {output_zp = 1 : i64, rounding = "double", axis = 1 : i64} : (tensor<1x4x5x5xi32>, tensor<4xi32>, tensor<4xi8>) -> tensor<1x4x5x5xi8>
  %q = graph.rescale %b, %m, %s {output_zp = 1 : i64, rounding = "double"} : (tensor<1x8x5x5xi32>, tensor<i32>, tensor<i8>) -> tensor<1x8x5x5xi8>
  %r = graph.rescale %c, %m, %s {output_zp = 1 : i64, rounding = "double"} : (tensor<1x4x5x5xi32>, tensor<i32>, tensor<i8>) -> tensor<1x4x5x5xi8>
  func.return %p, %q, %r : tensor<1x4x5x5xi8>, tensor<1x8x5x5xi8>, tensor<1x4x5x5xi8>
}

// CHECK-LABEL: func.func @declined_for_sums_that_become_narrow_in_different_ways
// CHECK-COUNT-3: graph.conv
func.func @declined_for_sums_that_become_narrow_in_different_ways(%x: tensor<1x8x5x5xi8>) -> (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>, tensor<1x4x5x5xi32>) {
  %u = graph.weight "u6" {hash = "11"} : tensor<4x8x1x1xi8>
  %m = graph.constant dense<1518500250> : tensor<i32>
  %s = graph.constant dense<-7> : tensor<i8>
  %a = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x5x5xi32>
  %b = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x5x5xi32>
  %c = graph.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x5x5xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x5x5xi32>
  %p = graph.rescale %a, %m, %s {output_zp = 1 : i64, rounding = "double"} : (tensor<1x4x5x5xi32>, tensor<i32>, tensor<i8>) -> tensor<1x4x5x5xi8>
  %q = graph.rescale %b, %m, %s {output_zp = 2 : i64, rounding = "double"} : (tensor<1x4x5x5xi32>, tensor<i32>, tensor<i8>) -> tensor<1x4x5x5xi8>
  func.return %p, %q, %c : tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>, tensor<1x4x5x5xi32>
}
