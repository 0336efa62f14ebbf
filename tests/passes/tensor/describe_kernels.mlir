// RUN: s2s-opt %s -p tensor-describe-kernels | filecheck %s

// CHECK-LABEL: func.func private @product
// CHECK-SAME:    doc = "y[m][n] = max(sum(k: a[m][k] * b[n / 4][k][n % 4]) + c[n], 0),  m < 6, n < 8, k < 3
// CHECK-SAME:    y[6][8], a[6][3], b[2][3][4], c[8]
// CHECK-SAME:    nodes: fc1, relu1, fc2
// CHECK-SAME:    schedule: tile 2 m x 4 n; loops n, m, k"
func.func private @product(%a: tensor<6x3xf32>, %b: tensor<2x3x4xf32>, %c: tensor<8xf32>) -> tensor<6x8xf32> {
  %y = tensor.compute [6, 8 | 3]
    reads(%a at #tensor.access<affine_map<(m, n, k) -> (m, k)>>,
          %b at #tensor.access<affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>>)
    epilogue(%c at #tensor.access<affine_map<(m, n) -> (n)>>)
    schedule #tensor.schedule<[tile<0 by 2, 1 by 4>, reorder<[1, 0, 2]>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32, %cv: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %acc, %cv : f32
    %r = arith.maximumf %s, %zero : f32
    tensor.yield %r : f32
  } attributes {dims = "m n k"} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// CHECK-LABEL: func.func private @quantised
// CHECK-SAME:    doc = "y[p][oc] = clamp(requantise(sum(ic: (x[p][ic] + 128) * w[oc][ic]) + bias[oc], m[oc], s[oc]) - 5, -5, 127),  p < 6, oc < 8, ic < 3
func.func private @quantised(%x: tensor<6x3xi8>, %w: tensor<8x3xi8>, %bias: tensor<8xi32>, %m: tensor<8xi32>, %s: tensor<8xi8>) -> tensor<6x8xi8> {
  %y = tensor.compute [6, 8 | 3]
    reads(%x at #tensor.access<affine_map<(p, o, c) -> (p, c)>>, %w at #tensor.access<affine_map<(p, o, c) -> (o, c)>>)
    epilogue(%bias at #tensor.access<affine_map<(p, o) -> (o)>>, %m at #tensor.access<affine_map<(p, o) -> (o)>>,
           %s at #tensor.access<affine_map<(p, o) -> (o)>>) inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xw = arith.extsi %xv : i8 to i32
    %zp = arith.constant -128 : i32
    %moved = arith.subi %xw, %zp : i32
    %ww = arith.extsi %wv : i8 to i32
    %p = arith.muli %moved, %ww : i32
    %next = arith.addi %acc, %p : i32
    tensor.yield %next : i32
  } apply {
  ^bb0(%acc: i32, %bv: i32, %mv: i32, %sv: i8):
    %biased = arith.addi %acc, %bv : i32
    %r = tensor.rescale %biased, %mv, %sv "double" : i32
    %low = arith.constant -5 : i32
    %high = arith.constant 127 : i32
    %moved = arith.addi %r, %low : i32
    %raised = arith.maxsi %moved, %low : i32
    %limited = arith.minsi %raised, %high : i32
    %narrow = arith.trunci %limited : i32 to i8
    tensor.yield %narrow : i8
  } attributes {dims = "p oc ic"} : (tensor<6x3xi8>, tensor<8x3xi8>, tensor<8xi32>, tensor<8xi32>, tensor<8xi8>) -> tensor<6x8xi8>
  func.return %y : tensor<6x8xi8>
}

// CHECK-LABEL: func.func private @halved
// CHECK-SAME:    doc = "y[i] = ((x[i] >> 4) + leading_zeros(x[i])) >> 1,  i < 6
func.func private @halved(%x: tensor<6xi32>) -> tensor<6xi32> {
  %y = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: i32):
    %four = arith.constant 4 : i32
    %one = arith.constant 1 : i32
    %floor = arith.shrsi %xv, %four : i32
    %zeros = math.ctlz %xv : i32
    %sum = arith.addi %floor, %zeros : i32
    %half = arith.shrsi %sum, %one : i32
    tensor.yield %half : i32
  } attributes {dims = "i"} : (tensor<6xi32>) -> tensor<6xi32>
  func.return %y : tensor<6xi32>
}

// Declined: main is not a kernel.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     doc
func.func @main(%a: tensor<6x3xf32>, %b: tensor<2x3x4xf32>, %c: tensor<8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %y = graph.call @product(%a, %b, %c) {node = "fc1, relu1"} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %z = graph.call @product(%a, %b, %c) {node = "fc2"} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %y, %z : tensor<6x8xf32>, tensor<6x8xf32>
}

// Computations that walk through a dimension together say so once.
// CHECK-LABEL: func.func private @blocks
// CHECK-SAME:    schedule: in blocks of 4 rows, t: tile 2 j | y: tile 3 j"
func.func private @blocks(%x: tensor<10x6xf32>) -> tensor<10x6xf32> {
  %t = tensor.compute [10, 6] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 2>, tile_and_fuse<0 by 4>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } attributes {dims = "rows j"} : (tensor<10x6xf32>) -> tensor<10x6xf32>
  %y = tensor.compute [10, 6] epilogue(%t at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<1 by 3>, tile_and_fuse<0 by 4>]> apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<10x6xf32>) -> tensor<10x6xf32>
  func.return %y : tensor<10x6xf32>
}

