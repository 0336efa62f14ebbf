// RUN: s2s-opt %s --sample-weights -p tensor-fold-zero-points-into-inits | filecheck %s

#x = #tensor.access<affine_map<(p, o, k, c) -> (p + k - 1, c)>, guarded>
#w = #tensor.access<affine_map<(p, o, k, c) -> (o, c, k)>>

// CHECK-LABEL: func.func private @padded
// CHECK-SAME:    %x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>, %start: tensor<4xi32>)
// CHECK:         epilogue(%start at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
// CHECK-SAME:    cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">, init_from<0>]>
// CHECK:       apply {
// CHECK-NEXT:  ^bb{{.*}}(%{{.*}}: i32, %{{.*}}: i32):
// CHECK-NEXT:    tensor.yield
func.func private @padded(%x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3, 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [tile<1 by 4>, vectorize<1 by 4>, cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// Declined: the zero point is 0.
// CHECK-LABEL: func.func private @symmetric
// CHECK:         cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">]>
func.func private @symmetric(%x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3, 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [tile<1 by 4>, vectorize<1 by 4>, cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant 0 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// Declined: the copy is widened, and has no zero point.
// CHECK-LABEL: func.func private @widened
// CHECK:         cache_read<0 at 0 as i16>, tensorize<"mve-i16-by-8">]>
func.func private @widened(%x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3, 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [tile<1 by 4>, vectorize<1 by 4>, cache_read<0 at 0 as i16>, tensorize<"mve-i16-by-8">]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// Declined: the bytes that are cached are those of %w, which has no zero point; that of %x stays in the products.
// CHECK-LABEL: func.func private @of_the_other_factor
// CHECK:         cache_read<1 at 0 as i8>]>
func.func private @of_the_other_factor(%x: tensor<5x8xi8>, %w: tensor<4x8x3xi8>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 3, 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<[cache_read<1 at 0 as i8>]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -5 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// CHECK-LABEL: func.func @main
// CHECK:         %w_start = graph.weight "w_start" {{.*}} : tensor<4xi32>
// CHECK-NEXT:    graph.call @padded(%x, %w, %w_start)
// CHECK:         graph.call @symmetric(%x, %w)
// CHECK:         graph.call @widened(%x, %w)
// CHECK:         graph.call @of_the_other_factor(%x, %w)
func.func @main(%x: tensor<5x8xi8>) -> (tensor<5x4xi32>, tensor<5x4xi32>, tensor<5x4xi32>, tensor<5x4xi32>) {
  %w = graph.weight "w" {hash = "0"} : tensor<4x8x3xi8>
  %a = graph.call @padded(%x, %w) : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  %b = graph.call @symmetric(%x, %w) : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  %c = graph.call @widened(%x, %w) : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  %d = graph.call @of_the_other_factor(%x, %w) : (tensor<5x8xi8>, tensor<4x8x3xi8>) -> tensor<5x4xi32>
  func.return %a, %b, %c, %d : tensor<5x4xi32>, tensor<5x4xi32>, tensor<5x4xi32>, tensor<5x4xi32>
}
