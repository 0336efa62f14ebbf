// RUN: s2s-opt %s -p graph-fuse-attention,graph-lower-to-tensor,tensor-fuse-computes,tensor-tile-and-fuse{target=x86-64-v3},tensor-pick-schedule{target=x86-64-v3} --split-input-file | filecheck %s

// One head and 32 queries at a time; queries lie side by side, and the result is written as the transpose wants it.
// CHECK-LABEL: func.func private @attention(%x: tensor<40x3x2x8xf32>) -> tensor<40x2x8xf32>
// CHECK-NEXT:    %x_copy = tensor.compute [2, 8, 40] epilogue(%x at #tensor.access<affine_map<(d0, d1, d2) -> (d2, 0, d0, d1)>>)
// CHECK-SAME:      vectorize<1 by 8>{{.*}} tile_and_fuse<0 by 1, 2 by 32>]>
// CHECK:         %scores = tensor.compute [2, 40, 40 | 8] reads(%x_copy at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>>, %x at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, 1, d0, d3)>>)
// CHECK-SAME:      vectorize<2 by 8>{{.*}} tile_and_fuse<0 by 1, 2 by 32>]>
// CHECK:         %largest = tensor.compute [2, 1, 40 | 40]
// CHECK-SAME:      tile_and_fuse<0 by 1, 2 by 32>]>
// CHECK:         %powers = tensor.compute [2, 40, 40]
// CHECK-SAME:      vectorize<2 by 16>{{.*}} tile_and_fuse<0 by 1, 2 by 32>]>
// CHECK:         %share = tensor.compute [2, 1, 40 | 40]
// CHECK:         tensor.compute [40, 2, 8 | 40] reads(%powers at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d1, d3, d0)>>, %x at
// CHECK-SAME:      vectorize<2 by 8>{{.*}} tile_and_fuse<1 by 1, 0 by 32>]>
// CHECK:         func.return
func.func @heads(%r: tensor<40x3x2x8xf32>) -> tensor<40x2x8xf32> {
  %a = graph.transpose %r {perm = array<i64: 1, 2, 0, 3>} : (tensor<40x3x2x8xf32>) -> tensor<3x2x40x8xf32>
  %q1 = graph.slice %a {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 40, 8>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x40x8xf32>) -> tensor<1x2x40x8xf32>
  %k1 = graph.slice %a {starts = array<i64: 1, 0, 0, 0>, sizes = array<i64: 1, 2, 40, 8>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x40x8xf32>) -> tensor<1x2x40x8xf32>
  %v1 = graph.slice %a {starts = array<i64: 2, 0, 0, 0>, sizes = array<i64: 1, 2, 40, 8>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x40x8xf32>) -> tensor<1x2x40x8xf32>
  %q = graph.reshape %q1 : (tensor<1x2x40x8xf32>) -> tensor<2x40x8xf32>
  %k = graph.reshape %k1 : (tensor<1x2x40x8xf32>) -> tensor<2x40x8xf32>
  %v = graph.reshape %v1 : (tensor<1x2x40x8xf32>) -> tensor<2x40x8xf32>
  %s = graph.matmul %q, %k {transpose_b} : (tensor<2x40x8xf32>, tensor<2x40x8xf32>) -> tensor<2x40x40xf32>
  %p = graph.softmax %s {axis = 2} : (tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %o = graph.matmul %p, %v : (tensor<2x40x40xf32>, tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
  %t = graph.transpose %o {perm = array<i64: 1, 0, 2>} : (tensor<2x40x8xf32>) -> tensor<40x2x8xf32>
  func.return %t : tensor<40x2x8xf32>
}

// -----

// Queries that lie side by side already need no copy; a mask over queries and keys is read where it lies.
// CHECK-LABEL: func.func private @attention(
// CHECK-NEXT:    %m = tensor.compute [2, 12, 9 | 4] reads(%q at #tensor.access<affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>>, %k at
// CHECK-SAME:      epilogue(%mask at #tensor.access<affine_map<(d0, d1, d2) -> (d2, d1)>>)
// CHECK-SAME:      tile_and_fuse<0 by 1, 2 by 16>]>
func.func private @attention(%q: tensor<2x4x9xf32>, %k: tensor<2x12x4xf32>, %v: tensor<2x12x5xf32>, %mask: tensor<9x12xf32>) -> tensor<2x9x5xf32> attributes {kernel} {
  %s = graph.matmul %q, %k {transpose_a, transpose_b} : (tensor<2x4x9xf32>, tensor<2x12x4xf32>) -> tensor<2x9x12xf32>
  %m = graph.add %s, %mask : (tensor<2x9x12xf32>, tensor<9x12xf32>) -> tensor<2x9x12xf32>
  %largest = graph.reduce_max %m {axes = array<i64: 2>, keepdims} : (tensor<2x9x12xf32>) -> tensor<2x9x1xf32>
  %d = graph.sub %m, %largest : (tensor<2x9x12xf32>, tensor<2x9x1xf32>) -> tensor<2x9x12xf32>
  %e = graph.exp %d : tensor<2x9x12xf32>
  %total = graph.reduce_sum %e {axes = array<i64: 2>, keepdims} : (tensor<2x9x12xf32>) -> tensor<2x9x1xf32>
  %o = graph.matmul %e, %v : (tensor<2x9x12xf32>, tensor<2x12x5xf32>) -> tensor<2x9x5xf32>
  %y = graph.div %o, %total : (tensor<2x9x5xf32>, tensor<2x9x1xf32>) -> tensor<2x9x5xf32>
  func.return %y : tensor<2x9x5xf32>
}

// -----

// A mask that is a weight is packed with queries side by side.
// CHECK-LABEL: func.func private @weight_mask(
// CHECK:         epilogue(%mask at #tensor.access<affine_map<(d0, d1) -> (d1, d0)>>)
// CHECK-SAME:      tile_and_fuse<1 by 16>, cache_read<2 packed [1, 0]>]>
func.func private @weight_mask(%q: tensor<4x9xf32>, %k: tensor<12x4xf32>, %v: tensor<12x5xf32>, %mask: tensor<9x12xf32>) -> tensor<9x5xf32> attributes {kernel} {
  %s = graph.matmul %q, %k {transpose_a, transpose_b} : (tensor<4x9xf32>, tensor<12x4xf32>) -> tensor<9x12xf32>
  %m = graph.add %s, %mask : (tensor<9x12xf32>, tensor<9x12xf32>) -> tensor<9x12xf32>
  %largest = graph.reduce_max %m {axes = array<i64: 1>, keepdims} : (tensor<9x12xf32>) -> tensor<9x1xf32>
  %d = graph.sub %m, %largest : (tensor<9x12xf32>, tensor<9x1xf32>) -> tensor<9x12xf32>
  %e = graph.exp %d : tensor<9x12xf32>
  %o = graph.matmul %e, %v : (tensor<9x12xf32>, tensor<12x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}
func.func @main(%q: tensor<4x9xf32>, %k: tensor<12x4xf32>, %v: tensor<12x5xf32>) -> tensor<9x5xf32> {
  %mask = graph.weight "mask" {hash = "0"} : tensor<9x12xf32>
  %y = graph.call @weight_mask(%q, %k, %v, %mask) : (tensor<4x9xf32>, tensor<12x4xf32>, tensor<12x5xf32>, tensor<9x12xf32>) -> tensor<9x5xf32>
  func.return %y : tensor<9x5xf32>
}

// -----

// Declined: no product inside the kernel, and a product whose factors both move along everything that is common.
// CHECK-LABEL: func.func private @softmax
// CHECK-NOT:     shared
// CHECK-LABEL: func.func private @batches
// CHECK-NOT:     shared
func.func private @softmax(%x: tensor<9x12xf32>) -> tensor<9x12xf32> attributes {kernel} {
  %p = graph.softmax %x {axis = 1} : (tensor<9x12xf32>) -> tensor<9x12xf32>
  func.return %p : tensor<9x12xf32>
}
func.func private @batches(%q: tensor<9x12xf32>, %k: tensor<9x12xf32>) -> tensor<9xf32> attributes {kernel} {
  %a = graph.mul %q, %k : (tensor<9x12xf32>, tensor<9x12xf32>) -> tensor<9x12xf32>
  %s = graph.reduce_sum %a {axes = array<i64: 1>} : (tensor<9x12xf32>) -> tensor<9xf32>
  %p = graph.softmax %s {axis = 0} : (tensor<9xf32>) -> tensor<9xf32>
  func.return %p : tensor<9xf32>
}

// -----

// A softmax of rows larger than the first cache runs in blocks of rows that fit it.
// CHECK-LABEL: func.func private @softmax_of_rows(
// CHECK:         %largest = tensor.compute [512 | 512]
// CHECK-SAME:      tile_and_fuse<0 by 4>]>
// CHECK:         %powers = tensor.compute [512, 512]
// CHECK-SAME:      vectorize<1 by 16>{{.*}} tile_and_fuse<0 by 4>]>
// CHECK:         %scale = tensor.compute [512 | 512]
// CHECK-SAME:      tile_and_fuse<0 by 4>]>
// CHECK:         %y = tensor.compute [512, 512]
// CHECK-SAME:      tile_and_fuse<0 by 4>]>
func.func private @softmax_of_rows(%x: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {kernel} {
  %y = graph.softmax %x {axis = 1 : i64} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  func.return %y : tensor<512x512xf32>
}

// -----

// A softmax of columns has no rows that a block could hold.
// CHECK-LABEL: func.func private @softmax_of_columns(
// CHECK-NOT:     tile_and_fuse
// CHECK:         func.return
func.func private @softmax_of_columns(%x: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {kernel} {
  %y = graph.softmax %x {axis = 0 : i64} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  func.return %y : tensor<512x512xf32>
}

// -----

// What passes between the computations of a small one stays in the cache as it is.
// CHECK-LABEL: func.func private @small_softmax(
// CHECK-NOT:     tile_and_fuse
// CHECK:         func.return
func.func private @small_softmax(%x: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {kernel} {
  %y = graph.softmax %x {axis = 1 : i64} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  func.return %y : tensor<16x64xf32>
}
