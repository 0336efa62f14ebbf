// RUN: s2s-opt %s -p loop-form-fma | filecheck %s

// CHECK-LABEL: func.func @vectors
// CHECK-NEXT:    %s = loop.fma %a, %b, %acc : vector<4xf32>
// CHECK-NEXT:    func.return %s
func.func @vectors(%a: vector<4xf32>, %b: vector<4xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %p = arith.mulf %a, %b : vector<4xf32>
  %s = arith.addf %acc, %p : vector<4xf32>
  func.return %s : vector<4xf32>
}

// CHECK-LABEL: func.func @declined_for_scalars
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
func.func @declined_for_scalars(%a: f32, %b: f32, %acc: f32) -> f32 {
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %acc, %p : f32
  func.return %s : f32
}

// CHECK-LABEL: func.func @declined_for_a_shared_product
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
func.func @declined_for_a_shared_product(%a: vector<4xf32>, %acc: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %p = arith.mulf %a, %a : vector<4xf32>
  %s = arith.addf %acc, %p : vector<4xf32>
  func.return %s, %p : vector<4xf32>, vector<4xf32>
}
