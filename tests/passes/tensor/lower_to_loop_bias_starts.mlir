// RUN: s2s-opt %s --sample-weights -p tensor-fold-zero-points-into-inits,tensor-lower-to-loop | filecheck %s

#x = #tensor.access<affine_map<(p, o, k, c) -> (p + k - 1, c)>, guarded>
#w = #tensor.access<affine_map<(p, o, k, c) -> (o, c, k)>>
#channel = #tensor.access<affine_map<(p, o) -> (o)>>

// The initial values that take off the zero point are part of the bias: one array, and one addition.
//
// CHECK-LABEL: func.func private @biased
// CHECK-SAME:    (%y: memref<20xi32>, %x: memref<40xi8>, %w: memref<96xi8>, %bias: memref<4xi32>, %rows: memref<{{.*}}xi8>)
// CHECK:         loop.load %bias
// CHECK-NOT:     loop.load %bias
func.func private @biased(%x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>, %bias: tensor<4xi32>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3, 8] reads(%x at #x, %w at #w) epilogue(%bias at #channel) schedule #tensor.schedule<
      [cache_read<0 at 0 as i8>]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %b: i32):
    %z = arith.addi %acc, %b : i32
    tensor.yield %z : i32
  } : (tensor<5x8xi8>, tensor<4x8x3xi8>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// CHECK-LABEL: func.func @main
// CHECK:         "bias_start"
func.func @main(%x: tensor<5x8xi8>) -> tensor<5x4xi32> {
  %w = graph.weight "w" {hash = "0"} : tensor<4x8x3xi8>
  %bias = graph.weight "bias" {hash = "1"} : tensor<4xi32>
  %a = graph.call @biased(%x, %w, %bias) : (tensor<5x8xi8>, tensor<4x8x3xi8>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %a : tensor<5x4xi32>
}
