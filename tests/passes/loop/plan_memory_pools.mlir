// RUN: s2s-opt %s -p 'loop-plan-memory{pools="tcm=32","sram=4096"}' --split-input-file | filecheck %s

// The buffer that fits the first pool is there, the other one in the second pool, and the decision says so.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    arena_pools = [{name = "tcm", offset = 0 : i64, size = 16 : i64}, {name = "sram", offset = 16 : i64, size = 256 : i64}]
// CHECK-SAME:    kind = "pools", subject = "memory", chosen = "1 0"
// CHECK:         %a = loop.view %arena[16 : i64] : memref<272xi8> -> memref<64xf32>
// CHECK:         %b = loop.view %arena[0 : i64] : memref<272xi8> -> memref<4xf32>
func.func private @k(%y: memref<64xf32>, %x: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
  }
  func.return
}
func.func private @l(%y: memref<4xf32>, %x: memref<64xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func private @m(%y: memref<4xf32>, %x: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<64xf32>
  func.call @k(%a, %x) : (memref<64xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  func.call @l(%b, %a) : (memref<4xf32>, memref<64xf32>) -> ()
  func.call @m(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
