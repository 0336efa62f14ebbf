// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

// The loop over rows is run by the caller: what stands before it begins a frame, what stands behind it ends one.

// CHECK:      extern const float net_zero[2];
// CHECK-EMPTY:
// CHECK-NEXT: void net_k(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 2; i++) {
// CHECK-NEXT:         y[i] = x[i];
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: void net_cut(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 2; i++) {
// CHECK-NEXT:         y[i] = x[i + 2];
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void net_body(void *arena, float *ring, const float *row)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     net_k(ring, row);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void net_fill(void *arena, float *ring)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     net_k(ring, net_zero);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void net_second(void *arena, float *h, const float *ring)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     net_cut(h, ring);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void net_tick(void *arena, int32_t t, const float *row)
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (t < 6) {
// CHECK-NEXT:         s2s_move_down(a + 0, 16, 8);
// CHECK-NEXT:         net_body(arena, a + 0 + 2, row);
// CHECK-NEXT:     }
// CHECK-NEXT:     if (t == 6) {
// CHECK-NEXT:         s2s_move_down(a + 0, 16, 8);
// CHECK-NEXT:         net_fill(arena, a + 0 + 2);
// CHECK-NEXT:     }
// CHECK-NEXT:     if (t >= 2 && t % 2 == 0) {
// CHECK-NEXT:         net_second(arena, a + 4 + ((t - 2) / 2) * 2, a + 0);
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: s2s_status net_reset(void *arena)
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a_f32 = arena;
// CHECK-NEXT:     int32_t *const a_i32 = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (arena == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     net_k(a_f32 + 0, net_zero); /* begin */
// CHECK-NEXT:     (a_i32 + 12)[0] = 0;
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: s2s_status net_push(void *arena, const float *x, int32_t count)
// CHECK-NEXT: {
// CHECK-NEXT:     int32_t *const a = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (arena == NULL || x == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     const int32_t before = (a + 12)[0];
// CHECK-NEXT:     if (before < 0 || count < 0 || count > 6 - before) {
// CHECK-NEXT:         return S2S_ERR_RANGE;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (int32_t i = 0; i < count; i++) {
// CHECK-NEXT:         net_tick(arena, before + i, x + i * 2);
// CHECK-NEXT:     }
// CHECK-EMPTY:
// CHECK-NEXT:     (a + 12)[0] = before + count;
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: s2s_status net_finish(void *arena, float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a_f32 = arena;
// CHECK-NEXT:     int32_t *const a_i32 = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (arena == NULL || y == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     if ((a_i32 + 12)[0] != 6) {
// CHECK-NEXT:         return S2S_ERR_STATE;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (int32_t t = 6; t < 7; t++) {
// CHECK-NEXT:         net_tick(arena, t, NULL);
// CHECK-NEXT:     }
// CHECK-EMPTY:
// CHECK-NEXT:     net_k(y, a_f32 + 4); /* end */
// CHECK-NEXT:     (a_i32 + 12)[0] = -1;
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: s2s_status net_run(void *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     const s2s_status reset_status = net_reset(arena);
// CHECK-EMPTY:
// CHECK-NEXT:     if (reset_status != S2S_OK) {
// CHECK-NEXT:         return reset_status;
// CHECK-NEXT:     }
// CHECK-NEXT:     const s2s_status push_status = net_push(arena, x, 6);
// CHECK-NEXT:     if (push_status != S2S_OK) {
// CHECK-NEXT:         return push_status;
// CHECK-NEXT:     }
// CHECK-NEXT:     return net_finish(arena, y);
// CHECK-NEXT: }
func.func private @k(%y: memref<2xf32>, %x: memref<2xf32>) attributes {kernel} {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<2xf32> -> f32
    loop.store %v, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<2xf32>
  }
  func.return
}
func.func private @cut(%y: memref<2xf32>, %x: memref<4xf32>) attributes {kernel} {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(i) -> (i + 2)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<2xf32>
  }
  func.return
}
func.func private @body(%arena: memref<1xi8> {role = "arena"}, %ring: memref<2xf32> {role = "input"}, %row: memref<2xf32> {role = "input"}) attributes {arena_size = 0 : i64} {
  func.call @k(%ring, %row) : (memref<2xf32>, memref<2xf32>) -> ()
  func.return
}
func.func private @fill(%arena: memref<1xi8> {role = "arena"}, %ring: memref<2xf32> {role = "input"}) attributes {arena_size = 0 : i64} {
  %zero = loop.weight "zero" {hash = "c0ffee"} : memref<2xf32>
  func.call @k(%ring, %zero) : (memref<2xf32>, memref<2xf32>) -> ()
  func.return
}
func.func private @second(%arena: memref<1xi8> {role = "arena"}, %h: memref<2xf32> {role = "input"}, %ring: memref<4xf32> {role = "input"}) attributes {arena_size = 0 : i64} {
  func.call @cut(%h, %ring) : (memref<2xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @main(%arena: memref<64xi8> {role = "arena"}, %y: memref<2xf32> {role = "output", name = "y"}, %x: memref<12xf32> {role = "input", name = "x"}) attributes {arena_size = 64 : i64, arena_align = 8 : i64} {
  %ring = loop.view %arena[0] : memref<64xi8> -> memref<4xf32>
  %front = loop.view %arena[0] : memref<64xi8> -> memref<2xf32>
  %h = loop.view %arena[16] : memref<64xi8> -> memref<8xf32>
  %head = loop.view %arena[16] : memref<64xi8> -> memref<2xf32>
  %count = loop.view %arena[48] : memref<64xi8> -> memref<1xi32>
  %zero = loop.weight "zero" {hash = "c0ffee"} : memref<2xf32>
  func.call @k(%front, %zero) {node = "begin"} : (memref<2xf32>, memref<2xf32>) -> ()
  loop.call_rows count %count : memref<1xi32> in %arena : memref<64xi8> (%x, %ring, %h) {bodies = [@body, @fill, @second], every = array<i64: 1, 1, 2>, firsts = array<i64: 0, 6, 2>, steps = array<i64: 6, 1, 3>, taken = array<i64: 1, 0, 1, 2, 1>, counts = array<i64: 2, 1, 2>, written = array<i64: 1, 1, 1>, sizes = array<i64: 2, 2, 2>} : (memref<12xf32>, memref<4xf32>, memref<8xf32>)
  func.call @k(%y, %head) {node = "end"} : (memref<2xf32>, memref<2xf32>) -> ()
  loop.end_rows %count : memref<1xi32>
  func.return
}
