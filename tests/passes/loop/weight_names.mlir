// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

// A weight keeps the name that a person gave it; one that an exporter made up is called after the node that reads it.
// CHECK:      extern const float net_f_1_seq_0_weight[8];
// CHECK:      extern const float net_seq_0_bias[4];
// CHECK:      extern const float net_f_1_seq_1_weight[8];
func.func private @conv(%y: memref<4xf32>, %x: memref<4xf32>, %w: memref<8xf32>, %bias: memref<4xf32>) attributes {kernel} {
  func.return
}
func.func private @matmul(%y: memref<4xf32>, %a: memref<4xf32>, %b: memref<8xf32>) attributes {kernel} {
  func.return
}
func.func @main(%arena: memref<16xi8> {role = "arena"}, %y: memref<4xf32> {name = "y", role = "output", shape = array<i64: 4>}, %x: memref<4xf32> {name = "x", role = "input", shape = array<i64: 4>}) attributes {arena_size = 16 : i64, arena_align = 8 : i64, arena_lower_bound = 16 : i64} {
  %w = loop.weight "onnx::Conv_290_packed" {hash = "1f"} : memref<8xf32>
  %b = loop.weight "seq.0.bias" {hash = "2f"} : memref<4xf32>
  %m = loop.weight "onnx::MatMul_7" {hash = "3f"} : memref<8xf32>
  %t = loop.view %arena[0] : memref<16xi8> -> memref<4xf32>
  func.call @conv(%t, %x, %w, %b) {node = "/f/f.1/seq/seq.0/Conv, /f/f.1/Relu"} : (memref<4xf32>, memref<4xf32>, memref<8xf32>, memref<4xf32>) -> ()
  func.call @matmul(%y, %t, %m) {node = "/f/f.1/seq/seq.1/MatMul"} : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  func.return
}
