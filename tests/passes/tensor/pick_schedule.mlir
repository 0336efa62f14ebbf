// RUN: s2s-opt %s -p tensor-pick-schedule{target=c} | filecheck %s

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// A product of which the second factor is a weight: columns are packed in panels and stay outside the rows.
// CHECK-LABEL: func.func private @product
// CHECK:         schedule #tensor.schedule<[tile<0 by 3, 1 by 4>, reorder<[1, 0, 2]>, cache_read<1 packed [1 floordiv 4, 0, 1 mod 4]>]>
func.func private @product(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>) -> tensor<6x16xf32> {
  %y = tensor.compute [6, 16 | 8] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  func.return %y : tensor<6x16xf32>
}

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<6x8xf32>) -> tensor<6x16xf32> {
  %b = graph.weight "b" {hash = "0"} : tensor<8x16xf32>
  %y = graph.call @product(%a, %b) : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  func.return %y : tensor<6x16xf32>
}

// Declined: a schedule that is there stays.
// CHECK-LABEL: func.func private @scheduled
// CHECK:         schedule #tensor.schedule<[tile<0 by 2>]>
func.func private @scheduled(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) schedule #tensor.schedule<[tile<0 by 2>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}
