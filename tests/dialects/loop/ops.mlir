// RUN: s2s-opt %s | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL:   func.func private @loops
// GENERIC-LABEL: "func.func"() <{sym_name = "loops"
func.func private @loops(%y: memref<64xf32>, %x: memref<64xf32>) {
  // CHECK-NEXT: loop.for %i = 0 to 64 step 8 {
  // GENERIC:    "loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> (64)>, step = 8 : index, kind = "serial", operandSegmentSizes = array<i32: 0, 0>}> ({
  // GENERIC-NEXT: ^bb0(%i: index):
  loop.for %i = 0 to 64 step 8 {
    // CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
    %zero = arith.constant 0.0 : f32
    // CHECK-NEXT: loop.for %j = max affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> ((d0 + 8), 61)>(%i) unroll 8 {
    loop.for %j = max affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 8, 61)>(%i) unroll 8 {
      // CHECK-NEXT: loop.store %zero, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<64xf32>
      loop.store %zero, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<64xf32>
    }
  // CHECK-NEXT: }
  // CHECK-NEXT: } {node = "fill"}
  } {node = "fill"}
  // CHECK-NEXT: loop.for %k = 0 to 8 step 2 down {
  // CHECK-NEXT: }
  // GENERIC: "loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> (8)>, step = 2 : index, kind = "serial", down,
  loop.for %k = 0 to 8 step 2 down {
  }
  // CHECK-NEXT: loop.for %c = 0 to 8 scalable {
  // CHECK-NEXT: }
  // GENERIC: kind = "scalable"
  loop.for %c = 0 to 8 scalable {
  }
  func.return
}

// CHECK-LABEL:   func.func private @tiles
func.func private @tiles(%y: memref<64xf32>) {
  // CHECK-NEXT: %tile = loop.tile of 16
  // GENERIC:    "loop.tile"() <{count = 16 : index}> : () -> index
  %tile = loop.tile of 16
  func.return
}

// CHECK-LABEL:   func.func private @carried_values
func.func private @carried_values(%y: memref<64xf32>, %n: index) {
  // CHECK-NEXT: %zero = arith.constant
  %zero = arith.constant 0.0 : f32
  // CHECK-NEXT: %a, %b = loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) iter_args(%c = %zero, %d = %zero) -> (f32, f32) {
  // CHECK-NEXT:   %e = arith.addf %c, %d : f32
  // CHECK-NEXT:   loop.yield %d, %e : f32, f32
  // CHECK-NEXT: }
  %a, %b = loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) iter_args(%c = %zero, %d = %zero) -> (f32, f32) {
    %e = arith.addf %c, %d : f32
    loop.yield %d, %e : f32, f32
  }
  func.return
}

// CHECK-LABEL:   func.func private @conditions
func.func private @conditions(%y: memref<64xf32>, %n: index) {
  // CHECK-NEXT: %one, %two = "test.op"() : () -> (f32, f32)
  %one, %two = "test.op"() : () -> (f32, f32)
  // CHECK-NEXT: %v = loop.if affine_set<(d0) : ((d0 + -3) >= 0)>(%n) -> f32 {
  // CHECK-NEXT:   loop.yield %one : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   loop.yield %two : f32
  // CHECK-NEXT: }
  %v = loop.if affine_set<(d0) : (d0 - 3 >= 0)>(%n) -> f32 {
    loop.yield %one : f32
  } else {
    loop.yield %two : f32
  }
  // CHECK-NEXT: loop.if affine_set<(d0) : (d0 >= 0)>(%n) {
  // CHECK-NEXT:   loop.store %v, %y[affine_map<(d0) -> (d0)>(%n)] : f32, memref<64xf32>
  // CHECK-NEXT:   loop.yield
  // CHECK-NEXT: }
  loop.if affine_set<(d0) : (d0 >= 0)>(%n) {
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%n)] : f32, memref<64xf32>
    loop.yield
  }
  func.return
}

// CHECK-LABEL:   func.func private @accesses
func.func private @accesses(%y: memref<64xf32>, %x: memref<64xui8>, %i: index) {
  // CHECK-NEXT: %a = loop.load %x[affine_map<(d0) -> (((d0 * 4) + 1))>(%i)] : memref<64xui8> -> i8
  %a = loop.load %x[affine_map<(d0) -> (d0 * 4 + 1)>(%i)] : memref<64xui8> -> i8
  // CHECK-NEXT: %b = loop.load %y[affine_map<() -> (3)>()] : memref<64xf32> -> vector<16xf32>
  %b = loop.load %y[affine_map<() -> (3)>()] : memref<64xf32> -> vector<16xf32>
  // CHECK-NEXT: %c = loop.load %y[affine_map<(d0) -> (d0)>(%i)] {stride = 4 : i64} : memref<64xf32> -> vector<16xf32>
  %c = loop.load %y[affine_map<(d0) -> (d0)>(%i)] {stride = 4 : i64} : memref<64xf32> -> vector<16xf32>
  // CHECK-NEXT: loop.store %b, %y[affine_map<(d0) -> (d0)>(%i)] {stride = -1 : i64, lanes = 3 : i64} : vector<16xf32>, memref<64xf32>
  loop.store %b, %y[affine_map<(d0) -> (d0)>(%i)] {stride = -1 : i64, lanes = 3 : i64} : vector<16xf32>, memref<64xf32>
  // CHECK-NEXT: %j = loop.apply affine_map<(d0) -> ((d0 floordiv 2))>(%i)
  %j = loop.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
  // CHECK-NEXT: %d = loop.load_at %y[%j] : memref<64xf32> -> f32
  %d = loop.load_at %y[%j] : memref<64xf32> -> f32
  // CHECK-NEXT: loop.store_at %d, %y[%i] : f32, memref<64xf32>
  loop.store_at %d, %y[%i] : f32, memref<64xf32>
  func.return
}

