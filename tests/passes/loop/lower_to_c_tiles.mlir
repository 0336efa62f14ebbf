// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net},c-name-temporaries -t c | filecheck %s --match-full-lines

// An accumulator of a vector is assigned as soon as it is known: what it read need not stay in a register.
// CHECK:      void net_two_sums(float *restrict y, const float *restrict a, const float *restrict b)
// CHECK:          for (int32_t k = 0; k < 8; k++) {
// CHECK-NEXT:         const s2s_f32x4 b0 = s2s_f32x4_load(&b[k * 4]);
// CHECK-NEXT:         u = s2s_f32x4_fma(s2s_f32x4_splat(a[k]), b0, u);
// CHECK-NEXT:         v = s2s_f32x4_fma(s2s_f32x4_splat(a[k + 8]), b0, v);
// CHECK-NEXT:     }
func.func private @two_sums(%y: memref<8xf32>, %a: memref<16xf32>, %b: memref<32xf32>) attributes {kernel} {
  %zero = arith.constant 0.0 : f32
  %acc0 = loop.broadcast %zero : f32 -> vector<4xf32>
  %acc1 = loop.broadcast %zero : f32 -> vector<4xf32>
  %s0, %s1 = loop.for %k = 0 to 8 iter_args(%u = %acc0, %v = %acc1) -> (vector<4xf32>, vector<4xf32>) {
    %b0 = loop.load %b[affine_map<(k) -> (k * 4)>(%k)] : memref<32xf32> -> vector<4xf32>
    %x0 = loop.load %a[affine_map<(k) -> (k)>(%k)] : memref<16xf32> -> f32
    %a0 = loop.broadcast %x0 : f32 -> vector<4xf32>
    %u1 = loop.fma %a0, %b0, %u : vector<4xf32>
    %x1 = loop.load %a[affine_map<(k) -> (k + 8)>(%k)] : memref<16xf32> -> f32
    %a1 = loop.broadcast %x1 : f32 -> vector<4xf32>
    %v1 = loop.fma %a1, %b0, %v : vector<4xf32>
    loop.yield %u1, %v1 : vector<4xf32>, vector<4xf32>
  }
  loop.store %s0, %y[affine_map<() -> (0)>()] : vector<4xf32>, memref<8xf32>
  loop.store %s1, %y[affine_map<() -> (4)>()] : vector<4xf32>, memref<8xf32>
  func.return
}

// One that others read further on is assigned behind them.
// CHECK:      void net_swapped(float *restrict y, const float *restrict x)
// CHECK:          for (int32_t k = 0; k < 3; k++) {
// CHECK-NEXT:         const s2s_f32x4 b2 = b;
// CHECK-NEXT:         b = s2s_f32x4_sub(a, b2);
// CHECK-NEXT:         a = s2s_f32x4_add(a, b2);
// CHECK-NEXT:     }
func.func private @swapped(%y: memref<4xf32>, %x: memref<8xf32>) attributes {kernel} {
  %a0 = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> vector<4xf32>
  %b0 = loop.load %x[affine_map<() -> (4)>()] : memref<8xf32> -> vector<4xf32>
  %r, %s = loop.for %k = 0 to 3 iter_args(%a = %a0, %b = %b0) -> (vector<4xf32>, vector<4xf32>) {
    %sum = arith.addf %a, %b : vector<4xf32>
    %difference = arith.subf %a, %b : vector<4xf32>
    loop.yield %sum, %difference : vector<4xf32>, vector<4xf32>
  }
  %t = arith.mulf %r, %s : vector<4xf32>
  loop.store %t, %y[affine_map<() -> (0)>()] : vector<4xf32>, memref<4xf32>
  func.return
}

// A prefetch is a macro, which no compiler must know. It does not point behind the buffer.
// CHECK:      void net_ahead(float *restrict y, const float *restrict x)
// CHECK:          for (int32_t i = 0; i < 8; i++) {
// CHECK-NEXT:         S2S_PREFETCH(&x[i * 4]);
// CHECK-NEXT:         S2S_PREFETCH_NEAR(&x[s2s_i32_min(i * 8 + 8, 31)]);
func.func private @ahead(%y: memref<8xf32>, %x: memref<32xf32>) attributes {kernel} {
  loop.for %i = 0 to 8 {
    loop.prefetch %x[affine_map<(i) -> (i * 4)>(%i)] : memref<32xf32>
    loop.prefetch %x[affine_map<(i) -> (i * 8 + 8)>(%i)] near : memref<32xf32>
    %v = loop.load %x[affine_map<(i) -> (i * 4)>(%i)] : memref<32xf32> -> f32
    loop.store %v, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<8xf32>
  }
  func.return
}
