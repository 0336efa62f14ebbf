// RUN: s2s-opt %s -p tensor-lower-to-loop | filecheck %s

// Two accumulators take vectors in turn; what does not fill both goes to the sum of them.
// CHECK-LABEL: func.func private @vectors
// CHECK:         %acca_1, %accb_1 = loop.for %r = 0 to 16 step 8 iter_args
// CHECK:           loop.load %x[affine_map<(d0) -> (d0)>(%r)]
// CHECK:           loop.load %x[affine_map<(d0) -> ((d0 + 4))>(%r)]
// CHECK:         arith.addf %acca_1, %accb_1
// CHECK:         loop.load %x[affine_map<() -> (16)>()]
// CHECK:         loop.reduce "add"
// CHECK:         loop.load %x[affine_map<() -> (20)>()]
func.func private @vectors(%x: tensor<21xf32>) -> tensor<f32> {
  %y = tensor.compute [ | 21] reads(%x at #tensor.access<affine_map<(r) -> (r)>>)
    schedule #tensor.schedule<[vectorize<0 by 4>, rfactor<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<21xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// Scalars: three partial maxima.
// CHECK-LABEL: func.func private @scalars
// CHECK:           loop.for %r = 0 to 6 step 3 iter_args
// CHECK:         arith.maximumf
// CHECK:         arith.maximumf
// CHECK:         loop.load %x[affine_map<(d0) -> (((d0 * 7) + 6))>(%i)]
func.func private @scalars(%x: tensor<2x7xf32>) -> tensor<2xf32> {
  %y = tensor.compute [2 | 7] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[rfactor<1 by 3>]> inits [0xFF800000 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.maximumf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x7xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
