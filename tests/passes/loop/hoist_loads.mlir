// RUN: s2s-opt %s --sample-weights -p loop-hoist-loads | filecheck %s

// A multiplier of each channel is loaded once for all rows of the channel, although two of its loads read it there.
//
// CHECK-LABEL: func.func private @rows
// CHECK:         loop.for %c = 0 to 4 {
// CHECK-NEXT:      %m = loop.load %w
// CHECK-NEXT:      loop.for %row = 0 to 3 {
// CHECK-NEXT:        %v = loop.load %x
// CHECK-NEXT:        %p = arith.muli %v, %m : i32
// CHECK-NEXT:        %q = arith.muli %p, %m : i32
// CHECK-NEXT:        loop.store %q
func.func private @rows(%y: memref<12xi32>, %x: memref<12xi32>, %w: memref<4xi32>) {
  loop.for %c = 0 to 4 {
    loop.for %row = 0 to 3 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 3 + d1)>(%c, %row)] : memref<12xi32> -> i32
      %m = loop.load %w[affine_map<(d0) -> (d0)>(%c)] : memref<4xi32> -> i32
      %p = arith.muli %v, %m : i32
      %n = loop.load %w[affine_map<(d0) -> (d0)>(%c)] : memref<4xi32> -> i32
      %q = arith.muli %p, %n : i32
      loop.store %q, %y[affine_map<(d0, d1) -> (d0 * 3 + d1)>(%c, %row)] : i32, memref<12xi32>
    }
  }
  func.return
}

// Declined: rows of no constant may be written in the loop, a loop may run no pass, and a condition may not hold.
//
// CHECK-LABEL: func.func private @declined
// CHECK:         loop.for %row = 0 to 3 {
// CHECK-NEXT:      %v = loop.load %x
// CHECK:         loop.for %none = 0 to 0 {
// CHECK-NEXT:      %m = loop.load %w
// CHECK:         loop.for %often = 0 to 3 {
// CHECK-NEXT:      loop.if
// CHECK-NEXT:        %n = loop.load %w
func.func private @declined(%y: memref<3xi32>, %x: memref<4xi32>, %w: memref<4xi32>) {
  loop.for %row = 0 to 3 {
    %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xi32> -> i32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%row)] : i32, memref<3xi32>
  }
  loop.for %none = 0 to 0 {
    %m = loop.load %w[affine_map<() -> (1)>()] : memref<4xi32> -> i32
    loop.store %m, %y[affine_map<(d0) -> (d0)>(%none)] : i32, memref<3xi32>
  }
  loop.for %often = 0 to 3 {
    loop.if affine_set<(d0) : (d0 - 1 >= 0)>(%often) {
      %n = loop.load %w[affine_map<() -> (2)>()] : memref<4xi32> -> i32
      loop.store %n, %y[affine_map<(d0) -> (d0)>(%often)] : i32, memref<3xi32>
      loop.yield
    }
  }
  func.return
}

// The constants of a window stay in registers; those of a larger one, which are more than there are, stay in memory.
//
// CHECK-LABEL: func.func private @window
// CHECK-NEXT:    %c = loop.load %w
// CHECK-NEXT:    loop.for %row = 0 to 3 {
// CHECK:           %a = loop.load %x
func.func private @window(%y: memref<3xi32>, %x: memref<10xi8>, %w: memref<8xi8>) {
  loop.for %row = 0 to 3 {
    %acc = loop.load %y[affine_map<(d0) -> (d0)>(%row)] : memref<3xi32> -> i32
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%row)] : memref<10xi8> -> vector<8xi8>
    %c = loop.load %w[affine_map<() -> (0)>()] : memref<8xi8> -> vector<8xi8>
    %s = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%acc, %a, %c) : i32, vector<8xi8>, vector<8xi8> -> i32
    loop.store %s, %y[affine_map<(d0) -> (d0)>(%row)] : i32, memref<3xi32>
  }
  func.return
}

// CHECK-LABEL: func.func private @rows_of_8
// CHECK-NEXT:    loop.for %row = 0 to 3 {
// CHECK-NOT:     loop.for
// CHECK:           %c7 = loop.load %w
func.func private @rows_of_8(%y: memref<3xi32>, %x: memref<10xi8>, %w: memref<64xi8>) {
  loop.for %row = 0 to 3 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%row)] : memref<10xi8> -> vector<8xi8>
    %s0 = loop.load %y[affine_map<(d0) -> (d0)>(%row)] : memref<3xi32> -> i32
    %c0 = loop.load %w[affine_map<() -> (0)>()] : memref<64xi8> -> vector<8xi8>
    %s1 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s0, %a, %c0) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c1 = loop.load %w[affine_map<() -> (8)>()] : memref<64xi8> -> vector<8xi8>
    %s2 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s1, %a, %c1) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c2 = loop.load %w[affine_map<() -> (16)>()] : memref<64xi8> -> vector<8xi8>
    %s3 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s2, %a, %c2) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c3 = loop.load %w[affine_map<() -> (24)>()] : memref<64xi8> -> vector<8xi8>
    %s4 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s3, %a, %c3) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c4 = loop.load %w[affine_map<() -> (32)>()] : memref<64xi8> -> vector<8xi8>
    %s5 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s4, %a, %c4) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c5 = loop.load %w[affine_map<() -> (40)>()] : memref<64xi8> -> vector<8xi8>
    %s6 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s5, %a, %c5) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c6 = loop.load %w[affine_map<() -> (48)>()] : memref<64xi8> -> vector<8xi8>
    %s7 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s6, %a, %c6) : i32, vector<8xi8>, vector<8xi8> -> i32
    %c7 = loop.load %w[affine_map<() -> (56)>()] : memref<64xi8> -> vector<8xi8>
    %s8 = loop.intrinsic <"mve-window-by-8", dot_window(i8, i8) by 8, "s2s_row8_dot" in "s2s_windows.h">(%s7, %a, %c7) : i32, vector<8xi8>, vector<8xi8> -> i32
    loop.store %s8, %y[affine_map<(d0) -> (d0)>(%row)] : i32, memref<3xi32>
  }
  func.return
}

func.func @main(%y: memref<12xi32>, %z: memref<3xi32>, %x: memref<12xi32>, %u: memref<4xi32>, %b: memref<10xi8>) {
  %w = loop.weight "w" {hash = "0"} : memref<4xi32>
  func.call @rows(%y, %x, %w) : (memref<12xi32>, memref<12xi32>, memref<4xi32>) -> ()
  %v = loop.weight "v" {hash = "1"} : memref<8xi8>
  %m = loop.weight "m" {hash = "2"} : memref<64xi8>
  func.call @window(%z, %b, %v) : (memref<3xi32>, memref<10xi8>, memref<8xi8>) -> ()
  func.call @rows_of_8(%z, %b, %m) : (memref<3xi32>, memref<10xi8>, memref<64xi8>) -> ()
  func.call @declined(%z, %u, %w) : (memref<3xi32>, memref<4xi32>, memref<4xi32>) -> ()
  func.return
}
