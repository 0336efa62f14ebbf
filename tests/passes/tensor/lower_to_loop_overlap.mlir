// RUN: s2s-opt %s -p tensor-lower-to-loop --split-input-file | filecheck %s

#id = #tensor.access<affine_map<(r, c) -> (r, c)>>
#window = #tensor.access<affine_map<(r, c, k) -> (r + k - 1, c)>, guarded>
#taps = #tensor.access<affine_map<(r, c, k) -> (k)>>

// Blocks of four rows, and one on either side for the window: six in the buffer, zeros where there is no row.
// CHECK-LABEL: func.func private @slide
// CHECK-SAME:    %a: memref<12xf32>
// CHECK-NEXT:    loop.for %i_block = 0 to 8 step 4
// CHECK:             loop.for %i = 0 to min affine_map<(d0) -> (((d0 * -1) + 1))>(%i_block)
// CHECK:                 loop.store %0, %a
// CHECK:             loop.for %i_1 = max affine_map<(d0) -> (((d0 * -1) + 9))>(%i_block) to 6
// CHECK:                 loop.store %1, %a
// CHECK:           loop.for %i_2 = max affine_map<(d0) -> (((d0 * -1) + 1), 0)>(%i_block) to min affine_map<(d0) -> (((d0 * -1) + 9), 6)>(%i_block)
// CHECK:           loop.for %i_3 = 0 to 4
// CHECK:               loop.for %r = 0 to 3
// CHECK-NEXT:            loop.load %a[affine_map<(d0, d1, d2) -> ((((d0 * 2) + (d2 * 2)) + d1))>(%i_3, %j_1, %r)]
func.func private @slide(%x: tensor<8x2xf32>, %w: tensor<3xf32>) -> tensor<8x2xf32> {
  %a = tensor.compute [8, 2] epilogue(%x at #id)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4 overlap [1, 1]>]> apply {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %v, %one : f32
    tensor.yield %s : f32
  } : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %y = tensor.compute [8, 2 | 3] reads(%a at #window, %w at #taps)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %av, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x2xf32>, tensor<3xf32>) -> tensor<8x2xf32>
  func.return %y : tensor<8x2xf32>
}

// -----

#id = #tensor.access<affine_map<(r, c) -> (r, c)>>
#window = #tensor.access<affine_map<(r, c, k) -> (r * 2 + k - 1, c)>, guarded>
#taps = #tensor.access<affine_map<(r, c, k) -> (k)>>

// Every other row: blocks of four make two, and need one in front.
// CHECK-LABEL: func.func private @strided
// CHECK-SAME:    %a: memref<10xf32>
// CHECK-NEXT:    loop.for %i_block = 0 to 8 step 4
func.func private @strided(%x: tensor<8x2xf32>, %w: tensor<3xf32>) -> tensor<4x2xf32> {
  %a = tensor.compute [8, 2] epilogue(%x at #id)
    schedule #tensor.schedule<[tile_and_fuse<0 by 4 overlap [1, 0]>]> apply {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %v, %one : f32
    tensor.yield %s : f32
  } : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %y = tensor.compute [4, 2 | 3] reads(%a at #window, %w at #taps)
    schedule #tensor.schedule<[tile_and_fuse<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %av, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}
