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
// CHECK-EMPTY:
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

// Halves are carried in lanes of floats: loads widen them, stores round them.
// CHECK:      void net_twice_in_halves(s2s_f16 *restrict y, const s2s_f16 *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         const s2s_f32x4 v = s2s_f32x4_load_f16(&x[i]);
// CHECK-NEXT:         s2s_f32x4_store_f16(&y[i], s2s_f32x4_add(v, v));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @twice_in_halves(%y: memref<16xf16>, %x: memref<16xf16>) attributes {kernel} {
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf16> -> vector<4xf16>
    %w = arith.extf %v : vector<4xf16> to vector<4xf32>
    %s = arith.addf %w, %w : vector<4xf32>
    %h = arith.truncf %s : vector<4xf32> to vector<4xf16>
    loop.store %h, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf16>, memref<16xf16>
  }
  func.return
}

// What is rounded to a half between two operations is rounded in lanes.
// CHECK:      void net_four_times_in_halves(s2s_f16 *restrict y, const s2s_f16 *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         const s2s_f32x4 v = s2s_f32x4_load_f16(&x[i]);
// CHECK-NEXT:         const s2s_f32x4 h = s2s_f32x4_round_f16(s2s_f32x4_add(v, v));
// CHECK-NEXT:         s2s_f32x4_store_f16(&y[i], s2s_f32x4_add(h, h));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @four_times_in_halves(%y: memref<16xf16>, %x: memref<16xf16>) attributes {kernel} {
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf16> -> vector<4xf16>
    %w = arith.extf %v : vector<4xf16> to vector<4xf32>
    %s = arith.addf %w, %w : vector<4xf32>
    %h = arith.truncf %s : vector<4xf32> to vector<4xf16>
    %sw = arith.extf %h : vector<4xf16> to vector<4xf32>
    %t = arith.addf %sw, %sw : vector<4xf32>
    %r = arith.truncf %t : vector<4xf32> to vector<4xf16>
    loop.store %r, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf16>, memref<16xf16>
  }
  func.return
}

// A quotient by one number is rounded with the division, which the runtime may avoid.
// CHECK:      void net_rounded_quotient(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         s2s_f32x4_store(&y[i], s2s_f32x4_round_quotient(s2s_f32x4_load(&x[i]), s2s_f32x4_splat(0.3f)));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @rounded_quotient(%y: memref<16xf32>, %x: memref<16xf32>) attributes {kernel} {
  %scale = arith.constant 0.3 : f32
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf32> -> vector<4xf32>
    %s = loop.broadcast %scale : f32 -> vector<4xf32>
    %q = arith.divf %v, %s : vector<4xf32>
    %r = math.roundeven %q : vector<4xf32>
    loop.store %r, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<16xf32>
  }
  func.return
}

// CHECK:      void net_shares(float *restrict y, const float *restrict x)
// CHECK:         s2s_f32x4_store(&y[i], s2s_f32x4_exp_nonpositive(s2s_f32x4_load(&x[i])));
// CHECK:         y[8] = s2s_f32_exp(x[8]);
func.func private @shares(%y: memref<9xf32>, %x: memref<9xf32>) attributes {kernel} {
  loop.for %i = 0 to 8 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<9xf32> -> vector<4xf32>
    %e = tensor.exp_nonpositive %v : vector<4xf32>
    loop.store %e, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<9xf32>
  }
  %s = loop.load %x[affine_map<() -> (8)>()] : memref<9xf32> -> f32
  %e = tensor.exp_nonpositive %s : f32
  loop.store %e, %y[affine_map<() -> (8)>()] : f32, memref<9xf32>
  func.return
}

// One more than a power is one function, unless the power is wanted too, or more is added.
// CHECK:      void net_one_more(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         s2s_f32x4_store(&y[i], s2s_f32x4_exp_plus_one(s2s_f32x4_load(&x[i])));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @one_more(%y: memref<16xf32>, %x: memref<16xf32>) attributes {kernel} {
  %one = arith.constant 1.0 : f32
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf32> -> vector<4xf32>
    %ones = loop.broadcast %one : f32 -> vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    %sum = arith.addf %e, %ones : vector<4xf32>
    loop.store %sum, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<16xf32>
  }
  func.return
}

// CHECK:      void net_one_more_and_power(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         const s2s_f32x4 e = s2s_f32x4_exp(s2s_f32x4_load(&x[i]));
// CHECK-NEXT:         s2s_f32x4_store(&y[i], s2s_f32x4_mul(s2s_f32x4_add(e, s2s_f32x4_splat(1.0f)), e));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @one_more_and_power(%y: memref<16xf32>, %x: memref<16xf32>) attributes {kernel} {
  %one = arith.constant 1.0 : f32
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf32> -> vector<4xf32>
    %ones = loop.broadcast %one : f32 -> vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    %sum = arith.addf %e, %ones : vector<4xf32>
    %product = arith.mulf %sum, %e : vector<4xf32>
    loop.store %product, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<16xf32>
  }
  func.return
}