// CHECK-LABEL:   func.func private @registers
func.func private @registers(%s: f32, %v: vector<16xf32>) {
  // CHECK-NEXT: %a = loop.broadcast %s : f32 -> vector<16xf32>
  %a = loop.broadcast %s : f32 -> vector<16xf32>
  // CHECK-NEXT: %b = loop.fma %a, %v, %v : vector<16xf32>
  %b = loop.fma %a, %v, %v : vector<16xf32>
  // CHECK-NEXT: %c = loop.fma %s, %s, %s : f32
  %c = loop.fma %s, %s, %s : f32
  // CHECK-NEXT: %d = loop.reduce "add" %b : vector<16xf32> -> f32
  %d = loop.reduce "add" %b : vector<16xf32> -> f32
  // CHECK-NEXT: %half = loop.halve "max" %b : vector<16xf32> -> vector<8xf32>
  %half = loop.halve "max" %b : vector<16xf32> -> vector<8xf32>
  // CHECK-NEXT: %chosen = loop.choose "olt" %a, %b, %v, %a : vector<16xf32>
  %chosen = loop.choose "olt" %a, %b, %v, %a : vector<16xf32>
  func.return
}

// CHECK-LABEL:   func.func @main
// CHECK-SAME:    (%arena: memref<256xi8> {role = "arena"}, %y: memref<64xf32> {role = "output"})
// GENERIC-LABEL: sym_name = "main"
func.func @main(%arena: memref<256xi8> {role = "arena"}, %y: memref<64xf32> {role = "output"}) {
  // CHECK-NEXT: %a = loop.view %arena[64 : i64] : memref<256xi8> -> memref<48xf32>
  // GENERIC:    %a = "loop.view"(%arena) <{offset = 64 : i64}> : (memref<256xi8>) -> memref<48xf32>
  %a = loop.view %arena[64] : memref<256xi8> -> memref<48xf32>

  // CHECK: loop.poison %arena : memref<256xi8>
  // GENERIC: "loop.poison"(%arena) : (memref<256xi8>) -> ()
  loop.poison %arena : memref<256xi8>
  // CHECK-NEXT: %b = loop.alloc : memref<64xf32>
  %b = loop.alloc : memref<64xf32>
  // CHECK-NEXT: %c = loop.view %b[128 : i64] : memref<64xf32> -> memref<16xf32>
  // GENERIC:    %c = "loop.view"(%b) <{offset = 128 : i64}> : (memref<64xf32>) -> memref<16xf32>
  %c = loop.view %b[128] : memref<64xf32> -> memref<16xf32>
  // CHECK-NEXT: %n = loop.size "n" from 0 to 1
  %n = loop.size "n" from 0 to 1
  // CHECK-NEXT: %d = loop.shift %b[affine_map<(d0) -> ((d0 * 8))>(%n)] : memref<64xf32> -> memref<56xf32>
  // GENERIC:    %d = "loop.shift"(%b, %n)
  %d = loop.shift %b[affine_map<(d0) -> (d0 * 8)>(%n)] : memref<64xf32> -> memref<56xf32>
  // CHECK-NEXT: %w = loop.weight "conv1.weight" {hash = "c0ffee"} : memref<16xf32>
  %w = loop.weight "conv1.weight" {hash = "c0ffee"} : memref<16xf32>
  // CHECK-NEXT: func.call @loops(%y, %b) {node = "relu1"} : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @loops(%y, %b) {node = "relu1"} : (memref<64xf32>, memref<64xf32>) -> ()
  func.return
}

// CHECK-LABEL:   func.func private @body
// GENERIC-LABEL: sym_name = "body"
func.func private @body(%arena: memref<16xi8>, %y: memref<2xf32>, %h: memref<4xf32>) {
  func.return
}

