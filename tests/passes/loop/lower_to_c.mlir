// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

// Weights are declared; their values are written with the other weights.
// CHECK: extern const float net_rows[8];

// A carried value becomes a variable, and the result of the loop is that variable.
// CHECK:      void net_sum_of_rows(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 4; i++) {
// CHECK-NEXT:         float acc = 0.0f;
// CHECK-NEXT:         for (int32_t k = 0; k < 8; k++) {
// CHECK-NEXT:             acc += x[i * 8 + k];
// CHECK-NEXT:         }
// CHECK-NEXT:         y[i] = acc;
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @sum_of_rows(%y: memref<4xf32>, %x: memref<32xf32>) attributes {kernel} {
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 4 {
    %sum = loop.for %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
      %v = loop.load %x[affine_map<(i, k) -> (i * 8 + k)>(%i, %k)] : memref<32xf32> -> f32
      %next = arith.addf %acc, %v : f32
      loop.yield %next : f32
    }
    loop.store %sum, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// Vectors go through the notation of the runtime.
// CHECK:      void net_twice(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         const s2s_f32x4 v = s2s_f32x4_load(&x[i]);
// CHECK-NEXT:         s2s_f32x4_store(&y[i], s2s_f32x4_add(v, v));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @twice(%y: memref<16xf32>, %x: memref<16xf32>) attributes {kernel} {
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf32> -> vector<4xf32>
    %s = arith.addf %v, %v : vector<4xf32>
    loop.store %s, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<16xf32>
  }
  func.return
}

// main becomes the run function: outputs come last, every kernel call names the nodes it stands for.
// CHECK:      s2s_status net_run(void *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     if (arena == NULL || x == NULL || y == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (!s2s_is_aligned(arena, NET_ARENA_ALIGN)) {
// CHECK-NEXT:         return S2S_ERR_ALIGN;
// CHECK-NEXT:     }
// CHECK-NEXT:     net_sum_of_rows(y, x); /* sum */
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
func.func @main(%arena: memref<16xi8> {role = "arena"}, %y: memref<4xf32> {name = "y", role = "output", shape = array<i64: 4>}, %x: memref<32xf32> {name = "x", role = "input", shape = array<i64: 4, 8>}) attributes {arena_size = 16 : i64, arena_align = 8 : i64, arena_lower_bound = 16 : i64} {
  %rows = loop.weight "rows" {hash = "1f"} : memref<8xf32>
  func.call @sum_of_rows(%y, %x) {node = "sum"} : (memref<4xf32>, memref<32xf32>) -> ()
  func.return
}
