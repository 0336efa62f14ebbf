// RUN: s2s-opt %s -p graph-copy-outputs --split-input-file | filecheck %s

// One tensor returned twice: the second output is a copy.
// CHECK:         %a = graph.abs %x
// CHECK-NEXT:    %[[copy:.*]] = graph.identity %a
// CHECK-NEXT:    func.return %a, %[[copy]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.abs %x : tensor<4xf32>
  func.return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// An input seen through a reshape.
// CHECK:         %r = graph.reshape %x
// CHECK-NEXT:    %[[copy:.*]] = graph.identity %r
// CHECK-NEXT:    func.return %[[copy]]
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = graph.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  func.return %r : tensor<2x2xf32>
}

// -----

// Declined: computed for this output alone.
// CHECK:         %a = graph.abs %x
// CHECK-NEXT:    func.return %a
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.abs %x : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

// In every network: a result that is tied to the argument it returns stays, one that is tied to another is a copy.
// CHECK-LABEL:   func.func private @swap
// CHECK-NEXT:    %[[copy:.*]] = graph.identity %b
// CHECK-NEXT:    %[[other:.*]] = graph.identity %a
// CHECK-NEXT:    func.return %[[copy]], %[[other]], %c
func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {tied = array<i64: 0, 1, 2>} {
  func.return %b, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
