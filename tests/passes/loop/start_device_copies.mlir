// RUN: s2s-opt %s -p 'loop-start-device-copies{devices=dsp}' --split-input-file | filecheck %s

// A copy starts once its source is computed, and a kernel that touches neither buffer runs before the wait.
// CHECK-LABEL: func.func @main
// CHECK:         func.call @k(%a, %x)
// CHECK-NEXT:    %b = loop.alloc
// CHECK-NEXT:    loop.start_device_copy %b, %a from "main" to "dsp"
// CHECK:         func.call @k(%z, %x)
// CHECK-NEXT:    loop.wait_device_copy %b, %a from "main" to "dsp"
// CHECK-NEXT:    func.call @k(%y, %b)
// CHECK-NEXT:    func.return
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %z = loop.alloc : memref<4xf32>
  func.call @k(%z, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  loop.device_copy %b, %a from "main" to "dsp" : memref<4xf32>
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// Declined: another device, whose hooks copy at once.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    loop.device_copy %y, %x from "main" to "npu"
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) {
  loop.device_copy %y, %x from "main" to "npu" : memref<4xf32>
  func.return
}
