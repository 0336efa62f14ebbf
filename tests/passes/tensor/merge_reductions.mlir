// RUN: s2s-opt %s -p tensor-merge-reductions --split-input-file | filecheck %s

#row = #tensor.access<affine_map<(i, r) -> (i, r)>>
#column = #tensor.access<affine_map<(i, r) -> (r, i)>>

// CHECK-LABEL: func.func private @both
// CHECK-NEXT:    %a, %b = tensor.compute [8 | 8] reads(%x at
// CHECK-SAME:    inits [0.000000e+00 : f32, 0xff800000 : f32] reduce {
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      arith.maximumf
// CHECK-NEXT:      tensor.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT:     tensor.compute
// CHECK:         func.return %a, %b
func.func private @both(%x: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {kernel} {
  %a = tensor.compute [8 | 8] reads(%x at #row) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %n = arith.addf %acc, %v : f32
    tensor.yield %n : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  %b = tensor.compute [8 | 8] reads(%x at #row) inits [0xFF800000 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %n = arith.maximumf %acc, %v : f32
    tensor.yield %n : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

#row = #tensor.access<affine_map<(i, r) -> (i, r)>>
#column = #tensor.access<affine_map<(i, r) -> (r, i)>>
#same = #tensor.access<affine_map<(i) -> (i)>>

// Declined: columns instead of rows; the second reads what the first computes.
// CHECK-LABEL: func.func private @apart
// CHECK:         %a = tensor.compute
// CHECK:         %b = tensor.compute
// CHECK:         %c = tensor.compute
func.func private @apart(%x: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {kernel} {
  %a = tensor.compute [8 | 8] reads(%x at #row) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %n = arith.addf %acc, %v : f32
    tensor.yield %n : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  %b = tensor.compute [8 | 8] reads(%x at #column) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %n = arith.addf %acc, %v : f32
    tensor.yield %n : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  %c = tensor.compute [8 | 8] reads(%x at #row) epilogue(%a at #same) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %n = arith.addf %acc, %v : f32
    tensor.yield %n : f32
  } apply {
  ^bb0(%acc: f32, %av: f32):
    %n = arith.addf %acc, %av : f32
    tensor.yield %n : f32
  } : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %b, %c : tensor<8xf32>, tensor<8xf32>
}
