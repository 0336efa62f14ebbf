// RUN: s2s-opt %s -p 'loop-place-code{pools="itcm=1400:code"}' | filecheck %s
// RUN: s2s-opt %s -p 'loop-place-code{pools="itcm=1400:code" places="cold=itcm"}' | filecheck %s --check-prefix=PLACED

// The kernel with most work for a byte has room, the other one has none.
// CHECK-LABEL: func.func private @cold
// CHECK-SAME: candidates = [{note = "planned"}]}]} {
// CHECK-LABEL: func.func private @hot
// CHECK-SAME: pool = "itcm"
// PLACED-LABEL: func.func private @cold
// PLACED-SAME: pool = "itcm"
// PLACED-LABEL: func.func private @hot
// PLACED-SAME: candidates = [{note = "planned"}]}]} {
func.func private @cold(%y: memref<64xf32>, %x: memref<64xf32>) attributes {kernel} {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
  }
  func.return
}
func.func private @hot(%y: memref<64xf32>, %x: memref<64xf32>) attributes {kernel} {
  loop.for %i = 0 to 64 unroll 16 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
  }
  func.return
}
func.func @main(%y: memref<64xf32>, %x: memref<64xf32>) {
  func.call @cold(%y, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @hot(%y, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  func.return
}
