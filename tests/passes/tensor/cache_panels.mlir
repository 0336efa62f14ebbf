// RUN: s2s-opt %s -p tensor-cache-panels{target=x86-64-v3},tensor-pick-schedule{target=x86-64-v3} --split-input-file | filecheck %s

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#bt = #tensor.access<affine_map<(m, n, k) -> (n, k)>>

// Columns of a transposed factor do not lie side by side: panels of 16 are copied so.
// CHECK-LABEL: func.func private @transposed
// CHECK:         %b_copy = tensor.compute [24, 40] epilogue(%b at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>)
// CHECK-SAME:      schedule #tensor.schedule<[tile<0 by 8, 1 by 8>, vectorize<0 by 8>, tile_and_fuse<1 by 16>]>
// CHECK:         tensor.compute [20, 40 | 24] reads(%a at {{.*}}, %b_copy at #tensor.access<affine_map<(d0, d1, d2) -> (d2, d1)>>)
// CHECK-SAME:      vectorize<1 by 8>, tile_and_fuse<1 by 16>
func.func private @transposed(%a: tensor<20x24xf32>, %b: tensor<40x24xf32>) -> tensor<20x40xf32> {
  %y = tensor.compute [20, 40 | 24] reads(%a at #a, %b at #bt) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<20x24xf32>, tensor<40x24xf32>) -> tensor<20x40xf32>
  func.return %y : tensor<20x40xf32>
}

// -----

#a = #tensor.access<affine_map<(p, m, n, k) -> (p, m, k)>>
#b = #tensor.access<affine_map<(p, m, n, k) -> (p, k, n)>>

// Rows that lie far apart, in a batch: one matrix and one panel of it at a time.
// CHECK-LABEL: func.func private @distant
// CHECK:         %b_copy = tensor.compute [2, 64, 520] epilogue(%b at #tensor.access<affine_map<(d0, d1, d2) -> (d0, d1, d2)>>)
// CHECK-SAME:      tile_and_fuse<0 by 1, 2 by 16>]>
// CHECK:         tensor.compute [2, 48, 520 | 64]
// CHECK-SAME:      tile_and_fuse<0 by 1, 2 by 16>]>
func.func private @distant(%a: tensor<2x48x64xf32>, %b: tensor<2x64x520xf32>) -> tensor<2x48x520xf32> {
  %y = tensor.compute [2, 48, 520 | 64] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x48x64xf32>, tensor<2x64x520xf32>) -> tensor<2x48x520xf32>
  func.return %y : tensor<2x48x520xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>
#bt = #tensor.access<affine_map<(m, n, k) -> (n, k)>>

// Declined: three rows do not pay for a copy.
// CHECK-LABEL: func.func private @few_rows
// CHECK-NEXT:    tensor.compute [3, 40 | 24]
func.func private @few_rows(%a: tensor<3x24xf32>, %b: tensor<40x24xf32>) -> tensor<3x40xf32> {
  %y = tensor.compute [3, 40 | 24] reads(%a at #a, %b at #bt) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x24xf32>, tensor<40x24xf32>) -> tensor<3x40xf32>
  func.return %y : tensor<3x40xf32>
}

// Declined: rows that lie close together stay in the first cache as they are.
// CHECK-LABEL: func.func private @close
// CHECK-NEXT:    tensor.compute [48, 40 | 64]
func.func private @close(%a: tensor<48x64xf32>, %b: tensor<64x40xf32>) -> tensor<48x40xf32> {
  %y = tensor.compute [48, 40 | 64] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<48x64xf32>, tensor<64x40xf32>) -> tensor<48x40xf32>
  func.return %y : tensor<48x40xf32>
}

// Declined: a constant is packed on the host.
// CHECK-LABEL: func.func private @constant
// CHECK-NEXT:    tensor.compute [20, 40 | 24]
func.func private @constant(%a: tensor<20x24xf32>, %b: tensor<40x24xf32>) -> tensor<20x40xf32> {
  %y = tensor.compute [20, 40 | 24] reads(%a at #a, %b at #bt) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<20x24xf32>, tensor<40x24xf32>) -> tensor<20x40xf32>
  func.return %y : tensor<20x40xf32>
}

func.func @main(%a: tensor<20x24xf32>) -> tensor<20x40xf32> {
  %b = graph.weight "b" {hash = "0"} : tensor<40x24xf32>
  %y = graph.call @constant(%a, %b) : (tensor<20x24xf32>, tensor<40x24xf32>) -> tensor<20x40xf32>
  func.return %y : tensor<20x40xf32>
}
