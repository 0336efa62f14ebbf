// RUN: s2s-opt %s -p graph-expand-trees{target=cortex-m4} --split-input-file | filecheck %s

// A tree of two levels; as the least of what trees say, it becomes tables. The first level reads known features.
// CHECK-LABEL: func.func @least
// CHECK:         %[[FEATURE:.*]] = graph.constant dense<1> : tensor<1xui8>
// CHECK:         %[[VALUE:.*]] = graph.gather %x, %[[FEATURE]] {{.*}}axis = 1
// CHECK:         %[[HOLDS:.*]] = graph.less_equal %[[VALUE]]
// CHECK:         %[[AT:.*]] = graph.select %[[HOLDS]]
// CHECK:         graph.gather %{{.*}}, %[[AT]] {{.*}}axis = 0
// CHECK:         graph.gather_elements %x
// CHECK:         %[[LEAF:.*]] = graph.select
// CHECK:         %[[WEIGHTS:.*]] = graph.gather %{{.*}}, %[[LEAF]]
// CHECK:         %[[LEAST:.*]] = graph.reduce_min %[[WEIGHTS]] {{.*}}axes = array<i64: 1>
// CHECK:         %[[NONE:.*]] = graph.is_inf %[[LEAST]]
// CHECK:         graph.select %[[NONE]]
func.func @least(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  %y = graph.tree_ensemble %x {node = "t", targets = 1 : i64, aggregate = "min", roots = array<i64: 0>, features = array<i64: 1, 2, 0, 0, 0>, comparisons = array<i64: 0, 0, 0, 0, 0>, splits = array<f64: 0.5, -1.0, 0.0, 0.0, 0.0>, yes = array<i64: 1, 2, 2, 3, 4>, no = array<i64: 4, 3, 2, 3, 4>, missing = array<i64: 0, 0, 0, 0, 0>, leaf_rows = array<i64: 2, 3, 4>, leaf_targets = array<i64: 0, 0, 0>, leaf_weights = array<f64: 1.0, 2.0, 3.0>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}

// -----

// A sum becomes branches, each target with the trees that speak of it.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[A:.*]] = graph.tree_ensemble %x {{.*}}targets = 1 : i64, {{.*}}roots = array<i64: 0>
// CHECK:         %[[B:.*]] = graph.tree_ensemble %x {{.*}}targets = 1 : i64, {{.*}}roots = array<i64: 3>
// CHECK:         graph.concat %[[A]], %[[B]] {{.*}}axis = 1
func.func @sum(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %y = graph.tree_ensemble %x {node = "t", targets = 2 : i64, aggregate = "sum", roots = array<i64: 0, 3>, features = array<i64: 1, 0, 0, 2, 0, 0>, comparisons = array<i64: 0, 0, 0, 3, 0, 0>, splits = array<f64: 0.5, 0.0, 0.0, 0.0, 0.0, 0.0>, yes = array<i64: 1, 1, 2, 4, 4, 5>, no = array<i64: 2, 1, 2, 5, 4, 5>, missing = array<i64: 0, 0, 0, 0, 0, 0>, leaf_rows = array<i64: 1, 2, 4, 5>, leaf_targets = array<i64: 0, 0, 1, 1>, leaf_weights = array<f64: 1.0, 2.0, 3.0, 4.0>} : (tensor<4x3xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}
