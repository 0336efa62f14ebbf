// RUN: s2s-opt --sample-weights %s | filecheck %s

// CHECK-LABEL: func.func @weight_gets_the_hash_of_its_values
// CHECK-NEXT: %w = graph.weight "w" {hash = "[[HASH:[0-9a-f]+]]"} : tensor<2x3xf32>
// CHECK-NEXT: %same = graph.weight "w" {hash = "[[HASH]]"} : tensor<2x3xf32>
func.func @weight_gets_the_hash_of_its_values() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = graph.weight "w" {hash = ""} : tensor<2x3xf32>
  %same = graph.weight "w" {hash = ""} : tensor<2x3xf32>
  func.return %w, %same : tensor<2x3xf32>, tensor<2x3xf32>
}
