// RUN: s2s-opt %s --sample-weights -p tensor-shorten-rescale | filecheck %s

// One number of 8 bits is far below 2^30, and the shift goes to the right: the zero point joins the last rounding.
// CHECK-LABEL: func.func private @small
func.func private @small(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i8):
    // CHECK:      %e = arith.extsi %v : i8 to i32
    %e = arith.extsi %v : i8 to i32
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    // CHECK:      %z = tensor.rescale %e, %m, %s "negative" {offset = -5 : i32} : i32
    %r = tensor.rescale %e, %m, %s "double" : i32
    %zp = arith.constant -5 : i32
    %z = arith.addi %r, %zp : i32
    %low = arith.constant -128 : i32
    %high = arith.constant 127 : i32
    %c = arith.maxsi %z, %low : i32
    %d = arith.minsi %c, %high : i32
    // CHECK:      tensor.saturate %z
    // CHECK-NEXT: tensor.yield
    %q = arith.trunci %d : i32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// A limit that is not below the zero point hides how negative numbers were rounded, as after a ReLU.
// CHECK-LABEL: func.func private @limited
func.func private @limited(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i8):
    %e = arith.extsi %v : i8 to i32
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    // CHECK:      %z = tensor.rescale %e, %m, %s "upward" {offset = -5 : i32} : i32
    %r = tensor.rescale %e, %m, %s "double" : i32
    %zp = arith.constant -5 : i32
    %z = arith.addi %r, %zp : i32
    %low = arith.constant -5 : i32
    %high = arith.constant 127 : i32
    // CHECK:      %c = arith.maxsi %z, %low : i32
    %c = arith.maxsi %z, %low : i32
    %d = arith.minsi %c, %high : i32
    %q = arith.trunci %d : i32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// A shift of 0 rounds once. A lower limit above that of the type stays.
// CHECK-LABEL: func.func private @no_shift
func.func private @no_shift(%x: tensor<4xi16>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i16):
    %e = arith.extsi %v : i16 to i32
    %m = arith.constant 1278221461 : i32
    %s = arith.constant 0 : i8
    // CHECK:      tensor.rescale %e, %m, %s "high" : i32
    %r = tensor.rescale %e, %m, %s "double" : i32
    %low = arith.constant -3 : i32
    %high = arith.constant 127 : i32
    // CHECK:      %c = arith.maxsi %r, %low : i32
    // CHECK-NEXT: tensor.saturate %c
    %c = arith.maxsi %r, %low : i32
    %d = arith.minsi %c, %high : i32
    %q = arith.trunci %d : i32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi16>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// Declined: 32 bits may hold anything, a shift may go to the left or too far to the right, a multiplier may be negative,
// and this clamp ends below the type.
// CHECK-LABEL: func.func private @declined
func.func private @declined(%x: tensor<4xi32>, %small: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi32>) {
  %y, %z = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>, %small at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i32, %w: i8):
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    // CHECK:      tensor.rescale %v, %m, %s "double" : i32
    %r = tensor.rescale %v, %m, %s "double" : i32
    %e = arith.extsi %w : i8 to i32
    %left = arith.constant 1 : i8
    // CHECK:      tensor.rescale %e, %m, %left "double" : i32
    %t = tensor.rescale %e, %m, %left "double" : i32
    %far = arith.constant -23 : i8
    // CHECK:      tensor.rescale %t, %m, %far "double" : i32
    %u = tensor.rescale %t, %m, %far "double" : i32
    %below = arith.constant -1278221461 : i32
    // CHECK:      tensor.rescale %e, %below, %s "double" : i32
    %p = tensor.rescale %e, %below, %s "double" : i32
    %sum = arith.addi %u, %p : i32
    %low = arith.constant -128 : i32
    %high = arith.constant 100 : i32
    %c = arith.maxsi %r, %low : i32
    // CHECK:      arith.minsi
    %d = arith.minsi %c, %high : i32
    // CHECK-NEXT: arith.trunci
    %q = arith.trunci %d : i32 to i8
    tensor.yield %q, %sum : i8, i32
  } : (tensor<4xi32>, tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi32>)
  func.return %y, %z : tensor<4xi8>, tensor<4xi32>
}

// Sums of constants in pairs are 256 times as large, which leaves fewer bits to the zero point.
// CHECK-LABEL: func.func private @of_pairs
func.func private @of_pairs(%x: tensor<5x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xi32>) -> tensor<5x2xi32> {
  %y = tensor.compute [5, 2 | 8]
      reads(%x at #tensor.access<affine_map<(p, o, k) -> (p, k)>>, %w at #tensor.access<affine_map<(p, o, k) -> (o, k)>>)
      epilogue(%b at #tensor.access<affine_map<(p, o) -> (o)>>) schedule #tensor.schedule<
      [cache_read<1 packed [0, 1 floordiv 4, 1 mod 4]>, cache_read<0 at 0 as i16>, tensorize<"smlad-pairs">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %m = arith.constant 1278221461 : i32
    %e = arith.addi %acc, %bv : i32
    %near = arith.constant -15 : i8
    // CHECK:      tensor.rescale %e, %m, %near "negative" : i32
    %u = tensor.rescale %e, %m, %near "double" : i32
    %far = arith.constant -16 : i8
    // CHECK:      tensor.rescale %e, %m, %far "double" : i32
    %v = tensor.rescale %e, %m, %far "double" : i32
    %z = arith.addi %u, %v : i32
    tensor.yield %z : i32
  } : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

func.func @main(%x: tensor<5x8xi8> {name = "x"}) -> (tensor<5x2xi32> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<2x8xi8>
  %b = graph.weight "b" {hash = "1"} : tensor<2xi32>
  %y = graph.call @of_pairs(%x, %w, %b) : (tensor<5x8xi8>, tensor<2x8xi8>, tensor<2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}
