// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// A window with slack moves on by the runtime; one without is copied in place. A parameter has the name already.
// CHECK:     float *const x_2 = s2s_advance(a_f32 + 0, a_i32 + 6, 16, 4, 8);
// CHECK:     net_k(y, x_2);
// CHECK:     s2s_move_down(a_f32 + 8, 16, 8);
// CHECK:     net_k(y, a_f32 + 8);
func.func @main(%arena: memref<48xi8> {role = "arena"}, %y: memref<4xf32> {role = "output", name = "y", shape = array<i64: 4>}, %in: memref<4xf32> {role = "input", name = "x", shape = array<i64: 4>}) attributes {arena_size = 48 : i64, arena_align = 4 : i64} {
  %memory = loop.view %arena[0] {state = "x", shape = array<i64: 6>} : memref<48xi8> -> memref<6xf32>
  %at = loop.view %arena[24] {state = "x_position", shape = array<i64: 1>} : memref<48xi8> -> memref<1xi32>
  %other = loop.view %arena[32] {state = "z", shape = array<i64: 4>} : memref<48xi8> -> memref<4xf32>
  %x = loop.advance %memory at %at : memref<1xi32> {by = 1 : i64} : memref<6xf32> -> memref<4xf32>
  func.call @k(%y, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  %z = loop.advance %other {by = 2 : i64} : memref<4xf32> -> memref<4xf32>
  func.call @k(%y, %z) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