// CHECK-LABEL:   func.func @control
// GENERIC-LABEL: sym_name = "control"
func.func @control(%inner: memref<16xi8>, %y: memref<6xf32>, %h: memref<4xf32>, %f: memref<4xf32>, %go: memref<1xi1>, %count: memref<1xi32>) {
  // CHECK-NEXT: loop.copy %h, %f : memref<4xf32>
  // GENERIC:    "loop.copy"(%h, %f) : (memref<4xf32>, memref<4xf32>) -> ()
  loop.copy %h, %f : memref<4xf32>
  // CHECK-NEXT: %at = loop.alloc : memref<1xi32>
  %at = loop.alloc : memref<1xi32>
  // CHECK-NEXT: %moving = loop.advance %y at %at : memref<1xi32> {by = 1 : i64} : memref<6xf32> -> memref<4xf32>
  %moving = loop.advance %y at %at : memref<1xi32> {by = 1 : i64} : memref<6xf32> -> memref<4xf32>
  // CHECK-NEXT: %copied = loop.advance %h {by = 2 : i64} : memref<4xf32> -> memref<4xf32>
  // GENERIC:    %copied = "loop.advance"(%h) <{by = 2 : i64}> : (memref<4xf32>) -> memref<4xf32>
  %copied = loop.advance %h {by = 2 : i64} : memref<4xf32> -> memref<4xf32>
  // CHECK-NEXT: loop.device_copy %h, %f from "main" to "dsp" : memref<4xf32>
  // GENERIC:    "loop.device_copy"(%h, %f) <{origin = "main", device = "dsp"}> : (memref<4xf32>, memref<4xf32>) -> ()
  loop.device_copy %h, %f from "main" to "dsp" : memref<4xf32>
  // CHECK-NEXT: loop.start_device_copy %h, %f from "dsp" to "main" : memref<4xf32>
  // GENERIC:    "loop.start_device_copy"(%h, %f)
  loop.start_device_copy %h, %f from "dsp" to "main" : memref<4xf32>
  // CHECK-NEXT: loop.wait_device_copy %h, %f from "dsp" to "main" : memref<4xf32>
  // GENERIC:    "loop.wait_device_copy"(%h, %f)
  loop.wait_device_copy %h, %f from "dsp" to "main" : memref<4xf32>
  // CHECK-NEXT: loop.enter_device "dsp"
  // GENERIC:    "loop.enter_device"() <{device = "dsp"}> : () -> ()
  loop.enter_device "dsp"
  // CHECK-NEXT: loop.leave_device "dsp"
  // GENERIC:    "loop.leave_device"() <{device = "dsp"}> : () -> ()
  loop.leave_device "dsp"
  // CHECK-NEXT: loop.start_device_calls "dsp"
  // GENERIC:    "loop.start_device_calls"() <{device = "dsp"}> : () -> ()
  loop.start_device_calls "dsp"
  // CHECK-NEXT: loop.wait_device_calls "dsp", %h, %f : memref<4xf32>, memref<4xf32>
  // GENERIC:    "loop.wait_device_calls"(%h, %f) <{device = "dsp"}> : (memref<4xf32>, memref<4xf32>) -> ()
  loop.wait_device_calls "dsp", %h, %f : memref<4xf32>, memref<4xf32>
  // CHECK-NEXT: loop.wait_device_calls "dsp"
  loop.wait_device_calls "dsp"
  // CHECK-NEXT: loop.call_for @body(%y, %h) {steps = 3 : i64, starts = array<i64: 0, 0>, strides = array<i64: 2, 0>} : (memref<6xf32>, memref<4xf32>)
  loop.call_for @body(%y, %h) {steps = 3 : i64, starts = array<i64: 0, 0>, strides = array<i64: 2, 0>} : (memref<6xf32>, memref<4xf32>)
  // CHECK-NEXT: loop.call_for @body in %inner : memref<16xi8>(%y, %h) {steps = 3 : i64, starts = array<i64: 4, 0>, strides = array<i64: -2, 0>} : (memref<6xf32>, memref<4xf32>)
  loop.call_for @body in %inner : memref<16xi8>(%y, %h) {steps = 3 : i64, starts = array<i64: 4, 0>, strides = array<i64: -2, 0>} : (memref<6xf32>, memref<4xf32>)
  // CHECK-NEXT: loop.call_rows count %count : memref<1xi32> in %inner : memref<16xi8>(%y, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2, 2>} : (memref<6xf32>, memref<4xf32>)
  loop.call_rows count %count : memref<1xi32> in %inner : memref<16xi8>(%y, %h) {bodies = [@body], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, sizes = array<i64: 2, 2>} : (memref<6xf32>, memref<4xf32>)
  // CHECK-NEXT: loop.end_rows %count : memref<1xi32>
  loop.end_rows %count : memref<1xi32>
  // CHECK-NEXT: loop.call_if %go then @body else @body in %inner(%y, %h) : memref<1xi1>, memref<16xi8>(memref<6xf32>, memref<4xf32>)
  loop.call_if %go then @body else @body in %inner(%y, %h) : memref<1xi1>, memref<16xi8>(memref<6xf32>, memref<4xf32>)
  // CHECK-NEXT: loop.call_while @body sets %go do @body(%y, %h) : memref<1xi1>(memref<6xf32>, memref<4xf32>)
  loop.call_while @body sets %go do @body(%y, %h) : memref<1xi1>(memref<6xf32>, memref<4xf32>)
  func.return
}

