// RUN: s2s-opt %s --sample-weights -p graph-unpack-weights{target=x86-64-v3} | filecheck %s

// CHECK-LABEL: func.func @many_rows
// CHECK:         %[[W:.*]] = graph.weight "w_floats" {{.*}} : tensor<40x24xf32>
// CHECK:         graph.matmul %x, %[[W]]
func.func @many_rows(%x: tensor<128x40xf32>) -> tensor<128x24xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<24x3x8xi8>
  %s = graph.weight "s" {hash = "1"} : tensor<24x3xf32>
  %z = graph.weight "z" {hash = "2"} : tensor<24x3xi8>
  %y = graph.blockwise_matmul %x, %w, %s, %z {bits = 4 : i64, dequantised} : (tensor<128x40xf32>, tensor<24x3x8xi8>, tensor<24x3xf32>, tensor<24x3xi8>) -> tensor<128x24xf32>
  func.return %y : tensor<128x24xf32>
}

// CHECK-LABEL: func.func @many_rows_of_bytes
// CHECK:         %[[W:.*]] = graph.weight "bytes_floats" {{.*}} : tensor<40x24xf32>
// CHECK:         graph.matmul %x, %[[W]]
func.func @many_rows_of_bytes(%x: tensor<128x40xf32>) -> tensor<128x24xf32> {
  %w = graph.weight "bytes" {hash = "4"} : tensor<24x3x16xi8>
  %s = graph.weight "s" {hash = "1"} : tensor<24x3xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64, dequantised} : (tensor<128x40xf32>, tensor<24x3x16xi8>, tensor<24x3xf32>) -> tensor<128x24xf32>
  func.return %y : tensor<128x24xf32>
}

// CHECK-LABEL: func.func @declined_for_one_row
// CHECK:         graph.blockwise_matmul
func.func @declined_for_one_row(%x: tensor<1x40xf32>) -> tensor<1x24xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<24x3x8xi8>
  %s = graph.weight "s" {hash = "1"} : tensor<24x3xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64, dequantised} : (tensor<1x40xf32>, tensor<24x3x8xi8>, tensor<24x3xf32>) -> tensor<1x24xf32>
  func.return %y : tensor<1x24xf32>
}

// CHECK-LABEL: func.func @declined_where_the_model_packs
// CHECK:         graph.blockwise_matmul
func.func @declined_where_the_model_packs(%x: tensor<128x40xf32>) -> tensor<128x24xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<24x3x8xi8>
  %s = graph.weight "s" {hash = "1"} : tensor<24x3xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<128x40xf32>, tensor<24x3x8xi8>, tensor<24x3xf32>) -> tensor<128x24xf32>
  func.return %y : tensor<128x24xf32>
}

// CHECK-LABEL: func.func @codes_on_a_host
// CHECK:         %[[W:.*]] = graph.weight "w_floats_2" {{.*}} : tensor<40x24xf32>
// CHECK:         graph.matmul %x, %[[W]]
func.func @codes_on_a_host(%x: tensor<1x40xf32>) -> tensor<1x24xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<24x3x8xi8>
  %t = graph.weight "t" {hash = "3"} : tensor<16xf32>
  %s = graph.weight "s" {hash = "1"} : tensor<24x3xf32>
  %y = graph.codebook_matmul %x, %w, %t, %s : (tensor<1x40xf32>, tensor<24x3x8xi8>, tensor<16xf32>, tensor<24x3xf32>) -> tensor<1x24xf32>
  func.return %y : tensor<1x24xf32>
}
