// RUN: s2s-opt %s -p graph-bound-positions --split-input-file | filecheck %s

// Three rows from a position on; the last of them has to be inside.
// CHECK:       builtin.module attributes {index_bounds = {position = array<i64: -6, 3>}}
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %cache: tensor<2x6x4xf32> {name = "cache", state}, %rows: tensor<2x3x4xf32> {name = "rows"}) -> (tensor<2x6x4xf32>) attributes {tied = array<i64: 1>} {
    %steps = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
    %places = graph.add %position, %steps : (tensor<1xi64>, tensor<3xi64>) -> tensor<3xi64>
    %column = graph.reshape %places : (tensor<3xi64>) -> tensor<1x3x1xi64>
    %at = graph.broadcast_to %column : (tensor<1x3x1xi64>) -> tensor<2x3x4xi64>
    %y = graph.scatter_elements %cache, %at, %rows {axis = 1 : i64, reduction = "none"} : (tensor<2x6x4xf32>, tensor<2x3x4xi64>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
    func.return %y : tensor<2x6x4xf32>
  }
}

// -----

// Nothing counts from the end where the scatter says so.
// CHECK:       builtin.module attributes {index_bounds = {position = array<i64: 0, 5>}}
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %cache: tensor<6xf32> {name = "cache", state}, %row: tensor<1xf32> {name = "row"}) -> (tensor<6xf32>) attributes {tied = array<i64: 1>} {
    %y = graph.scatter_elements %cache, %position, %row {axis = 0 : i64, reduction = "none", nonnegative_indices} : (tensor<6xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<6xf32>
    func.return %y : tensor<6xf32>
  }
}

// -----

// Indices into what is no state are ignored where they are outside, as the operator says.
// CHECK-NOT: index_bounds
// CHECK:     func.func @main
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %x: tensor<6xf32> {name = "x"}, %row: tensor<1xf32> {name = "row"}) -> (tensor<6xf32>) {
    %y = graph.scatter_elements %x, %position, %row {axis = 0 : i64, reduction = "none"} : (tensor<6xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<6xf32>
    func.return %y : tensor<6xf32>
  }
}

// -----

// An index that is computed otherwise, here modulo the size of a ring.
// CHECK-NOT: index_bounds
// CHECK:     func.func @main
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position"}, %ring: tensor<6xf32> {name = "ring", state}, %row: tensor<1xf32> {name = "row"}) -> (tensor<6xf32>) attributes {tied = array<i64: 1>} {
    %size = graph.constant dense<6> : tensor<1xi64>
    %at = graph.mod %position, %size : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %y = graph.scatter_elements %ring, %at, %row {axis = 0 : i64, reduction = "none"} : (tensor<6xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<6xf32>
    func.return %y : tensor<6xf32>
  }
}
