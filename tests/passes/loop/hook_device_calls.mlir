// RUN: s2s-opt %s -p 'loop-hook-device-calls{devices=dsp}' --split-input-file | filecheck %s

// Two kernels in a row are one stay; a copy between kernels ends it.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.call @k(%a, %x)
// CHECK-NEXT:    loop.enter_device "dsp"
// CHECK-NEXT:    func.call @dsp_k(%b, %a)
// CHECK-NEXT:    %d = loop.alloc
// CHECK-NEXT:    func.call @dsp_k(%d, %b)
// CHECK-NEXT:    loop.leave_device "dsp"
// CHECK-NEXT:    loop.device_copy %e, %d from "dsp" to "main"
// CHECK-NEXT:    loop.enter_device "dsp"
// CHECK-NEXT:    func.call @dsp_k(%y, %b)
// CHECK-NEXT:    loop.leave_device "dsp"
// CHECK-NEXT:    func.return
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel} {
  func.return
}
func.func private @dsp_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel, device = "dsp"} {
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>, %e: memref<4xf32>) {
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @dsp_k(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  %d = loop.alloc : memref<4xf32>
  func.call @dsp_k(%d, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.device_copy %e, %d from "dsp" to "main" : memref<4xf32>
  func.call @dsp_k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// Declined: a device without such hooks.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.call @npu_k(%y, %x)
// CHECK-NEXT:    func.return
func.func private @npu_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel, device = "npu"} {
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.call @npu_k(%y, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
