// RUN: s2s-opt %s -p 'loop-cast-runs{target=x86-64-v3}' | filecheck %s
// RUN: s2s-opt %s -p loop-cast-runs | filecheck %s --check-prefix SCALAR

// The target `c` has no vectors.
//
// SCALAR-NOT: loop.cast_run

// CHECK-LABEL: func.func private @whole
// CHECK-NEXT:    loop.for %i = 0 to 64 step 16 {
// CHECK-NEXT:      loop.cast_run %y, %x[affine_map<(d0) -> (d0, d0)>(%i)] : memref<64xi32>, memref<64xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func private @whole(%y: memref<64xi32>, %x: memref<64xf64>) {
  loop.for %i = 0 to 64 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  func.return
}

// The loop keeps what is left behind the last whole run. Places need not be the index of the loop.
//
// CHECK-LABEL: func.func private @rest
// CHECK:         loop.for %j = 0 to 32 step 16 {
// CHECK-NEXT:      loop.cast_run %y, %x[affine_map<(d0, d1) -> (((d0 * 40) + d1), (d1 + 2))>(%i, %j)] : memref<80xui16>, memref<42xf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.for %j_1 = 32 to 40 {
// CHECK-NEXT:      %v = loop.load
// CHECK:           loop.store
func.func private @rest(%y: memref<80xui16>, %x: memref<42xf16>) {
  loop.for %i = 0 to 2 {
    loop.for %j = 0 to 40 {
      %v = loop.load %x[affine_map<(d0) -> (d0 + 2)>(%j)] : memref<42xf16> -> f16
      %w = arith.extf %v : f16 to f32
      %n = arith.fptoui %w : f32 to i16
      loop.store %n, %y[affine_map<(d0, d1) -> (d0 * 40 + d1)>(%i, %j)] : i16, memref<80xui16>
    }
  }
  func.return
}

// A size of the run may end the loop.
//
// CHECK-LABEL: func.func private @varies
// CHECK:         loop.for %i = 0 to min affine_map<(d0) -> (((d0 floordiv 16) * 16))>(%n) step 16 {
// CHECK-NEXT:      loop.cast_run
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.for %i_1 = max affine_map<(d0) -> (((d0 floordiv 16) * 16))>(%n) to min affine_map<(d0) -> (d0)>(%n) {
func.func private @varies(%y: memref<64xi64>, %x: memref<64xf32>) {
  %n = loop.size "n" from 1 to 64
  loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    %k = arith.fptosi %v : f32 to i64
    loop.store %k, %y[affine_map<(d0) -> (d0)>(%i)] : i64, memref<64xi64>
  }
  func.return
}

// A loop that threads share stays one loop.
//
// CHECK-LABEL: func.func private @shared
// CHECK-NEXT:    loop.for %i = 0 to 64 step 16 parallel {
// CHECK-NEXT:      loop.cast_run
// CHECK-LABEL: func.func private @shared_with_a_rest
// CHECK-NOT:     loop.cast_run
func.func private @shared(%y: memref<64xi32>, %x: memref<64xf64>) {
  loop.for %i = 0 to 64 parallel {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  func.return
}
func.func private @shared_with_a_rest(%y: memref<65xi32>, %x: memref<65xf64>) {
  loop.for %i = 0 to 65 parallel {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<65xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<65xi32>
  }
  func.return
}

// Declined: a short loop, a distance of two elements, one element again and again, types that C compilers cast well, and
// work beside the cast.
//
// CHECK-LABEL: func.func private @declined
// CHECK-NOT:     loop.cast_run
func.func private @declined(%y: memref<64xi32>, %x: memref<128xf64>, %f: memref<64xf32>) {
  loop.for %i = 0 to 15 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<128xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %v = loop.load %x[affine_map<(d0) -> (d0 * 2)>(%i)] : memref<128xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %v = loop.load %x[affine_map<() -> (0)>()] : memref<128xf64> -> f64
    %n = arith.fptosi %v : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %v = loop.load %f[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
    %n = arith.fptosi %v : f32 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<128xf64> -> f64
    %w = arith.addf %v, %v : f64
    %n = arith.fptosi %w : f64 to i32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  func.return
}
