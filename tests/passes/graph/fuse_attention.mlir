// RUN: s2s-opt %s -p graph-fuse-attention --split-input-file | filecheck %s

// A mask is added between product and softmax; the division comes last.
// CHECK-LABEL: func.func private @attention(%a: tensor<2x9x4xf32>, %b: tensor<2x12x4xf32>, %x: tensor<9x12xf32>, %b_1: tensor<2x12x5xf32>) -> tensor<2x9x5xf32> attributes {kernel}
// CHECK-NEXT:    %s = graph.matmul %a, %b {transpose_b}
// CHECK-NEXT:    %half = graph.constant
// CHECK-NEXT:    %t = graph.mul %s, %half
// CHECK-NEXT:    %scores = graph.add %t, %x
// CHECK-NEXT:    %largest = graph.reduce_max %scores {axes = array<i64: 2>, keepdims}
// CHECK-NEXT:    %0 = graph.sub %scores, %largest
// CHECK-NEXT:    %powers = graph.exp %0 {nonpositive
// CHECK-NEXT:    %1 = graph.reduce_sum %powers {axes = array<i64: 2>, keepdims}
// CHECK-NEXT:    %share = graph.reciprocal %1
// CHECK-NEXT:    %2 = graph.matmul %powers, %b_1
// CHECK-NEXT:    %y = graph.mul %2, %share
// CHECK-NEXT:    func.return %y
// CHECK-LABEL: func.func @masked
// CHECK:         %y = graph.call @attention(%q, %k, %mask, %v)
func.func @masked(%q: tensor<2x9x4xf32>, %k: tensor<2x12x4xf32>, %v: tensor<2x12x5xf32>, %mask: tensor<9x12xf32>) -> tensor<2x9x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %s = graph.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x12x4xf32>) -> tensor<2x9x12xf32>
  %t = graph.mul %s, %half : (tensor<2x9x12xf32>, tensor<f32>) -> tensor<2x9x12xf32>
  %m = graph.add %t, %mask : (tensor<2x9x12xf32>, tensor<9x12xf32>) -> tensor<2x9x12xf32>
  %p = graph.softmax %m {axis = 2} : (tensor<2x9x12xf32>) -> tensor<2x9x12xf32>
  %y = graph.matmul %p, %v : (tensor<2x9x12xf32>, tensor<2x12x5xf32>) -> tensor<2x9x5xf32>
  func.return %y : tensor<2x9x5xf32>
}

// -----

// What splits and merges heads joins; the reshapes at the border stay outside, where they cost nothing.
// CHECK-LABEL: func.func private @attention(%x: tensor<10x3x2x4xf32>) -> tensor<10x2x4xf32>
// CHECK-COUNT-3: graph.slice
// CHECK:         graph.mul
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @heads
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.call @attention
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    func.return
func.func @heads(%x: tensor<10x24xf32>) -> tensor<10x8xf32> {
  %r = graph.reshape %x : (tensor<10x24xf32>) -> tensor<10x3x2x4xf32>
  %a = graph.transpose %r {perm = array<i64: 1, 2, 0, 3>} : (tensor<10x3x2x4xf32>) -> tensor<3x2x10x4xf32>
  %q1 = graph.slice %a {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 10, 4>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x10x4xf32>) -> tensor<1x2x10x4xf32>
  %k1 = graph.slice %a {starts = array<i64: 1, 0, 0, 0>, sizes = array<i64: 1, 2, 10, 4>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x10x4xf32>) -> tensor<1x2x10x4xf32>
  %v1 = graph.slice %a {starts = array<i64: 2, 0, 0, 0>, sizes = array<i64: 1, 2, 10, 4>, strides = array<i64: 1, 1, 1, 1>} : (tensor<3x2x10x4xf32>) -> tensor<1x2x10x4xf32>
  %q = graph.reshape %q1 : (tensor<1x2x10x4xf32>) -> tensor<2x10x4xf32>
  %k = graph.reshape %k1 : (tensor<1x2x10x4xf32>) -> tensor<2x10x4xf32>
  %v = graph.reshape %v1 : (tensor<1x2x10x4xf32>) -> tensor<2x10x4xf32>
  %s = graph.matmul %q, %k {transpose_b} : (tensor<2x10x4xf32>, tensor<2x10x4xf32>) -> tensor<2x10x10xf32>
  %p = graph.softmax %s {axis = 2} : (tensor<2x10x10xf32>) -> tensor<2x10x10xf32>
  %o = graph.matmul %p, %v : (tensor<2x10x10xf32>, tensor<2x10x4xf32>) -> tensor<2x10x4xf32>
  %t = graph.transpose %o {perm = array<i64: 1, 0, 2>} : (tensor<2x10x4xf32>) -> tensor<10x2x4xf32>
  %y = graph.reshape %t : (tensor<10x2x4xf32>) -> tensor<10x8xf32>
  func.return %y : tensor<10x8xf32>
}

