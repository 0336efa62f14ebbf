// RUN: s2s-opt %s -p graph-combine-parallel-reductions --split-input-file | filecheck %s

// CHECK-LABEL: func.func private @reduce_min_reduce_max(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %a = graph.reduce_min %x
// CHECK-NEXT:    %b = graph.reduce_max %x
// CHECK-NEXT:    func.return %a, %b
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @both
// CHECK-NEXT:    %a, %b = graph.call @reduce_min_reduce_max(%x) {node = "low, high"}
// CHECK-NEXT:    func.return %a, %b
func.func private @reduce_min(%x: tensor<4x8xf32>) -> tensor<4xf32> attributes {kernel} {
  %a = graph.reduce_min %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
func.func private @reduce_max(%y: tensor<4x8xf32>) -> tensor<4xf32> attributes {kernel} {
  %b = graph.reduce_max %y {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @both(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.call @reduce_min(%x) {node = "low"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = graph.call @reduce_max(%x) {node = "high"} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Squares are computed beside their sum.
// CHECK-LABEL: func.func private @reduce_sum_mul_reduce_sum
// CHECK-LABEL: func.func @squares
// CHECK-NEXT:    %a, %b = graph.call @reduce_sum_mul_reduce_sum(%x)
func.func private @reduce_sum(%x: tensor<4x8xf32>) -> tensor<4xf32> attributes {kernel} {
  %a = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
func.func private @mul_reduce_sum(%y: tensor<4x8xf32>) -> tensor<4xf32> attributes {kernel} {
  %m = graph.mul %y, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = graph.reduce_sum %m {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @squares(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.call @reduce_sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = graph.call @mul_reduce_sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Declined: other axes; another tensor; a kernel that goes on after it has reduced.
// CHECK-LABEL: func.func @apart
// CHECK-NEXT:    graph.call @reduce_min(%x)
// CHECK-NEXT:    graph.call @reduce_max(%x)
// CHECK-NEXT:    graph.call @reduce_sum(%y)
// CHECK-NEXT:    graph.call @reduce_sum_relu(%x)
func.func private @reduce_min(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {kernel} {
  %a = graph.reduce_min %x {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
func.func private @reduce_max(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {kernel} {
  %a = graph.reduce_max %x {axes = array<i64: 0>} : (tensor<8x8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
func.func private @reduce_sum(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {kernel} {
  %a = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
func.func private @reduce_sum_relu(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {kernel} {
  %a = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %b = graph.clamp %a {min = 0.0 : f64} : tensor<8xf32>
  func.return %b : tensor<8xf32>
}
func.func @apart(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = graph.call @reduce_min(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %b = graph.call @reduce_max(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %c = graph.call @reduce_sum(%y) : (tensor<8x8xf32>) -> tensor<8xf32>
  %d = graph.call @reduce_sum_relu(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  func.return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
