// RUN: s2s-opt %s -p tensor-lower-to-loop | filecheck %s

// Rows of a matrix summed, two at a time; a row that is left over comes alone.
// CHECK-LABEL: func.func private @register_tile
// CHECK-SAME:    %y: memref<5xf32>, %x: memref<40xf32>
// CHECK:         loop.for %i = 0 to 4 step 2 {
// CHECK:           %acc0_1, %acc1_1 = loop.for %r = 0 to 8 iter_args(%acc0_2 = %acc0, %acc1_2 = %acc1) -> (f32, f32) {
// CHECK-NEXT:        loop.load %x[affine_map<(d0, d1) -> (((d0 * 8) + d1))>(%i, %r)]
// CHECK:             loop.load %x[affine_map<(d0, d1) -> ((((d0 * 8) + d1) + 8))>(%i, %r)]
// CHECK:         loop.for %r_1 = 0 to 8
func.func private @register_tile(%x: tensor<5x8xf32>) -> tensor<5xf32> {
  %y = tensor.compute [5 | 8] reads(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 2>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<5x8xf32>) -> tensor<5xf32>
  func.return %y : tensor<5xf32>
}

// A padded window: the border clips the bounds of the reduction, nothing is tested inside.
// CHECK-LABEL: func.func private @clipped_border
// CHECK:         loop.for %i = 0 to 8 {
// CHECK:           loop.for %r = max affine_map<(d0) -> (((d0 * -1) + 1), 0)>(%i) to min affine_map<(d0) -> (((d0 * -1) + 9), 3)>(%i)
// CHECK-NOT:     loop.if
func.func private @clipped_border(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8 | 3] reads(%x at #tensor.access<affine_map<(i, j) -> (i + j - 1)>, guarded>)
    schedule #tensor.schedule<[]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The same window in vectors: first and last element come alone, the inside without a test.
// CHECK-LABEL: func.func private @peeled_border
// CHECK:         loop.for %r = 1 to 3
// CHECK:         loop.for %r_1 = 0 to 3
// CHECK:           loop.load %x[affine_map<(d0) -> (d0)>(%r_1)] : memref<10xf32> -> vector<8xf32>
// CHECK:         loop.for %r_2 = 0 to 2
// CHECK-NOT:     loop.if
func.func private @peeled_border(%x: tensor<10xf32>) -> tensor<10xf32> {
  %y = tensor.compute [10 | 3] reads(%x at #tensor.access<affine_map<(i, j) -> (i + j - 1)>, guarded>)
    schedule #tensor.schedule<[tile<0 by 8>, vectorize<0 by 8>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<10xf32>) -> tensor<10xf32>
  func.return %y : tensor<10xf32>
}

// A stride that does not divide: only here a test remains.
// CHECK-LABEL: func.func private @divided_access
// CHECK:         loop.if affine_set<(d0, d1) : ({{.*}} mod 2) == 0
func.func private @divided_access(%x: tensor<4xf32>, %w: tensor<3xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8 | 3]
    reads(%x at #tensor.access<affine_map<(i, j) -> (i - j)>, guarded, divisors [2]>,
          %w at #tensor.access<affine_map<(i, j) -> (j)>>)
    schedule #tensor.schedule<[]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %v, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4xf32>, tensor<3xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// Concatenation: each part is a loop of its own.
// CHECK-LABEL: func.func private @parts_of_a_concatenation
// CHECK:         loop.for %i = 0 to 3 {
// CHECK-NEXT:      loop.load %a
// CHECK:         loop.for %i_1 = 3 to 8 {
// CHECK-NEXT:      loop.load %b
// CHECK-NOT:     arith.select
func.func private @parts_of_a_concatenation(%a: tensor<3xf32>, %b: tensor<5xf32>) -> tensor<8xf32> {
  %y = tensor.compute [8]
    epilogue(%a at #tensor.access<affine_map<(i) -> (i)>, guarded>, %b at #tensor.access<affine_map<(i) -> (i - 3)>, guarded>)
    schedule #tensor.schedule<[]> apply {
  ^bb0(%av: f32, %bv: f32):
    %hit = tensor.in_bounds %av : f32
    %v = arith.select %hit, %av, %bv : f32
    tensor.yield %v : f32
  } : (tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func private @in_place
// CHECK-SAME:    attributes {in_place = array<i64: 1>}
func.func private @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) schedule #tensor.schedule<[]> apply {
  ^bb0(%v: f32):
    %w = math.exp %v : f32
    tensor.yield %w : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// main: what passes between kernels becomes a buffer, the output is an argument, a reshape is the same buffer.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %r: memref<4xf32> {name = "y", role = "output", shape = array<i64: 2, 2>}, %x: memref<4xf32> {name = "x", role = "input", shape = array<i64: 4>}
// CHECK-NEXT:    %a = loop.alloc : memref<4xf32>
// CHECK-NEXT:    func.call @in_place(%a, %x) {node = "first", shape = array<i64: 4>}
// CHECK-NEXT:    func.call @in_place(%r, %a)
func.func @main(%x: tensor<4xf32> {name = "x"}) -> (tensor<2x2xf32> {name = "y"}) {
  %a = graph.call @in_place(%x) {node = "first"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @in_place(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %r = graph.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
  func.return %r : tensor<2x2xf32>
}

// A guard that one value answers for the whole vector: the load is conditional, the choice is made once.
// CHECK-LABEL: func.func private @vector_behind_a_guard
// CHECK:         %[[hit:.*]] = loop.if affine_set<{{.*}} -> i1 {
// CHECK:         loop.if affine_set<{{.*}} mod 2{{.*}} -> vector<4xf32> {
// CHECK:         arith.select %[[hit]], %{{.*}}, %{{.*}} : vector<4xf32>
func.func private @vector_behind_a_guard(%x: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %y = tensor.compute [4, 4]
    epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>, guarded, divisors [2, 1]>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>]> apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %hit = tensor.in_bounds %v : f32
    %w = arith.select %hit, %v, %zero : f32
    tensor.yield %w : f32
  } : (tensor<2x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// A comparison is made where it decides, lane by lane; one that all lanes share is made once.
// CHECK-LABEL: func.func private @choices
// CHECK-NOT:     arith.cmpf
// CHECK:         loop.choose "olt" %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK:         %[[test:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.select %[[test]], %{{.*}}, %{{.*}} : vector<4xf32>
func.func private @choices(%x: tensor<2x4xf32>, %s: tensor<2xf32>) -> tensor<2x4xf32> {
  %y = tensor.compute [2, 4]
    epilogue(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>, %s at #tensor.access<affine_map<(i, j) -> (i)>>)
    schedule #tensor.schedule<[tile<1 by 4>, vectorize<1 by 4>]> apply {
  ^bb0(%v: f32, %w: f32):
    %zero = arith.constant 0.0 : f32
    %below = arith.cmpf olt, %v, %w : f32
    %a = arith.select %below, %w, %v : f32
    %none = arith.cmpf olt, %w, %zero : f32
    %b = arith.select %none, %zero, %a : f32
    tensor.yield %b : f32
  } : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// A sum in vectors along what is summed: the lanes are combined at the end, two elements that are left over come singly.
// CHECK-LABEL: func.func private @fold_in_vectors
// CHECK:         loop.for %i = 0 to 4 step 2 {
// CHECK:           loop.for %r = 0 to 8 step 4 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>) {
// CHECK:           loop.reduce "add" %{{.*}} : vector<4xf32> -> f32
// CHECK-NEXT:      loop.reduce "add" %{{.*}} : vector<4xf32> -> f32
// CHECK-NEXT:      loop.for %r_1 = 8 to 10 iter_args({{.*}}) -> (f32, f32) {
func.func private @fold_in_vectors(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %y = tensor.compute [4 | 10] reads(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[tile<0 by 2>, vectorize<1 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<4x10xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// What is left over of long vectors goes through shorter ones: lanes are combined in between.
// CHECK-LABEL: func.func private @fold_in_shorter_vectors
// CHECK:         loop.for %r = 0 to 32 step 16 iter_args({{.*}}) -> (vector<16xf32>) {
// CHECK:         loop.halve "max" %{{.*}} : vector<16xf32> -> vector<8xf32>
// CHECK-NEXT:    loop.halve "max" %{{.*}} : vector<8xf32> -> vector<4xf32>
// CHECK-NEXT:    loop.load %x[affine_map<{{.*}} + 32))>(%i)] : {{.*}} -> vector<4xf32>
// CHECK:         loop.reduce "max" %{{.*}} : vector<4xf32> -> f32
// CHECK-NEXT:    loop.load %x[affine_map<{{.*}} + 36))>(%i)] : {{.*}} -> f32
func.func private @fold_in_shorter_vectors(%x: tensor<2x37xf32>) -> tensor<2xf32> {
  %y = tensor.compute [2 | 37] reads(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[vectorize<1 by 16>]> inits [0xFF800000 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.maximumf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x37xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// Of several reductions the vectors run along one, inside the loops of the others.
// CHECK-LABEL: func.func private @fold_of_several_dimensions
// CHECK:         loop.for %r0 = 0 to 3 iter_args({{.*}}) -> (vector<4xf32>) {
// CHECK-NEXT:      loop.for %r1 = 0 to 8 step 4 iter_args({{.*}}) -> (vector<4xf32>) {
// CHECK:         loop.reduce "add" %{{.*}} : vector<4xf32> -> f32
// CHECK-NEXT:    loop.for %r0_1 = 0 to 3 iter_args({{.*}}) -> (f32) {
// CHECK-NEXT:      loop.load %x{{.*}} -> f32
func.func private @fold_of_several_dimensions(%x: tensor<3x9xf32>) -> tensor<f32> {
  %y = tensor.compute [ | 3, 9] reads(%x at #tensor.access<affine_map<(i, j) -> (i, j)>>)
    schedule #tensor.schedule<[vectorize<1 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<3x9xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// A padded window under a tile of four: the ends are fixed tiles, whose three taps are written out where they hit.
// CHECK-LABEL: func.func private @fixed_border
// CHECK-NEXT:    arith.constant
// CHECK-NOT:     loop.if
// CHECK:         loop.store %{{.*}}, %y[affine_map<() -> (3)>()]
// CHECK:         loop.for %i = 4 to 12 step 4 {
// CHECK:           loop.for %r = 0 to 3
// CHECK:         loop.store %{{.*}}, %y[affine_map<() -> (15)>()]
func.func private @fixed_border(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = tensor.compute [16 | 3] reads(%x at #tensor.access<affine_map<(i, j) -> (i + j - 1)>, guarded>)
    schedule #tensor.schedule<[tile<0 by 4>]> inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<16xf32>) -> tensor<16xf32>
  func.return %y : tensor<16xf32>
}
