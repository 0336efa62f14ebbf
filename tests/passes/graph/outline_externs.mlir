// RUN: s2s-opt %s -p 'graph-outline-externs{prefix=net}' | filecheck %s

// A function of C is declared; the operation becomes its meaning.
// CHECK:       func.func private @test_blur(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "test_blur", source = "void test_blur();"}
// CHECK-NEXT:  func.func private @test_scale(tensor<4xi8>, tensor<2xf32>) -> tensor<4xi8> attributes {callback = "net_test_scale_{{[0-9a-f]+}}", packed = "test.scale"
// CHECK-SAME:    s2s_kernel_call(\22test.scale\22, S2S_LINKED(test_scale), tensors, 2, 3, 3, args, type_codes)
// CHECK-SAME:    definitions = "int test_scale(
// CHECK-SAME:    headers = ["\22s2s_packed.h\22"]
// CHECK-NEXT:  func.func @main
// CHECK-NEXT:    %a = graph.call @test_blur(%x) {node = "one"}
// CHECK-NEXT:    %b = graph.call @test_scale(%a, %f) : (tensor<4xi8>, tensor<2xf32>) -> tensor<4xi8>
func.func @main(%x: tensor<4xi8>, %f: tensor<2xf32>) -> tensor<4xi8> {
  %a = graph.extern "test_blur"(%x) {node = "one", source = "void test_blur();"} : (tensor<4xi8>) -> tensor<4xi8>
  %b = graph.extern "test.scale"(%a, %f) {packed} : (tensor<4xi8>, tensor<2xf32>) -> tensor<4xi8>
  func.return %b : tensor<4xi8>
}

// Declined inside of kernels.
// CHECK-LABEL: func.func private @kernel
// CHECK-NEXT:    graph.extern "test_blur"
func.func private @kernel(%x: tensor<4xi8>) -> tensor<4xi8> attributes {kernel} {
  %a = graph.extern "test_blur"(%x) : (tensor<4xi8>) -> tensor<4xi8>
  func.return %a : tensor<4xi8>
}

// CHECK:       builtin.module @meanings {
// CHECK-NEXT:    func.func private @test_blur(%0: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:      %a = graph.extern "test_blur"(%0)
// CHECK:         func.func private @test_scale(
// CHECK-NEXT:      %b = graph.extern "test.scale"(%{{.+}}, %{{.+}}) {packed}
