// RUN: s2s-opt %s -p tensor-lower-to-loop --split-input-file | filecheck %s

#id = #tensor.access<affine_map<(i, j) -> (i, j)>>

// The loops over tiles that `parallel` names are marked, those inside of them are not.
// CHECK-LABEL: func.func private @tiles
// CHECK:         loop.for %i = 0 to 6 step 2 {
// CHECK-NEXT:      loop.for %j = 0 to 8 {
// CHECK:           }
// CHECK-NEXT:    } {parallelize}
func.func private @tiles(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %y = tensor.compute [6, 8] epilogue(%x at #id) schedule #tensor.schedule<[tile<0 by 2>, parallel<0>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// -----

#id = #tensor.access<affine_map<(i, j) -> (i, j)>>

// A dimension in cache blocks: its loop over blocks is marked, and the loop right inside.
// CHECK-LABEL: func.func private @blocks
// CHECK:         loop.for %j_block = 0 to 8 step 4 {
// CHECK-NEXT:      loop.for %i = 0 to 6 {
// CHECK-NEXT:        loop.for %j = {{.*}} {
// CHECK:             }
// CHECK-NEXT:      } {parallelize}
// CHECK-NEXT:    } {parallelize}
func.func private @blocks(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %y = tensor.compute [6, 8] epilogue(%x at #id) schedule #tensor.schedule<[tile<1 by 4 by 1>, parallel<1, 0>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// -----

#id = #tensor.access<affine_map<(i, j) -> (i, j)>>

// Of computations that are tiled and fused, one says it for the loop that they share.
// CHECK-LABEL: func.func private @fused
// CHECK-NEXT:    loop.for %i_block = 0 to 6 step 2 {
// CHECK:           loop.for %i = 0 to 2 {
// CHECK:           loop.for %i_1 = 0 to 2 {
// CHECK:         } {parallelize}
// CHECK-NEXT:    func.return
func.func private @fused(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %a = tensor.compute [6, 8] epilogue(%x at #id) schedule #tensor.schedule<[tile_and_fuse<0 by 2>]> apply {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    tensor.yield %s : f32
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %y = tensor.compute [6, 8] epilogue(%a at #id) schedule #tensor.schedule<[tile_and_fuse<0 by 2>, parallel<0>]> apply {
  ^bb0(%v: f32):
    %s = arith.mulf %v, %v : f32
    tensor.yield %s : f32
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}
