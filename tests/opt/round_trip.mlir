// RUN: s2s-opt %s | s2s-opt | filecheck %s
// RUN: s2s-opt --print-op-generic %s | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: func.func @twice
// CHECK-SAME: %x: f32
// CHECK-NEXT: %y = arith.addf %x, %x : f32
// GENERIC: "arith.addf"(%x, %x)
func.func @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  func.return %y : f32
}
