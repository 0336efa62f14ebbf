// RUN: s2s-opt %s --sample-weights -p tensor-block-channels{target=x86-64-v3} | filecheck %s

#same = #tensor.access<affine_map<(n, c, h, w) -> (n, c, h, w)>>

// A block of bytes holds all channels, whatever their number: they come last then.
//
// CHECK-LABEL: func.func private @quantise(%x: tensor<1x6x4x4xf32>) -> tensor<1x1x4x4x6xi8>
func.func private @quantise(%x: tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xi8> {
  %y = tensor.compute [1, 6, 4, 4] epilogue(%x at #same) apply {
  ^bb0(%v: f32):
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %a = arith.maximumf %v, %low : f32
    %b = arith.minimumf %a, %high : f32
    %q = arith.fptosi %b : f32 to i8
    tensor.yield %q : i8
  } : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xi8>
  func.return %y : tensor<1x6x4x4xi8>
}

// CHECK-LABEL: func.func private @sum(%x: tensor<1x1x4x4x6xi8>) -> tensor<1x6x1x1xi32>
func.func private @sum(%x: tensor<1x6x4x4xi8>) -> tensor<1x6x1x1xi32> {
  %y = tensor.compute [1, 6, 1, 1 | 4, 4] reads(%x at #tensor.access<affine_map<(n, c, h, w, r, s) -> (n, c, h + r, w + s)>>)
      inits [0 : i32] reduce {
  ^bb0(%v: i8, %acc: i32):
    %e = arith.extsi %v : i8 to i32
    %t = arith.addi %acc, %e : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<1x6x4x4xi8>) -> tensor<1x6x1x1xi32>
  func.return %y : tensor<1x6x1x1xi32>
}

// Declined: the constant follows the last dimension, which is that of the channels already.
//
// CHECK-LABEL: func.func private @channels_last(%x: tensor<1x4x4x6xi8>, %b: tensor<6xi32>) -> tensor<1x4x4x6xi8>
func.func private @channels_last(%x: tensor<1x4x4x6xi8>, %b: tensor<6xi32>) -> tensor<1x4x4x6xi8> {
  %y = tensor.compute [1, 4, 4, 6] epilogue(%x at #same, %b at #tensor.access<affine_map<(n, h, w, c) -> (c)>>) apply {
  ^bb0(%v: i8, %bv: i32):
    %e = arith.extsi %v : i8 to i32
    %t = arith.addi %e, %bv : i32
    %q = arith.trunci %t : i32 to i8
    tensor.yield %q : i8
  } : (tensor<1x4x4x6xi8>, tensor<6xi32>) -> tensor<1x4x4x6xi8>
  func.return %y : tensor<1x4x4x6xi8>
}

// CHECK-LABEL: func.func private @copy(%x: tensor<1x4x4x6xi8>) -> tensor<1x4x4x6xi8>
func.func private @copy(%x: tensor<1x4x4x6xi8>) -> tensor<1x4x4x6xi8> {
  %y = tensor.compute [1, 4, 4, 6] epilogue(%x at #same) apply {
  ^bb0(%v: i8):
    tensor.yield %v : i8
  } : (tensor<1x4x4x6xi8>) -> tensor<1x4x4x6xi8>
  func.return %y : tensor<1x4x4x6xi8>
}

// CHECK-LABEL: func.func @main
// CHECK:         graph.call @quantise(%x) {blocked = array<i64: 1, 1, 4, 4, 6>}
func.func @main(%x: tensor<1x6x4x4xf32> {name = "x"}, %z: tensor<1x4x4x6xi8> {name = "z"})
    -> (tensor<1x6x1x1xi32> {name = "y"}, tensor<1x4x4x6xi8> {name = "u"}) {
  %b = graph.weight "b" {hash = "0"} : tensor<6xi32>
  %q = graph.call @quantise(%x) : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xi8>
  %y = graph.call @sum(%q) : (tensor<1x6x4x4xi8>) -> tensor<1x6x1x1xi32>
  %v = graph.call @channels_last(%z, %b) : (tensor<1x4x4x6xi8>, tensor<6xi32>) -> tensor<1x4x4x6xi8>
  %u = graph.call @copy(%v) : (tensor<1x4x4x6xi8>) -> tensor<1x4x4x6xi8>
  func.return %y, %u : tensor<1x6x1x1xi32>, tensor<1x4x4x6xi8>
}
