// RUN: s2s-opt %s -p graph-give-windows-slack --split-input-file | filecheck %s

// One of 16 runs copies: 15 times two elements more.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    graph.advance %old {by = 2 : i64, slack = 30 : i64}
func.func @main(%old: tensor<1x64x34xf32>) -> tensor<1x64x34xf32> {
  %moved = graph.advance %old {by = 2, slack = 0} : (tensor<1x64x34xf32>) -> tensor<1x64x34xf32>
  func.return %moved : tensor<1x64x34xf32>
}

// -----

// Two runs of two frames are an eighth of 34 frames.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    graph.advance %old {by = 128 : i64, slack = 256 : i64}
func.func @main(%old: tensor<1x34x64xf32>) -> tensor<1x34x64xf32> {
  %moved = graph.advance %old {by = 128, slack = 0} : (tensor<1x34x64xf32>) -> tensor<1x34x64xf32>
  func.return %moved : tensor<1x34x64xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    graph.advance %old {by = 128 : i64, slack = 0 : i64}
func.func @main(%old: tensor<1x4x64xf32>) -> tensor<1x4x64xf32> {
  %moved = graph.advance %old {by = 128, slack = 0} : (tensor<1x4x64xf32>) -> tensor<1x4x64xf32>
  func.return %moved : tensor<1x4x64xf32>
}

// -----

// Its address would not stay aligned to words.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    graph.advance %old {by = 2 : i64, slack = 0 : i64}
func.func @main(%old: tensor<1x64x34xi8>) -> tensor<1x64x34xi8> {
  %moved = graph.advance %old {by = 2, slack = 0} : (tensor<1x64x34xi8>) -> tensor<1x64x34xi8>
  func.return %moved : tensor<1x64x34xi8>
}
