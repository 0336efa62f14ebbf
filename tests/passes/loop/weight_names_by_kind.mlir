// RUN: s2s-opt %s -p loop-lower-to-c{prefix=speech_commands_small},c-name-temporaries -t c | filecheck %s --match-full-lines

// Where that tells them apart behind 31 characters only, all are called after their kernels.
// CHECK:      extern const float speech_commands_small_conv1_w[8];
// CHECK:      extern const float speech_commands_small_conv1_bias[4];
// CHECK:      extern const float speech_commands_small_fc1_w[8];
func.func private @conv(%y: memref<4xf32>, %x: memref<4xf32>, %w: memref<8xf32>, %bias: memref<4xf32>) attributes {kernel} {
  func.return
}
func.func private @matmul(%y: memref<4xf32>, %a: memref<4xf32>, %b: memref<8xf32>) attributes {kernel} {
  func.return
}
func.func @main(%arena: memref<16xi8> {role = "arena"}, %y: memref<4xf32> {name = "y", role = "output", shape = array<i64: 4>}, %x: memref<4xf32> {name = "x", role = "input", shape = array<i64: 4>}) attributes {arena_size = 16 : i64, arena_align = 8 : i64, arena_lower_bound = 16 : i64} {
  %w = loop.weight "functional_1/conv2d/Conv2D_packed;x" {hash = "1f"} : memref<8xf32>
  %b = loop.weight "functional_1/activation/Relu;functional_1/batch_normalization/FusedBatchNormV3" {hash = "2f"} : memref<4xf32>
  %m = loop.weight "functional_1/dense/MatMul;y" {hash = "3f"} : memref<8xf32>
  %t = loop.view %arena[0] : memref<16xi8> -> memref<4xf32>
  func.call @conv(%t, %x, %w, %b) {node = "functional_1/activation/Relu"} : (memref<4xf32>, memref<4xf32>, memref<8xf32>, memref<4xf32>) -> ()
  func.call @matmul(%y, %t, %m) {node = "functional_1/dense/BiasAdd"} : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  func.return
}