// CHECK:      void net_two_more(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:         s2s_f32x4_store(&y[i], s2s_f32x4_add(s2s_f32x4_exp(s2s_f32x4_load(&x[i])), s2s_f32x4_splat(2.0f)));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @two_more(%y: memref<16xf32>, %x: memref<16xf32>) attributes {kernel} {
  %two = arith.constant 2.0 : f32
  loop.for %i = 0 to 16 step 4 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf32> -> vector<4xf32>
    %twos = loop.broadcast %two : f32 -> vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    %sum = arith.addf %e, %twos : vector<4xf32>
    loop.store %sum, %y[affine_map<(i) -> (i)>(%i)] : vector<4xf32>, memref<16xf32>
  }
  func.return
}

// Pointers are apart, unless the plan gave the result the buffer of an operand. The doc is the comment above.
// CHECK:      /* y[i] = a[i] + b[i] */
// CHECK-NEXT: void net_add(float *y, const float *a, const float *restrict b)
func.func private @add(%y: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>)
    attributes {in_place = array<i64: 1>, doc = "y[i] = a[i] + b[i]", kernel} {
  loop.for %i = 0 to 8 {
    %v = loop.load %a[affine_map<(i) -> (i)>(%i)] : memref<8xf32> -> f32
    %w = loop.load %b[affine_map<(i) -> (i)>(%i)] : memref<8xf32> -> f32
    %sum = arith.addf %v, %w : f32
    loop.store %sum, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// Sums of integers wrap, so a function of the runtime adds them, unless the operation promises to stay in range.
// CHECK:      void net_wrap(int32_t *restrict y, const int32_t *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     const int32_t b = x[1];
// CHECK-EMPTY:
// CHECK-NEXT:     y[0] = s2s_i32_add(x[0], b) + b;
// CHECK-NEXT: }
func.func private @wrap(%y: memref<1xi32>, %x: memref<2xi32>) attributes {kernel} {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<2xi32> -> i32
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<2xi32> -> i32
  %c = arith.addi %a, %b : i32
  %d = arith.addi %c, %b overflow<nsw> : i32
  loop.store %d, %y[affine_map<() -> (0)>()] : i32, memref<1xi32>
  func.return
}

// A sum begins with its first term, and a negative number is taken away.
// CHECK:      void net_plain(int32_t *restrict y, const int32_t *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     y[0] = x[0] - 255;
// CHECK-NEXT: }
func.func private @plain(%y: memref<1xi32>, %x: memref<1xi32>) attributes {kernel} {
  %zero = arith.constant 0 : i32
  %offset = arith.constant -255 : i32
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<1xi32> -> i32
  %b = arith.addi %zero, %a : i32
  %c = arith.addi %b, %offset overflow<nsw> : i32
  loop.store %c, %y[affine_map<() -> (0)>()] : i32, memref<1xi32>
  func.return
}

// C widens by itself where one side of an operator, or what is assigned to, has the wider type.
// CHECK:      void net_products(int32_t *restrict y, const int16_t *restrict x, const int32_t *restrict w)
// CHECK-NEXT: {
// CHECK-NEXT:     y[0] = x[0] * w[0] + (int32_t)x[1] * x[2];
// CHECK-NEXT:     y[1] = x[3];
// CHECK-NEXT: }
func.func private @products(%y: memref<2xi32>, %x: memref<4xi16>, %w: memref<1xi32>) attributes {kernel} {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<4xi16> -> i16
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<4xi16> -> i16
  %c = loop.load %x[affine_map<() -> (2)>()] : memref<4xi16> -> i16
  %d = loop.load %x[affine_map<() -> (3)>()] : memref<4xi16> -> i16
  %u = loop.load %w[affine_map<() -> (0)>()] : memref<1xi32> -> i32
  %a32 = arith.extsi %a : i16 to i32
  %b32 = arith.extsi %b : i16 to i32
  %c32 = arith.extsi %c : i16 to i32
  %d32 = arith.extsi %d : i16 to i32
  %au = arith.muli %a32, %u overflow<nsw> : i32
  %bc = arith.muli %b32, %c32 overflow<nsw> : i32
  %s = arith.addi %au, %bc overflow<nsw> : i32
  loop.store %s, %y[affine_map<() -> (0)>()] : i32, memref<2xi32>
  loop.store %d32, %y[affine_map<() -> (1)>()] : i32, memref<2xi32>
  func.return
}

// Neighbours share the long part of their position.
// CHECK:      void net_three(float *restrict y, const float *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 4; i++) {
// CHECK-NEXT:         const int32_t x_at = i * 8;
// CHECK-NEXT:         y[i] = x[x_at] + x[x_at + 1] + x[x_at + 2];
func.func private @three(%y: memref<4xf32>, %x: memref<32xf32>) attributes {kernel} {
  loop.for %i = 0 to 4 {
    %a = loop.load %x[affine_map<(i) -> (i * 8)>(%i)] : memref<32xf32> -> f32
    %b = loop.load %x[affine_map<(i) -> (i * 8 + 1)>(%i)] : memref<32xf32> -> f32
    %c = loop.load %x[affine_map<(i) -> (i * 8 + 2)>(%i)] : memref<32xf32> -> f32
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    loop.store %e, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// A sum that may overflow is unsigned in its loop: gcc 12.2 vectorises conversions there wrongly.
// CHECK:      void net_wrapping_sum(int32_t *restrict y, const uint32_t *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     uint32_t acc = 0u;
// CHECK-EMPTY:
// CHECK-NEXT:     for (int32_t k = 0; k < 8; k++) {
// CHECK-NEXT:         acc += x[k];
// CHECK-NEXT:     }
// CHECK-EMPTY:
// CHECK-NEXT:     y[0] = (int32_t)acc;
// CHECK-NEXT: }
func.func private @wrapping_sum(%y: memref<1xi32>, %x: memref<8xui32>) attributes {kernel} {
  %zero = arith.constant 0 : i32
  %sum = loop.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
    %v = loop.load %x[affine_map<(k) -> (k)>(%k)] : memref<8xui32> -> i32
    %next = arith.addi %acc, %v : i32
    loop.yield %next : i32
  }
  loop.store %sum, %y[affine_map<() -> (0)>()] : i32, memref<1xi32>
  func.return
}

// The bits of a half in memory are read as they are: it is not widened first.
// CHECK:      void net_bits_of_halves(int16_t *restrict y, const s2s_f16 *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i++) {
// CHECK-NEXT:         y[i] = (int16_t)x[i];
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @bits_of_halves(%y: memref<16xi16>, %x: memref<16xf16>) attributes {kernel} {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf16> -> f16
    %bits = arith.bitcast %v : f16 to i16
    loop.store %bits, %y[affine_map<(i) -> (i)>(%i)] : i16, memref<16xi16>
  }
  func.return
}

// The bits of a half that was computed are those that storing it would write.
// CHECK:      void net_bits_of_a_sum(int16_t *restrict y, const s2s_f16 *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i++) {
// CHECK-NEXT:         const float v = s2s_f16_to_f32(x[i]);
// CHECK-NEXT:         y[i] = (int16_t)s2s_f32_to_f16(s2s_f16_round(v + v));
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @bits_of_a_sum(%y: memref<16xi16>, %x: memref<16xf16>) attributes {kernel} {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xf16> -> f16
    %sum = arith.addf %v, %v : f16
    %bits = arith.bitcast %sum : f16 to i16
    loop.store %bits, %y[affine_map<(i) -> (i)>(%i)] : i16, memref<16xi16>
  }
  func.return
}

// A truth value chooses the bits of a half.
// CHECK:      void net_halves_of_bools(s2s_f16 *restrict y, const bool *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int32_t i = 0; i < 16; i++) {
// CHECK-NEXT:         y[i] = (s2s_f16)(s2s_bool_at(x, i) ? 15360 : 0);
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @halves_of_bools(%y: memref<16xf16>, %x: memref<16xi1>) attributes {kernel} {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<16xi1> -> i1
    %w = arith.uitofp %v : i1 to f32
    %h = arith.truncf %w : f32 to f16
    loop.store %h, %y[affine_map<(i) -> (i)>(%i)] : f16, memref<16xf16>
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
// CHECK-NEXT:     net_sum_of_rows(y, x); /* [2][2] sum */
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
func.func @main(%arena: memref<16xi8> {role = "arena"}, %y: memref<4xf32> {name = "y", role = "output", shape = array<i64: 4>}, %x: memref<32xf32> {name = "x", role = "input", shape = array<i64: 4, 8>}) attributes {arena_size = 16 : i64, arena_align = 8 : i64, arena_lower_bound = 16 : i64} {
  %rows = loop.weight "rows" {hash = "1f"} : memref<8xf32>
  func.call @sum_of_rows(%y, %x) {node = "sum", shape = array<i64: 1, 2, 2>} : (memref<4xf32>, memref<32xf32>) -> ()
  func.return
}
