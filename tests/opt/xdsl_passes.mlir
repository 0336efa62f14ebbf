// RUN: s2s-opt -p canonicalize,cse,dce %s | filecheck %s

// CHECK-LABEL: func.func @unused_is_removed
// CHECK-NEXT: func.return
func.func @unused_is_removed(%x: f32) {
  %y = arith.addf %x, %x : f32
  func.return
}
