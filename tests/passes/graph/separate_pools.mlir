// RUN: s2s-opt %s -p graph-separate-pools{target=x86-64-v3} --split-input-file | filecheck %s

// CHECK-LABEL: func.func @maximum
// CHECK-NEXT:    %[[ROWS:.*]] = graph.max_pool %x {{.*}}kernel = array<i64: 7, 1>, strides = array<i64: 2, 1>, pads = array<i64: 3, 0, 2, 0>{{.*}} -> tensor<1x4x10x20xf32>
// CHECK-NEXT:    %{{.*}} = graph.max_pool %[[ROWS]] {{.*}}kernel = array<i64: 1, 7>, strides = array<i64: 1, 2>, pads = array<i64: 0, 3, 0, 3>{{.*}} -> tensor<1x4x10x10xf32>
func.func @maximum(%x: tensor<1x4x20x20xf32>) -> tensor<1x4x10x10xf32> {
  %y = graph.max_pool %x {node = "pool", kernel = array<i64: 7, 7>, strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 2, 3>, dilations = array<i64: 1, 1>} : (tensor<1x4x20x20xf32>) -> tensor<1x4x10x10xf32>
  func.return %y : tensor<1x4x10x10xf32>
}

// The means of the columns are means of as many elements each.
// CHECK-LABEL: func.func @mean_without_padding
// CHECK:         graph.avg_pool %x {{.*}}kernel = array<i64: 5, 1>{{.*}}counted_pads = array<i64: 0, 0, 0, 0>
// CHECK:         graph.avg_pool {{.*}}kernel = array<i64: 1, 5>{{.*}}counted_pads = array<i64: 0, 0, 0, 0>
func.func @mean_without_padding(%x: tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32> {
  %y = graph.avg_pool %x {kernel = array<i64: 5, 5>, strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
  func.return %y : tensor<1x4x9x9xf32>
}

// Nine elements are fewer than three and three, and what lies between.
// CHECK-LABEL: func.func @small_windows
// CHECK-NEXT:    graph.max_pool %x {{.*}}kernel = array<i64: 3, 3>
func.func @small_windows(%x: tensor<1x4x9x9xf32>) -> tensor<1x4x7x7xf32> {
  %y = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x7x7xf32>
  func.return %y : tensor<1x4x7x7xf32>
}

// Rounded means of integers have no means.
// CHECK-LABEL: func.func @integers
// CHECK-NEXT:    graph.avg_pool %x {{.*}}kernel = array<i64: 5, 5>
func.func @integers(%x: tensor<1x4x9x9xi8>) -> tensor<1x4x5x5xi8> {
  %y = graph.avg_pool %x {kernel = array<i64: 5, 5>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x9x9xi8>) -> tensor<1x4x5x5xi8>
  func.return %y : tensor<1x4x5x5xi8>
}
