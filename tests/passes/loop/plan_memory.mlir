// RUN: s2s-opt %s -p loop-plan-memory --split-input-file | filecheck %s

// The second buffer takes over the first, which dies in the call that makes it.
// CHECK:         in_place = array<i64: 1>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arena: memref<16xi8> {role = "arena"}
// CHECK-SAME:    arena_size = 16 : i64, arena_align = 4 : i64, arena_lower_bound = 16 : i64
// CHECK-NEXT:    %a = loop.view %arena[0 : i64] : memref<16xi8> -> memref<4xf32>
// CHECK-NEXT:    func.call @k(%a, %x)
// CHECK-NEXT:    %b = loop.view %arena[0 : i64] : memref<16xi8> -> memref<4xf32>
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {in_place = array<i64: 1>} {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  func.call @k(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// Declined: the kernel may not overwrite its input, so both buffers live at once.
// CHECK:         in_place = array<i64>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arena: memref<32xi8>
// CHECK-SAME:    arena_size = 32 : i64
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  func.call @k(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// State stands in front of the other buffers, where it outlives the run.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%arena: memref<32xi8> {role = "arena"}, %y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"})
// CHECK-SAME:    arena_size = 32 : i64, arena_align = 4 : i64, arena_lower_bound = 32 : i64
// CHECK-NEXT:    %h = loop.view %arena[0 : i64] {init = "w", state = "h"} : memref<32xi8> -> memref<4xf32>
// CHECK-NEXT:    %a = loop.view %arena[16 : i64] : memref<32xi8> -> memref<4xf32>
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %h: memref<4xf32> {role = "state", name = "h", init = "w"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %h) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.copy %h, %a : memref<4xf32>
  func.return
}

// -----

// A network that another one runs is planned first; its arena is a buffer of the caller's. A copy of what dies is made
// in place.
// CHECK-LABEL: func.func private @body
// CHECK-SAME:    (%arena: memref<16xi8> {role = "arena"}, %h: memref<4xf32>)
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = loop.view %arena[[[A:.*]] : i64] : memref<32xi8> -> memref<4xf32>
// CHECK-NEXT:    func.call @k(%a, %x)
// CHECK-NEXT:    %b = loop.view %arena[[[A]] : i64]
// CHECK-NEXT:    %inner = loop.view %arena[{{.*}} : i64] : memref<32xi8> -> memref<16xi8>
// CHECK-NEXT:    loop.call_for @body in %inner : memref<16xi8>(%b)
// CHECK-NEXT:    func.call @k(%y, %b)
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func private @body(%h: memref<4xf32>) {
  %t = loop.alloc : memref<4xf32>
  func.call @k(%t, %h) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%h, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  loop.copy %b, %a : memref<4xf32>
  loop.call_for @body(%b) {steps = 3 : i64, starts = array<i64: 0>, strides = array<i64: 0>} : (memref<4xf32>)
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
