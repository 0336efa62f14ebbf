// RUN: s2s-opt %s --sample-weights -p tensor-block-channels{target=cortex-m4} | filecheck %s

// A scalar core that multiplies neighbouring bytes: channels come last, and sums run along them in the innermost loop.
//
// CHECK-LABEL: func.func private @conv(%x: tensor<1x1x6x6x4xi8>, %w: tensor<8x4x3x3xi8>) -> tensor<1x1x4x4x8xi8>
// CHECK-NEXT:    %y = tensor.compute [1, 1, 4, 4, 8 | 3, 3, 4]
func.func private @conv(%x: tensor<1x4x6x6xi8>, %w: tensor<8x4x3x3xi8>) -> tensor<1x8x4x4xi8> {
  %y = tensor.compute [1, 8, 4, 4 | 4, 3, 3]
      reads(%x at #tensor.access<affine_map<(n, o, h, w, i, r, s) -> (n, i, h + r, w + s)>>,
            %w at #tensor.access<affine_map<(n, o, h, w, i, r, s) -> (o, i, r, s)>>)
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    %q = arith.trunci %acc : i32 to i8
    tensor.yield %q : i8
  } : (tensor<1x4x6x6xi8>, tensor<8x4x3x3xi8>) -> tensor<1x8x4x4xi8>
  func.return %y : tensor<1x8x4x4xi8>
}

// CHECK-LABEL: func.func private @double(%x: tensor<1x4x6x6xi8>) -> tensor<1x1x6x6x4xi8>
func.func private @double(%x: tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8> {
  %y = tensor.compute [1, 4, 6, 6] epilogue(%x at #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>) apply {
  ^bb0(%v: i8):
    %t = arith.addi %v, %v : i8
    tensor.yield %t : i8
  } : (tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
  func.return %y : tensor<1x4x6x6xi8>
}

// Declined: nothing shows which dimension holds the channels.
//
// CHECK-LABEL: func.func private @copy(%x: tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8>
func.func private @copy(%x: tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8> {
  %y = tensor.compute [1, 4, 5, 5] epilogue(%x at #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>) apply {
  ^bb0(%v: i8):
    tensor.yield %v : i8
  } : (tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8>
  func.return %y : tensor<1x4x5x5xi8>
}

// CHECK-LABEL: func.func @main
// CHECK:         graph.call @double(%x) {blocked = array<i64: 1, 1, 6, 6, 4>}
// CHECK:         graph.call @conv(%d, %w) {blocked = array<i64: 1, 1, 4, 4, 8>}
func.func @main(%x: tensor<1x4x6x6xi8> {name = "x"}, %z: tensor<1x4x5x5xi8> {name = "z"})
    -> (tensor<1x4x2x2xi8> {name = "y"}, tensor<1x4x5x5xi8> {name = "u"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<8x4x3x3xi8>
  %v = graph.weight "v" {hash = "0"} : tensor<4x8x3x3xi8>
  %d = graph.call @double(%x) : (tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
  %a = graph.call @conv(%d, %w) : (tensor<1x4x6x6xi8>, tensor<8x4x3x3xi8>) -> tensor<1x8x4x4xi8>
  %y = graph.call @last(%a, %v) : (tensor<1x8x4x4xi8>, tensor<4x8x3x3xi8>) -> tensor<1x4x2x2xi8>
  %b = graph.call @copy(%z) : (tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8>
  %u = graph.call @copy(%b) : (tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8>
  func.return %y, %u : tensor<1x4x2x2xi8>, tensor<1x4x5x5xi8>
}

// CHECK-LABEL: func.func private @last(%x: tensor<1x1x4x4x8xi8>, %w: tensor<4x8x3x3xi8>) -> tensor<1x4x2x2xi8>
func.func private @last(%x: tensor<1x8x4x4xi8>, %w: tensor<4x8x3x3xi8>) -> tensor<1x4x2x2xi8> {
  %y = tensor.compute [1, 4, 2, 2 | 8, 3, 3]
      reads(%x at #tensor.access<affine_map<(n, o, h, w, i, r, s) -> (n, i, h + r, w + s)>>,
            %w at #tensor.access<affine_map<(n, o, h, w, i, r, s) -> (o, i, r, s)>>)
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    %q = arith.trunci %acc : i32 to i8
    tensor.yield %q : i8
  } : (tensor<1x8x4x4xi8>, tensor<4x8x3x3xi8>) -> tensor<1x4x2x2xi8>
  func.return %y : tensor<1x4x2x2xi8>
}
