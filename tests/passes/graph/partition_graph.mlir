// RUN: s2s-opt %s -p graph-partition-graph | filecheck %s

func.func private @first(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, composite = ["npu.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
func.func private @second(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, composite = ["npu.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
func.func private @third(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, composite = ["npu.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// Two calls of one region become one, with both results, since both are used outside; the relu between them follows.
// CHECK-LABEL: func.func private @npu_region(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-SAME:    external = "npu"
// CHECK-NEXT:    %a_1 = graph.call @first(%a, %a)
// CHECK-NEXT:    %b = graph.call @second(%a_1, %a)
// CHECK-NEXT:    func.return %a_1, %b
// CHECK-LABEL: func.func @region
// CHECK-NEXT:    %a, %b = graph.call @npu_region(%x) {node = "one, two"}
// CHECK-NEXT:    %r = graph.clamp %a
// CHECK-NEXT:    graph.add %r, %b
func.func @region(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.call @first(%x, %x) {external = "npu", region = 0 : i64, node = "one"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = graph.clamp %a {min = 0.0 : f64} : tensor<4x4xf32>
  %b = graph.call @second(%a, %x) {external = "npu", region = 0 : i64, node = "two"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.add %r, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// Declined: nobody claims the call, so its operators are those of the network again.
// CHECK-LABEL: func.func @ours
// CHECK-NEXT:    graph.matmul %x, %x
// CHECK-NEXT:    func.return
func.func @ours(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = graph.call @third(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

func.func private @fourth(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, device = "dsp", composite = ["npu.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
func.func private @fifth(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel, device = "dsp", composite = ["npu.matmul"]} {
  %y = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// A region is on the device of its operators, and operators that nobody claims stay there.
// CHECK-LABEL: func.func private @dsp_npu_matmul(%a: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-SAME:    device = "dsp"
// CHECK-LABEL: func.func @elsewhere
// CHECK-NEXT:    %a = graph.call @dsp_npu_matmul(%x)
// CHECK-NEXT:    graph.matmul %a, %a {device = "dsp"}
func.func @elsewhere(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.call @fourth(%x, %x) {external = "npu", region = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.call @fifth(%a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
