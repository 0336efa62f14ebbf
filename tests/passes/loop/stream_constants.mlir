// RUN: s2s-opt %s -p 'loop-stream-constants{pools="tcm=2200","flash=4096:streamed"}' --split-input-file | filecheck %s

// The copy starts in front of the kernel before its reader, which then reads the copy; the small constant stays.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    kind = "streams", subject = "constants", chosen = "- 1"
// CHECK:         %w = loop.weight "w" {{.*}}pool = "flash"{{.*}} : memref<128xf32>
// CHECK:         func.call @first(%a, %x, %v, %p)
// CHECK:         %w_1 = loop.alloc : memref<128xf32>
// CHECK-NEXT:    loop.start_device_copy %w_1, %w from "flash" to "main" : memref<128xf32>
// CHECK-NEXT:    func.call @second(%b, %a)
// CHECK-NEXT:    loop.wait_device_copy %w_1, %w from "flash" to "main" : memref<128xf32>
// CHECK-NEXT:    func.call @third(%y, %b, %w_1)
func.func private @first(%y: memref<16xf32>, %x: memref<4xf32>, %v: memref<4xf32>, %p: memref<512xf32>) {
  func.return
}
func.func private @second(%y: memref<16xf32>, %x: memref<16xf32>) {
  loop.for %i = 0 to 4096 {
    %v = loop.load %x[affine_map<() -> (0)>()] : memref<16xf32> -> f32
    loop.store %v, %y[affine_map<() -> (0)>()] : f32, memref<16xf32>
  }
  func.return
}
func.func private @third(%y: memref<4xf32>, %x: memref<16xf32>, %w: memref<128xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<16xf32>
  %p = loop.alloc : memref<512xf32>
  %v = loop.weight "v" {hash = "1"} : memref<4xf32>
  func.call @first(%a, %x, %v, %p) : (memref<16xf32>, memref<4xf32>, memref<4xf32>, memref<512xf32>) -> ()
  %b = loop.alloc : memref<16xf32>
  func.call @second(%b, %a) : (memref<16xf32>, memref<16xf32>) -> ()
  %w = loop.weight "w" {hash = "2"} : memref<128xf32>
  func.call @third(%y, %b, %w) : (memref<4xf32>, memref<16xf32>, memref<128xf32>) -> ()
  func.return
}

// -----

// Declined: what fits beside the buffers stays where kernels read it.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     loop.start_device_copy
// CHECK:         func.call @first(%y, %x, %v)
func.func private @first(%y: memref<4xf32>, %x: memref<4xf32>, %w: memref<4xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %v = loop.weight "v" {hash = "1"} : memref<4xf32>
  func.call @first(%y, %x, %v) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
