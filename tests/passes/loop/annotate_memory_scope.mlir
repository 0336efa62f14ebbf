// RUN: s2s-opt %s -p 'loop-annotate-memory-scope{devices=dsp}' --split-input-file | filecheck %s

// What kernels of the device access, and what is copied there, is in its memory; the rest in that of the first one.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = loop.alloc : memref<4xf32>
// CHECK:         %b = loop.alloc {memory_scope = "dsp"} : memref<4xf32>
// CHECK:         %c = loop.alloc {memory_scope = "dsp"} : memref<4xf32>
func.func private @first(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func private @second(%y: memref<4xf32>, %x: memref<4xf32>) attributes {device = "dsp"} {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @first(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  loop.device_copy %b, %a from "main" to "dsp" : memref<4xf32>
  %c = loop.alloc : memref<4xf32>
  func.call @second(%c, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.device_copy %y, %c from "dsp" to "main" : memref<4xf32>
  func.return
}

// -----

// Declined: a device that shares the memory of the first one.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = loop.alloc : memref<4xf32>
func.func private @npu_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {device = "npu"} {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @npu_k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @npu_k(%y, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
