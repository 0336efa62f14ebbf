// RUN: s2s-opt %s -p tensor-fuse-computes | filecheck %s

#row = #tensor.access<affine_map<(i, j) -> (i, j)>>
#own = #tensor.access<affine_map<(i) -> (i)>>

// The bias goes into the sum that feeds it.
// CHECK-LABEL: func.func private @consumer_into_apply
// CHECK-NEXT:    %z = tensor.compute [4 | 8] reads(%x at {{.*}}) epilogue(%b at
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
  %z = tensor.compute [4] epilogue(%y at #own, %b at #own) apply {
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
  %t = tensor.compute [4, 8] epilogue(%x at #tensor.access<affine_map<(i, j) -> (j, i)>>) apply {
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
  %e = tensor.compute [8] epilogue(%x at #own) apply {
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
  %p = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i - 1)>, guarded>) apply {
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

// Rows are read at positions in %i, and columns of the rows at positions in %j: nothing is kept between.
// CHECK-LABEL: func.func private @moving_producer_into_table
// CHECK-NEXT:    %z = tensor.compute [3, 2] epilogue(%j at #tensor.access<affine_map<(d0, d1) -> (d1)>>, %i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) tables(%x) apply {
// CHECK-NEXT:    ^{{.*}}(%[[column:.*]]: i32, %[[row:.*]]: i32, %[[table:.*]]: tensor<4x8xf32>):
// CHECK:           %[[to:.*]] = arith.index_cast %[[column]]
// CHECK:           %[[from:.*]] = arith.index_cast %[[row]]
// CHECK-NEXT:      %[[v:.*]] = tensor.extract %[[table]][%[[from]], %[[to]]]
// CHECK-NEXT:      tensor.yield %[[v]]
// CHECK:         func.return %z
func.func private @moving_producer_into_table(%x: tensor<4x8xf32>, %i: tensor<3xi32>, %j: tensor<2xi32>) -> tensor<3x2xf32> {
  %y = tensor.compute [3, 8] epilogue(%i at #tensor.access<affine_map<(i, j) -> (i)>>) tables(%x) apply {
  ^bb0(%at: i32, %table: tensor<4x8xf32>):
    %row = arith.index_cast %at : i32 to index
    %column = tensor.index 1
    %v = tensor.extract %table[%row, %column] : tensor<4x8xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<3xi32>, tensor<4x8xf32>) -> tensor<3x8xf32>
  %z = tensor.compute [3, 2] epilogue(%j at #tensor.access<affine_map<(i, j) -> (j)>>) tables(%y) apply {
  ^bb0(%at: i32, %table: tensor<3x8xf32>):
    %row = tensor.index 0
    %column = arith.index_cast %at : i32 to index
    %v = tensor.extract %table[%row, %column] : tensor<3x8xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<2xi32>, tensor<3x8xf32>) -> tensor<3x2xf32>
  func.return %z : tensor<3x2xf32>
}

// A producer that asks for its position goes to where it is read along the same dimension.
// CHECK-LABEL: func.func private @position_into_consumer
// CHECK-NEXT:    %y = tensor.compute [8] epilogue(%x at
// CHECK:           tensor.index 0
// CHECK:           arith.addf
// CHECK:         func.return %y
func.func private @position_into_consumer(%x: tensor<8xf32>) -> tensor<8xf32> {
  %p = tensor.compute [8] epilogue() apply {
  ^bb0:
    %i = tensor.index 0
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    tensor.yield %v : f32
  } : () -> tensor<8xf32>
  %y = tensor.compute [8] epilogue(%x at #own, %p at #own) apply {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    tensor.yield %s : f32
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// Declined: which row %i names is not known where the rows are read.
// CHECK-LABEL: func.func private @declined_for_a_calculated_row
// CHECK:         %y = tensor.compute [3]
// CHECK:         %z = tensor.compute [2]
func.func private @declined_for_a_calculated_row(%x: tensor<4xf32>, %i: tensor<3xi32>, %j: tensor<2xi32>) -> tensor<2xf32> {
  %y = tensor.compute [3] epilogue(%i at #own) tables(%x) apply {
  ^bb0(%at: i32, %table: tensor<4xf32>):
    %row = arith.index_cast %at : i32 to index
    %v = tensor.extract %table[%row] : tensor<4xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<3xi32>, tensor<4xf32>) -> tensor<3xf32>
  %z = tensor.compute [2] epilogue(%j at #own) tables(%y) apply {
  ^bb0(%at: i32, %table: tensor<3xf32>):
    %row = arith.index_cast %at : i32 to index
    %v = tensor.extract %table[%row] : tensor<3xf32> -> f32
    tensor.yield %v : f32
  } : (tensor<2xi32>, tensor<3xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}

// The guard asks for the end of the first `n` elements, which their operand does not tell.
// CHECK-LABEL: func.func private @guarded_read_of_a_cut
// CHECK-NEXT:    %part = tensor.compute [9]
// CHECK:         %y = tensor.compute [12] epilogue(%part at
func.func private @guarded_read_of_a_cut(%x: tensor<9xf32>) -> tensor<12xf32> {
  %part = tensor.compute [9] epilogue(%x at #own) extents ["n"] apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } attributes {cuts} : (tensor<9xf32>) -> tensor<9xf32>
  %y = tensor.compute [12] epilogue(%part at #tensor.access<affine_map<(i) -> (i - 1)>, guarded>) apply {
  ^bb0(%v: f32):
    %inside = tensor.in_bounds %v : f32
    %zero = arith.constant 0.0 : f32
    %s = arith.select %inside, %v, %zero : f32
    tensor.yield %s : f32
  } : (tensor<9xf32>) -> tensor<12xf32>
  func.return %y : tensor<12xf32>
}
