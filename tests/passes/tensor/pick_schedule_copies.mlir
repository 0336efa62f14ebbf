// RUN: s2s-opt %s --sample-weights -p tensor-transform-convolutions{target=x86-64-v3},tensor-pick-schedule{target=x86-64-v3} | filecheck %s

// Copies beside a transform follow the order of their source.
// CHECK-LABEL: func.func private @order_of_the_caller
// CHECK-NEXT:    %x_1 = tensor.compute [12, 12, 64] epilogue(%x {{.*}} vectorize<1 by 8>, reorder<[0, 2, 1]>]>
// CHECK:         %y = tensor.compute [64, 12, 12] epilogue(%z {{.*}} vectorize<0 by 8>, reorder<[1, 2, 0]>]>
func.func private @order_of_the_caller(%x: tensor<64x12x12xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32> {
  %y = tensor.compute [64, 12, 12 | 64, 3, 3]
    reads(%x at #tensor.access<affine_map<(o, h, w, i, r, s) -> (i, h + r - 1, w + s - 1)>, guarded>,
          %w at #tensor.access<affine_map<(o, h, w, i, r, s) -> (o, i, r, s)>>)
    inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<64x12x12xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32>
  func.return %y : tensor<1x64x12x12xf32>
}

func.func @main(%x: tensor<64x12x12xf32>) -> tensor<1x64x12x12xf32> {
  %w = graph.weight "order_of_the_caller" {hash = "0"} : tensor<64x64x3x3xf32>
  %y = graph.call @order_of_the_caller(%x, %w) : (tensor<64x12x12xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32>
  func.return %y : tensor<1x64x12x12xf32>
}
