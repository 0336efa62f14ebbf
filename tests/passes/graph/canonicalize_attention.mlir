// RUN: s2s-opt %s -p graph-canonicalize-attention | filecheck %s

// CHECK-LABEL: func.func @factors
// CHECK-NEXT:    %[[s:.*]] = graph.matmul %q, %k {transpose_b}
// CHECK-NEXT:    %[[f:.*]] = graph.constant dense<1.250000e-01>
// CHECK-NEXT:    %[[scaled:.*]] = graph.mul %[[s]], %[[f]]
// CHECK-NEXT:    graph.softmax %[[scaled]]
func.func @factors(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %h = graph.constant dense<0.5> : tensor<f32>
  %f = graph.constant dense<0.25> : tensor<1xf32>
  %a = graph.mul %q, %h : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %b = graph.mul %f, %k : (tensor<1xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %s = graph.matmul %a, %b {transpose_b} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %p = graph.softmax %s {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %p : tensor<3x5xf32>
}

// No score is below the lowest number: it is a limit.
// CHECK-LABEL: func.func @limited
// CHECK:         graph.matmul
// CHECK-NEXT:    %[[inf:.*]] = graph.constant
// CHECK-NEXT:    %[[limit:.*]] = graph.select %mask, %[[inf]], %low : (tensor<5xi1>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
// CHECK-NEXT:    %m = graph.minimum %s, %[[limit]]
func.func @limited(%q: tensor<3x4xf32>, %k: tensor<4x5xf32>, %mask: tensor<5xi1>) -> tensor<3x5xf32> {
  %low = graph.constant dense<-3.4e38> : tensor<f32>
  %s = graph.matmul %q, %k : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %m = graph.select %mask, %s, %low : (tensor<5xi1>, tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.softmax %m {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %p : tensor<3x5xf32>
}

// Where the condition holds, scores are hidden: by a factor, and a number that takes their place.
// CHECK-LABEL: func.func @hidden
// CHECK:         %[[keep:.*]] = graph.select %mask, %{{.*}}, %{{.*}} : (tensor<3x5xi1>, tensor<f32>, tensor<f32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %[[kept:.*]] = graph.mul %s, %[[keep]]
// CHECK:         %[[low:.*]] = graph.select %mask, %low, %{{.*}}
// CHECK-NEXT:    %m = graph.add %[[kept]], %[[low]]
func.func @hidden(%q: tensor<3x4xf32>, %k: tensor<4x5xf32>, %mask: tensor<3x5xi1>, %low: tensor<f32>) -> tensor<3x5xf32> {
  %s = graph.matmul %q, %k : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %m = graph.select %mask, %low, %s : (tensor<3x5xi1>, tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %p = graph.softmax %m {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %p : tensor<3x5xf32>
}

// Rows without a key that counts are rows of the result; here it is known that there are none.
// CHECK-LABEL: func.func @empty_rows
// CHECK:         %[[o:.*]] = graph.matmul %p, %v
// CHECK-NEXT:    %{{.*}} = graph.select %empty, %zero, %[[o]] : (tensor<3x1xi1>, tensor<1xf32>, tensor<3x4xf32>)
func.func @empty_rows(%x: tensor<3x5xf32>, %v: tensor<5x4xf32>, %empty: tensor<3x1xi1>) -> tensor<3x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %p = graph.softmax %x {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %w = graph.select %empty, %zero, %p : (tensor<3x1xi1>, tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.matmul %w, %v : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}
// CHECK-LABEL: func.func @no_empty_rows
// CHECK:         graph.softmax
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    func.return
func.func @no_empty_rows(%x: tensor<3x5xf32>, %v: tensor<5x4xf32>) -> tensor<3x4xf32> {
  %empty = graph.constant dense<false> : tensor<3x1xi1>
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %p = graph.softmax %x {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %w = graph.select %empty, %zero, %p : (tensor<3x1xi1>, tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.matmul %w, %v : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}

// Declined: no softmax follows, a factor for each column, and nothing that is a product.
// CHECK-LABEL: func.func @no_softmax
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.mul
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.select
func.func @no_softmax(%q: tensor<3x4xf32>, %k: tensor<4x5xf32>, %mask: tensor<3x5xi1>, %low: tensor<f32>) -> tensor<3x5xf32> {
  %h = graph.constant dense<0.5> : tensor<f32>
  %a = graph.mul %q, %h : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %s = graph.matmul %a, %k : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %m = graph.select %mask, %low, %s : (tensor<3x5xi1>, tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %m : tensor<3x5xf32>
}
// CHECK-LABEL: func.func @other_operands
// CHECK:         graph.mul
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.softmax
// CHECK-NEXT:    graph.select
// CHECK-NEXT:    graph.softmax
func.func @other_operands(%q: tensor<3x4xf32>, %k: tensor<4x5xf32>, %mask: tensor<3x4xi1>, %low: tensor<f32>) -> (tensor<3x5xf32>, tensor<3x4xf32>) {
  %f = graph.constant dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %a = graph.mul %q, %f : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %s = graph.matmul %a, %k : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %p = graph.softmax %s {axis = 1} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.select %mask, %low, %q : (tensor<3x4xi1>, tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = graph.softmax %m {axis = 1} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %p, %r : tensor<3x5xf32>, tensor<3x4xf32>
}

// Products of unscaled halves may overflow.
// CHECK-LABEL: func.func @factors_of_halves
// CHECK:         graph.mul %q
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.softmax
func.func @factors_of_halves(%q: tensor<3x4xf16>, %k: tensor<4x5xf16>) -> tensor<3x5xf16> {
  %h = graph.constant dense<0.5> : tensor<f16>
  %a = graph.mul %q, %h : (tensor<3x4xf16>, tensor<f16>) -> tensor<3x4xf16>
  %s = graph.matmul %a, %k : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  %p = graph.softmax %s {axis = 1} : (tensor<3x5xf16>) -> tensor<3x5xf16>
  func.return %p : tensor<3x5xf16>
}
