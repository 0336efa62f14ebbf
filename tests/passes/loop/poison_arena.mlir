// RUN: s2s-opt %s -p 'loop-plan-memory{io=arena},loop-poison-arena' --split-input-file | filecheck %s

// Before the first call only the input holds a value, before the second one what the first has made.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    {role = "output", offset = 0 : i64}
// CHECK-SAME:    {role = "input", offset = 0 : i64}
// CHECK-NEXT:    %a = loop.view %arena[16 : i64] : memref<32xi8> -> memref<4xf32>
// CHECK-NEXT:    %dead = loop.view %arena[16 : i64] : memref<32xi8> -> memref<16xi8>
// CHECK-NEXT:    loop.poison %dead : memref<16xi8>
// CHECK-NEXT:    func.call @k(%a, %x)
// CHECK-NEXT:    %dead_1 = loop.view %arena[0 : i64] : memref<32xi8> -> memref<16xi8>
// CHECK-NEXT:    loop.poison %dead_1 : memref<16xi8>
// CHECK-NEXT:    func.call @k(%y, %a)
// CHECK-NEXT:    func.return
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// Declined: nothing lies in the arena.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     loop.poison
func.func private @k(%y: memref<0xf32>, %x: memref<0xf32>) {
  func.return
}
func.func @main(%y: memref<0xf32> {role = "output"}, %x: memref<0xf32> {role = "input"}) {
  func.call @k(%y, %x) : (memref<0xf32>, memref<0xf32>) -> ()
  func.return
}

// -----

// What a loop carries begins in place as what has been computed: it lives from there.
// CHECK-LABEL: func.func @main
// CHECK:         %a = loop.view %arena[[[A:.*]] : i64]
// CHECK:         func.call @k(%a, %x)
// CHECK-NEXT:    %b = loop.view %arena[[[A]] : i64] {takes_over}
// CHECK-NOT:     loop.view %arena[[[A]] : i64]
// CHECK:         loop.call_for @step
// CHECK-NOT:     loop.view %arena[[[A]] : i64]
// CHECK:         func.call @k(%y, %b)
func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) {
  func.return
}
func.func private @step(%h: memref<4xf32>) {
  func.call @k(%h, %h) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @main(%y: memref<4xf32> {role = "output"}, %x: memref<4xf32> {role = "input"}) {
  %a = loop.alloc : memref<4xf32>
  func.call @k(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %b = loop.alloc : memref<4xf32>
  loop.copy %b, %a : memref<4xf32>
  loop.call_for @step(%b) {steps = 3 : i64, starts = array<i64: 0>, strides = array<i64: 0>} : (memref<4xf32>)
  func.call @k(%y, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
