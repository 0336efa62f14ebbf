// RUN: s2s-opt %s -p graph-check-indices --split-input-file | filecheck %s

// One flag for all indices, which may count from the end; the vector of bounds is that of the axes.
// CHECK-LABEL:   func.func @main
// CHECK-NEXT:      %at = graph.cast %x
// CHECK-NEXT:      %least = graph.constant dense<-5> : tensor<1xi64>
// CHECK-NEXT:      %0 = graph.less %at, %least
// CHECK-NEXT:      %most = graph.constant dense<4> : tensor<1xi64>
// CHECK-NEXT:      %1 = graph.greater %at, %most
// CHECK-NEXT:      %2 = graph.logical_or %0, %1
// CHECK-NEXT:      %3 = graph.cast %2
// CHECK-NEXT:      %4 = graph.reduce_max %3 {part_of = "check_indices", axes = array<i64: 0>}
// CHECK-NEXT:      %5 = graph.reshape %4
// CHECK-NEXT:      %y = graph.gather %table, %at
// CHECK-NEXT:      graph.require %5 : tensor<1xi32>
// CHECK-NEXT:      func.return %y
builtin.module {
  func.func @main(%x: tensor<3xf32> {name = "x"}, %table: tensor<5x2xf32> {name = "table"}) -> (tensor<3x2xf32>) {
    %at = graph.cast %x : (tensor<3xf32>) -> tensor<3xi64>
    %y = graph.gather %table, %at {axis = 0 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
    func.return %y : tensor<3x2xf32>
  }
}

// -----

// Each column of coordinates has the bounds of its axis; a byte is never above 200.
// CHECK-LABEL:   func.func @main
// CHECK:           %least = graph.constant dense<[-5, -200]> : tensor<2xi64>
// CHECK:           %most = graph.constant dense<[4, 199]> : tensor<2xi64>
// CHECK:           graph.less %byte
// CHECK-NOT:       graph.greater
// CHECK:           %{{.*}} = graph.maximum
// CHECK-NEXT:      graph.require
builtin.module {
  func.func @main(%x: tensor<3x2xf32> {name = "x"}, %z: tensor<1xf32> {name = "z"}, %table: tensor<5x200xf32> {name = "table"}) -> (tensor<3xf32>, tensor<5x1xf32>) {
    %at = graph.cast %x : (tensor<3x2xf32>) -> tensor<3x2xi64>
    %y = graph.gather_nd %table, %at {batch_dims = 0 : i64} : (tensor<5x200xf32>, tensor<3x2xi64>) -> tensor<3xf32>
    %byte = graph.cast %z : (tensor<1xf32>) -> tensor<1xi8>
    %column = graph.gather %table, %byte {axis = 1 : i64, nonnegative_indices} : (tensor<5x200xf32>, tensor<1xi8>) -> tensor<5x1xf32>
    func.return %y, %column : tensor<3xf32>, tensor<5x1xf32>
  }
}

// -----

// Declined: positions of the axis, and what is checked before the run.
// CHECK-NOT:     graph.require
// CHECK:         func.return
// CHECK-NOT:     graph.require
builtin.module {
  func.func @main(%x: tensor<5xf32> {name = "x"}, %id: tensor<1xi64> {name = "id"}, %table: tensor<5x2xf32> {name = "table"}, %rows: tensor<1000x2xf32> {name = "rows"}) -> (tensor<2xf32>, tensor<1x2xf32>) {
    %at = graph.argmax %x {axis = 0 : i64} : (tensor<5xf32>) -> tensor<i64>
    %y = graph.gather %table, %at {axis = 0 : i64} : (tensor<5x2xf32>, tensor<i64>) -> tensor<2xf32>
    %one = graph.constant dense<1> : tensor<1xi64>
    %next = graph.add %id, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %z = graph.gather %rows, %next {axis = 0 : i64} : (tensor<1000x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    func.return %y, %z : tensor<2xf32>, tensor<1x2xf32>
  }
}

// -----

// Both branches return a flag, where one of them indexes.
// CHECK-LABEL:   func.func private @then(%at: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xf32>, tensor<1xi32>)
// CHECK:           func.return %y, %{{.*}} : tensor<1xf32>, tensor<1xi32>
// CHECK-LABEL:   func.func private @otherwise
// CHECK:           %none_outside = graph.constant dense<0> : tensor<1xi32>
// CHECK-NEXT:      func.return %y, %none_outside
// CHECK-LABEL:   func.func @main
// CHECK:           %y, %0 = graph.if %go then @then else @otherwise(%at, %table)
// CHECK-NEXT:      graph.require %0
builtin.module {
  func.func private @then(%at: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xf32>) {
    %y = graph.gather %table, %at {axis = 0 : i64} : (tensor<5xf32>, tensor<1xi64>) -> tensor<1xf32>
    func.return %y : tensor<1xf32>
  }
  func.func private @otherwise(%at: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xf32>) {
    %y = graph.constant dense<1.0> : tensor<1xf32>
    func.return %y : tensor<1xf32>
  }
  func.func @main(%x: tensor<1xf32> {name = "x"}, %go: tensor<1xi1> {name = "go"}, %table: tensor<5xf32> {name = "table"}) -> (tensor<1xf32>) {
    %at = graph.cast %x : (tensor<1xf32>) -> tensor<1xi64>
    %y = graph.if %go then @then else @otherwise(%at, %table) : tensor<1xi1>, (tensor<1xi64>, tensor<5xf32>) -> tensor<1xf32>
    func.return %y : tensor<1xf32>
  }
}

// -----

// A scan carries its flag behind what it carries; indices that it scans have the range of those of all steps.
// CHECK-LABEL:   func.func private @body(%sum: tensor<1xf32>, %0: tensor<1xi32>, %at: tensor<1xi64>, %in: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xf32>, tensor<1xi32>, tensor<1xf32>)
// CHECK-SAME:      tied = array<i64: 0, 1, -1>
// CHECK-COUNT-1:   graph.less
// CHECK-NOT:       graph.less
// CHECK:           %{{.*}} = graph.maximum %0, %{{.*}}
// CHECK-NEXT:      func.return %sum_1, %{{.*}}, %row
// CHECK-LABEL:   func.func @main
// CHECK:           graph.scan @body(%first, %none_outside, %at, %in, %table) {steps = 4 : i64, carried = 2 : i64, scanned = 2 : i64}
// CHECK-NEXT:      graph.require
builtin.module {
  func.func private @body(%sum: tensor<1xf32>, %at: tensor<1xi64>, %in: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xf32>, tensor<1xf32>) attributes {tied = array<i64: 0, -1>} {
    %row = graph.gather %table, %at {axis = 0 : i64} : (tensor<5xf32>, tensor<1xi64>) -> tensor<1xf32>
    %other = graph.gather %table, %in {axis = 0 : i64} : (tensor<5xf32>, tensor<1xi64>) -> tensor<1xf32>
    %both = graph.add %row, %other : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %sum_1 = graph.add %sum, %both : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    func.return %sum_1, %row : tensor<1xf32>, tensor<1xf32>
  }
  func.func @main(%x: tensor<4x1xf32> {name = "x"}, %first: tensor<1xf32> {name = "first"}, %table: tensor<5xf32> {name = "table"}) -> (tensor<1xf32>, tensor<4x1xf32>) {
    %at = graph.cast %x : (tensor<4x1xf32>) -> tensor<4x1xi64>
    %in = graph.clamp %at {min = 0 : i64, max = 4 : i64} : tensor<4x1xi64>
    %sum, %rows = graph.scan @body(%first, %at, %in, %table) {steps = 4 : i64, carried = 1 : i64, scanned = 2 : i64} : (tensor<1xf32>, tensor<4x1xi64>, tensor<4x1xi64>, tensor<5xf32>) -> (tensor<1xf32>, tensor<4x1xf32>)
    func.return %sum, %rows : tensor<1xf32>, tensor<4x1xf32>
  }
}

// -----

// What the condition of a loop indexes is checked at the begin of each step, and behind the last one.
// CHECK-LABEL:   func.func private @condition(%at: tensor<1xi64>, %0: tensor<1xi32>, %table: tensor<5xf32>)
// CHECK-LABEL:   func.func private @body(%at: tensor<1xi64>, %0: tensor<1xi32>, %table: tensor<5xf32>) -> (tensor<1xi64>, tensor<1xi32>)
// CHECK:           graph.less %at
// CHECK-LABEL:   func.func @main
// CHECK:           %y, %[[FLAG:[0-9]+]] = graph.while @condition do @body(%at, %none_outside, %table)
// CHECK:           graph.less %y
// CHECK:           %{{.*}} = graph.maximum %[[FLAG]], %{{.*}}
// CHECK-NEXT:      graph.require
builtin.module {
  func.func private @condition(%at: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xi1>) {
    %row = graph.gather %table, %at {axis = 0 : i64} : (tensor<5xf32>, tensor<1xi64>) -> tensor<1xf32>
    %nonzero = graph.cast %row : (tensor<1xf32>) -> tensor<1xi1>
    %three = graph.constant dense<3> : tensor<1xi64>
    %below = graph.less %at, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %go = graph.logical_and %nonzero, %below : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    func.return %go : tensor<1xi1>
  }
  func.func private @body(%at: tensor<1xi64>, %table: tensor<5xf32>) -> (tensor<1xi64>) attributes {tied = array<i64: 0>} {
    %one = graph.constant dense<1> : tensor<1xi64>
    %next = graph.add %at, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    func.return %next : tensor<1xi64>
  }
  func.func @main(%x: tensor<1xf32> {name = "x"}, %table: tensor<5xf32> {name = "table"}) -> (tensor<1xi64>) {
    %at = graph.cast %x : (tensor<1xf32>) -> tensor<1xi64>
    %y = graph.while @condition do @body(%at, %table) : (tensor<1xi64>, tensor<5xf32>) -> tensor<1xi64>
    func.return %y : tensor<1xi64>
  }
}

// -----

// Along an axis whose size varies, indices are compared with the size of the run.
// CHECK-LABEL:   func.func @main
// CHECK:           %0 = graph.cast %near {part_of = "check_indices"} : (tensor<3xi8>) -> tensor<3xi64>
// CHECK-NEXT:      %1 = graph.size_values {part_of = "check_indices", values = array<i64: 9>, names = ["N"]} : tensor<1xi64>
// CHECK-NEXT:      %2 = graph.neg %1
// CHECK-NEXT:      %3 = graph.less %0, %2
// CHECK-NEXT:      %4 = graph.less %0, %1
// CHECK-NEXT:      %5 = graph.logical_not %4
// CHECK:           %y = graph.gather
// CHECK:           graph.size_values {part_of = "check_indices", values = array<i64: 9, 4>, names = ["N", ""]} : tensor<2xi32>
// CHECK-NEXT:      %least = graph.constant dense<0> : tensor<1xi32>
// CHECK:           %z = graph.gather_nd
// CHECK:           graph.require
builtin.module attributes {sizes = {N = array<i64: 2, 9>}} {
  func.func @main(%x: tensor<9x4xf32> {name = "x", varies = ["N", ""]}, %at: tensor<3xf32> {name = "at"}, %places: tensor<3x2xf32> {name = "places"}) -> (tensor<3x4xf32>, tensor<3xf32>) {
    %near = graph.cast %at : (tensor<3xf32>) -> tensor<3xi8>
    %zero = graph.mul %places, %places : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %place = graph.cast %zero : (tensor<3x2xf32>) -> tensor<3x2xi32>
    %y = graph.gather %x, %near {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi8>) -> tensor<3x4xf32>
    %z = graph.gather_nd %x, %place {batch_dims = 0 : i64, nonnegative_indices} : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
    func.return %y, %z : tensor<3x4xf32>, tensor<3xf32>
  }
}

// -----

// Positions along an axis of another size are no proof.
// CHECK:         graph.require
// CHECK-NEXT:    func.return
builtin.module attributes {sizes = {N = array<i64: 2, 9>, M = array<i64: 2, 9>}} {
  func.func @main(%x: tensor<9x4xf32> {name = "x", varies = ["N", ""]}, %s: tensor<9xf32> {name = "s", varies = ["M"]}) -> (tensor<4xf32>) {
    %at = graph.argmax %s {axis = 0 : i64} : (tensor<9xf32>) -> tensor<i64>
    %y = graph.gather %x, %at {axis = 0 : i64} : (tensor<9x4xf32>, tensor<i64>) -> tensor<4xf32>
    func.return %y : tensor<4xf32>
  }
}

// -----

// Declined: positions of an axis of the same size, and numbers below the least size.
// CHECK-NOT:     graph.require
// CHECK:         func.return
// CHECK-NOT:     graph.require
builtin.module attributes {sizes = {N = array<i64: 2, 9>}} {
  func.func @main(%x: tensor<9x4xf32> {name = "x", varies = ["N", ""]}, %bit: tensor<3xi1> {name = "bit"}) -> (tensor<4x4xf32>, tensor<3x4xf32>) {
    %largest = graph.argmax %x {axis = 0 : i64} : (tensor<9x4xf32>) -> tensor<4xi64>
    %at = graph.cast %largest : (tensor<4xi64>) -> tensor<4xi32>
    %y = graph.gather %x, %at {axis = 0 : i64} : (tensor<9x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
    %first = graph.cast %bit : (tensor<3xi1>) -> tensor<3xi32>
    %z = graph.gather %x, %first {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
    func.return %y, %z : tensor<4x4xf32>, tensor<3x4xf32>
  }
}
