// RUN: s2s-opt %s -p graph-eliminate-common-subexpressions{weights=names} | filecheck %s

// Other values of weights may follow, so equal arrays stay apart; numbers are code.
// CHECK-LABEL: func.func @arrays_stay_apart
// CHECK-NEXT: %a = graph.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT: %b = graph.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT: %one = graph.constant dense<1> : tensor<i32>
// CHECK-NEXT: graph.add %x, %a
// CHECK-NEXT: graph.add %{{.*}}, %b
// CHECK-NEXT: graph.add %{{.*}}, %one
// CHECK-NEXT: graph.add %{{.*}}, %one
func.func @arrays_stay_apart(%x: tensor<2xi32>) -> tensor<2xi32> {
  %a = graph.constant dense<[1, 2]> : tensor<2xi32>
  %b = graph.constant dense<[1, 2]> : tensor<2xi32>
  %one = graph.constant dense<1> : tensor<i32>
  %uno = graph.constant dense<1> : tensor<i32>
  %c = graph.add %x, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %d = graph.add %c, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %e = graph.add %d, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %f = graph.add %e, %uno : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  func.return %f : tensor<2xi32>
}
