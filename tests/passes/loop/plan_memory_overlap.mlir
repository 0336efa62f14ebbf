// RUN: s2s-opt %s -p 'loop-plan-memory{io=arena overlap=true}' | filecheck %s

// Each element is read once more after the first result from it is stored: the result starts an element before the
// operand that dies. The last kernel runs from the end to the start. Input and output of the network have places as well.
// CHECK:         in_place = array<i64: 1>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arena: memref<36xi8> {role = "arena"}
// CHECK-SAME:    {role = "output", offset = 8 : i64}
// CHECK-SAME:    {role = "input", offset = 4 : i64}
// CHECK-SAME:    arena_lower_bound = 36 : i64, arena_apart_bound = 64 : i64
// CHECK-SAME:    arena_overlaps = [{nodes = "", argument = 1 : i64, bytes = 28 : i64, distance = -4 : i64}
// CHECK-NEXT:    loop.view %arena[0 : i64]
func.func private @k(%y: memref<8xf32>, %x: memref<8xf32>) {
  %first = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> f32
  loop.store %first, %y[affine_map<() -> (0)>()] : f32, memref<8xf32>
  loop.for %i = 1 to 8 {
    %a = loop.load %x[affine_map<(d0) -> (d0 - 1)>(%i)] : memref<8xf32> -> f32
    %b = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    %s = arith.addf %a, %b : f32
    loop.store %s, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}
func.func private @backwards(%y: memref<6xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 6 {
    %a = loop.load %x[affine_map<(d0) -> (7 - d0)>(%i)] : memref<8xf32> -> f32
    loop.store %a, %y[affine_map<(d0) -> (5 - d0)>(%i)] : f32, memref<6xf32>
  }
  func.return
}
func.func @main(%y: memref<6xf32> {role = "output"}, %x: memref<8xf32> {role = "input"}) {
  %a = loop.alloc : memref<8xf32>
  func.call @k(%a, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @backwards(%y, %a) : (memref<6xf32>, memref<8xf32>) -> ()
  func.return
}
