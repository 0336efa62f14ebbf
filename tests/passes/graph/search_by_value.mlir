// RUN: s2s-opt %s -p graph-search-by-value{target=x86-64-v3} --split-input-file | filecheck %s

// CHECK-LABEL: func.func @first_of_the_largest
// CHECK:         %[[POSITIONS:.*]] = graph.weight "find_positions" {{.*}} : tensor<1x100xf32>
// CHECK:         %[[NONE:.*]] = graph.constant dense<"0x0000807F">
// CHECK:         %[[LARGEST:.*]] = graph.reduce_max %x {{.*}}axes = array<i64: 1>, keepdims
// CHECK:         %[[HERE:.*]] = graph.equal %x, %[[LARGEST]]
// CHECK:         %[[UNKNOWN:.*]] = graph.is_nan %x
// CHECK:         %[[OTHERWISE:.*]] = graph.select %[[UNKNOWN]], %[[POSITIONS]], %[[NONE]]
// CHECK:         %[[FOUND:.*]] = graph.select %[[HERE]], %[[POSITIONS]], %[[OTHERWISE]]
// CHECK:         %[[FIRST:.*]] = graph.reduce_min %[[FOUND]] {{.*}}axes = array<i64: 1>{{.*}} -> tensor<8xf32>
// CHECK:         graph.cast %[[FIRST]] {{.*}} -> tensor<8xi64>
func.func @first_of_the_largest(%x: tensor<8x100xf32>) -> tensor<8xi64> {
  %y = graph.argmax %x {node = "find", axis = 1 : i64} : (tensor<8x100xf32>) -> tensor<8xi64>
  func.return %y : tensor<8xi64>
}

// -----

// CHECK-LABEL: func.func @last_of_the_smallest
// CHECK:         graph.constant dense<"0x000080FF">
// CHECK:         graph.reduce_min %x
// CHECK:         graph.reduce_max {{.*}}keepdims
func.func @last_of_the_smallest(%x: tensor<8x100xf32>) -> tensor<1x100xi32> {
  %y = graph.argmin %x {node = "find", axis = 0 : i64, keepdims, select_last} : (tensor<8x100xf32>) -> tensor<1x100xi32>
  func.return %y : tensor<1x100xi32>
}

// -----

// CHECK-LABEL: func.func @few
// CHECK-NEXT:    graph.argmax
func.func @few(%x: tensor<12xf32>) -> tensor<i64> {
  %y = graph.argmax %x {axis = 0 : i64} : (tensor<12xf32>) -> tensor<i64>
  func.return %y : tensor<i64>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-NEXT:    graph.argmax
func.func @integers(%x: tensor<8x100xi32>) -> tensor<8xi64> {
  %y = graph.argmax %x {axis = 1 : i64} : (tensor<8x100xi32>) -> tensor<8xi64>
  func.return %y : tensor<8xi64>
}
