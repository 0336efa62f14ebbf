// RUN: s2s-opt %s -p 'graph-split-args{limits="main=5","dsp=8"}' --split-input-file | filecheck %s

// Three inputs to a kernel: two parts, and what is left of one.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = graph.concat %a, %b, %c {node = "join", axis = 0 : i64}
// CHECK-NEXT:    %1 = graph.concat %d, %e, %f {node = "join", axis = 0 : i64}
// CHECK-NEXT:    %y = graph.concat %0, %1, %g {node = "join", axis = 0 : i64}
// CHECK-NEXT:    func.return %y
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>, %e: tensor<1xf32>,
    %f: tensor<1xf32>, %g: tensor<1xf32>) -> tensor<7xf32> {
  %y = graph.concat %a, %b, %c, %d, %e, %f, %g {axis = 0 : i64, node = "join"}
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
    -> tensor<7xf32>
  func.return %y : tensor<7xf32>
}

// -----

// A device has a limit of its own.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %y = graph.concat %a, %b, %c, %d {device = "dsp", axis = 0 : i64}
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>) -> tensor<4xf32> {
  %y = graph.concat %a, %b, %c, %d {axis = 0 : i64, device = "dsp"}
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// Declined: a tensor that is repeated is one argument.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %y = graph.concat %a, %b, %a, %b, %a {axis = 0 : i64}
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<5xf32> {
  %y = graph.concat %a, %b, %a, %b, %a {axis = 0 : i64}
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
  func.return %y : tensor<5xf32>
}
