// RUN: s2s-opt %s -p tensor-fuse-computes{target=x86-64-v3} | filecheck %s

#row = #tensor.access<affine_map<(p, c) -> (p)>>
#own = #tensor.access<affine_map<(p, c) -> (p, c)>>
#transposed = #tensor.access<affine_map<(c, p) -> (p, c)>>

// Each pixel extracts neighbours: rows of a large table are read whole, then transposed.
// CHECK-LABEL: func.func private @rows_stay_rows
// CHECK-NEXT:    %s = tensor.compute [128, 256]
// CHECK:         %y = tensor.compute [256, 128] epilogue(%s
func.func private @rows_stay_rows(%x: tensor<99x256xf32>, %i: tensor<128xi32>, %f: tensor<128xf32>) -> tensor<256x128xf32> {
  %s = tensor.compute [128, 256] epilogue(%i at #row, %f at #row) tables(%x) apply {
  ^bb0(%at: i32, %w: f32, %table: tensor<99x256xf32>):
    %r = arith.index_cast %at : i32 to index
    %c = tensor.index 1
    %v = tensor.extract %table[%r, %c] : tensor<99x256xf32> -> f32
    %p = arith.mulf %v, %w : f32
    tensor.yield %p : f32
  } : (tensor<128xi32>, tensor<128xf32>, tensor<99x256xf32>) -> tensor<128x256xf32>
  %y = tensor.compute [256, 128] epilogue(%s at #transposed) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<128x256xf32>) -> tensor<256x128xf32>
  func.return %y : tensor<256x128xf32>
}

// What runs along the same rows is one computation.
// CHECK-LABEL: func.func private @same_rows
// CHECK-NEXT:    %y = tensor.compute [128, 256]
// CHECK-NOT:     tensor.compute
func.func private @same_rows(%x: tensor<99x256xf32>, %i: tensor<128xi32>, %f: tensor<128xf32>) -> tensor<128x256xf32> {
  %s = tensor.compute [128, 256] epilogue(%i at #row, %f at #row) tables(%x) apply {
  ^bb0(%at: i32, %w: f32, %table: tensor<99x256xf32>):
    %r = arith.index_cast %at : i32 to index
    %c = tensor.index 1
    %v = tensor.extract %table[%r, %c] : tensor<99x256xf32> -> f32
    %p = arith.mulf %v, %w : f32
    tensor.yield %p : f32
  } : (tensor<128xi32>, tensor<128xf32>, tensor<99x256xf32>) -> tensor<128x256xf32>
  %y = tensor.compute [128, 256] epilogue(%s at #own) apply {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    tensor.yield %n : f32
  } : (tensor<128x256xf32>) -> tensor<128x256xf32>
  func.return %y : tensor<128x256xf32>
}

// What fits the first cache may be read in any order.
// CHECK-LABEL: func.func private @small
// CHECK-NEXT:    %y = tensor.compute [16, 8]
// CHECK-NOT:     tensor.compute
func.func private @small(%x: tensor<99x16xf32>, %i: tensor<8xi32>, %f: tensor<8xf32>) -> tensor<16x8xf32> {
  %s = tensor.compute [8, 16] epilogue(%i at #row, %f at #row) tables(%x) apply {
  ^bb0(%at: i32, %w: f32, %table: tensor<99x16xf32>):
    %r = arith.index_cast %at : i32 to index
    %c = tensor.index 1
    %v = tensor.extract %table[%r, %c] : tensor<99x16xf32> -> f32
    %p = arith.mulf %v, %w : f32
    tensor.yield %p : f32
  } : (tensor<8xi32>, tensor<8xf32>, tensor<99x16xf32>) -> tensor<8x16xf32>
  %y = tensor.compute [16, 8] epilogue(%s at #transposed) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<8x16xf32>) -> tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}
