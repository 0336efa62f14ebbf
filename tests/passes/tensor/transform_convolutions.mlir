// RUN: s2s-opt %s --sample-weights -p tensor-transform-convolutions{target=x86-64-v3} --split-input-file | filecheck %s

// The epilogue moves to the transform of the results, which takes over the place of the residual; the last tiles of a row
// and of a column overhang. The weight becomes 36 products of channels by channels.
// CHECK-LABEL: func.func private @residual
// CHECK-SAME:    %w: tensor<36x32x32xf32>
// CHECK-NEXT:    %v = tensor.transform [4, 4, 4, 8] left dense<{{.*}}> : tensor<6x6xf32>
// CHECK-SAME:      read(%x at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, (((d0 * 4) + d4) + -1), (((d1 * 4) + d5) + -1), d3)>, guarded>)
// CHECK-SAME:      into #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (((d4 * 6) + d5), ((d0 * 4) + d1), ((d2 * 8) + d3))>>
// CHECK:         } attributes {dims = "ty tx ic ic8"} : (tensor<4x13x14x8xf32>) -> tensor<36x16x32xf32>
// CHECK-NEXT:    %m = tensor.compute [36, 16, 32 | 32]
// CHECK-SAME:      reads(%v at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>>, %w at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>>)
// CHECK:         %y = tensor.transform [4, 4, 4, 8] left dense<{{.*}}> : tensor<4x6xf32>
// CHECK-SAME:      read(%m at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (((d4 * 6) + d5), ((d0 * 4) + d1), ((d2 * 8) + d3))>>)
// CHECK-SAME:      epilogue(%b at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (((d2 * 8) + d3))>>, %z at #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, ((d0 * 4) + d4), ((d1 * 4) + d5), d3)>>)
// CHECK-SAME:      into #tensor.access<affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, ((d0 * 4) + d4), ((d1 * 4) + d5), d3)>, guarded>
// CHECK-NEXT:    ^bb0(%acc: f32, %bv: f32, %zv: f32):
// CHECK:         graph.weight "residual_transformed" {hash = {{.*}}} : tensor<36x32x32xf32>
func.func private @residual(%x: tensor<4x13x14x8xf32>, %w: tensor<32x32x3x3xf32>, %b: tensor<32xf32>, %z: tensor<4x13x14x8xf32>) -> tensor<4x13x14x8xf32> {
  %y = tensor.compute [4, 13, 14, 8 | 4, 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    epilogue(%b at #tensor.access<affine_map<(o, h, w, p) -> (o * 8 + p)>>, %z at #tensor.access<affine_map<(o, h, w, p) -> (o, h, w, p)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %bv: f32, %zv: f32):
    %b1 = arith.addf %acc, %bv : f32
    %b2 = arith.addf %b1, %zv : f32
    tensor.yield %b2 : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<4x13x14x8xf32>, tensor<32x32x3x3xf32>, tensor<32xf32>, tensor<4x13x14x8xf32>) -> tensor<4x13x14x8xf32>
  func.return %y : tensor<4x13x14x8xf32>
}

func.func @main(%x: tensor<4x13x14x8xf32>, %e0: tensor<32xf32>, %e1: tensor<4x13x14x8xf32>) -> tensor<4x13x14x8xf32> {
  %w = graph.weight "residual" {hash = "0"} : tensor<32x32x3x3xf32>
  %y = graph.call @residual(%x, %w, %e0, %e1) : (tensor<4x13x14x8xf32>, tensor<32x32x3x3xf32>, tensor<32xf32>, tensor<4x13x14x8xf32>) -> tensor<4x13x14x8xf32>
  func.return %y : tensor<4x13x14x8xf32>
}

// -----

// Nothing overhangs and nothing is padded: no access needs a guard.
// CHECK-LABEL: func.func private @no_padding
// CHECK-NEXT:    %v = tensor.transform [2, 2, 8, 8]
// CHECK-NOT:     guarded
func.func private @no_padding(%x: tensor<8x10x10x8xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x8x8x8xf32> {
  %y = tensor.compute [8, 8, 8, 8 | 8, 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r, w + s, q)>>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<8x10x10x8xf32>, tensor<64x64x3x3xf32>) -> tensor<8x8x8x8xf32>
  func.return %y : tensor<8x8x8x8xf32>
}

func.func @main(%x: tensor<8x10x10x8xf32>) -> tensor<8x8x8x8xf32> {
  %w = graph.weight "no_padding" {hash = "0"} : tensor<64x64x3x3xf32>
  %y = graph.call @no_padding(%x, %w) : (tensor<8x10x10x8xf32>, tensor<64x64x3x3xf32>) -> tensor<8x8x8x8xf32>
  func.return %y : tensor<8x8x8x8xf32>
}

// -----

// Declined: a tiny image would have to stream many more constants.
// CHECK-LABEL: func.func private @many_channels
// CHECK-NEXT:    %y = tensor.compute [64, 3, 3, 8 | 64, 8, 3, 3]
func.func private @many_channels(%x: tensor<64x3x3x8xf32>, %w: tensor<512x512x3x3xf32>) -> tensor<64x3x3x8xf32> {
  %y = tensor.compute [64, 3, 3, 8 | 64, 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<64x3x3x8xf32>, tensor<512x512x3x3xf32>) -> tensor<64x3x3x8xf32>
  func.return %y : tensor<64x3x3x8xf32>
}

func.func @main(%x: tensor<64x3x3x8xf32>) -> tensor<64x3x3x8xf32> {
  %w = graph.weight "many_channels" {hash = "0"} : tensor<512x512x3x3xf32>
  %y = graph.call @many_channels(%x, %w) : (tensor<64x3x3x8xf32>, tensor<512x512x3x3xf32>) -> tensor<64x3x3x8xf32>
  func.return %y : tensor<64x3x3x8xf32>
}

// -----

// Declined: the window moves two elements a step.
// CHECK-LABEL: func.func private @stride
// CHECK-NEXT:    %y = tensor.compute [2, 7, 7, 8 | 2, 8, 3, 3]
func.func private @stride(%x: tensor<2x14x14x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x7x7x8xf32> {
  %y = tensor.compute [2, 7, 7, 8 | 2, 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, 2 * h + r - 1, 2 * w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<2x14x14x8xf32>, tensor<16x16x3x3xf32>) -> tensor<2x7x7x8xf32>
  func.return %y : tensor<2x7x7x8xf32>
}

func.func @main(%x: tensor<2x14x14x8xf32>) -> tensor<2x7x7x8xf32> {
  %w = graph.weight "stride" {hash = "0"} : tensor<16x16x3x3xf32>
  %y = graph.call @stride(%x, %w) : (tensor<2x14x14x8xf32>, tensor<16x16x3x3xf32>) -> tensor<2x7x7x8xf32>
  func.return %y : tensor<2x7x7x8xf32>
}

// -----

// Declined: the window is no 3x3.
// CHECK-LABEL: func.func private @five
// CHECK-NEXT:    %y = tensor.compute [2, 14, 14, 8 | 2, 8, 5, 5]
func.func private @five(%x: tensor<2x14x14x8xf32>, %w: tensor<16x16x5x5xf32>) -> tensor<2x14x14x8xf32> {
  %y = tensor.compute [2, 14, 14, 8 | 2, 8, 5, 5]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 2, w + s - 2, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<2x14x14x8xf32>, tensor<16x16x5x5xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

func.func @main(%x: tensor<2x14x14x8xf32>) -> tensor<2x14x14x8xf32> {
  %w = graph.weight "five" {hash = "0"} : tensor<16x16x5x5xf32>
  %y = graph.call @five(%x, %w) : (tensor<2x14x14x8xf32>, tensor<16x16x5x5xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

// -----

// Declined: channels do not fill vectors.
// CHECK-LABEL: func.func private @narrow
// CHECK-NEXT:    %y = tensor.compute [8, 14, 14, 2 | 3, 2, 3, 3]
func.func private @narrow(%x: tensor<3x14x14x2xf32>, %w: tensor<16x6x3x3xf32>) -> tensor<8x14x14x2xf32> {
  %y = tensor.compute [8, 14, 14, 2 | 3, 2, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 2 + p, i * 2 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc2 ic ic2 kh kw"} : (tensor<3x14x14x2xf32>, tensor<16x6x3x3xf32>) -> tensor<8x14x14x2xf32>
  func.return %y : tensor<8x14x14x2xf32>
}

func.func @main(%x: tensor<3x14x14x2xf32>) -> tensor<8x14x14x2xf32> {
  %w = graph.weight "narrow" {hash = "0"} : tensor<16x6x3x3xf32>
  %y = graph.call @narrow(%x, %w) : (tensor<3x14x14x2xf32>, tensor<16x6x3x3xf32>) -> tensor<8x14x14x2xf32>
  func.return %y : tensor<8x14x14x2xf32>
}

// -----

// Declined: the filter is no weight.
// CHECK-LABEL: func.func private @no_weight
// CHECK-NEXT:    %y = tensor.compute [2, 14, 14, 8 | 2, 8, 3, 3]
func.func private @no_weight(%x: tensor<2x14x14x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x14x14x8xf32> {
  %y = tensor.compute [2, 14, 14, 8 | 2, 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "oc oh ow oc8 ic ic8 kh kw"} : (tensor<2x14x14x8xf32>, tensor<16x16x3x3xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

func.func @main(%x: tensor<2x14x14x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x14x14x8xf32> {
  %y = graph.call @no_weight(%x, %w) : (tensor<2x14x14x8xf32>, tensor<16x16x3x3xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

// -----

// Declined: every channel has a filter of its own.
// CHECK-LABEL: func.func private @depthwise
// CHECK-NEXT:    %y = tensor.compute [2, 14, 14, 8 | 3, 3]
func.func private @depthwise(%x: tensor<2x14x14x8xf32>, %w: tensor<16x3x3xf32>) -> tensor<2x14x14x8xf32> {
  %y = tensor.compute [2, 14, 14, 8 | 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, p, r, s) -> (o, h + r - 1, w + s - 1, p)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, p, r, s) -> (o * 8 + p, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x14x14x8xf32>, tensor<16x3x3xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

func.func @main(%x: tensor<2x14x14x8xf32>) -> tensor<2x14x14x8xf32> {
  %w = graph.weight "depthwise" {hash = "0"} : tensor<16x3x3xf32>
  %y = graph.call @depthwise(%x, %w) : (tensor<2x14x14x8xf32>, tensor<16x3x3xf32>) -> tensor<2x14x14x8xf32>
  func.return %y : tensor<2x14x14x8xf32>
}

// -----

// Channels of the caller do not lie side by side: image and result are copied.
// CHECK-LABEL: func.func private @order_of_the_caller
// CHECK-SAME:    %x: tensor<64x12x12xf32>, %w: tensor<36x64x64xf32>
// CHECK-NEXT:    %x_1 = tensor.compute [12, 12, 64] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d2, d0, d1)>>) apply {
// CHECK:         %v = tensor.transform [3, 3, 64]
// CHECK-SAME:      read(%x_1 at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> ((((d0 * 4) + d3) + -1), (((d1 * 4) + d4) + -1), d2)>, guarded>)
// CHECK:         tensor.compute [36, 9, 64 | 64]
// CHECK:         tensor.transform [3, 3, 64]
// CHECK:         %y = tensor.compute [64, 12, 12] epilogue(%{{.*}} at #tensor.access<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>) apply {
// CHECK:         } : (tensor<12x12x64xf32>) -> tensor<1x64x12x12xf32>
func.func private @order_of_the_caller(%x: tensor<64x12x12xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32> {
  %y = tensor.compute [64, 12, 12 | 64, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, i, r, s) -> (i, h + r - 1, w + s - 1)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, i, r, s) -> (o, i, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<64x12x12xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32>
  func.return %y : tensor<1x64x12x12xf32>
}

func.func @main(%x: tensor<64x12x12xf32>) -> tensor<1x64x12x12xf32> {
  %w = graph.weight "order_of_the_caller" {hash = "0"} : tensor<64x64x3x3xf32>
  %y = graph.call @order_of_the_caller(%x, %w) : (tensor<64x12x12xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32>
  func.return %y : tensor<1x64x12x12xf32>
}

// -----

// Bytes: the zero point is taken off before the transform, factors have 16 bits, sums 32, and are 24 * 24 times as large.
// CHECK-LABEL: func.func private @bytes
// CHECK-SAME:    %w: tensor<36x64x64xi16>
// CHECK-NEXT:    %v = tensor.transform [2, 2, 64] left dense<{{.*}}> : tensor<6x6xf32>
// CHECK-SAME:      offset 128 apply {
// CHECK:           arith.trunci %{{.*}} : i32 to i16
// CHECK:         (tensor<8x8x64xi8>) -> tensor<36x4x64xi16>
// CHECK-NEXT:    %m = tensor.compute [36, 4, 64 | 64]
// CHECK:           arith.extsi %{{.*}} : i16 to i32
// CHECK:         %y = tensor.transform [2, 2, 64] left dense<{{.*}}> : tensor<4x6xf32>
// CHECK-SAME:      divisor 576 apply {
// CHECK:         graph.weight "bytes_transformed" {hash = {{.*}}} : tensor<36x64x64xi16>
func.func private @bytes(%x: tensor<8x8x64xi8>, %w: tensor<64x64x3x3xi8>) -> tensor<8x8x64xi32> {
  %y = tensor.compute [8, 8, 64 | 64, 3, 3]
    reads(%x at #tensor.access<affine_map<(h, w, o, i, r, s) -> (h + r - 1, w + s - 1, i)>, guarded>,
          %w at #tensor.access<affine_map<(h, w, o, i, r, s) -> (o, i, r, s)>>)
    inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %x0 = arith.extsi %xv : i8 to i32
    %zero = arith.constant -128 : i32
    %x1 = arith.subi %x0, %zero : i32
    %w1 = arith.extsi %wv : i8 to i32
    %p = arith.muli %x1, %w1 : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<8x8x64xi8>, tensor<64x64x3x3xi8>) -> tensor<8x8x64xi32>
  func.return %y : tensor<8x8x64xi32>
}

func.func @main(%x: tensor<8x8x64xi8>) -> tensor<8x8x64xi32> {
  %w = graph.weight "bytes" {hash = "0"} : tensor<64x64x3x3xi8>
  %y = graph.call @bytes(%x, %w) : (tensor<8x8x64xi8>, tensor<64x64x3x3xi8>) -> tensor<8x8x64xi32>
  func.return %y : tensor<8x8x64xi32>
}

// -----

// Few products a sum do not pay for the transforms of tiles that reach beyond the image.
// CHECK-LABEL: func.func private @few_channels
// CHECK-NEXT:    tensor.compute [3, 3, 8 | 8, 3, 3]
func.func private @few_channels(%x: tensor<3x3x8xi8>, %w: tensor<8x8x3x3xi8>) -> tensor<3x3x8xi32> {
  %y = tensor.compute [3, 3, 8 | 8, 3, 3]
    reads(%x at #tensor.access<affine_map<(h, w, o, i, r, s) -> (h + r - 1, w + s - 1, i)>, guarded>,
          %w at #tensor.access<affine_map<(h, w, o, i, r, s) -> (o, i, r, s)>>)
    inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %x1 = arith.extsi %xv : i8 to i32
    %w1 = arith.extsi %wv : i8 to i32
    %p = arith.muli %x1, %w1 : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<3x3x8xi8>, tensor<8x8x3x3xi8>) -> tensor<3x3x8xi32>
  func.return %y : tensor<3x3x8xi32>
}

func.func @main(%x: tensor<3x3x8xi8>) -> tensor<3x3x8xi32> {
  %w = graph.weight "few" {hash = "0"} : tensor<8x8x3x3xi8>
  %y = graph.call @few_channels(%x, %w) : (tensor<3x3x8xi8>, tensor<8x8x3x3xi8>) -> tensor<3x3x8xi32>
  func.return %y : tensor<3x3x8xi32>
}
