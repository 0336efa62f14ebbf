// RUN: s2s-opt %s --sample-weights -p tensor-pack-constants,tensor-lower-to-loop,cse,dce,loop-form-fma | filecheck %s

// A 3x3 convolution over blocks of 16 channels, the way the fastest libraries run it, said in one attribute: weights
// packed [oc/32][ic/16][kh][kw][16][32], a register tile of 8 pixels by 32 channels, 16 of them to a vector.
//
// CHECK-LABEL: func.func private @conv_3x3
// CHECK-SAME:    %w: memref<36864xf32>
// Two blocks of output channels at a time, and rows. The eight pixels of a row are one tile over both borders, so the
// three columns of the window are written out: the first leaves out the first pixel, the last the last, and every weight
// vector is loaded once for all pixels.
// CHECK:         loop.for %o = 0 to 4 step 2 {
// CHECK-NEXT:      loop.for %h = 0 to 8 {
// CHECK:             loop.for %r = max
// CHECK:               loop.for %c = 0 to 16
// CHECK-COUNT-14:        loop.fma
// CHECK:               loop.for %c_1 = 0 to 16
// CHECK-COUNT-16:        loop.fma
// CHECK:               loop.for %c_2 = 0 to 16
// CHECK-COUNT-14:        loop.fma
// CHECK-NEXT:            loop.yield
func.func private @conv_3x3(%x: tensor<1x4x8x8x16xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>)
    -> tensor<1x4x8x8x16xf32> {
  %y = tensor.compute [1, 4, 8, 8, 16 | 4, 3, 3, 16]
    reads(%x at #tensor.access<affine_map<(n, o, h, w, p, i, r, s, c) -> (n, i, h + r - 1, w + s - 1, c)>, guarded>,
          %w at #tensor.access<affine_map<(n, o, h, w, p, i, r, s, c) -> (o * 16 + p, i * 16 + c, r, s)>>)
    epilogue(%b at #tensor.access<affine_map<(n, o, h, w, p) -> (o * 16 + p)>>)
    schedule #tensor.schedule<[tile<1 by 2, 3 by 8, 4 by 16>, vectorize<4 by 16>, cache_read<1 packed [0 floordiv 32, 1 floordiv 16, 2, 3, 1 mod 16, 0 mod 32]>]>
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    tensor.yield %s : f32
  } attributes {dims = "n o h w p i r s c"} : (tensor<1x4x8x8x16xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x4x8x8x16xf32>
  func.return %y : tensor<1x4x8x8x16xf32>
}

// CHECK-LABEL: func.func @main
// CHECK:         loop.weight "w_packed"
func.func @main(%x: tensor<1x4x8x8x16xf32> {name = "x"}) -> (tensor<1x4x8x8x16xf32> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<64x64x3x3xf32>
  %b = graph.weight "b" {hash = "1"} : tensor<64xf32>
  %y = graph.call @conv_3x3(%x, %w, %b) : (tensor<1x4x8x8x16xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x4x8x8x16xf32>
  func.return %y : tensor<1x4x8x8x16xf32>
}
