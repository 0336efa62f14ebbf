// RUN: s2s-opt %s -p graph-share-kernels --split-input-file | filecheck %s

// Names of values and of source nodes do not count.
// CHECK-LABEL: func.func private @double(
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @equal
// CHECK-NEXT:    %a = graph.call @double(%x) {node = "Add_0"}
// CHECK-NEXT:    %y = graph.call @double(%a) {node = "Add_1"}
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.add %x, %x {node = "Add_0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @double_2(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %b = graph.add %a, %a {node = "Add_1"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @double(%x) {node = "Add_0"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @double_2(%a) {node = "Add_1"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// Declined: other attributes, other operands, another order of arguments.
// CHECK-LABEL: func.func private @limit(
// CHECK-LABEL: func.func private @limit_2(
// CHECK-LABEL: func.func private @sub(
// CHECK-LABEL: func.func private @sub_2(
// CHECK-LABEL: func.func @different
func.func private @limit(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 0.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @limit_2(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.clamp %x {min = 1.0 : f64} : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @sub(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @sub_2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.sub %b, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @different(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.call @limit(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.call @limit_2(%z) : (tensor<4xf32>) -> tensor<4xf32>
  %c = graph.call @sub(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @sub_2(%a, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME:    %a: tensor<4x8xi8>, %b: tensor<8x8xi8>, %multiplier: tensor<i32>) -> tensor<4x8xi8>
// CHECK-NEXT:    %s = graph.constant dense<-7> : tensor<i8>
// CHECK-NEXT:    %p = graph.matmul %a, %b
// CHECK-NEXT:    %y = graph.rescale %p, %multiplier, %s
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @factors
// CHECK:         %fc1_multiplier = graph.weight "fc1_multiplier"
// CHECK-NEXT:    %h = graph.call @layer(%x, %w, %fc1_multiplier) {node = "fc1"}
// CHECK-NEXT:    %fc2_multiplier = graph.weight "fc2_multiplier"
// CHECK-NEXT:    %y = graph.call @layer(%h, %w, %fc2_multiplier) {node = "fc2"}
func.func private @layer(%a: tensor<4x8xi8>, %b: tensor<8x8xi8>) -> tensor<4x8xi8> attributes {kernel} {
  %m = graph.constant dense<1374389535> : tensor<i32>
  %s = graph.constant dense<-7> : tensor<i8>
  %p = graph.matmul %a, %b : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %y = graph.rescale %p, %m, %s {rounding = "double"} : (tensor<4x8xi32>, tensor<i32>, tensor<i8>) -> tensor<4x8xi8>
  func.return %y : tensor<4x8xi8>
}
func.func private @layer_2(%a: tensor<4x8xi8>, %b: tensor<8x8xi8>) -> tensor<4x8xi8> attributes {kernel} {
  %m = graph.constant dense<1503238554> : tensor<i32>
  %s = graph.constant dense<-7> : tensor<i8>
  %p = graph.matmul %a, %b : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi32>
  %y = graph.rescale %p, %m, %s {rounding = "double"} : (tensor<4x8xi32>, tensor<i32>, tensor<i8>) -> tensor<4x8xi8>
  func.return %y : tensor<4x8xi8>
}
func.func @factors(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> tensor<4x8xi8> {
  %h = graph.call @layer(%x, %w) {node = "fc1"} : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi8>
  %y = graph.call @layer_2(%h, %w) {node = "fc2"} : (tensor<4x8xi8>, tensor<8x8xi8>) -> tensor<4x8xi8>
  func.return %y : tensor<4x8xi8>
}

// -----

// Declined: no sum of products.
// CHECK-LABEL: func.func private @scale(
// CHECK-LABEL: func.func private @scale_2(
func.func private @scale(%x: tensor<4xi8>) -> tensor<4xi8> attributes {kernel} {
  %m = graph.constant dense<1374389535> : tensor<i32>
  %s = graph.constant dense<-1> : tensor<i8>
  %y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<4xi8>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
func.func private @scale_2(%x: tensor<4xi8>) -> tensor<4xi8> attributes {kernel} {
  %m = graph.constant dense<1503238554> : tensor<i32>
  %s = graph.constant dense<-1> : tensor<i8>
  %y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<4xi8>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
func.func @elementwise(%x: tensor<4xi8>) -> tensor<4xi8> {
  %h = graph.call @scale(%x) {node = "a"} : (tensor<4xi8>) -> tensor<4xi8>
  %y = graph.call @scale_2(%h) {node = "b"} : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
