// RUN: s2s-opt %s -p loop-strip-mine | filecheck %s

// Iterations run side by side; what is stored is stored last.
//
// CHECK-LABEL: func.func @sums
// CHECK:       loop.for %c = 0 to 20 scalable {
// CHECK:         loop.for %k = 0 to 4 iter_args(
// CHECK:         %more = loop.load %z
// CHECK:         loop.store %a, %y
// CHECK-NEXT:    loop.store %b, %y
// CHECK-NOT:   strip_mine
func.func @sums(%y: memref<40xi8>, %x: memref<4xi16>, %w: memref<80xi8>, %z: memref<20xi8>) {
  loop.for %c = 0 to 20 {
    %zero = arith.constant 0 : i32
    %sum = loop.for %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
      %row = loop.load %x[affine_map<(d0) -> (d0)>(%k)] : memref<4xi16> -> i16
      %factor = arith.extsi %row : i16 to i32
      %byte = loop.load %w[affine_map<(d0, d1) -> (d0 * 20 + d1)>(%k, %c)] : memref<80xi8> -> i8
      %wide = arith.extsi %byte : i8 to i32
      %product = arith.muli %factor, %wide : i32
      %next = arith.addi %acc, %product : i32
      loop.yield %next : i32
    }
    %a = tensor.saturate %sum
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%c)] : i8, memref<40xi8>
    %more = loop.load %z[affine_map<(d0) -> (d0)>(%c)] : memref<20xi8> -> i8
    %m = arith.extsi %more : i8 to i32
    %n = arith.addi %m, %sum : i32
    %b = tensor.saturate %n
    loop.store %b, %y[affine_map<(d0) -> (d0 + 20)>(%c)] : i8, memref<40xi8>
  } {strip_mine}
  func.return
}

// Groups of four bytes that follow each other from lane to lane have a dot product; groups apart have none.
//
// CHECK-LABEL: func.func @dots
// CHECK-NEXT:  loop.for %c = 0 to 20 scalable {
func.func @dots(%y: memref<20xi32>, %x: memref<4xi8>, %w: memref<80xi8>, %b: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %acc = loop.load %b[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %bytes = loop.load %x[affine_map<() -> (0)>()] : memref<4xi8> -> vector<4xi8>
    %row = loop.load %w[affine_map<(d0) -> (d0 * 4)>(%c)] : memref<80xi8> -> vector<4xi8>
    %sum = loop.intrinsic <"strip-dot", dot_strips(i8, i8) by 4, "s2s_i8x4_dot" in "s2s_strips.h">(%acc, %bytes, %row) : i32, vector<4xi8>, vector<4xi8> -> i32
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_where_groups_lie_apart
// CHECK:       } {strip_mine = "loop.load has no form for several iterations"}
func.func @declined_where_groups_lie_apart(%y: memref<20xi32>, %x: memref<4xi8>, %w: memref<160xi8>, %b: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %acc = loop.load %b[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %bytes = loop.load %x[affine_map<() -> (0)>()] : memref<4xi8> -> vector<4xi8>
    %row = loop.load %w[affine_map<(d0) -> (d0 * 8)>(%c)] : memref<160xi8> -> vector<4xi8>
    %sum = loop.intrinsic <"strip-dot", dot_strips(i8, i8) by 4, "s2s_i8x4_dot" in "s2s_strips.h">(%acc, %bytes, %row) : i32, vector<4xi8>, vector<4xi8> -> i32
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_where_nobody_asks
// CHECK-NEXT:  loop.for %c = 0 to 20 {
func.func @declined_where_nobody_asks(%y: memref<20xi8>, %x: memref<20xi8>) {
  loop.for %c = 0 to 20 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi8> -> i8
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%c)] : i8, memref<20xi8>
  }
  func.return
}

// CHECK-LABEL: func.func @declined_where_one_reads_what_another_writes
// CHECK-NEXT:  loop.for %c = 1 to 20 {
// CHECK:       } {strip_mine = "an iteration may read what another one writes"}
func.func @declined_where_one_reads_what_another_writes(%y: memref<20xi8>) {
  loop.for %c = 1 to 20 {
    %a = loop.load %y[affine_map<(d0) -> (d0 - 1)>(%c)] : memref<20xi8> -> i8
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%c)] : i8, memref<20xi8>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_for_an_operation_without_a_form
// CHECK-NEXT:  loop.for %c = 0 to 20 {
// CHECK:       } {strip_mine = "arith.divsi has no form for several iterations"}
func.func @declined_for_an_operation_without_a_form(%y: memref<20xi32>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %q = arith.divsi %a, %a : i32
    loop.store %q, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_where_elements_are_not_equally_far_apart
// CHECK:       } {strip_mine = "loop.load has no form for several iterations"}
func.func @declined_where_elements_are_not_equally_far_apart(%y: memref<20xi32>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %a = loop.load %x[affine_map<(d0) -> (d0 floordiv 2)>(%c)] : memref<20xi32> -> i32
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_where_all_store_to_one_place
// CHECK:       } {strip_mine = "loop.store has no form for several iterations"}
func.func @declined_where_all_store_to_one_place(%y: memref<20xi32>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    loop.store %a, %y[affine_map<() -> (0)>()] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_where_bounds_differ
// CHECK:       } {strip_mine = "loop.for has no form for several iterations"}
func.func @declined_where_bounds_differ(%y: memref<20xi32>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 {
    %zero = arith.constant 0 : i32
    %sum = loop.for %k = 0 to min affine_map<(d0) -> (d0)>(%c) iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[affine_map<(d0) -> (d0)>(%k)] : memref<20xi32> -> i32
      %next = arith.addi %acc, %a : i32
      loop.yield %next : i32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  } {strip_mine}
  func.return
}

// CHECK-LABEL: func.func @declined_for_carried_values
// CHECK:       } {strip_mine = "it carries values, or takes several elements in one iteration"}
func.func @declined_for_carried_values(%y: memref<20xi32>, %x: memref<20xi32>) {
  %zero = arith.constant 0 : i32
  %sum = loop.for %c = 0 to 20 iter_args(%acc = %zero) -> (i32) {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %next = arith.addi %acc, %a : i32
    loop.yield %next : i32
  } {strip_mine}
  func.return
}
