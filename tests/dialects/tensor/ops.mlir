// RUN: s2s-opt %s | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL:   func.func private @one_point_each
// GENERIC-LABEL: "func.func"() <{sym_name = "one_point_each"
func.func private @one_point_each(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT:  %y = tensor.compute [2, 3]
  // CHECK-SAME:    epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %b at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
  // CHECK-SAME:    apply {
  // CHECK-NEXT:  ^bb0(%xv: f32, %bv: f32):
  // CHECK-NEXT:    %s = arith.addf %xv, %bv : f32
  // CHECK-NEXT:    tensor.yield %s : f32
  // CHECK-NEXT:  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC:     %y = "tensor.compute"(%x, %b) <{
  // GENERIC-SAME:  domain = array<i64: 2, 3>, parallel = 2 : i64
  // GENERIC-SAME:  inits = []
  // GENERIC-SAME:  operandSegmentSizes = array<i32: 0, 2, 0>
  %y = tensor.compute [2, 3]
      epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>, %b at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
      apply {
  ^bb0(%xv: f32, %bv: f32):
    %s = arith.addf %xv, %bv : f32
    tensor.yield %s : f32
  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduction
func.func private @reduction(%x: tensor<10xui8>, %w: tensor<3xi8>, %b: tensor<8xi32>) -> (tensor<8xi32>, tensor<2x4xi32>) {
  // CHECK-NEXT:  %y, %z = tensor.compute [8 | 3]
  // CHECK-SAME:    reads(%x at #tensor.access<affine_map<(d0, d1) -> (((d0 + d1) + -1))>, guarded>, %w at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
  // CHECK-SAME:    epilogue(%b at #tensor.access<affine_map<(d0) -> (d0)>>)
  // CHECK-SAME:    inits [0 : i32] reduce {
  // CHECK-NEXT:  ^bb0(%xv: i8, %wv: i8, %acc: i32):
  // CHECK:         tensor.yield %s : i32
  // CHECK-NEXT:  } apply {
  // CHECK-NEXT:  ^bb0(%acc_1: i32, %bv: i32):
  // CHECK:         tensor.yield %t, %acc_1 : i32, i32
  // CHECK-NEXT:  } attributes {node = "conv1"} : (tensor<10xui8>, tensor<3xi8>, tensor<8xi32>) -> (tensor<8xi32>, tensor<2x4xi32>)
  %y, %z = tensor.compute [8 | 3]
      reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0 + d1 - 1)>, guarded>,
            %w at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
      epilogue(%b at #tensor.access<affine_map<(d0) -> (d0)>>)
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xw = arith.extui %xv : i8 to i32
    %ww = arith.extsi %wv : i8 to i32
    %p = arith.muli %xw, %ww : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32):
    %t = arith.addi %acc, %bv : i32
    tensor.yield %t, %acc : i32, i32
  } attributes {node = "conv1"} : (tensor<10xui8>, tensor<3xi8>, tensor<8xi32>) -> (tensor<8xi32>, tensor<2x4xi32>)
  func.return %y, %z : tensor<8xi32>, tensor<2x4xi32>
}

