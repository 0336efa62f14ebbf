// RUN: s2s-opt %s --sample-weights -p graph-merge-conv-groups{target=x86-64-v3} --split-input-file | filecheck %s

// Four groups of two outputs make one of eight; the bias stays.
// CHECK-LABEL: func.func @narrow
// CHECK:         %{{.*}} = graph.weight "conv_joined" {{.*}} : tensor<8x12x1x1xf32>
// CHECK:         graph.conv {{.*}}groups = 1 : i64
func.func @narrow(%x: tensor<1x12x5x5xf32>) -> tensor<1x8x5x5xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<8x3x1x1xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<8xf32>
  %y = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64} : (tensor<1x12x5x5xf32>, tensor<8x3x1x1xf32>, tensor<8xf32>) -> tensor<1x8x5x5xf32>
  func.return %y : tensor<1x8x5x5xf32>
}

// -----

// Declined: a depthwise convolution; groups of three, which no vector is a multiple of; groups that fill vectors.
// CHECK-LABEL: func.func @depthwise
// CHECK:         groups = 8 : i64
// CHECK-LABEL: func.func @threes
// CHECK:         groups = 2 : i64
// CHECK-LABEL: func.func @wide
// CHECK:         groups = 2 : i64
func.func @depthwise(%x: tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32> {
  %w = graph.weight "d" {hash = "2"} : tensor<8x1x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x8x5x5xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x5x5xf32>
  func.return %y : tensor<1x8x5x5xf32>
}
func.func @threes(%x: tensor<1x8x5x5xf32>) -> tensor<1x6x5x5xf32> {
  %w = graph.weight "t" {hash = "3"} : tensor<6x4x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x5x5xf32>, tensor<6x4x1x1xf32>) -> tensor<1x6x5x5xf32>
  func.return %y : tensor<1x6x5x5xf32>
}
func.func @wide(%x: tensor<1x8x5x5xf32>) -> tensor<1x16x5x5xf32> {
  %w = graph.weight "v" {hash = "4"} : tensor<16x4x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x5x5xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x5x5xf32>
  func.return %y : tensor<1x16x5x5xf32>
}

// Bytes: all groups are joined, and zeros between them are what their zero point makes none of.
// CHECK-LABEL: func.func @bytes
// CHECK:         %{{.*}} = graph.weight "conv_joined{{.*}} : tensor<8x8x1x1xi8>
// CHECK-NEXT:    graph.conv %{{.*}} {{.*}}groups = 1 : i64{{.*}}input_zp = 5 : i64, weight_zp = 3 : i64} : (tensor<1x8x5x5xi8>, tensor<8x8x1x1xi8>)
func.func @bytes(%x: tensor<1x8x5x5xi8>) -> tensor<1x8x5x5xi32> {
  %w = graph.weight "bytes" {hash = "5"} : tensor<8x2x1x1xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64, input_zp = 5 : i64, weight_zp = 3 : i64} : (tensor<1x8x5x5xi8>, tensor<8x2x1x1xi8>) -> tensor<1x8x5x5xi32>
  func.return %y : tensor<1x8x5x5xi32>
}

// Weights that would fill more than half of the cache: parts of the channels, each with a few vectors of outputs.
// CHECK-LABEL: func.func @large
// CHECK:         %[[x:.*]] = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 256, 3, 3>
// CHECK-NEXT:    %[[w:.*]] = graph.weight "conv_part{{.*}} : tensor<256x256x1x1xi8>
// CHECK-NEXT:    %[[a:.*]] = graph.conv %[[x]], %[[w]] {{.*}}groups = 1 : i64
// CHECK:         %[[y:.*]] = graph.slice %x {starts = array<i64: 0, 256, 0, 0>
// CHECK:         %[[b:.*]] = graph.conv %[[y]], %{{.*}} {{.*}}groups = 1 : i64
// CHECK-NEXT:    graph.concat %[[a]], %[[b]] {axis = 1 : i64}
func.func @large(%x: tensor<1x512x3x3xi8>) -> tensor<1x512x3x3xi32> {
  %w = graph.weight "large" {hash = "6"} : tensor<512x128x1x1xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64} : (tensor<1x512x3x3xi8>, tensor<512x128x1x1xi8>) -> tensor<1x512x3x3xi32>
  func.return %y : tensor<1x512x3x3xi32>
}
