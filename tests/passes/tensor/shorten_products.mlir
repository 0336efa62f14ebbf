// RUN: s2s-opt %s --sample-weights -p tensor-shorten-products{target=cortex-m4} | filecheck %s

#x = #tensor.access<affine_map<(p, o, k) -> (p, k)>>
#w = #tensor.access<affine_map<(p, o, k) -> (o, k)>>
#b = #tensor.access<affine_map<(p, o) -> (o)>>

// Groups lie in the order of the reduction, and another instruction multiplies them.
// CHECK-LABEL: func.func private @pointwise
// CHECK:         cache_read<1 packed [0, 1 floordiv 4, 1 mod 4]>, cache_read<0 at 0 as i16>, tensorize<"smlad-pairs">
func.func private @pointwise(%x: tensor<5x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xi32>) -> tensor<5x2xi32> {
  %y = tensor.compute [5, 2 | 8] reads(%x at #x, %w at #w) epilogue(%b at #b) schedule #tensor.schedule<
      [cache_read<1 packed [0, 1 floordiv 4, 1 mod 2, 1 floordiv 2 mod 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %s = arith.addi %acc, %bv : i32
    tensor.yield %s : i32
  } : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// Four points by two channels take halves of groups, of all points before the others.
// CHECK-LABEL: func.func private @square
// CHECK:         cache_read<1 packed [0, 1 floordiv 4, 1 mod 4]>, cache_read<0 at 0 as i16>, tensorize<"smlad-points">
func.func private @square(%x: tensor<8x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xi32>) -> tensor<8x2xi32> {
  %y = tensor.compute [8, 2 | 8] reads(%x at #x, %w at #w) epilogue(%b at #b) schedule #tensor.schedule<
      [tile<0 by 4, 1 by 2>, cache_read<1 packed [0, 1 floordiv 4, 1 mod 2, 1 floordiv 2 mod 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %s = arith.addi %acc, %bv : i32
    tensor.yield %s : i32
  } : (tensor<8x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<8x2xi32>
  func.return %y : tensor<8x2xi32>
}

// Three points are no pairs of them.
// CHECK-LABEL: func.func private @triple
// CHECK:         cache_read<1 packed [0, 1 floordiv 4, 1 mod 4]>, cache_read<0 at 0 as i16>, tensorize<"smlad-pairs">
func.func private @triple(%x: tensor<5x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xi32>) -> tensor<5x2xi32> {
  %y = tensor.compute [5, 2 | 8] reads(%x at #x, %w at #w) epilogue(%b at #b) schedule #tensor.schedule<
      [tile<0 by 3, 1 by 2>, cache_read<1 packed [0, 1 floordiv 4, 1 mod 2, 1 floordiv 2 mod 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %s = arith.addi %acc, %bv : i32
    tensor.yield %s : i32
  } : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// Declined: seven steps are no whole groups.
// CHECK-LABEL: func.func private @odd
// CHECK:         tensorize<"smlad">
func.func private @odd(%x: tensor<5x7xi8>, %w: tensor<2x7xi8>, %b: tensor<2xi32>) -> tensor<5x2xi32> {
  %y = tensor.compute [5, 2 | 7] reads(%x at #x, %w at #w) epilogue(%b at #b) schedule #tensor.schedule<
      [cache_read<1 packed [0, 1 floordiv 4, 1 mod 2, 1 floordiv 2 mod 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %s = arith.addi %acc, %bv : i32
    tensor.yield %s : i32
  } : (tensor<5x7xi8>, tensor<2x7xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// Declined: the sums start from no bias that could take off what pairs add.
// CHECK-LABEL: func.func private @no_bias
// CHECK:         tensorize<"smlad">
func.func private @no_bias(%x: tensor<5x8xi8>, %w: tensor<2x8xi8>) -> tensor<5x2xi32> {
  %y = tensor.compute [5, 2 | 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [cache_read<1 packed [0, 1 floordiv 4, 1 mod 2, 1 floordiv 2 mod 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<5x8xi8>, tensor<2x8xi8>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

func.func @main(%x: tensor<5x8xi8> {name = "x"}, %z: tensor<5x7xi8> {name = "z"}, %m: tensor<8x8xi8> {name = "m"})
    -> (tensor<5x2xi32> {name = "a"}, tensor<5x2xi32> {name = "b"}, tensor<5x2xi32> {name = "c"},
        tensor<8x2xi32> {name = "d"}, tensor<5x2xi32> {name = "e"}) {
  %v = graph.weight "v" {hash = "0"} : tensor<2x8xi8>
  %w = graph.weight "w" {hash = "1"} : tensor<2x7xi8>
  %b = graph.weight "b" {hash = "2"} : tensor<2xi32>
  %p = graph.call @pointwise(%x, %v, %b) : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  %q = graph.call @odd(%z, %w, %b) : (tensor<5x7xi8>, tensor<2x7xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  %r = graph.call @no_bias(%x, %v) : (tensor<5x8xi8>, tensor<2x8xi8>) -> tensor<5x2xi32>
  %s = graph.call @square(%m, %v, %b) : (tensor<8x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<8x2xi32>
  %t = graph.call @triple(%x, %v, %b) : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %p, %q, %r, %s, %t : tensor<5x2xi32>, tensor<5x2xi32>, tensor<5x2xi32>, tensor<8x2xi32>, tensor<5x2xi32>
}
