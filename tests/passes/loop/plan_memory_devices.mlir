// RUN: s2s-opt %s -p 'loop-annotate-memory-scope{devices=dsp},loop-plan-memory{devices="dsp=64"}' --split-input-file | filecheck %s

// Buffers that the kernels of a device access are in its segment; a copy reads one memory and writes the other.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arena: memref<48xi8>
// CHECK-SAME:    arena_pools = [{name = "main", offset = 0 : i64, size = 16 : i64}, {name = "dsp", offset = 16 : i64, size = 32 : i64}]
// CHECK:         loop.view %arena[0 : i64]
// CHECK:         func.call @first
// CHECK:         loop.view %arena[{{16|32}} : i64]
// CHECK:         loop.device_copy %{{.*}}, %{{.*}} from "main" to "dsp"
// CHECK:         loop.view %arena[{{16|32}} : i64]
// CHECK:         func.call @second
// CHECK:         loop.device_copy %y, %{{.*}} from "dsp" to "main"
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