// Blocks and what is fetched ahead are told with the rest of the schedule.
// CHECK-LABEL: func.func private @in_blocks
// CHECK-SAME:    schedule: tile 2 m x 4 n; blocks of 4 m; loops n, m, k; prefetch along n"
func.func private @in_blocks(%a: tensor<8x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<8x8xf32> {
  %y = tensor.compute [8, 8 | 3]
    reads(%a at #tensor.access<affine_map<(m, n, k) -> (m, k)>>,
          %b at #tensor.access<affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>>)
    schedule #tensor.schedule<[tile<0 by 4 by 2, 1 by 4>, reorder<[1, 0, 2]>, prefetch<1 along 1>]> inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } attributes {dims = "m n k"} : (tensor<8x3xf32>, tensor<2x3x4xf32>) -> tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// -----

// A transform shows its matrix below the formula.
// CHECK-LABEL: func.func private @transform
// CHECK-SAME:    doc = "y[ty * 2 + i][tx * 2 + j][c] = max(sum(k l: A[i][k] * A[j][l] * m[k * 4 + l][ty * 3 + tx][c]) + b[c], 0),  ty < 2, tx < 3, c < 8, i < 2, j < 2
// CHECK-SAME:    A = [1 1 1 0; 0 1 -1 0.625]
func.func private @transform(%m: tensor<16x6x8xf32>, %b: tensor<8xf32>) -> tensor<4x5x8xf32> {
  %y = tensor.transform [2, 3, 8]
      left dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 0.625]]> : tensor<2x4xf32>
      right dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 0.625]]> : tensor<2x4xf32>
      read(%m at #tensor.access<affine_map<(ty, tx, c, k, l) -> (4 * k + l, 3 * ty + tx, c)>>)
      epilogue(%b at #tensor.access<affine_map<(ty, tx, c, i, j) -> (c)>>)
      into #tensor.access<affine_map<(ty, tx, c, i, j) -> (2 * ty + i, 2 * tx + j, c)>, guarded>
      schedule #tensor.schedule<[tile<2 by 8>, vectorize<2 by 8>, reorder<[0, 2, 1]>]> apply {
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %s, %zero : f32
    tensor.yield %r : f32
  } attributes {dims = "ty tx c"} : (tensor<16x6x8xf32>, tensor<8xf32>) -> tensor<4x5x8xf32>
  func.return %y : tensor<4x5x8xf32>
}

