// RUN: s2s-opt %s -p graph-lower-to-tensor,tensor-pick-schedule,tensor-lower-to-loop --sample-weights --split-input-file | filecheck %s

// A window with slack has memory for it and a position; the call writes the new frames where the window has moved to.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%x: memref<2xf32> {role = "input", shape = array<i64: 2, 1>}, %old: memref<11xf32> {name = "x_1", state, role = "state", shape = array<i64: 11>}, %old_position: memref<1xi32> {name = "x_1_position", state, role = "state", shape = array<i64: 1>})
// CHECK-NEXT:    %old_1 = loop.advance %old at %old_position : memref<1xi32> {by = 1 : i64} : memref<11xf32> -> memref<8xf32>
// CHECK-NEXT:    func.call @insert(%old_1, %old_1, %x)
// CHECK-NEXT:    func.return
func.func private @insert(%x: tensor<2x4xf32>, %u: tensor<2x1xf32>) -> tensor<2x4xf32> attributes {kernel} {
  %y = graph.insert_slice %x, %u {starts = array<i64: 0, 3>} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
func.func @main(%x: tensor<2x1xf32>, %old: tensor<2x4xf32> {name = "x_1", state}) -> tensor<2x4xf32> attributes {tied = array<i64: 1>} {
  %moved = graph.advance %old {by = 1 : i64, slack = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %window = graph.call @insert(%moved, %x) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %window : tensor<2x4xf32>
}

// -----

// Without slack it stays where it is.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %old: memref<8xf32> {name = "x_1", state, role = "state", shape = array<i64: 2, 4>})
// CHECK-NEXT:    %old_1 = loop.advance %old {by = 1 : i64} : memref<8xf32> -> memref<8xf32>
// CHECK-NEXT:    func.call @insert(%old_1, %old_1, %x)
func.func private @insert(%x: tensor<2x4xf32>, %u: tensor<2x1xf32>) -> tensor<2x4xf32> attributes {kernel} {
  %y = graph.insert_slice %x, %u {starts = array<i64: 0, 3>} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
func.func @main(%x: tensor<2x1xf32>, %old: tensor<2x4xf32> {name = "x_1", state}) -> tensor<2x4xf32> attributes {tied = array<i64: 1>} {
  %moved = graph.advance %old {by = 1 : i64, slack = 0 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %window = graph.call @insert(%moved, %x) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %window : tensor<2x4xf32>
}