// -----

// The weights change their shape on the way to the second product; a copy of the keys is wanted elsewhere and stays.
// CHECK-LABEL: func.func private @attention(%a: tensor<2x9x4xf32>, %b: tensor<2x4x9xf32>, %x: tensor<1x1x1x9xf32>, %b_1: tensor<2x9x4xf32>)
// CHECK:         %share = graph.reciprocal
// CHECK-NEXT:    %r2 = graph.reshape %powers
// CHECK-NEXT:    %2 = graph.reshape %share {{.*}}-> tensor<2x9x1xf32>
// CHECK-NEXT:    %3 = graph.matmul %r2, %b_1
// CHECK-NEXT:    %y = graph.mul %3, %2
// CHECK-LABEL: func.func @reshaped
// CHECK-NEXT:    %kt = graph.transpose
func.func @reshaped(%q: tensor<2x9x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>, %mask: tensor<1x1x1x9xf32>) -> (tensor<2x9x4xf32>, tensor<2x4x9xf32>) {
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x9x4xf32>) -> tensor<2x4x9xf32>
  %s = graph.matmul %q, %kt : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  %r1 = graph.reshape %s : (tensor<2x9x9xf32>) -> tensor<1x2x9x9xf32>
  %m = graph.add %r1, %mask : (tensor<1x2x9x9xf32>, tensor<1x1x1x9xf32>) -> tensor<1x2x9x9xf32>
  %p = graph.softmax %m {axis = 3} : (tensor<1x2x9x9xf32>) -> tensor<1x2x9x9xf32>
  %r2 = graph.reshape %p : (tensor<1x2x9x9xf32>) -> tensor<2x9x9xf32>
  %y = graph.matmul %r2, %v : (tensor<2x9x9xf32>, tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  func.return %y, %kt : tensor<2x9x4xf32>, tensor<2x4x9xf32>
}

// -----

// Declined: few queries, weights that are returned, and a softmax over the queries.
// CHECK-LABEL: func.func @few
// CHECK-NOT:     graph.call
func.func @few(%q: tensor<2x3x4xf32>, %k: tensor<2x12x4xf32>, %v: tensor<2x12x5xf32>) -> tensor<2x3x5xf32> {
  %s = graph.matmul %q, %k {transpose_b} : (tensor<2x3x4xf32>, tensor<2x12x4xf32>) -> tensor<2x3x12xf32>
  %p = graph.softmax %s {axis = 2} : (tensor<2x3x12xf32>) -> tensor<2x3x12xf32>
  %y = graph.matmul %p, %v : (tensor<2x3x12xf32>, tensor<2x12x5xf32>) -> tensor<2x3x5xf32>
  func.return %y : tensor<2x3x5xf32>
}
func.func @weights_wanted(%q: tensor<9x4xf32>, %k: tensor<9x4xf32>, %v: tensor<9x5xf32>) -> (tensor<9x5xf32>, tensor<9x9xf32>) {
  %s = graph.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  %p = graph.softmax %s {axis = 1} : (tensor<9x9xf32>) -> tensor<9x9xf32>
  %y = graph.matmul %p, %v : (tensor<9x9xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  func.return %y, %p : tensor<9x5xf32>, tensor<9x9xf32>
}
func.func @over_queries(%q: tensor<9x4xf32>, %k: tensor<9x4xf32>, %v: tensor<9x5xf32>) -> tensor<9x5xf32> {
  %s = graph.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  %p = graph.softmax %s {axis = 0} : (tensor<9x9xf32>) -> tensor<9x9xf32>
  %y = graph.matmul %p, %v : (tensor<9x9xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  func.return %y : tensor<9x5xf32>
}