// A formula that doubles with every line is left out.
// CHECK-LABEL: func.func private @doubled
// CHECK-SAME:    doc = "y[i] = ...,  i < 6
func.func private @doubled(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%s1: f32):
    %s2 = arith.addf %s1, %s1 : f32
    %s3 = arith.addf %s2, %s2 : f32
    %s4 = arith.addf %s3, %s3 : f32
    %s5 = arith.addf %s4, %s4 : f32
    %s6 = arith.addf %s5, %s5 : f32
    %s7 = arith.addf %s6, %s6 : f32
    %s8 = arith.addf %s7, %s7 : f32
    %s9 = arith.addf %s8, %s8 : f32
    %s10 = arith.addf %s9, %s9 : f32
    %s11 = arith.addf %s10, %s10 : f32
    %s12 = arith.addf %s11, %s11 : f32
    %s13 = arith.addf %s12, %s12 : f32
    %s14 = arith.addf %s13, %s13 : f32
    %s15 = arith.addf %s14, %s14 : f32
    %s16 = arith.addf %s15, %s15 : f32
    %s17 = arith.addf %s16, %s16 : f32
    %s18 = arith.addf %s17, %s17 : f32
    %s19 = arith.addf %s18, %s18 : f32
    %s20 = arith.addf %s19, %s19 : f32
    %s21 = arith.addf %s20, %s20 : f32
    %s22 = arith.addf %s21, %s21 : f32
    %s23 = arith.addf %s22, %s22 : f32
    %s24 = arith.addf %s23, %s23 : f32
    %s25 = arith.addf %s24, %s24 : f32
    %s26 = arith.addf %s25, %s25 : f32
    %s27 = arith.addf %s26, %s26 : f32
    %s28 = arith.addf %s27, %s27 : f32
    %s29 = arith.addf %s28, %s28 : f32
    %s30 = arith.addf %s29, %s29 : f32
    %s31 = arith.addf %s30, %s30 : f32
    %s32 = arith.addf %s31, %s31 : f32
    %s33 = arith.addf %s32, %s32 : f32
    %s34 = arith.addf %s33, %s33 : f32
    %s35 = arith.addf %s34, %s34 : f32
    %s36 = arith.addf %s35, %s35 : f32
    %s37 = arith.addf %s36, %s36 : f32
    %s38 = arith.addf %s37, %s37 : f32
    %s39 = arith.addf %s38, %s38 : f32
    %s40 = arith.addf %s39, %s39 : f32
    tensor.yield %s40 : f32
  } attributes {dims = "i"} : (tensor<6xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}

// Comparisons of floats, remainders, absolute values and limits on both sides are printed as a reader writes them.
// CHECK-LABEL: func.func private @limited
// CHECK-SAME:    doc = "y[i] = (clamp(x[i], -1, 1) == 0) ? abs(x[i]) : x[i],  i < 6
func.func private @limited(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: f32):
    %least = arith.constant -1.0 : f32
    %most = arith.constant 1.0 : f32
    %raised = arith.maximumf %xv, %least : f32
    %limited = arith.minimumf %raised, %most : f32
    %zero = arith.constant 0.0 : f32
    %none = arith.cmpf oeq, %limited, %zero : f32
    %size = math.absf %xv : f32
    %r = arith.select %none, %size, %xv : f32
    tensor.yield %r : f32
  } attributes {dims = "i"} : (tensor<6xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func private @remainder
// CHECK-SAME:    doc = "y[i] = x[i] * (x[i] % 3),  i < 6
func.func private @remainder(%x: tensor<6xi32>) -> tensor<6xi32> {
  %y = tensor.compute [6] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%xv: i32):
    %three = arith.constant 3 : i32
    %rest = arith.remsi %xv, %three : i32
    %r = arith.muli %xv, %rest : i32
    tensor.yield %r : i32
  } attributes {dims = "i"} : (tensor<6xi32>) -> tensor<6xi32>
  func.return %y : tensor<6xi32>
}

// A dimension whose size is known at run time is shown with the name of the size.
// CHECK-LABEL: func.func private @varying
// CHECK-SAME:    doc = "y[i][j] = x[i][j],  i < 6, j < n
func.func private @varying(%x: tensor<6x9xi32>) -> tensor<6x9xi32> {
  %y = tensor.compute [6, 9] epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>) extents ["", "N"] apply {
  ^bb0(%xv: i32):
    tensor.yield %xv : i32
  } attributes {dims = "i j"} : (tensor<6x9xi32>) -> tensor<6x9xi32>
  func.return %y : tensor<6x9xi32>
}
