// RUN: s2s-opt %s -p tensor-pack-constants --sample-weights --split-input-file | filecheck %s

// A product packs its weight in pairs of rows; the kernel that looks rows up reads that, too.
// CHECK-LABEL: func.func private @rows
// CHECK:         arith.shrsi
// CHECK:         arith.andi
// CHECK:         tensor.extract {{.*}} : tensor<2x8x2xf32> -> f32
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %w = graph.weight "w_packed" {hash = {{.*}}} : tensor<2x8x2xf32>
// CHECK-NEXT:    graph.call @rows(%i, %w)
// CHECK-NEXT:    graph.call @product(%a, %w)
func.func private @rows(%i: tensor<1xi32>, %w: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %y = tensor.compute [1, 8] epilogue(%i at #tensor.access<affine_map<(i, k) -> (i)>>) tables(%w) apply {
  ^bb0(%row: i32, %table: tensor<4x8xf32>):
    %at = arith.index_cast %row : i32 to index
    %k = tensor.index 1
    %v = tensor.extract %table[%at, %k] : tensor<4x8xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<1xi32>, tensor<4x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}
func.func private @product(%a: tensor<6x8xf32>, %w: tensor<4x8xf32>) -> tensor<6x4xf32> {
  %y = tensor.compute [6, 4 | 8]
    reads(%a at #tensor.access<affine_map<(m, n, k) -> (m, k)>>, %w at #tensor.access<affine_map<(m, n, k) -> (n, k)>>)
    schedule #tensor.schedule<[tile<1 by 2>, cache_read<1 packed [0 floordiv 2, 1, 0 mod 2]>]>
    inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  func.return %y : tensor<6x4xf32>
}
func.func @main(%i: tensor<1xi32>, %a: tensor<6x8xf32>) -> (tensor<1x8xf32>, tensor<6x4xf32>) {
  %w = graph.weight "w" {hash = "0"} : tensor<4x8xf32>
  %y = graph.call @rows(%i, %w) : (tensor<1xi32>, tensor<4x8xf32>) -> tensor<1x8xf32>
  %z = graph.call @product(%a, %w) : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  func.return %y, %z : tensor<1x8xf32>, tensor<6x4xf32>
}

// -----

// Declined: blocks of three rows, whose places want a division.
// CHECK-LABEL: func.func private @rows
// CHECK:         tensor.extract {{.*}} : tensor<6x8xf32> -> f32
func.func private @rows(%i: tensor<1xi32>, %w: tensor<6x8xf32>) -> tensor<1x8xf32> {
  %y = tensor.compute [1, 8] epilogue(%i at #tensor.access<affine_map<(i, k) -> (i)>>) tables(%w) apply {
  ^bb0(%row: i32, %table: tensor<6x8xf32>):
    %at = arith.index_cast %row : i32 to index
    %k = tensor.index 1
    %v = tensor.extract %table[%at, %k] : tensor<6x8xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<1xi32>, tensor<6x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}
func.func private @product(%a: tensor<6x8xf32>, %w: tensor<6x8xf32>) -> tensor<6x6xf32> {
  %y = tensor.compute [6, 6 | 8]
    reads(%a at #tensor.access<affine_map<(m, n, k) -> (m, k)>>, %w at #tensor.access<affine_map<(m, n, k) -> (n, k)>>)
    schedule #tensor.schedule<[tile<1 by 3>, cache_read<1 packed [0 floordiv 3, 1, 0 mod 3]>]>
    inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x6xf32>
  func.return %y : tensor<6x6xf32>
}
func.func @main(%i: tensor<1xi32>, %a: tensor<6x8xf32>) -> (tensor<1x8xf32>, tensor<6x6xf32>) {
  %w = graph.weight "v" {hash = "0"} : tensor<6x8xf32>
  %y = graph.call @rows(%i, %w) : (tensor<1xi32>, tensor<6x8xf32>) -> tensor<1x8xf32>
  %z = graph.call @product(%a, %w) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x6xf32>
  func.return %y, %z : tensor<1x8xf32>, tensor<6x6xf32>
}
