// RUN: s2s-opt %s -p graph-eliminate-dead-code | filecheck %s

// CHECK-NOT:   @unused
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func private @used
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @a_chain_without_users
// CHECK-NEXT:    %y = graph.call @used(%x)
// CHECK-NEXT:    func.return %y
func.func @a_chain_without_users(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<4xf32>
  %a = graph.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = graph.log %a : tensor<4xf32>
  %c = graph.call @unused(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declined_for_what_is_returned
// CHECK-NEXT:    %a = graph.log %x
// CHECK-NEXT:    func.return %a
func.func @declined_for_what_is_returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.log %x : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// Networks that nothing runs go, and then the kernels that only they called.
// CHECK-NOT:   @forgotten
// CHECK-NOT:   @only_there
func.func private @only_there(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @forgotten(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tied = array<i64: 0>} {
  %y = graph.call @only_there(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func private @body
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tied = array<i64: 0>} {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @runs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = graph.scan @forgotten(%x) {steps = 2, carried = 1, scanned = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.scan @body(%x) {steps = 2, carried = 1, scanned = 0} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
