// RUN: s2s-opt %s -p tensor-concatenate-in-place --split-input-file | filecheck %s

#id = #tensor.access<affine_map<(n, c, h) -> (n, c, h)>>
#first = #tensor.access<affine_map<(n, c, h) -> (n, c, h)>, guarded>
#behind = #tensor.access<affine_map<(n, c, h) -> (n, c - 2, h)>, guarded>
#half = #tensor.access<affine_map<(n, c, h) -> (n, c + 1, h)>>

// Both parts are written to where the concatenation has them; what is cut out of it is read there.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = graph.call @relu
// CHECK-NEXT:    %b = graph.call @relu
// CHECK-NEXT:    %c = graph.concat %a, %b {{{.*}}axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x4x4xf32>
// CHECK-NEXT:    %s = graph.slice %c {{{.*}}starts = array<i64: 0, 1, 0>{{.*}}} : (tensor<1x4x4xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:    %y = graph.call @relu(%s)
func.func private @relu(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> attributes {kernel} {
  %y = tensor.compute [1, 2, 4] epilogue(%x at #id) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}
func.func private @concat(%a: tensor<1x2x4xf32>, %b: tensor<1x2x4xf32>) -> tensor<1x4x4xf32> attributes {kernel} {
  %y = tensor.compute [1, 4, 4] epilogue(%a at #first, %b at #behind) apply {
  ^bb0(%av: f32, %bv: f32):
    %here = tensor.in_bounds %av : f32
    %v = arith.select %here, %av, %bv : f32
    tensor.yield %v : f32
  } : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x4x4xf32>
  func.return %y : tensor<1x4x4xf32>
}
func.func private @cut(%x: tensor<1x4x4xf32>) -> tensor<1x2x4xf32> attributes {kernel} {
  %y = tensor.compute [1, 2, 4] epilogue(%x at #half) apply {
  ^bb0(%v: f32):
    tensor.yield %v : f32
  } : (tensor<1x4x4xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}
func.func @main(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %a = graph.call @relu(%x) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %b = graph.call @relu(%a) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %c = graph.call @concat(%a, %b) {node = "concat"} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x4x4xf32>
  %s = graph.call @cut(%c) {node = "cut"} : (tensor<1x4x4xf32>) -> tensor<1x2x4xf32>
  %y = graph.call @relu(%s) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}

// -----

#id = #tensor.access<affine_map<(n, c, h) -> (n, c, h)>>
#first = #tensor.access<affine_map<(n, c, h) -> (n, c, h)>, guarded>
#behind = #tensor.access<affine_map<(n, c, h) -> (n, c, h - 4)>, guarded>

// Declined: an input of the network, a result of the network, and rows that do not lie in one piece.
// CHECK-LABEL: func.func @main
// CHECK:         graph.call @rows(%x, %a)
// CHECK:         graph.call @rows(%a, %b)
// CHECK-NOT:     graph.concat
func.func private @relu(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> attributes {kernel} {
  %y = tensor.compute [1, 2, 4] epilogue(%x at #id) apply {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %v, %zero : f32
    tensor.yield %m : f32
  } : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  func.return %y : tensor<1x2x4xf32>
}
func.func private @rows(%a: tensor<1x2x4xf32>, %b: tensor<1x2x4xf32>) -> tensor<1x2x8xf32> attributes {kernel} {
  %y = tensor.compute [1, 2, 8] epilogue(%a at #first, %b at #behind) apply {
  ^bb0(%av: f32, %bv: f32):
    %here = tensor.in_bounds %av : f32
    %v = arith.select %here, %av, %bv : f32
    tensor.yield %v : f32
  } : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x8xf32>
  func.return %y : tensor<1x2x8xf32>
}
func.func @main(%x: tensor<1x2x4xf32>) -> (tensor<1x2x8xf32>, tensor<1x2x8xf32>) {
  %a = graph.call @relu(%x) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %b = graph.call @relu(%a) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %y = graph.call @rows(%x, %a) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x8xf32>
  %z = graph.call @rows(%a, %b) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x8xf32>
  func.return %y, %z : tensor<1x2x8xf32>, tensor<1x2x8xf32>
}
