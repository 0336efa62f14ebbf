// RUN: s2s-opt %s -p 'loop-cut-into-steps{most=40 unit=macs},loop-lower-to-c{prefix=net},c-name-temporaries' -t c | filecheck %s --match-full-lines

// CHECK:      void net_rows(float *restrict y, const float *restrict x, int32_t tile)
// CHECK-NEXT: {
// CHECK-NEXT:     const int32_t i_end = s2s_i32_min(tile * 4 + 4, 11);
// CHECK-EMPTY:
// CHECK-NEXT:     for (int32_t i = tile * 4; i < i_end; i++) {

// A network that another one runs takes the number of its step.
// CHECK:      static void net_body(void *arena, float *y, const float *x, int32_t tile)
// CHECK-NEXT: {
// CHECK-NEXT:     float *const a = arena;
// CHECK-EMPTY:
// CHECK-NEXT:     if (tile < 3) {
// CHECK-NEXT:         net_rows(a + 0, x, tile);
// CHECK-NEXT:     } else {
// CHECK-NEXT:         net_rows(y, a + 0, tile - 3);
// CHECK-NEXT:     }
// CHECK-NEXT: }

func.func private @rows(%y: memref<88xf32>, %x: memref<88xf32>) attributes {kernel} {
  loop.for %i = 0 to 11 {
    loop.for %j = 0 to 8 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<88xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : f32, memref<88xf32>
    }
  }
  func.return
}

func.func private @short(%y: memref<12xf32>, %x: memref<88xf32>) attributes {kernel} {
  loop.for %i = 0 to 12 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<88xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<12xf32>
  }
  func.return
}

func.func private @body(%arena: memref<352xi8> {role = "arena"}, %y: memref<88xf32>, %x: memref<88xf32>) {
  %h = loop.view %arena[0 : i64] : memref<352xi8> -> memref<88xf32>
  func.call @rows(%h, %x) : (memref<88xf32>, memref<88xf32>) -> ()
  func.call @rows(%y, %h) : (memref<88xf32>, memref<88xf32>) -> ()
  func.return
}

// CHECK:      s2s_status net_begin(net_steps *steps, void *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE])
// CHECK:          steps->kernel = 0;
// CHECK-NEXT:     steps->tile = 0;
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: s2s_status net_step(net_steps *steps)
// CHECK:          switch (kernel) {
// CHECK-NEXT:     case 0:
// CHECK-NEXT:         net_rows(a_f32 + 0, steps->x, tile);
// CHECK-NEXT:         tiles = 3;
// CHECK-NEXT:         break;
// CHECK-NEXT:     case 1:
// CHECK-NEXT:         net_body(a_i8 + 704, a_f32 + 88, a_f32 + 0, tile % 6);
// CHECK-NEXT:         tiles = 12;
// CHECK-NEXT:         break;
// CHECK-NEXT:     case 2:
// CHECK-NEXT:         net_short(steps->y, a_f32 + 88);
// CHECK-NEXT:         break;
// CHECK-NEXT:     default:
// CHECK-NEXT:         return S2S_ERR_STATE;
// CHECK-NEXT:     }
// CHECK:      s2s_status net_run(void *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     net_steps steps;
// CHECK-NEXT:     const s2s_status begun = net_begin(&steps, arena, x, y);
// CHECK-EMPTY:
// CHECK-NEXT:     if (begun != S2S_OK) {
// CHECK-NEXT:         return begun;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (;;) {
// CHECK-NEXT:         const s2s_status status = net_step(&steps);
// CHECK-NEXT:         if (status != S2S_MORE) {
// CHECK-NEXT:             return status;
// CHECK-NEXT:         }
// CHECK-NEXT:         S2S_BETWEEN_STEPS();
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func @main(%arena: memref<1056xi8> {role = "arena"}, %y: memref<12xf32> {role = "output", name = "y"}, %x: memref<88xf32> {role = "input", name = "x"}) attributes {arena_size = 1056 : i64, arena_align = 4 : i64} {
  %h = loop.view %arena[0 : i64] : memref<1056xi8> -> memref<88xf32>
  %z = loop.view %arena[352 : i64] : memref<1056xi8> -> memref<88xf32>
  %inner = loop.view %arena[704 : i64] : memref<1056xi8> -> memref<352xi8>
  func.call @rows(%h, %x) : (memref<88xf32>, memref<88xf32>) -> ()
  loop.call_for @body in %inner : memref<352xi8> (%z, %h) {steps = 2 : i64, starts = array<i64: 0, 0>, strides = array<i64: 0, 0>} : (memref<88xf32>, memref<88xf32>)
  func.call @short(%y, %z) : (memref<12xf32>, memref<88xf32>) -> ()
  func.return
}
