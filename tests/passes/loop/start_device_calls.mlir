// RUN: s2s-opt %s -p 'loop-start-device-calls{devices=dsp}' --split-input-file | filecheck %s

// A kernel of another device that writes nothing of it, and reads nothing that it writes, runs meanwhile; the wait keeps
// the buffers alive.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    loop.start_device_calls "dsp"
// CHECK-NEXT:    func.call @dsp_k(%a, %x)
// CHECK-NEXT:    func.call @dsp_k(%b, %a)
// CHECK-NEXT:    func.call @k(%c, %x)
// CHECK-NEXT:    loop.wait_device_calls "dsp", %a, %x, %b
// CHECK-NEXT:    func.call @k(%y, %b)
// CHECK-NEXT:    func.return
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func private @dsp_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel, device = "dsp"} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>, %z: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  func.call @dsp_k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @dsp_k(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%c, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// A copy that is started follows the kernels in the order of the device; one that is not waits for them.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    loop.start_device_calls "dsp"
// CHECK-NEXT:    func.call @dsp_k(%a, %x)
// CHECK-NEXT:    loop.start_device_copy %b, %a from "dsp" to "main"
// CHECK-NEXT:    func.call @dsp_k(%c, %a)
// CHECK-NEXT:    loop.wait_device_calls "dsp", %a, %x, %c
// CHECK-NEXT:    loop.wait_device_copy %b, %a from "dsp" to "main"
// CHECK-NEXT:    loop.start_device_calls "dsp"
// CHECK-NEXT:    func.call @dsp_k(%a, %x)
// CHECK-NEXT:    loop.wait_device_calls "dsp", %a, %x
// CHECK-NEXT:    loop.device_copy %y, %c from "dsp" to "main"
// CHECK-NEXT:    func.return
func.func private @dsp_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel, device = "dsp"} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  func.call @dsp_k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.start_device_copy %b, %a from "dsp" to "main" : memref<4xf32>
  func.call @dsp_k(%c, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.wait_device_copy %b, %a from "dsp" to "main" : memref<4xf32>
  func.call @dsp_k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.device_copy %y, %c from "dsp" to "main" : memref<4xf32>
  func.return
}

// -----

// Declined: a device whose kernels are called as functions that return when they are done.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.call @npu_k(%y, %x)
// CHECK-NEXT:    func.return
func.func private @npu_k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel, device = "npu"} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.call @npu_k(%y, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