// CHECK-LABEL: func.func private @total_reduction
func.func private @total_reduction(%x: tensor<4xf32>) -> tensor<f32> {
  // CHECK-NEXT: %y = tensor.compute [ | 4] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [0.000000e+00 : f32] reduce {
  %y = tensor.compute [ | 4] reads(%x at #tensor.access<affine_map<(d0) -> (d0)>>) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: func.func private @what_regions_may_say
func.func private @what_regions_may_say(%x: tensor<5x2xf32>, %i: tensor<3xi64>) -> tensor<4x2xf32> {
  // CHECK-NEXT:  %y = tensor.compute [4, 2]
  // CHECK-SAME:    epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>, guarded, divisors [2]>)
  // CHECK-SAME:    tables(%x) apply {
  // CHECK-NEXT:  ^bb0(%iv: i64, %table: tensor<5x2xf32>):
  // CHECK-NEXT:    %inside = tensor.in_bounds %iv : i64
  // CHECK:         %n = tensor.size "sequence"
  // CHECK-NEXT:    %column = tensor.index 1
  // CHECK-NEXT:    %v = tensor.extract %table[%row, %column] : tensor<5x2xf32> -> f32
  // CHECK-NEXT:    %r = arith.remf %v, %zero : f32
  // CHECK-NEXT:    %e = tensor.exp_nonpositive %zero : f32
  %y = tensor.compute [4, 2] epilogue(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>, guarded, divisors [2]>)
      tables(%x) apply {
  ^bb0(%iv: i64, %table: tensor<5x2xf32>):
    %inside = tensor.in_bounds %iv : i64
    %none = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %safe = arith.select %inside, %iv, %none : i64
    %row = arith.index_cast %safe : i64 to index
    %n = tensor.size "sequence"
    %column = tensor.index 1
    %v = tensor.extract %table[%row, %column] : tensor<5x2xf32> -> f32
    %r = arith.remf %v, %zero : f32
    %e = tensor.exp_nonpositive %zero : f32
    tensor.yield %r : f32
  } : (tensor<3xi64>, tensor<5x2xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func.func private @fixed_point
func.func private @fixed_point(%x: tensor<4xi32>, %m: tensor<i32>, %s: tensor<i8>) -> tensor<4xi32> {
  // CHECK:         %r = tensor.rescale %v, %multiplier, %shift "double" : i32
  // CHECK-NEXT:    %wide = arith.extsi %r : i32 to i64
  // CHECK-NEXT:    %t = tensor.rescale %wide, %multiplier, %shift "reduced" : i64
  // CHECK-NEXT:    %q = tensor.saturate %t
  // CHECK-NEXT:    %f = arith.sitofp %t : i32 to f32
  // CHECK-NEXT:    %u = tensor.quantize %f {zero_point = -5 : i32} : i8
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>, %m at #tensor.access<affine_map<(d0) -> ()>>,
                                 %s at #tensor.access<affine_map<(d0) -> ()>>) apply {
  ^bb0(%v: i32, %multiplier: i32, %shift: i8):
    %r = tensor.rescale %v, %multiplier, %shift "double" : i32
    %wide = arith.extsi %r : i32 to i64
    %t = tensor.rescale %wide, %multiplier, %shift "reduced" : i64
    %q = tensor.saturate %t
    %f = arith.sitofp %t : i32 to f32
    %u = tensor.quantize %f {zero_point = -5 : i32} : i8
    tensor.yield %t : i32
  } : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// A convolution 3x3, weights packed [oc/32][ic/16][kh][kw][16][32], 8 pixels by 32 channels in registers.
// CHECK-LABEL: func.func private @schedule
// CHECK:         schedule #tensor.schedule<[tile<2 by 14 by 1, 1 by 2 by 2, 3 by 8, 4 by 16>, vectorize<4 by 16>,
// CHECK-SAME:      cache_read<1 packed [0 floordiv 32, 1 floordiv 16, 2, 3, 1 mod 16, 0 mod 32]>]> inits
func.func private @schedule(%x: tensor<1x4x58x58x16xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x4x56x56x16xf32> {
  %y = tensor.compute [1, 4, 56, 56, 16 | 4, 3, 3, 16]
      reads(%x at #tensor.access<affine_map<(n, ob, y, x, oi, ib, ky, kx, ii) -> (n, ib, y + ky, x + kx, ii)>>,
            %w at #tensor.access<affine_map<(n, ob, y, x, oi, ib, ky, kx, ii) -> (ob * 16 + oi, ib * 16 + ii, ky, kx)>>)
      schedule #tensor.schedule<
          [tile<2 by 14 by 1, 1 by 2 by 2, 3 by 8, 4 by 16>, vectorize<4 by 16>,
           cache_read<1 packed [0 floordiv 32, 1 floordiv 16, 2, 3, 1 mod 16, 0 mod 32]>]>
      inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<1x4x58x58x16xf32>, tensor<64x64x3x3xf32>) -> tensor<1x4x56x56x16xf32>
  func.return %y : tensor<1x4x56x56x16xf32>
}

// CHECK-LABEL: func.func private @cached_bytes
// CHECK:         schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">, init_from<0>]> inits
func.func private @cached_bytes(%x: tensor<5x6xi8>, %w: tensor<4x6xi8>, %start: tensor<4xi32>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 6]
      reads(%x at #tensor.access<affine_map<(p, o, k) -> (p, k)>>, %w at #tensor.access<affine_map<(p, o, k) -> (o, k)>>)
      epilogue(%start at #tensor.access<affine_map<(p, o) -> (o)>>)
      schedule #tensor.schedule<
          [tile<1 by 4>, vectorize<1 by 4>, cache_read<0 at 0 as i8>, tensorize<"mve-i8-by-16">, init_from<0>]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %unused: i32):
    tensor.yield %acc : i32
  } : (tensor<5x6xi8>, tensor<4x6xi8>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// CHECK-LABEL: func.func private @raw_bytes
// CHECK:         schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, raw_bytes<0>, init_from<0>]> inits
func.func private @raw_bytes(%x: tensor<5x6xi8>, %w: tensor<4x6xi8>, %start: tensor<4xi32>) -> tensor<5x4xi32> {
  %y = tensor.compute [5, 4 | 6]
      reads(%x at #tensor.access<affine_map<(p, o, k) -> (p, k)>>, %w at #tensor.access<affine_map<(p, o, k) -> (o, k)>>)
      epilogue(%start at #tensor.access<affine_map<(p, o) -> (o)>>)
      schedule #tensor.schedule<
          [tile<1 by 4>, vectorize<1 by 4>, raw_bytes<0>, init_from<0>]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32, %unused: i32):
    tensor.yield %acc : i32
  } : (tensor<5x6xi8>, tensor<4x6xi8>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %y : tensor<5x4xi32>
}

// CHECK-LABEL: func.func private @fused_tiles
// CHECK:         schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, tile_and_fuse<0 by 1, 1 by 8>]> apply
// CHECK:         schedule #tensor.schedule<[tile<1 by 4>, tile_and_fuse<1 by 8>]> apply
func.func private @fused_tiles(%x: tensor<3x20xf32>) -> tensor<3x20xf32> {
  %t = tensor.compute [3, 20] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>, tile_and_fuse<0 by 1, 1 by 8>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<3x20xf32>) -> tensor<3x20xf32>
  %y = tensor.compute [3, 20] epilogue(%t at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 4>, tile_and_fuse<1 by 8>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<3x20xf32>) -> tensor<3x20xf32>
  func.return %y : tensor<3x20xf32>
}

// CHECK-LABEL: func.func private @fetched_ahead
// CHECK:         schedule #tensor.schedule<[prefetch<1 along 0>, prefetch<0 along 2>]> inits
func.func private @fetched_ahead(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %y = tensor.compute [4, 4 | 8] reads(%a at #tensor.access<affine_map<(i, j, k) -> (i, k)>>, %b at #tensor.access<affine_map<(i, j, k) -> (j, k)>>)
    schedule #tensor.schedule<[prefetch<1 along 0>, prefetch<0 along 2>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    tensor.yield %acc : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// Each of three rows goes to the row that its index names.
// CHECK-LABEL:   func.func private @scatter
// GENERIC-LABEL: "func.func"() <{sym_name = "scatter"
func.func private @scatter(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<3x5xf32>) -> tensor<4x5xf32> {
  // CHECK-NEXT:  %y = tensor.scatter [3, 5] base(%x at #tensor.access<affine_map<(d0, d1) -> (0, d1)>>) axes [0] parts(%i at #tensor.access<affine_map<(d0, d1) -> (d0)>>) epilogue(%u at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) place {
  // CHECK-NEXT:  ^bb0(%iv: i32):
  // CHECK-NEXT:    %at = arith.index_cast %iv : i32 to index
  // CHECK-NEXT:    tensor.yield %at : index
  // CHECK-NEXT:  } apply {
  // CHECK-NEXT:  ^bb0(%old: f32, %uv: f32):
  // CHECK-NEXT:    tensor.yield %uv : f32
  // CHECK-NEXT:  } : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  // GENERIC:     %y = "tensor.scatter"(%x, %i, %u) <{domain = array<i64: 3, 5>
  %y = tensor.scatter [3, 5] base(%x at #tensor.access<affine_map<(r, c) -> (0, c)>>) axes [0]
      parts(%i at #tensor.access<affine_map<(r, c) -> (r)>>)
      epilogue(%u at #tensor.access<affine_map<(r, c) -> (r, c)>>) place {
  ^bb0(%iv: i32):
    %at = arith.index_cast %iv : i32 to index
    tensor.yield %at : index
  } apply {
  ^bb0(%old: f32, %uv: f32):
    tensor.yield %uv : f32
  } : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// CHECK-LABEL:   func.func private @extern
// GENERIC-LABEL: "func.func"() <{sym_name = "extern"
func.func private @extern(%x: tensor<4x100xf32>) -> tensor<4x5xi32> {
  // CHECK-NEXT:  %y = tensor.extern "largest_f32"(%x) {numbers = array<i64: 4, 100, 5>, scratch = [tensor<656xui32>]} : (tensor<4x100xf32>) -> tensor<4x5xi32>
  // GENERIC:     %y = "tensor.extern"(%x) <{routine = "largest_f32", numbers = array<i64: 4, 100, 5>
  %y = tensor.extern "largest_f32"(%x) {numbers = array<i64: 4, 100, 5>, scratch = [tensor<656xui32>]} : (tensor<4x100xf32>) -> tensor<4x5xi32>
  func.return %y : tensor<4x5xi32>
}

// Tiles of a transform overhang the result; operands of the epilogue lie where it is written.
// CHECK-LABEL:   func.func private @transform
// GENERIC-LABEL: "func.func"() <{sym_name = "transform"
func.func private @transform(%m: tensor<16x6x8xf32>, %b: tensor<8xf32>) -> tensor<3x5x8xf32> {
  // CHECK-NEXT:  %y = tensor.transform [2, 3, 8] left dense<{{\[\[}}1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00, -1.000000e+00, 1.000000e+00]]> : tensor<2x4xf32> right dense<
  // CHECK-SAME:    read(%m at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (((d3 * 4) + d4), ((d0 * 3) + d1), d2)>>)
  // CHECK-SAME:    epilogue(%b at #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (d2)>>)
  // CHECK-SAME:    into #tensor.access<affine_map<(d0, d1, d2, d3, d4) -> (((d0 * 2) + d3), ((d1 * 2) + d4), d2)>, guarded>
  // CHECK-SAME:    schedule #tensor.schedule<[tile<2 by 8>, vectorize<2 by 8>, reorder<[0, 2, 1]>]> apply {
  // CHECK-NEXT:  ^bb0(%acc: f32, %bv: f32):
  // CHECK:       } attributes {dims = "ty tx c"} : (tensor<16x6x8xf32>, tensor<8xf32>) -> tensor<3x5x8xf32>
  // GENERIC:     %y = "tensor.transform"(%m, %b) <{domain = array<i64: 2, 3, 8>
  // GENERIC-SAME:  accesses = [
  %y = tensor.transform [2, 3, 8]
      left dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      right dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>
      read(%m at #tensor.access<affine_map<(ty, tx, c, k, l) -> (4 * k + l, 3 * ty + tx, c)>>)
      epilogue(%b at #tensor.access<affine_map<(ty, tx, c, i, j) -> (c)>>)
      into #tensor.access<affine_map<(ty, tx, c, i, j) -> (2 * ty + i, 2 * tx + j, c)>, guarded>
      schedule #tensor.schedule<[tile<2 by 8>, vectorize<2 by 8>, reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    tensor.yield %s : f32
  } attributes {dims = "ty tx c"} : (tensor<16x6x8xf32>, tensor<8xf32>) -> tensor<3x5x8xf32>
  func.return %y : tensor<3x5x8xf32>
}

// Bytes are extended to 32 bits, and their negated zero point is added.
// CHECK-LABEL:   func.func private @transform_of_bytes
// GENERIC-LABEL: "func.func"() <{sym_name = "transform_of_bytes"
func.func private @transform_of_bytes(%x: tensor<2x4x4xi8>) -> tensor<2x4x4xi16> {
  // CHECK-NEXT:  %v = tensor.transform [2, 4] left dense<1.000000e+00> : tensor<2x2xf32> right dense<1.000000e+00> : tensor<2x2xf32> {{.*}} offset 128 apply {
  // GENERIC:     offset = 128 : i32
  %v = tensor.transform [2, 4] left dense<1.0> : tensor<2x2xf32> right dense<1.0> : tensor<2x2xf32>
    read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>)
    into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> offset 128 apply {
  ^bb0(%acc: i32):
    %n = arith.trunci %acc : i32 to i16
    tensor.yield %n : i16
  } : (tensor<2x4x4xi8>) -> tensor<2x4x4xi16>
  func.return %v : tensor<2x4x4xi16>
}

// CHECK-LABEL: func.func private @transform_in_words
func.func private @transform_in_words(%x: tensor<2x4x4xi8>) -> tensor<2x4x4xi16> {
  // CHECK-NEXT:  %v = tensor.transform [2, 4] left dense<3.000000e+00> : tensor<2x2xf32> {{.*}} offset 128 divisor 36
  // CHECK-SAME:    schedule #tensor.schedule<[tile<1 by 2>, vectorize<1 by 2>, reorder<[1, 0]>]> apply {
  // CHECK-NEXT:  ^bb0(%acc: i16):
  // GENERIC:     divisor = 36 : i32
  %v = tensor.transform [2, 4] left dense<3.0> : tensor<2x2xf32> right dense<3.0> : tensor<2x2xf32>
    read(%x at #tensor.access<affine_map<(t, c, k, l) -> (k, 2 * t + l, c)>>)
    into #tensor.access<affine_map<(t, c, i, j) -> (i, 2 * t + j, c)>> offset 128 divisor 36
    schedule #tensor.schedule<[tile<1 by 2>, vectorize<1 by 2>, reorder<[1, 0]>]> apply {
  ^bb0(%acc: i16):
    tensor.yield %acc : i16
  } : (tensor<2x4x4xi8>) -> tensor<2x4x4xi16>
  func.return %v : tensor<2x4x4xi16>
}

// CHECK-LABEL: func.func private @sizes_at_run_time
// CHECK:         tensor.compute [4] epilogue({{.*}}) extents ["n"] apply {
func.func private @sizes_at_run_time(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) extents ["n"] apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func private @tree
func.func private @tree(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
  ^bb0(%a: f32):
    // CHECK: %w = tensor.tree %a, %a {features = array<i64: 1, 0, 0>, comparisons = array<i64: 0, 0, 0>, splits = array<f64: 5.000000e-01, 0.000000e+00, 0.000000e+00>, yes = array<i64: 1, 1, 2>, no = array<i64: 2, 1, 2>, missing = array<i64: 1, 0, 0>, values = array<f64: 0.000000e+00, 1.000000e+00, 2.000000e+00>} : (f32, f32) -> f32
    %w = tensor.tree %a, %a {features = array<i64: 1, 0, 0>, comparisons = array<i64: 0, 0, 0>, splits = array<f64: 5.000000e-01, 0.000000e+00, 0.000000e+00>, yes = array<i64: 1, 1, 2>, no = array<i64: 2, 1, 2>, missing = array<i64: 1, 0, 0>, values = array<f64: 0.000000e+00, 1.000000e+00, 2.000000e+00>} : (f32, f32) -> f32
    tensor.yield %w : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func private @call_blocks
func.func private @call_blocks(%a: tensor<8x64xf32>, %b: tensor<48x64xf32>) -> tensor<8x48xf32> {
  // CHECK-NEXT:  %c = tensor.call_blocks(%a, %b) {domain = array<i64: 8, 3, 2>, reduced = array<i64: 2>,
  // CHECK-SAME:    starts = [#tensor.block_call<"reset", [0 : index, 16 : i32]>]
  // CHECK-SAME:    header = "\22calls.h\22"} : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  %c = tensor.call_blocks (%a, %b) {domain = array<i64: 8, 3, 2>, reduced = array<i64: 2>,
    accesses = [#tensor.access<affine_map<(i, j, k) -> (i, j * 16)>>, #tensor.access<affine_map<(i, j, k) -> (i, k * 32)>>, #tensor.access<affine_map<(i, j, k) -> (j * 16, k * 32)>>],
    blocks = [array<i64: 1, 16>, array<i64: 1, 32>, array<i64: 16, 32>],
    starts = [#tensor.block_call<"reset", [0 : index, 16 : i32]>],
    steps = [#tensor.block_call<"update", [0 : index, 1 : index, 2 : index, 64 : i32]>], header = "\22calls.h\22"}
    : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  func.return %c : tensor<8x48xf32>
}
