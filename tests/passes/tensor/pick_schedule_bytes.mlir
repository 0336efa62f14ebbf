// RUN: s2s-opt %s --sample-weights -p tensor-pick-schedule{target=x86-64-v3} | filecheck %s

#x = #tensor.access<affine_map<(h, w, o, c, r, s) -> (h + r - 1, w + s - 1, c)>, guarded>
#w = #tensor.access<affine_map<(h, w, o, c, r, s) -> (o, c, r, s)>>

// Vectors run along the channels. The image is copied with its padding; rows of the window and their channels are one run.
//
// CHECK-LABEL: func.func private @convolution
// CHECK:         schedule #tensor.schedule<[tile<1 by 6, 2 by 16>, unroll<3 by 2>, vectorize<2 by 8>, reorder<[2, 0, 1, 4, 5, 3]>,
// CHECK-SAME:    cache_read<1 packed [0 floordiv 16, 2, (3 1) floordiv 2, 0 mod 16, (3 1) mod 2]>,
// CHECK-SAME:    cache_read<0 as i16>, tensorize<"x86-wide">]>
func.func private @convolution(%x: tensor<6x6x8xi8>, %w: tensor<16x8x3x3xi8>) -> tensor<6x6x16xi32> {
  %y = tensor.compute [6, 6, 16 | 8, 3, 3] reads(%x at #x, %w at #w) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<6x6x8xi8>, tensor<16x8x3x3xi8>) -> tensor<6x6x16xi32>
  func.return %y : tensor<6x6x16xi32>
}

#xd = #tensor.access<affine_map<(h, w, c, r, s) -> (h + r, w + s, c)>>
#wd = #tensor.access<affine_map<(h, w, c, r, s) -> (c, r, s)>>

// The taps of a column are one run, and neighbours in a row share columns; signed bytes are read where they lie.
//
// CHECK-LABEL: func.func private @depthwise
// CHECK:         schedule #tensor.schedule<[tile<1 by 2, 2 by 8>, unroll<3 by 3, 4 by 3>, vectorize<2 by 8>, reorder<[2, 0, 1, 4, 3]>,
// CHECK-SAME:    cache_read<1 packed [0 floordiv 8, 2, 1 floordiv 4, 0 mod 8, 1 mod 4]>, tensorize<"x86-pairs">]>
func.func private @depthwise(%x: tensor<8x8x16xi8>, %w: tensor<16x3x3xi8>) -> tensor<6x6x16xi32> {
  %y = tensor.compute [6, 6, 16 | 3, 3] reads(%x at #xd, %w at #wd) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<8x8x16xi8>, tensor<16x3x3xi8>) -> tensor<6x6x16xi32>
  func.return %y : tensor<6x6x16xi32>
}

#xr = #tensor.access<affine_map<(o, k) -> (k)>>
#wr = #tensor.access<affine_map<(o, k) -> (o, k)>>

// A single pixel, whose sums are as many as may be.
//
// CHECK-LABEL: func.func private @row
// CHECK:         schedule #tensor.schedule<[tile<0 by 64>, unroll<1 by 2>, vectorize<0 by 8>,
// CHECK-SAME:    cache_read<1 packed [0 floordiv 64, 1 floordiv 2, 0 mod 64, 1 mod 2]>, cache_read<0 as i16>, tensorize<"x86-wide">]>
func.func private @row(%x: tensor<32xi8>, %w: tensor<64x32xi8>) -> tensor<64xi32> {
  %y = tensor.compute [64 | 32] reads(%x at #xr, %w at #wr) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<32xi8>, tensor<64x32xi8>) -> tensor<64xi32>
  func.return %y : tensor<64xi32>
}

#xc = #tensor.access<affine_map<(p, o, c) -> (c, p)>>
#wc = #tensor.access<affine_map<(p, o, c) -> (o, c)>>

// Declined: channels of one pixel are no neighbours, so that they make no groups.
//
// CHECK-LABEL: func.func private @channels_first
// CHECK-NOT:     tensorize
func.func private @channels_first(%x: tensor<16x9xi8>, %w: tensor<16x16xi8>) -> tensor<9x16xi32> {
  %y = tensor.compute [9, 16 | 16] reads(%x at #xc, %w at #wc) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<16x9xi8>, tensor<16x16xi8>) -> tensor<9x16xi32>
  func.return %y : tensor<9x16xi32>
}

#i = #tensor.access<affine_map<(i) -> (i)>>

// Halves that are widened and rounded run in vectors.
//
// CHECK-LABEL: func.func private @rounded
// CHECK:         schedule #tensor.schedule<[tile<0 by 8>, vectorize<0 by 8>]>
func.func private @rounded(%x: tensor<32xf16>, %y: tensor<32xf32>) -> tensor<32xf16> {
  %z = tensor.compute [32] epilogue(%x at #i, %y at #i) apply {
  ^bb0(%h: f16, %f: f32):
    %w = arith.extf %h : f16 to f32
    %s = arith.addf %w, %f : f32
    %r = arith.truncf %s : f32 to f16
    tensor.yield %r : f16
  } : (tensor<32xf16>, tensor<32xf32>) -> tensor<32xf16>
  func.return %z : tensor<32xf16>
}

// Declined: sums of halves are rounded one by one.
//
// CHECK-LABEL: func.func private @added
// CHECK:         schedule #tensor.schedule<[]>
func.func private @added(%x: tensor<32xf16>) -> tensor<32xf16> {
  %z = tensor.compute [32] epilogue(%x at #i) apply {
  ^bb0(%h: f16):
    %s = arith.addf %h, %h : f16
    tensor.yield %s : f16
  } : (tensor<32xf16>) -> tensor<32xf16>
  func.return %z : tensor<32xf16>
}

func.func @main(%x: tensor<6x6x8xi8>, %xd: tensor<8x8x16xi8>, %xr: tensor<32xi8>, %xc: tensor<16x9xi8>)
    -> (tensor<6x6x16xi32>, tensor<6x6x16xi32>, tensor<64xi32>, tensor<9x16xi32>) {
  %w = graph.weight "w" {hash = "0"} : tensor<16x8x3x3xi8>
  %wd = graph.weight "wd" {hash = "1"} : tensor<16x3x3xi8>
  %wr = graph.weight "wr" {hash = "2"} : tensor<64x32xi8>
  %wc = graph.weight "wc" {hash = "3"} : tensor<16x16xi8>
  %y = graph.call @convolution(%x, %w) : (tensor<6x6x8xi8>, tensor<16x8x3x3xi8>) -> tensor<6x6x16xi32>
  %yd = graph.call @depthwise(%xd, %wd) : (tensor<8x8x16xi8>, tensor<16x3x3xi8>) -> tensor<6x6x16xi32>
  %yr = graph.call @row(%xr, %wr) : (tensor<32xi8>, tensor<64x32xi8>) -> tensor<64xi32>
  %yc = graph.call @channels_first(%xc, %wc) : (tensor<16x9xi8>, tensor<16x16xi8>) -> tensor<9x16xi32>
  func.return %y, %yd, %yr, %yc : tensor<6x6x16xi32>, tensor<6x6x16xi32>, tensor<64xi32>, tensor<9x16xi32>
}
