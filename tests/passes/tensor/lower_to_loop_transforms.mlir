// RUN: s2s-opt %s -p tensor-lower-to-loop | filecheck %s

#taps = #tensor.access<affine_map<(ty, tx, c, k, l) -> (2 * ty + k - 1, 2 * tx + l - 1, c)>, guarded>
#factors = #tensor.access<affine_map<(ty, tx, c, i, j) -> (4 * i + j, 3 * ty + tx, c)>>

// Columns of neighbouring tiles are transformed once; above and below the image they are shorter, beside it zero.
// CHECK-LABEL: func.func private @image
// CHECK-SAME:    %y: memref<1152xf32>, %x: memref<240xf32>, %strip: memref<256xf32>
// CHECK:           loop.for %l = 1 to 6 {
// CHECK-NEXT:        %x_1 = loop.load %x
// CHECK-NEXT:        %x_2 = loop.load %x
// CHECK-NEXT:        %x_3 = loop.load %x
// CHECK-NEXT:        arith.negf %x_2
// CHECK:             loop.store %{{.*}}, %strip
// CHECK:           loop.for %i = 0 to 4 {
// CHECK-NEXT:        loop.for %p1 = 0 to 3 {
// CHECK:               loop.store %{{.*}}, %y
// CHECK-NOT:       loop.if
func.func private @image(%x: tensor<6x5x8xf32>) -> tensor<16x9x8xf32> {
  %v = tensor.transform [3, 3, 8]
      left dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, -1.0, 0.0, 1.0]]> : tensor<4x4xf32>
      right dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, -1.0, 0.0, 1.0]]> : tensor<4x4xf32>
      read(%x at #taps) into #factors schedule #tensor.schedule<[tile<2 by 8>, vectorize<2 by 8>, reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x5x8xf32>) -> tensor<16x9x8xf32>
  func.return %v : tensor<16x9x8xf32>
}

#sums = #tensor.access<affine_map<(ty, tx, c, k, l) -> (4 * k + l, 3 * ty + tx, c)>>
#pixels = #tensor.access<affine_map<(ty, tx, c, i, j) -> (2 * ty + i, 2 * tx + j, c)>, guarded>

// The last row and the last column of tiles overhang: one result less is written. The residual's place is taken over.
// CHECK-LABEL: func.func private @result
// CHECK-SAME:    %strip: memref<192xf32>) attributes {in_place = array<i64: 3>}
// CHECK:         loop.for %p0 = 0 to 2 {
// CHECK:           loop.for %i = 0 to 2 {
// CHECK-NEXT:        loop.for %{{.*}} = 0 to 2 {
// CHECK-COUNT-2:       loop.store
// CHECK-NOT:           loop.store
// CHECK:             }
// CHECK-COUNT-1:     loop.store
// CHECK-NOT:       loop.if
func.func private @result(%m: tensor<16x9x8xf32>, %b: tensor<8xf32>, %z: tensor<5x5x8xf32>) -> tensor<5x5x8xf32> {
  %y = tensor.transform [3, 3, 8]
      left dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      right dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      read(%m at #sums)
      epilogue(%b at #tensor.access<affine_map<(ty, tx, c, i, j) -> (c)>>,
             %z at #tensor.access<affine_map<(ty, tx, c, i, j) -> (2 * ty + i, 2 * tx + j, c)>>)
      into #pixels schedule #tensor.schedule<[tile<2 by 8>, vectorize<2 by 8>, reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32, %bv: f32, %zv: f32):
    %s = arith.addf %acc, %bv : f32
    %t = arith.addf %s, %zv : f32
    tensor.yield %t : f32
  } : (tensor<16x9x8xf32>, tensor<8xf32>, tensor<5x5x8xf32>) -> tensor<5x5x8xf32>
  func.return %y : tensor<5x5x8xf32>
}

// In scalars, where channels do not fill a vector.
// CHECK-LABEL: func.func private @scalars
// CHECK:         loop.store %{{.*}} : f32, memref<
func.func private @scalars(%m: tensor<16x4x3xf32>) -> tensor<4x4x3xf32> {
  %y = tensor.transform [2, 2, 3]
      left dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      right dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      read(%m at #tensor.access<affine_map<(ty, tx, c, k, l) -> (4 * k + l, 2 * ty + tx, c)>>)
      into #tensor.access<affine_map<(ty, tx, c, i, j) -> (2 * ty + i, 2 * tx + j, c)>>
      schedule #tensor.schedule<[reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<16x4x3xf32>) -> tensor<4x4x3xf32>
  func.return %y : tensor<4x4x3xf32>
}

// Blocks of channels go around everything else: all rows of tiles, those at the borders too, are in one loop.
// CHECK-LABEL: func.func private @channels
// CHECK-NEXT:    loop.for %p2_block = 0 to 16 step 8 {
// CHECK-COUNT-3:   loop.for %{{.*}} = max affine_map<(d0) -> (d0)>(%p2_block) to min affine_map<(d0) -> ((d0 + 8){{.*}})>(%p2_block) step 4 {
// CHECK-NOT:     loop.if
func.func private @channels(%x: tensor<6x5x16xf32>) -> tensor<16x9x16xf32> {
  %v = tensor.transform [3, 3, 16]
      left dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, -1.0, 0.0, 1.0]]> : tensor<4x4xf32>
      right dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, -1.0, 0.0, 1.0]]> : tensor<4x4xf32>
      read(%x at #taps) into #factors
      schedule #tensor.schedule<[tile<2 by 8 by 4>, vectorize<2 by 4>, reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x5x16xf32>) -> tensor<16x9x16xf32>
  func.return %v : tensor<16x9x16xf32>
}
