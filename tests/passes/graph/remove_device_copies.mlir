// RUN: s2s-opt %s -p 'graph-remove-device-copies{shared=npu}' | filecheck %s

// A device that shares the memory of the first one needs no copy; one with a memory of its own does.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = graph.call @npu_exp(%x)
// CHECK-NEXT:    %c = graph.device_copy %a from "main" to "dsp" : tensor<4xf32>
// CHECK-NEXT:    func.return %c
func.func private @npu_exp(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel, device = "npu"} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = graph.device_copy %x from "main" to "npu" : tensor<4xf32>
  %a = graph.call @npu_exp(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.device_copy %a from "npu" to "main" : tensor<4xf32>
  %c = graph.device_copy %b from "main" to "dsp" : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
