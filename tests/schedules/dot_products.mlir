// RUN: s2s-opt %s --sample-weights -p tensor-pack-constants,tensor-lower-to-loop,cse,dce | filecheck %s

// A 3x3 convolution over 8-bit integers, the way a core with a dual multiply-accumulate runs it, said in one attribute:
// two pixels are copied to rows of 16-bit numbers with their zero point taken off, weights are packed in groups of four
// for two output channels.
//
// CHECK-LABEL: func.func private @conv_3x3
// CHECK-SAME:    %y: memref<512xi8>, %x: memref<384xi8>, %w: memref<448xi8>, %b: memref<8xi32>, %rows: memref<112xi16>
// CHECK:         loop.for %h = 0 to 8 {
// CHECK-NEXT:      loop.for %w_1 = 0 to 8 step 2 {
// CHECK-NEXT:        loop.for %w_point = 0 to 2 {
// CHECK-NEXT:          loop.for %r = 0 to 3 {
// CHECK-NEXT:            loop.if
// CHECK-NEXT:              loop.cache_read %x, %rows{{.*}} {count = 18 : i64, stride = 1 : i64, offset = 5 : i64}
// One loop runs over the whole reduction, 54 steps filled up to 56. The tile asks for eight at once, and the C compiler
// for three times eight.
// CHECK:             loop.for %o = 0 to 8 step 2 {
// CHECK:               loop.for %k = 0 to 56 step 8 unroll 3
// CHECK-COUNT-8:         loop.intrinsic <"smlad"
// CHECK-NEXT:            loop.yield
func.func private @conv_3x3(%x: tensor<1x8x8x6xi8>, %w: tensor<8x6x3x3xi8>, %b: tensor<8xi32>) -> tensor<1x8x8x8xi8> {
  %y = tensor.compute [1, 8, 8, 8 | 3, 3, 6]
    reads(%x at #tensor.access<affine_map<(n, h, w, o, r, s, c) -> (n, h + r - 1, w + s - 1, c)>, guarded>,
          %w at #tensor.access<affine_map<(n, h, w, o, r, s, c) -> (o, c, r, s)>>)
    epilogue(%b at #tensor.access<affine_map<(n, h, w, o) -> (o)>>)
    schedule #tensor.schedule<[tile<2 by 2, 3 by 2>, unroll<6 by 8 by 3>, cache_read<1 packed [0 floordiv 2, (2 3 1) floordiv 4, 0 mod 2, (2 3 1) mod 2, (2 3 1) floordiv 2 mod 2]>, cache_read<0 at 2 as i16>, tensorize<"smlad">]>
    inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %x0 = arith.subi %xe, %zp : i32
    %w0 = arith.extsi %wv : i8 to i32
    %p = arith.muli %x0, %w0 : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %s = arith.addi %acc, %bv : i32
    %shift = arith.constant 9 : i32
    %t = arith.shrsi %s, %shift : i32
    %z = arith.trunci %t : i32 to i8
    tensor.yield %z : i8
  } attributes {dims = "n h w o r s c"} : (tensor<1x8x8x6xi8>, tensor<8x6x3x3xi8>, tensor<8xi32>) -> tensor<1x8x8x8xi8>
  func.return %y : tensor<1x8x8x8xi8>
}

func.func @main(%x: tensor<1x8x8x6xi8> {name = "x"}) -> (tensor<1x8x8x8xi8> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<8x6x3x3xi8>
  %b = graph.weight "b" {hash = "1"} : tensor<8xi32>
  %y = graph.call @conv_3x3(%x, %w, %b) : (tensor<1x8x8x6xi8>, tensor<8x6x3x3xi8>, tensor<8xi32>) -> tensor<1x8x8x8xi8>
  func.return %y : tensor<1x8x8x8xi8>
}
