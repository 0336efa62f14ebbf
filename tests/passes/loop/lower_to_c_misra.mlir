// RUN: s2s-opt %s -p 'loop-lower-to-c{prefix=net profile=misra},c-name-temporaries' -t c | filecheck %s --match-full-lines

// The arena is a type with a member for each buffer, restrict is a macro, and alignment follows from the type.
// CHECK:      void net_twice(float *S2S_RESTRICT y, const float *S2S_RESTRICT x)
// CHECK:      typedef union net_arena {
// CHECK-NEXT:     struct { uint64_t data[8]; } whole;
// CHECK-NEXT:     struct { uint8_t before[16]; float data[8]; } x;
// CHECK-NEXT:     struct { uint8_t before[32]; float data[8]; } relu;
// CHECK-NEXT: } net_arena;
// CHECK:      s2s_status net_run(net_arena *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE])
// CHECK-NEXT: {
// CHECK-NEXT:     if (arena == NULL || x == NULL || y == NULL) {
// CHECK-NEXT:         return S2S_ERR_NULL;
// CHECK-NEXT:     }
// CHECK-NEXT:     net_twice(arena->relu.data, x);
// CHECK-NEXT:     net_twice(y, arena->relu.data);
// CHECK-NEXT:     return S2S_OK;
// CHECK-NEXT: }
func.func private @twice(%y: memref<8xf32>, %x: memref<8xf32>) attributes {kernel} {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(i) -> (i)>(%i)] : memref<8xf32> -> f32
    %w = arith.addf %v, %v : f32
    loop.store %w, %y[affine_map<(i) -> (i)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

func.func @main(%arena: memref<64xi8> {role = "arena"}, %y: memref<8xf32> {name = "y", role = "output", shape = array<i64: 8>}, %x: memref<8xf32> {name = "x", role = "input", shape = array<i64: 8>, offset = 16 : i64}) attributes {arena_size = 64 : i64, arena_align = 8 : i64, arena_lower_bound = 64 : i64} {
  %relu = loop.view %arena[32] : memref<64xi8> -> memref<8xf32>
  func.call @twice(%relu, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @twice(%y, %relu) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return
}
