// RUN: s2s-opt %s -p tensor-fuse-computes | filecheck %s

#row = #tensor.access<affine_map<(i, j) -> (i, j)>>
#own = #tensor.access<affine_map<(i) -> (i)>>

// The bias goes into the sum that feeds it.
// CHECK-LABEL: func.func private @consumer_into_apply
// CHECK-NEXT:    %z = tensor.compute [4 | 8] reads(%x at {{.*}}) points(%b at
// CHECK:         apply {
// CHECK-NEXT:    ^{{.*}}(%[[acc:.*]]: f32, %[[bias:.*]]: f32):
// CHECK-NEXT:      %[[sum:.*]] = arith.addf %[[acc]], %[[bias]]
// CHECK-NEXT:      tensor.yield %[[sum]]
// CHECK:         func.return %z
func.func private @consumer_into_apply(%x: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4 | 8] reads(%x at #row) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4x8xf32>) -> tensor<4xf32>
  %z = tensor.compute [4] points(%y at #own, %b at #own) apply {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    tensor.yield %s : f32
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// A transpose goes into the access of the sum that reads it.
// CHECK-LABEL: func.func private @moving_producer_into_read
// CHECK-NEXT:    %y = tensor.compute [4 | 8] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>)
// CHECK-NOT:     tensor.compute
func.func private @moving_producer_into_read(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %t = tensor.compute [4, 8] points(%x at #tensor.access<affine_map<(i, j) -> (j, i)>>) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %y = tensor.compute [4 | 8] reads(%t at #row) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// Declined: every element of %e would be computed four times.
// CHECK-LABEL: func.func private @declined_for_repeated_work
// CHECK:         math.exp
// CHECK:         %y = tensor.compute [4 | 8] reads(%e at
func.func private @declined_for_repeated_work(%x: tensor<8xf32>) -> tensor<4xf32> {
  %e = tensor.compute [8] points(%x at #own) apply {
  ^bb0(%v: f32):
    %w = math.exp %v : f32
    tensor.yield %w : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %y = tensor.compute [4 | 8] reads(%e at #tensor.access<affine_map<(i, j) -> (j)>>) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// Declined: a padded value is read as zero by the sum, but as one here.
// CHECK-LABEL: func.func private @declined_for_a_guard_of_another_meaning
// CHECK:         %p = tensor.compute [6]
// CHECK:         %y = tensor.compute [1 | 6] reads(%p at
func.func private @declined_for_a_guard_of_another_meaning(%x: tensor<4xf32>) -> tensor<1xf32> {
  %p = tensor.compute [6] points(%x at #tensor.access<affine_map<(i) -> (i - 1)>, guarded>) apply {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %hit = tensor.in_bounds %v : f32
    %w = arith.select %hit, %v, %one : f32
    tensor.yield %w : f32
  } : (tensor<4xf32>) -> tensor<6xf32>
  %y = tensor.compute [1 | 6] reads(%p at #tensor.access<affine_map<(i, j) -> (j)>>) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<6xf32>) -> tensor<1xf32>
  func.return %y : tensor<1xf32>
}