// CHECK-LABEL:   func.func private @products
// GENERIC-LABEL: sym_name = "products"
func.func private @products(%rows: memref<8xi16>, %x: memref<12xi8>, %w: memref<8xi8>, %i: index, %acc: i32) {
  // CHECK-NEXT: loop.cache_read %x, %rows[affine_map<(d0) -> (d0, (d0 * 2))>(%i)] {count = 4 : i64, stride = 2 : i64, offset = -3 : i64} : memref<12xi8>, memref<8xi16>
  // GENERIC:    "loop.cache_read"(%x, %rows, %i) <{map = affine_map<(d0) -> (d0, (d0 * 2))>, count = 4 : i64, stride = 2 : i64, offset = -3 : i64}>
  loop.cache_read %x, %rows[affine_map<(d0) -> (d0, d0 * 2)>(%i)] {count = 4 : i64, stride = 2 : i64, offset = -3 : i64} : memref<12xi8>, memref<8xi16>
  // CHECK-NEXT: loop.cache_read %x, %rows[affine_map<(d0) -> (0, (d0 + -1), 1, 4)>(%i)] {count = 6 : i64, stride = 1 : i64, offset = 0 : i64} : memref<12xi8>, memref<8xi16>
  loop.cache_read %x, %rows[affine_map<(d0) -> (0, d0 - 1, 1, 4)>(%i)] {count = 6 : i64, stride = 1 : i64, offset = 0 : i64} : memref<12xi8>, memref<8xi16>
  // CHECK-NEXT: loop.cache_read %x, %w[affine_map<() -> (0, 1, 2, 8)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, fill = -5 : i64} : memref<12xi8>, memref<8xi8>
  loop.cache_read %x, %w[affine_map<() -> (0, 1, 2, 8)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, fill = -5 : i64} : memref<12xi8>, memref<8xi8>
  // CHECK-NEXT: %a = loop.load
  %a = loop.load %rows[affine_map<(d0) -> (d0)>(%i)] : memref<8xi16> -> vector<4xi16>
  // CHECK-NEXT: %b = loop.load
  %b = loop.load %w[affine_map<(d0) -> (d0)>(%i)] : memref<8xi8> -> vector<4xi8>
  // CHECK-NEXT: %wide = loop.extend %b {part = 0 : i64, offset = 3 : i64} : vector<4xi8> -> vector<4xi16>
  %wide = loop.extend %b {part = 0 : i64, offset = 3 : i64} : vector<4xi8> -> vector<4xi16>
  // CHECK-NEXT: loop.cache_read %x, %rows[affine_map<() -> (0, 1, 2, 8)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, fill = -5 : i64, pairs} : memref<12xi8>, memref<8xi16>
  loop.cache_read %x, %rows[affine_map<() -> (0, 1, 2, 8)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, fill = -5 : i64, pairs} : memref<12xi8>, memref<8xi16>
  // CHECK-NEXT: %pairs = loop.pairs %b {part = 0 : i64} : vector<4xi8> -> vector<4xi16>
  %pairs = loop.pairs %b {part = 0 : i64} : vector<4xi8> -> vector<4xi16>
  // CHECK-NEXT: %factors = loop.pair_factors %b : vector<4xi8> -> vector<4xi16>
  %factors = loop.pair_factors %b : vector<4xi8> -> vector<4xi16>
  // CHECK-NEXT: %sum = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %a, %wide) : i32, vector<4xi16>, vector<4xi16> -> i32
  %sum = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %a, %wide) : i32, vector<4xi16>, vector<4xi16> -> i32
  // CHECK-NEXT: %many = loop.intrinsic <"smlad-pairs", dot_pairs(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %factors, %pairs)
  %many = loop.intrinsic <"smlad-pairs", dot_pairs(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %factors, %pairs) : i32, vector<4xi16>, vector<4xi16> -> i32
  // CHECK-NEXT: %even = loop.half %factors {part = 0 : i64} : vector<4xi16> -> vector<2xi16>
  %even = loop.half %factors {part = 0 : i64} : vector<4xi16> -> vector<2xi16>
  // CHECK-NEXT: %half = loop.intrinsic <"smlad-points", dot_points(i16, i16) by 4, "s2s_i16x2_dot" in "s2s_dsp.h">(%acc, %even, %even)
  %half = loop.intrinsic <"smlad-points", dot_points(i16, i16) by 4, "s2s_i16x2_dot" in "s2s_dsp.h">(%acc, %even, %even) : i32, vector<2xi16>, vector<2xi16> -> i32
  // CHECK-NEXT: loop.cache_read %x, %rows[affine_map<() -> (0, 0)>()] {count = 4 : i64, stride = 1 : i64, offset = 0 : i64, pairs, points = 2 : i64, rows = 2 : i64}
  loop.cache_read %x, %rows[affine_map<() -> (0, 0)>()] {count = 4 : i64, stride = 1 : i64, offset = 0 : i64, pairs, points = 2 : i64, rows = 2 : i64} : memref<12xi8>, memref<8xi16>
  // CHECK-NEXT: %one = loop.pairs_sum %many
  %one = loop.pairs_sum %many
  func.return
}

