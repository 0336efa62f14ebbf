// RUN: s2s-opt -p graph-broadcast-scales %s | filecheck %s

// CHECK-LABEL: @along_the_last_dimension
// CHECK-DAG: %[[M:.*]] = graph.constant dense<1073741824> : tensor<3xi32>
// CHECK-DAG: %[[S:.*]] = graph.constant dense<-3> : tensor<3xi8>
// CHECK: graph.rescale %x, %[[M]], %[[S]] {output_zp = 5 : i64, rounding = "double", axis = 1 : i64}
func.func @along_the_last_dimension(%x: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<-3> : tensor<i8>
  %y = graph.rescale %x, %m, %s {output_zp = 5 : i64, rounding = "double"} : (tensor<2x3xi32>, tensor<i32>, tensor<i8>) -> tensor<2x3xi8>
  func.return %y : tensor<2x3xi8>
}

// CHECK-LABEL: @vectors_stay
// CHECK: graph.rescale %x, %m, %s {rounding = "double", axis = 0 : i64}
func.func @vectors_stay(%x: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %m = graph.constant dense<[1073741824, 1073741825]> : tensor<2xi32>
  %s = graph.constant dense<[-3, -4]> : tensor<2xi8>
  %y = graph.rescale %x, %m, %s {rounding = "double", axis = 0 : i64} : (tensor<2x3xi32>, tensor<2xi32>, tensor<2xi8>) -> tensor<2x3xi8>
  func.return %y : tensor<2x3xi8>
}

// CHECK-LABEL: @one_element_stays
// CHECK: graph.rescale %x, %m, %s {rounding = "double"}
func.func @one_element_stays(%x: tensor<2x1xi32>) -> tensor<2x1xi8> {
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<-3> : tensor<i8>
  %y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<2x1xi32>, tensor<i32>, tensor<i8>) -> tensor<2x1xi8>
  func.return %y : tensor<2x1xi8>
}

// CHECK-LABEL: @computed_scales_stay
// CHECK: graph.rescale %x, %m, %s {rounding = "double"}
func.func @computed_scales_stay(%x: tensor<2x3xi32>, %m: tensor<i32>) -> tensor<2x3xi8> {
  %s = graph.constant dense<-3> : tensor<i8>
  %y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<2x3xi32>, tensor<i32>, tensor<i8>) -> tensor<2x3xi8>
  func.return %y : tensor<2x3xi8>
}
