// RUN: s2s-opt %s -p graph-skip-masked-positions --split-input-file | filecheck %s

// A step over a cache of 6 positions: scores and mask are needed up to the position of the query, and it included.
// CHECK:      builtin.module attributes {sizes = {positions = array<i64: 1, 6>}, counted_sizes = {positions = ["position", 1 : i64]}}
// CHECK-LABEL: func.func @main
// CHECK:         graph.greater {{.*}}limits = ["positions"]
// CHECK:         graph.select {{.*}}limits = ["positions"]
// CHECK:         graph.matmul {{.*}}limits = ["", "", "positions"]
// CHECK-NOT:     limits
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %q: tensor<2x1x4xf32> {name = "q"}, %k: tensor<2x6x4xf32> {name = "k"}, %v: tensor<2x6x4xf32> {name = "v"}) -> tensor<2x1x4xf32> {
    %places = graph.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
    %low = graph.constant dense<-1.000000e+30> : tensor<f32>
    %zero = graph.constant dense<0.000000e+00> : tensor<f32>
    %later = graph.greater %places, %position : (tensor<6xi64>, tensor<1xi64>) -> tensor<6xi1>
    %limit = graph.select %later, %low, %zero : (tensor<6xi1>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %s = graph.matmul %q, %k {transpose_b} : (tensor<2x1x4xf32>, tensor<2x6x4xf32>) -> tensor<2x1x6xf32>
    %m = graph.add %s, %limit : (tensor<2x1x6xf32>, tensor<6xf32>) -> tensor<2x1x6xf32>
    %p = graph.softmax %m {axis = 2} : (tensor<2x1x6xf32>) -> tensor<2x1x6xf32>
    %y = graph.matmul %p, %v : (tensor<2x1x6xf32>, tensor<2x6x4xf32>) -> tensor<2x1x4xf32>
    func.return %y : tensor<2x1x4xf32>
  }
}

// -----

// Three queries from a position on; the mask keeps what is not later. The last one tells the number of positions. An
// output shows all of the mask, so that it has no limit.
// CHECK:      builtin.module attributes {sizes = {positions = array<i64: 3, 6>}, counted_sizes = {positions = ["position", 3 : i64]}}
// CHECK-LABEL: func.func @main
// CHECK:         %kept = graph.less_equal %places, %column : (
// CHECK-NEXT:    graph.matmul {{.*}}limits = ["", "", "positions"]
// CHECK-NEXT:    graph.select %kept, %s, %low : (
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %q: tensor<2x3x4xf32> {name = "q"}, %k: tensor<2x6x4xf32> {name = "k"}, %v: tensor<2x6x4xf32> {name = "v"}) -> (tensor<2x3x4xf32>, tensor<3x6xi1>) {
    %places = graph.constant dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>
    %three = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
    %low = graph.constant dense<-1.000000e+30> : tensor<f32>
    %rows = graph.add %position, %three : (tensor<1xi64>, tensor<3xi64>) -> tensor<3xi64>
    %column = graph.reshape %rows {shape = array<i64: 3, 1>} : (tensor<3xi64>) -> tensor<3x1xi64>
    %kept = graph.less_equal %places, %column : (tensor<1x6xi64>, tensor<3x1xi64>) -> tensor<3x6xi1>
    %s = graph.matmul %q, %k {transpose_b} : (tensor<2x3x4xf32>, tensor<2x6x4xf32>) -> tensor<2x3x6xf32>
    %m = graph.select %kept, %s, %low : (tensor<3x6xi1>, tensor<2x3x6xf32>, tensor<f32>) -> tensor<2x3x6xf32>
    %p = graph.softmax %m {axis = 2} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
    %y = graph.matmul %p, %v : (tensor<2x3x6xf32>, tensor<2x6x4xf32>) -> tensor<2x3x4xf32>
    func.return %y, %kept : tensor<2x3x4xf32>, tensor<3x6xi1>
  }
}

// -----

// Declined: a masked score of -100 has a weight.
// CHECK-LABEL: builtin.module {
// CHECK-NOT:     limits
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %q: tensor<2x1x4xf32> {name = "q"}, %k: tensor<2x6x4xf32> {name = "k"}, %v: tensor<2x6x4xf32> {name = "v"}) -> tensor<2x1x4xf32> {
    %places = graph.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
    %low = graph.constant dense<-1.000000e+02> : tensor<f32>
    %later = graph.less %position, %places : (tensor<1xi64>, tensor<6xi64>) -> tensor<6xi1>
    %s = graph.matmul %q, %k {transpose_b} : (tensor<2x1x4xf32>, tensor<2x6x4xf32>) -> tensor<2x1x6xf32>
    %m = graph.select %later, %low, %s : (tensor<6xi1>, tensor<f32>, tensor<2x1x6xf32>) -> tensor<2x1x6xf32>
    %p = graph.softmax %m {axis = 2} : (tensor<2x1x6xf32>) -> tensor<2x1x6xf32>
    %y = graph.matmul %p, %v : (tensor<2x1x6xf32>, tensor<2x6x4xf32>) -> tensor<2x1x4xf32>
    func.return %y : tensor<2x1x4xf32>
  }
}