// CHECK-LABEL:   func.func private @callback
// GENERIC-LABEL: sym_name = "callback"
func.func private @callback(%y: memref<4xi8>, %x: memref<4xi8>, %options: memref<2xui8>) {
  // CHECK-NEXT: loop.callback "blur" sets(%y) from(%x, %options) : (memref<4xi8>), (memref<4xi8>, memref<2xui8>)
  // GENERIC:    "loop.callback"(%y, %x, %options) <{function = "blur", operandSegmentSizes = array<i32: 1, 2>}>
  loop.callback "blur" sets(%y) from(%x, %options) : (memref<4xi8>), (memref<4xi8>, memref<2xui8>)
  func.return
}

// CHECK-LABEL:   func.func private @block_call
// GENERIC-LABEL: sym_name = "block_call"
func.func private @block_call(%y: memref<16xf32>, %x: memref<64xf32>) {
  loop.for %i = 0 to 4 {
    // CHECK: loop.block_call "sum"(%y, %x) [affine_map<(d0) -> ((d0 * 4), (d0 * 16))>(%i)] {arguments = [0 : index, 1 : index, 16 : i32], extents = [array<i64: 4, 1>, array<i64: 4, 4, 4, 1>], header = "\22sum.h\22"} : memref<16xf32>, memref<64xf32>
    // GENERIC: "loop.block_call"(%y, %x, %i) <{function = "sum",
    loop.block_call "sum"(%y, %x) [affine_map<(d0) -> ((d0 * 4), (d0 * 16))>(%i)] {arguments = [0 : index, 1 : index, 16 : i32], extents = [array<i64: 4, 1>, array<i64: 4, 4, 4, 1>], header = "\22sum.h\22"} : memref<16xf32>, memref<64xf32>
  }
  func.return
}

// CHECK-LABEL:   func.func private @extern
// GENERIC-LABEL: sym_name = "extern"
func.func private @extern(%y: memref<20xi32>, %x: memref<400xf32>, %s: memref<656xui32>) {
  // CHECK-NEXT: loop.extern "largest_f32" sets(%y) uses(%s) from(%x) {numbers = array<i64: 4, 100, 5>} : (memref<20xi32>), (memref<656xui32>), (memref<400xf32>)
  // GENERIC:    "loop.extern"(%y, %s, %x) <{routine = "largest_f32", numbers = array<i64: 4, 100, 5>
  loop.extern "largest_f32" sets(%y) uses(%s) from(%x) {numbers = array<i64: 4, 100, 5>} : (memref<20xi32>), (memref<656xui32>), (memref<400xf32>)
  func.return
}

