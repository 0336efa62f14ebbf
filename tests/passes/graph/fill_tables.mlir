// RUN: s2s-opt -p graph-fill-tables %s | filecheck %s

// CHECK-LABEL: @a_table_that_bytes_read
// CHECK: %[[T:.*]] = graph.weight {{.*}} : tensor<256xi32>
// CHECK: graph.gather %[[T]], %x {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<256xi32>, tensor<4xui8>)
func.func @a_table_that_bytes_read(%x: tensor<4xui8>) -> tensor<4xi32> {
  %t = graph.constant dense<[9, 5, 2, 0]> : tensor<4xi32>
  %d = graph.clamp %x {max = 3 : i64} : tensor<4xui8>
  %y = graph.gather %t, %d {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4xi32>, tensor<4xui8>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @another_limit_stays
// CHECK: graph.gather %t, %d
func.func @another_limit_stays(%x: tensor<4xui8>) -> tensor<4xi32> {
  %t = graph.constant dense<[9, 5, 2, 0]> : tensor<4xi32>
  %d = graph.clamp %x {max = 2 : i64} : tensor<4xui8>
  %y = graph.gather %t, %d {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4xi32>, tensor<4xui8>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @wider_places_stay
// CHECK: graph.gather %t, %d
func.func @wider_places_stay(%x: tensor<4xi32>) -> tensor<4xi32> {
  %t = graph.constant dense<[9, 5, 2, 0]> : tensor<4xi32>
  %d = graph.clamp %x {min = 0 : i64, max = 3 : i64} : tensor<4xi32>
  %y = graph.gather %t, %d {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @computed_tables_stay
// CHECK: graph.gather %t, %d
func.func @computed_tables_stay(%t: tensor<4xi32>, %x: tensor<4xui8>) -> tensor<4xi32> {
  %d = graph.clamp %x {max = 3 : i64} : tensor<4xui8>
  %y = graph.gather %t, %d {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<4xi32>, tensor<4xui8>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @what_no_byte_reaches_is_cut_off
// CHECK: graph.gather {{.*}}, %x {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<256xi8>, tensor<4xui8>)
func.func @what_no_byte_reaches_is_cut_off(%x: tensor<4xui8>) -> tensor<4xi8> {
  %t = graph.constant dense<7> : tensor<257xi8>
  %y = graph.gather %t, %x {axis = 0 : i64, in_range, nonnegative_indices} : (tensor<257xi8>, tensor<4xui8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
