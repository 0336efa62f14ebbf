// RUN: s2s-opt %s --sample-weights -p tensor-pack-constants | filecheck %s

// Panels of four columns; the last is filled up with zeros.
// CHECK-LABEL: func.func private @product
// CHECK-SAME:    %b: tensor<2x8x4xf32>
// CHECK:         %b at #tensor.access<affine_map<(d0, d1, d2) -> ((d1 floordiv 4), d2, (d1 mod 4))>>
// CHECK:         schedule #tensor.schedule<[tile<1 by 4>]> inits
func.func private @product(%a: tensor<6x8xf32>, %b: tensor<8x7xf32>) -> tensor<6x7xf32> {
  %y = tensor.compute [6, 7 | 8]
    reads(%a at #tensor.access<affine_map<(m, n, k) -> (m, k)>>, %b at #tensor.access<affine_map<(m, n, k) -> (k, n)>>)
    schedule #tensor.schedule<[tile<1 by 4>, cache_read<1 packed [1 floordiv 4, 0, 1 mod 4]>]>
    inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6x8xf32>, tensor<8x7xf32>) -> tensor<6x7xf32>
  func.return %y : tensor<6x7xf32>
}

// CHECK-LABEL: func.func @main
// CHECK:         %b = graph.weight "b_packed" {hash = {{.*}}} : tensor<2x8x4xf32>
// CHECK-NEXT:    graph.call @product(%a, %b)
func.func @main(%a: tensor<6x8xf32>) -> tensor<6x7xf32> {
  %b = graph.weight "b" {hash = "0"} : tensor<8x7xf32>
  %y = graph.call @product(%a, %b) : (tensor<6x8xf32>, tensor<8x7xf32>) -> tensor<6x7xf32>
  func.return %y : tensor<6x7xf32>
}

// Declined: nothing is asked for.
// CHECK-LABEL: func.func private @no_pack
// CHECK-SAME:    %b: tensor<7xf32>
func.func private @no_pack(%b: tensor<7xf32>) -> tensor<7xf32> {
  %y = tensor.compute [7] epilogue(%b at #tensor.access<affine_map<(i) -> (i)>>) schedule #tensor.schedule<[]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<7xf32>) -> tensor<7xf32>
  func.return %y : tensor<7xf32>
}