// CHECK-LABEL:   func.func private @lanes
// GENERIC-LABEL: sym_name = "lanes"
func.func private @lanes(%x: memref<32xi8>, %w: memref<128xi8>, %acc: i32, %taps: vector<8xi8>, %rows: vector<32xi8>, %i: index, %m: vector<4xi32>, %s: vector<4xi8>) {
  // CHECK-NEXT: %blocks = loop.intrinsic_rows <"mve-halves", dot_half_rows(i8, u8) by 16, "s2s_i32x{lanes}_dot_halves_by_16" in "s2s_half_rows.h">(%x, %w[affine_map<(d0) -> (d0, (d0 * 4))>(%i)]) {steps = 32 : i64} : memref<32xi8>, memref<128xi8> -> vector<4xi32>
  // GENERIC:    %blocks = "loop.intrinsic_rows"(%x, %w, %i) <{intrinsic = #loop.intrinsic<"mve-halves", dot_half_rows(i8, u8) by 16, "s2s_i32x{lanes}_dot_halves_by_16" in "s2s_half_rows.h">, map = affine_map<(d0) -> (d0, (d0 * 4))>, steps = 32 : i64}>
  %blocks = loop.intrinsic_rows <"mve-halves", dot_half_rows(i8, u8) by 16, "s2s_i32x{lanes}_dot_halves_by_16" in "s2s_half_rows.h">(%x, %w[affine_map<(d0) -> (d0, d0 * 4)>(%i)]) {steps = 32 : i64} : memref<32xi8>, memref<128xi8> -> vector<4xi32>
  // CHECK-NEXT: %sums = loop.intrinsic_rows <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%x, %w[affine_map<(d0) -> (d0, (d0 * 4))>(%i)]) {steps = 16 : i64} : memref<32xi8>, memref<128xi8> -> vector<4xi32>
  // GENERIC:    %sums = "loop.intrinsic_rows"(%x, %w, %i) <{intrinsic = #loop.intrinsic<"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">, map = affine_map<(d0) -> (d0, (d0 * 4))>, steps = 16 : i64}>
  %sums = loop.intrinsic_rows <"mve-i8-by-8", dot_rows(i8, i8) by 8, "s2s_i32x{lanes}_dot_i8_by_8" in "s2s_lanes.h">(%x, %w[affine_map<(d0) -> (d0, d0 * 4)>(%i)]) {steps = 16 : i64} : memref<32xi8>, memref<128xi8> -> vector<4xi32>
  // CHECK-NEXT: %grouped = loop.intrinsic <"mve-group-by-8", dot_group(i8, i8) by 8, "s2s_i32x{lanes}_dot_rows8" in "s2s_windows.h">(%m, %taps, %rows) : vector<4xi32>, vector<8xi8>, vector<32xi8> -> vector<4xi32>
  // GENERIC:    %grouped = "loop.intrinsic"(%m, %taps, %rows) <{intrinsic = #loop.intrinsic<"mve-group-by-8", dot_group(i8, i8) by 8, "s2s_i32x{lanes}_dot_rows8" in "s2s_windows.h">}>
  %grouped = loop.intrinsic <"mve-group-by-8", dot_group(i8, i8) by 8, "s2s_i32x{lanes}_dot_rows8" in "s2s_windows.h">(%m, %taps, %rows) : vector<4xi32>, vector<8xi8>, vector<32xi8> -> vector<4xi32>
  // CHECK-NEXT: %window = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%acc, %taps, %taps) : i32, vector<8xi8>, vector<8xi8> -> i32
  // GENERIC:    %window = "loop.intrinsic"(%acc, %taps, %taps) <{intrinsic = #loop.intrinsic<"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">}>
  %window = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%acc, %taps, %taps) : i32, vector<8xi8>, vector<8xi8> -> i32
  // CHECK-NEXT: %r = loop.rescale_lanes %sums, %m, %s "negative" : vector<4xi32>, vector<4xi32>, vector<4xi8> -> vector<4xi32>
  %r = loop.rescale_lanes %sums, %m, %s "negative" : vector<4xi32>, vector<4xi32>, vector<4xi8> -> vector<4xi32>
  // CHECK-NEXT: %q = loop.saturate_lanes %r : vector<4xi32> -> vector<4xi8>
  %q = loop.saturate_lanes %r : vector<4xi32> -> vector<4xi8>
  // CHECK-NEXT: %wide = loop.cast_lanes %q : vector<4xi8> -> vector<4xi32>
  %wide = loop.cast_lanes %q : vector<4xi8> -> vector<4xi32>
  // CHECK-NEXT: %halves = loop.cast_lanes %wide : vector<4xi32> -> vector<4xi16>
  %halves = loop.cast_lanes %wide : vector<4xi32> -> vector<4xi16>
  // CHECK-NEXT: %real = loop.cast_lanes %q : vector<4xi8> -> vector<4xf32>
  %real = loop.cast_lanes %q : vector<4xi8> -> vector<4xf32>
  // CHECK-NEXT: %rounded = loop.quantize_lanes %real {zero_point = -5 : i32} : vector<4xf32> -> vector<4xi8>
  // GENERIC:    %rounded = "loop.quantize_lanes"(%real) <{zero_point = -5 : i32}>
  %rounded = loop.quantize_lanes %real {zero_point = -5 : i32} : vector<4xf32> -> vector<4xi8>
  // CHECK-NEXT: %known = loop.quantize_lanes %real {zero_point = -5 : i32, maybe_nan} : vector<4xf32> -> vector<4xi8>
  %known = loop.quantize_lanes %real {zero_point = -5 : i32, maybe_nan} : vector<4xf32> -> vector<4xi8>
  func.return
}

// CHECK-LABEL:   func.func private @pair
// GENERIC-LABEL: sym_name = "pair"
func.func private @pair(%x: memref<32xf32>, %i: index) {
  // CHECK-NEXT: %low, %high = loop.load_pair %x[affine_map<(d0) -> ((d0 + 1))>(%i)] : memref<32xf32> -> f32, f32
  // GENERIC:    %low, %high = "loop.load_pair"(%x, %i) <{map = affine_map<(d0) -> ((d0 + 1))>}>
  %low, %high = loop.load_pair %x[affine_map<(d0) -> (d0 + 1)>(%i)] : memref<32xf32> -> f32, f32
  func.return
}

// CHECK-LABEL:   func.func private @cast_runs
// GENERIC-LABEL: sym_name = "cast_runs"
func.func private @cast_runs(%y: memref<32xui8>, %x: memref<32xf64>, %i: index) {
  // CHECK-NEXT: loop.cast_run %y, %x[affine_map<(d0) -> (d0, (d0 + 1))>(%i)] : memref<32xui8>, memref<32xf64>
  // GENERIC:    "loop.cast_run"(%y, %x, %i) <{map = affine_map<(d0) -> (d0, (d0 + 1))>}>
  loop.cast_run %y, %x[affine_map<(d0) -> (d0, d0 + 1)>(%i)] : memref<32xui8>, memref<32xf64>
  func.return
}

