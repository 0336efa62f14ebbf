// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

func.func private @k(%y: memref<4xf32>, %x: memref<4xf32>) attributes {kernel} {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

func.func private @test(%y: memref<1xi1>, %x: memref<4xf32>) attributes {kernel} {
  loop.for %i = 0 to 1 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<4xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %v, %zero : f32
    loop.store %c, %y[affine_map<(i) -> (i)>(%i)] : i1, memref<1xi1>
  }
  func.return
}

// A network that another one runs becomes a static function; what it only reads is const.
// CHECK:      static void net_body(void *arena, float *y, float *h, const float *x)
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     net_k(a + 0, x); /* copy */
// CHECK-NEXT:     net_k(y, h);     /* out */
// CHECK-NEXT:     memcpy(h, a + 0, 16);
// CHECK-NEXT: }
func.func private @body(%arena: memref<16xi8> {role = "arena"}, %y: memref<4xf32> {role = "output"}, %h: memref<4xf32> {role = "input"}, %x: memref<4xf32> {role = "input"}) attributes {arena_size = 16 : i64} {
  %t = loop.view %arena[0] : memref<16xi8> -> memref<4xf32>
  func.call @k(%t, %x) {node = "copy"} : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @k(%y, %h) {node = "out"} : (memref<4xf32>, memref<4xf32>) -> ()
  loop.copy %h, %t : memref<4xf32>
  func.return
}

func.func private @condition(%arena: memref<1xi8> {role = "arena"}, %go: memref<1xi1> {role = "output"}, %h: memref<4xf32> {role = "input"}) attributes {arena_size = 0 : i64} {
  func.call @test(%go, %h) : (memref<1xi1>, memref<4xf32>) -> ()
  func.return
}

func.func private @again(%arena: memref<1xi8> {role = "arena"}, %h: memref<4xf32> {role = "input"}) attributes {arena_size = 0 : i64} {
  func.call @k(%h, %h) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// Loops and conditions stand around the calls; state begins with a weight or with zeros, by a function of its own.
// CHECK:      s2s_status net_reset(void *arena)
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (arena == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     memcpy(a + 0, net_start, 16);
// CHECK-NEXT:     memset(a + 4, 0, 16);
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
// CHECK:      s2s_status net_run(void *arena, const float x[NET_X_SIZE], const bool c[NET_C_SIZE], float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a_f32 = arena;
// CHECK-NEXT:     int8_t *const a_i8 = arena;
// CHECK-NEXT:     bool *const a_bool = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (arena == NULL || x == NULL || c == NULL || y == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     /* lstm */
// CHECK-NEXT:     for (int32_t t = 0; t < 3; t++) {
// CHECK-NEXT:         net_body(a_i8 + 32, y + t * 4, a_f32 + 0, x + (8 - t * 4));
// CHECK-NEXT:     }
// CHECK-EMPTY:
// CHECK-NEXT:     for (;;) {
// CHECK-NEXT:         net_condition(arena, a_bool + 48, a_f32 + 4);
// CHECK-NEXT:         if (!(a_bool + 48)[0]) {
// CHECK-NEXT:             break;
// CHECK-NEXT:         }
// CHECK-NEXT:         net_again(arena, a_f32 + 4);
// CHECK-NEXT:     }
// CHECK-EMPTY:
// CHECK-NEXT:     if (c[0]) {
// CHECK-NEXT:         net_again(arena, a_f32 + 4);
// CHECK-NEXT:     } else {
// CHECK-NEXT:         net_again(arena, a_f32 + 4);
// CHECK-NEXT:     }
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
func.func @main(%arena: memref<64xi8> {role = "arena"}, %y: memref<12xf32> {name = "y", role = "output", shape = array<i64: 3, 4>}, %x: memref<12xf32> {name = "x", role = "input", shape = array<i64: 3, 4>}, %c: memref<1xi1> {name = "c", role = "input", shape = array<i64>}) attributes {arena_size = 64 : i64, arena_align = 16 : i64, arena_lower_bound = 64 : i64} {
  %h = loop.view %arena[0] {state = "h", init = "start"} : memref<64xi8> -> memref<4xf32>
  %n = loop.view %arena[16] {state = "n"} : memref<64xi8> -> memref<4xf32>
  %inner = loop.view %arena[32] : memref<64xi8> -> memref<16xi8>
  %flag = loop.view %arena[48] : memref<64xi8> -> memref<1xi1>
  loop.call_for @body in %inner : memref<16xi8>(%y, %h, %x) {steps = 3 : i64, starts = array<i64: 0, 0, 8>, strides = array<i64: 4, 0, -4>, node = "lstm"} : (memref<12xf32>, memref<4xf32>, memref<12xf32>)
  loop.call_while @condition sets %flag do @again in %arena(%n) : memref<1xi1>, memref<64xi8>(memref<4xf32>)
  loop.call_if %c then @again else @again in %arena(%n) : memref<1xi1>, memref<64xi8>(memref<4xf32>)
  func.return
}
