// RUN: s2s-opt %s -p graph-fuse-ops{depth=3} | filecheck %s
// RUN: s2s-opt %s -p graph-fuse-ops{enable=false} | filecheck %s --check-prefix=APART

// CHECK-LABEL: func.func private @abs_neg_log(
// CHECK-LABEL: func.func private @tanh_ceil(
// CHECK-LABEL: func.func @no_kernel_of_more_than_three_operations
// APART-LABEL: func.func private @abs_elements(
// APART-LABEL: func.func private @neg(
// APART-LABEL: func.func private @log_elements(
// APART-LABEL: func.func private @tanh_elements(
// APART-LABEL: func.func private @ceil_elements(
// APART-LABEL: func.func @no_kernel_of_more_than_three_operations
func.func @no_kernel_of_more_than_three_operations(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.abs %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.log %b : tensor<4xf32>
  %d = graph.tanh %c : tensor<4xf32>
  %y = graph.ceil %d : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