// CHECK-LABEL:   func.func private @groups
// GENERIC-LABEL: sym_name = "groups"
func.func private @groups(%x: memref<32xi8>, %w: memref<128xi8>, %i: index, %acc: vector<8xi32>, %numbers: memref<32xi16>) {
  // CHECK-NEXT: %one = loop.load_groups %x[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64} : memref<32xi8> -> vector<8xi32>
  // GENERIC:    %one = "loop.load_groups"(%x, %i) <{map = affine_map<(d0) -> (d0)>, lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64}>
  %one = loop.load_groups %x[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64} : memref<32xi8> -> vector<8xi32>
  // CHECK-NEXT: %columns = loop.load_groups %x[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 1 : i64, stride = 8 : i64, count = 3 : i64} : memref<32xi8> -> vector<8xi32>
  %columns = loop.load_groups %x[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 1 : i64, stride = 8 : i64, count = 3 : i64} : memref<32xi8> -> vector<8xi32>
  // CHECK-NEXT: %wide = loop.load_groups %w[affine_map<() -> (32)>()] {lane_stride = 4 : i64, stride = 1 : i64, count = 4 : i64} : memref<128xi8> -> vector<8xi32>
  %wide = loop.load_groups %w[affine_map<() -> (32)>()] {lane_stride = 4 : i64, stride = 1 : i64, count = 4 : i64} : memref<128xi8> -> vector<8xi32>
  // CHECK-NEXT: %s = loop.intrinsic <"vnni", dot_lanes(u8, i8) by 4, "s2s_i32x{lanes}_add_dot_u8" in "s2s_simd_bytes.h">(%acc, %one, %wide) : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<8xi32>
  %s = loop.intrinsic <"vnni", dot_lanes(u8, i8) by 4, "s2s_i32x{lanes}_add_dot_u8" in "s2s_simd_bytes.h">(%acc, %one, %wide) : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<8xi32>
  // CHECK-NEXT: %t = loop.intrinsic <"x86-pairs", dot_lanes(i8, i8) by 4, "s2s_i32x{lanes}_add_dot_i8" in "s2s_simd_bytes.h">(%s, %columns, %wide) : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<8xi32>
  %t = loop.intrinsic <"x86-pairs", dot_lanes(i8, i8) by 4, "s2s_i32x{lanes}_add_dot_i8" in "s2s_simd_bytes.h">(%s, %columns, %wide) : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<8xi32>
  // CHECK-NEXT: %pair = loop.load_groups %numbers[affine_map<() -> (2)>()] {lane_stride = 0 : i64, stride = 1 : i64, count = 2 : i64} : memref<32xi16> -> vector<8xi32>
  %pair = loop.load_groups %numbers[affine_map<() -> (2)>()] {lane_stride = 0 : i64, stride = 1 : i64, count = 2 : i64} : memref<32xi16> -> vector<8xi32>
  // CHECK-NEXT: %pairs = loop.load_groups %w[affine_map<() -> (16)>()] {lane_stride = 2 : i64, stride = 1 : i64, count = 2 : i64, widened} : memref<128xi8> -> vector<8xi32>
  %pairs = loop.load_groups %w[affine_map<() -> (16)>()] {lane_stride = 2 : i64, stride = 1 : i64, count = 2 : i64, widened} : memref<128xi8> -> vector<8xi32>
  // CHECK-NEXT: %moved = loop.add_pairs %pairs, %pair : vector<8xi32>, vector<8xi32> -> vector<8xi32>
  // GENERIC:    %moved = "loop.add_pairs"(%pairs, %pair) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %moved = loop.add_pairs %pairs, %pair : vector<8xi32>, vector<8xi32> -> vector<8xi32>
  // CHECK-NEXT: %a = loop.load
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<32xi8> -> vector<8xi8>
  // CHECK-NEXT: loop.store_interleaved %w[affine_map<(d0) -> (d0)>(%i)] from %a, %a, %a : memref<128xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>
  loop.store_interleaved %w[affine_map<(d0) -> (d0)>(%i)] from %a, %a, %a : memref<128xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>
  // CHECK-NEXT: %f, %g, %z = "test.op"
  %f, %g, %z = "test.op"() : () -> (vector<8xf32>, vector<8xf32>, memref<128xf32>)
  // CHECK-NEXT: loop.store_interleaved %z[affine_map<(d0) -> (d0)>(%i)] from %f, %g {stride = 9 : i64, lanes = 7 : i64} : memref<128xf32>, vector<8xf32>, vector<8xf32>
  // GENERIC:    "loop.store_interleaved"(%z, %i, %f, %g) <{map = affine_map<(d0) -> (d0)>, stride = 9 : i64, lanes = 7 : i64, operandSegmentSizes = array<i32: 1, 1, 2>}>
  loop.store_interleaved %z[affine_map<(d0) -> (d0)>(%i)] from %f, %g {stride = 9 : i64, lanes = 7 : i64} : memref<128xf32>, vector<8xf32>, vector<8xf32>
  // CHECK-NEXT: loop.cache_read %x, %w[affine_map<() -> (0, 0)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, flip} : memref<32xi8>, memref<128xi8>
  loop.cache_read %x, %w[affine_map<() -> (0, 0)>()] {count = 8 : i64, stride = 1 : i64, offset = 0 : i64, flip} : memref<32xi8>, memref<128xi8>
  func.return
}

