// RUN: s2s-opt %s -p 'loop-limit-args{limits="main=3","dsp=2"}' | filecheck %s

// Kernels within the limit of their device stay as they are.
// CHECK-LABEL: func.func private @within
// CHECK-NEXT:    func.return
func.func private @within(%y: memref<4xf32>, %x: memref<4xf32>, %scratch: memref<2xf32>) {
  func.return
}
// CHECK-LABEL: func.func private @within_of_device
// CHECK-NEXT:    func.return
func.func private @within_of_device(%y: memref<4xf32>, %x: memref<4xf32>) attributes {device = "dsp"} {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  func.return
}
