// RUN: s2s-opt %s --weights %S/encode_constants.npz -p loop-encode-constants{target=cortex-m4} --split-input-file | filecheck %s

// Codes of 1024 numbers in 512 bytes, and a table of 16 values behind them, where each is multiplied many times.
// CHECK-LABEL: func.func private @looked_up
// CHECK:         loop.look_up_group %w[affine_map<(d0) -> ((d0 floordiv 2), 512)>(%k)] {values = 16 : i64} : memref<528xi8>
// CHECK:         loop.look_up_group %w[affine_map<(d0) -> (((d0 floordiv 2) + 2), 512)>(%k)] {values = 16 : i64} : memref<528xi8>
// CHECK:         %w = loop.weight "layer_codes{{.*}}" {{.*}} : memref<528xi8>
func.func private @looked_up(%y: memref<1xi32>, %w: memref<1024xi8>) {
  %zero = arith.constant 0 : i32
  loop.for %i = 0 to 1 {
    %sum = loop.for %k = 0 to 1024 step 8 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %w[affine_map<(d0) -> (d0)>(%k)] : memref<1024xi8> -> vector<8xi8>
      %p = loop.extend %a {part = 0 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %q = loop.extend %a {part = 1 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %next = loop.for %r = 0 to 24 iter_args(%part = %acc) -> (i32) {
        %more = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%part, %p, %q) : i32, vector<4xi16>, vector<4xi16> -> i32
        loop.yield %more : i32
      }
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<1xi32>
  }
  func.return
}
func.func @main(%y: memref<1xi32>) {
  %w = loop.weight "layer" {hash = "0"} : memref<1024xi8>
  func.call @looked_up(%y, %w) : (memref<1xi32>, memref<1024xi8>) -> ()
  func.return
}

// -----

// A table for each of four channels, which have 256 numbers one behind the other.
// CHECK-LABEL: func.func private @by_channels
// CHECK:         loop.look_up %w[affine_map<(d0, d1) -> (((d0 * 256) + d1), ((d0 * 16) + 512))>(%o, %k)] {values = 16 : i64} : memref<576xi8>
func.func private @by_channels(%y: memref<4xi32>, %w: memref<1024xi8>) {
  %zero = arith.constant 0 : i32
  loop.for %o = 0 to 4 {
    %sum = loop.for %k = 0 to 256 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %w[affine_map<(d0, d1) -> (d0 * 256 + d1)>(%o, %k)] : memref<1024xi8> -> i8
      %b = arith.extsi %a : i8 to i32
      %next = loop.for %r = 0 to 8 iter_args(%part = %acc) -> (i32) {
        %more = arith.addi %part, %b : i32
        loop.yield %more : i32
      }
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%o)] : i32, memref<4xi32>
  }
  func.return
}
func.func @main(%y: memref<4xi32>) {
  %w = loop.weight "channels" {hash = "0"} : memref<1024xi8>
  func.call @by_channels(%y, %w) : (memref<4xi32>, memref<1024xi8>) -> ()
  func.return
}

// -----

// Read 64 times, and decoded before, in memory that another kernel needs.
// CHECK-LABEL: func.func private @decoded
// CHECK:         loop.load %w{{.*}} : memref<1024xi8> -> vector<8xi8>
// CHECK:         %w = loop.weight "layer_codes{{.*}}" {{.*}} : memref<528xi8>
// CHECK-NEXT:    %w_1 = loop.alloc : memref<1024xi8>
// CHECK-NEXT:    func.call @decoded_constants(%w_1, %w)
// CHECK-NEXT:    func.call @decoded(%y, %w_1)
func.func private @decoded(%y: memref<64xi32>, %w: memref<1024xi8>) {
  %zero = arith.constant 0 : i32
  loop.for %i = 0 to 64 {
    %sum = loop.for %k = 0 to 1024 step 8 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %w[affine_map<(d0) -> (d0)>(%k)] : memref<1024xi8> -> vector<8xi8>
      %p = loop.extend %a {part = 0 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %q = loop.extend %a {part = 1 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %next = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %p, %q) : i32, vector<4xi16>, vector<4xi16> -> i32
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  func.return
}
func.func private @other(%y: memref<2048xi8>) {
  %one = arith.constant 1 : i8
  loop.store %one, %y[affine_map<() -> (0)>()] : i8, memref<2048xi8>
  func.return
}
func.func @main(%y: memref<64xi32>) {
  %buffer = loop.alloc : memref<2048xi8>
  func.call @other(%buffer) : (memref<2048xi8>) -> ()
  %w = loop.weight "layer" {hash = "0"} : memref<1024xi8>
  func.call @decoded(%y, %w) : (memref<64xi32>, memref<1024xi8>) -> ()
  func.return
}

// -----

// No other kernel needs memory, and 64 times are too many to look up.
// CHECK-LABEL: func.func private @declined_without_memory
// CHECK:         loop.load %w{{.*}} : memref<1024xi8> -> vector<8xi8>
// CHECK:         %w = loop.weight "layer" {{.*}} : memref<1024xi8>
func.func private @declined_without_memory(%y: memref<64xi32>, %w: memref<1024xi8>) {
  %zero = arith.constant 0 : i32
  loop.for %i = 0 to 64 {
    %sum = loop.for %k = 0 to 1024 step 8 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %w[affine_map<(d0) -> (d0)>(%k)] : memref<1024xi8> -> vector<8xi8>
      %p = loop.extend %a {part = 0 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %q = loop.extend %a {part = 1 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %next = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %p, %q) : i32, vector<4xi16>, vector<4xi16> -> i32
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<64xi32>
  }
  func.return
}
func.func @main(%y: memref<64xi32>) {
  %w = loop.weight "layer" {hash = "0"} : memref<1024xi8>
  func.call @declined_without_memory(%y, %w) : (memref<64xi32>, memref<1024xi8>) -> ()
  func.return
}

// -----

// Of 101 values, no channel is known that has fewer.
// CHECK-LABEL: func.func private @declined_for_more_values
// CHECK:         loop.load %w{{.*}} : memref<1024xi8> -> vector<8xi8>
func.func private @declined_for_more_values(%y: memref<1xi32>, %w: memref<1024xi8>) {
  %zero = arith.constant 0 : i32
  loop.for %i = 0 to 1 {
    %sum = loop.for %k = 0 to 1024 step 8 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %w[affine_map<(d0) -> (d0)>(%k)] : memref<1024xi8> -> vector<8xi8>
      %p = loop.extend %a {part = 0 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %q = loop.extend %a {part = 1 : i64, offset = 0 : i64} : vector<8xi8> -> vector<4xi16>
      %next = loop.intrinsic <"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">(%acc, %p, %q) : i32, vector<4xi16>, vector<4xi16> -> i32
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : i32, memref<1xi32>
  }
  func.return
}
func.func @main(%y: memref<1xi32>) {
  %w = loop.weight "many" {hash = "0"} : memref<1024xi8>
  func.call @declined_for_more_values(%y, %w) : (memref<1xi32>, memref<1024xi8>) -> ()
  func.return
}