// CHECK-LABEL:   func.func private @fetches
func.func private @fetches(%x: memref<64xf32>) {
  loop.for %i = 0 to 64 step 8 {
    // CHECK: loop.prefetch %x[affine_map<(d0) -> ((d0 + 8))>(%i)] : memref<64xf32>
    // GENERIC: "loop.prefetch"(%x, %i) <{map = affine_map<(d0) -> ((d0 + 8))>}> : (memref<64xf32>, index) -> ()
    loop.prefetch %x[affine_map<(d0) -> (d0 + 8)>(%i)] : memref<64xf32>
    // CHECK-NEXT: loop.prefetch %x[affine_map<(d0) -> (d0)>(%i)] near : memref<64xf32>
    loop.prefetch %x[affine_map<(d0) -> (d0)>(%i)] near : memref<64xf32>
  }
  func.return
}

// CHECK-LABEL:   func.func private @looks_up
func.func private @looks_up(%table: memref<256xi8>, %index: vector<8xi32>) -> vector<8xi8> {
  // CHECK-NEXT: %y = loop.look_up_lanes %table, %index : memref<256xi8>, vector<8xi32> -> vector<8xi8>
  // GENERIC:    %y = "loop.look_up_lanes"(%table, %index) : (memref<256xi8>, vector<8xi32>) -> vector<8xi8>
  %y = loop.look_up_lanes %table, %index : memref<256xi8>, vector<8xi32> -> vector<8xi8>
  func.return %y : vector<8xi8>
}

// CHECK-LABEL: func.func @reads_a_size
func.func @reads_a_size(%count: memref<1xi32>) {
  // CHECK-NEXT: loop.read_size "found" from %count {most = 5 : i64} : memref<1xi32>
  loop.read_size "found" from %count {most = 5 : i64} : memref<1xi32>
  // CHECK-NEXT: loop.require %count : memref<1xi32>
  loop.require %count : memref<1xi32>
  func.return
}

// CHECK-LABEL: func.func private @sizes
func.func private @sizes(%y: memref<8xf32>, %x: f32) {
  // CHECK-NEXT: %n = loop.size "sequence" from 1 to 8
  %n = loop.size "sequence" from 1 to 8
  // CHECK-NEXT: loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) {
  loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) {
    loop.store %x, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// CHECK-LABEL: func.func private @neighbour_nibbles
func.func private @neighbour_nibbles(%w: memref<32xi8>, %i: index) -> (i8, vector<8xi32>) {
  // CHECK-NEXT: %a = loop.load_nibble %w[affine_map<(d0) -> ((d0 * 3))>(%i)] : memref<32xi8>
  // GENERIC:    %a = "loop.load_nibble"(%w, %i) <{map = affine_map<(d0) -> ((d0 * 3))>}>
  %a = loop.load_nibble %w[affine_map<(d0) -> (d0 * 3)>(%i)] : memref<32xi8>
  // CHECK-NEXT: %g = loop.load_groups %w[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 4 : i64, stride = 1 : i64, count = 4 : i64, nibbles} : memref<32xi8> -> vector<8xi32>
  %g = loop.load_groups %w[affine_map<(d0) -> (d0)>(%i)] {lane_stride = 4 : i64, stride = 1 : i64, count = 4 : i64, nibbles} : memref<32xi8> -> vector<8xi32>
  func.return %a, %g : i8, vector<8xi32>
}

// CHECK-LABEL: func.func private @nibbles
func.func private @nibbles(%w: memref<32xi8>, %i: index) -> vector<8xi8> {
  // CHECK-NEXT: %a = loop.load_nibbles %w[affine_map<(d0) -> ((d0 * 4))>(%i)] {group = 8 : i64} : memref<32xi8> -> vector<8xi8>
  %a = loop.load_nibbles %w[affine_map<(d0) -> (d0 * 4)>(%i)] {group = 8 : i64} : memref<32xi8> -> vector<8xi8>
  func.return %a : vector<8xi8>
}

// CHECK-LABEL: func.func private @codes
func.func private @codes(%w: memref<40xi8>, %i: index) -> (i8, vector<4xi16>, vector<4xi16>) {
  // CHECK-NEXT: %a = loop.look_up %w[affine_map<(d0) -> (d0, 32)>(%i)] {values = 8 : i64} : memref<40xi8>
  // GENERIC:    %a = "loop.look_up"(%w, %i) <{map = affine_map<(d0) -> (d0, 32)>, values = 8 : i64}>
  %a = loop.look_up %w[affine_map<(d0) -> (d0, 32)>(%i)] {values = 8 : i64} : memref<40xi8>
  // CHECK-NEXT: %b = loop.look_up_group %w[affine_map<(d0) -> ((d0 * 2), 32)>(%i)] {values = 8 : i64} : memref<40xi8>
  %b = loop.look_up_group %w[affine_map<(d0) -> (d0 * 2, 32)>(%i)] {values = 8 : i64} : memref<40xi8>
  // CHECK-NEXT: %c = loop.look_up_group %w[affine_map<(d0) -> ((d0 * 2), 32)>(%i)] {values = 8 : i64, pairs} : memref<40xi8>
  %c = loop.look_up_group %w[affine_map<(d0) -> (d0 * 2, 32)>(%i)] {values = 8 : i64, pairs} : memref<40xi8>
  func.return %a, %b, %c : i8, vector<4xi16>, vector<4xi16>
}
