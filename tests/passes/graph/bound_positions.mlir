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

// Indices into what is no state are bounded, too.
// CHECK:       builtin.module attributes {index_bounds = {position = array<i64: -6, 5>}}
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

// -----

// Each token of a lookup, and coordinates whose columns count along axes of different sizes.
// CHECK:       builtin.module attributes {index_bounds = {ids = array<i64: -10, 9>, row = array<i64: 0, 5>, column = array<i64: 0, 3>}}
builtin.module {
  func.func @main(%ids: tensor<1x7xi64> {name = "ids"}, %row: tensor<2x1xi64> {name = "row"}, %column: tensor<2x1xi64> {name = "column"}, %x: tensor<10x2xf32> {name = "x"}, %plane: tensor<6x4xf32> {name = "plane"}) -> (tensor<1x7x2xf32>, tensor<2xf32>) {
    %y = graph.gather %x, %ids {axis = 0 : i64} : (tensor<10x2xf32>, tensor<1x7xi64>) -> tensor<1x7x2xf32>
    %at = graph.concat %row, %column {axis = 1 : i64} : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
    %z = graph.gather_nd %plane, %at {batch_dims = 0 : i64, nonnegative_indices} : (tensor<6x4xf32>, tensor<2x2xi64>) -> tensor<2xf32>
    func.return %y, %z : tensor<1x7x2xf32>, tensor<2xf32>
  }
}

// -----

// A state that is moved is a state, and so is one that counts positions.
// CHECK:       builtin.module attributes {index_bounds = {position = array<i64: 0, 5>}}
builtin.module {
  func.func @main(%position: tensor<1xi64> {name = "position", state}, %cache: tensor<4x6xf32> {name = "cache", state}, %row: tensor<1x4xf32> {name = "row"}) -> (tensor<1xi64>, tensor<4x6xf32>) attributes {tied = array<i64: 0, 1>} {
    %one = graph.constant dense<1> : tensor<1xi64>
    %next = graph.add %position, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %rows = graph.transpose %cache {perm = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %column = graph.reshape %position : (tensor<1xi64>) -> tensor<1x1xi64>
    %at = graph.broadcast_to %column : (tensor<1x1xi64>) -> tensor<1x4xi64>
    %new = graph.scatter_elements %rows, %at, %row {axis = 0 : i64, reduction = "none", nonnegative_indices} : (tensor<6x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    %y = graph.transpose %new {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
    func.return %next, %y : tensor<1xi64>, tensor<4x6xf32>
  }
}
