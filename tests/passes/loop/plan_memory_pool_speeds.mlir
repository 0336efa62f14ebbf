// RUN: s2s-opt %s -p 'loop-plan-memory{pools="tcm=64:read=4:write=4","sram=4096:read=2:write=0.25"}' | filecheck %s

// %a moves more bytes, most of which are read; writes are slow in sram, and %b is written twice: that is in tcm.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    chosen = "1 0"
// CHECK-SAME:    accesses in pools take 400 cycles
func.func private @write_once(%y: memref<16xf32>, %x: memref<16xf32>) {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<16xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
  }
  func.return
}
func.func private @write_twice(%y: memref<16xf32>, %x: memref<16xf32>) {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<16xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
  }
  func.return
}
func.func private @read_thrice(%y: memref<16xf32>, %a: memref<16xf32>, %b: memref<16xf32>) {
  loop.for %i = 0 to 16 {
    %v = loop.load %a[affine_map<(d0) -> (d0)>(%i)] : memref<16xf32> -> f32
    %w = loop.load %a[affine_map<(d0) -> (15 - d0)>(%i)] : memref<16xf32> -> f32
    %p = loop.load %a[affine_map<(d0) -> (0)>(%i)] : memref<16xf32> -> f32
    %q = loop.load %b[affine_map<(d0) -> (d0)>(%i)] : memref<16xf32> -> f32
    %r = arith.addf %v, %w : f32
    %s = arith.addf %p, %q : f32
    %t = arith.addf %r, %s : f32
    loop.store %t, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
  }
  func.return
}
func.func @main(%y: memref<16xf32> {role = "output"}, %x: memref<16xf32> {role = "input"}) {
  %a = loop.alloc : memref<16xf32>
  func.call @write_once(%a, %x) : (memref<16xf32>, memref<16xf32>) -> ()
  %b = loop.alloc : memref<16xf32>
  func.call @write_twice(%b, %x) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @read_thrice(%y, %a, %b) : (memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
  func.return
}
