// RUN: s2s-opt %s -p loop-lower-to-c | filecheck %s

// The step of the loop is the number of lanes of each turn; a product and its sum are one call.
//
// CHECK-LABEL: c.func @net_sums
// CHECK:         [[n:%.*]] = c.variable -> !c.lvalue<index>
// CHECK:         c.for %c = {{.*}} to {{.*}} by [[n]] : index {
// CHECK:           [[left:%.*]] = c.call "s2s_strip"(
// CHECK-NEXT:      c.assign [[n]] "=" [[left]]
// CHECK:           "s2s_i32xn_splat"(
// CHECK:           c.for %k
// CHECK:             "s2s_i8xn_load"(
// CHECK:             "s2s_i16xn_of_i8"(
// CHECK:             "s2s_i32xn_add_multiples"(
// CHECK-NOT:         "s2s_i32xn_add"(
// CHECK:           "s2s_i32xn_rescale_upward"(
// CHECK:           "s2s_i8xn_saturated"(
// CHECK:           "s2s_i8xn_store"(
func.func @sums(%y: memref<20xi8>, %x: memref<4xi16>, %w: memref<80xi8>, %m: memref<20xi32>, %s: memref<20xi8>) {
  loop.for %c = 0 to 20 scalable {
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
    %multiplier = loop.load %m[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %shift = loop.load %s[affine_map<(d0) -> (d0)>(%c)] : memref<20xi8> -> i8
    %number = tensor.rescale %sum, %multiplier, %shift "upward" {offset = 3 : i32} : i32
    %a = tensor.saturate %number
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%c)] : i8, memref<20xi8>
  }
  func.return
}

// Four bytes of each lane are multiplied by four that all lanes share.
//
// CHECK-LABEL: c.func @net_dots
// CHECK:         [[x:%.*]] = c.call "s2s_i8x4_load"(
// CHECK:         [[w:%.*]] = c.call "s2s_i8x4xn_load"(
// CHECK:         c.call "s2s_i32xn_add_dots"({{%.*}}, [[x]], [[w]], {{%.*}})
func.func @dots(%y: memref<20xi32>, %x: memref<4xi8>, %w: memref<80xi8>, %b: memref<20xi32>) {
  loop.for %c = 0 to 20 scalable {
    %acc = loop.load %b[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %bytes = loop.load %x[affine_map<() -> (0)>()] : memref<4xi8> -> vector<4xi8>
    %row = loop.load %w[affine_map<(d0) -> (d0 * 4)>(%c)] : memref<80xi8> -> vector<4xi8>
    %sum = loop.intrinsic <"strip-dot", dot_strips(i8, i8) by 4, "s2s_i8x4_dot" in "s2s_strips.h">(%acc, %bytes, %row) : i32, vector<4xi8>, vector<4xi8> -> i32
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  }
  func.return
}

// A lane is chosen by a comparison, and divided by a number.
//
// CHECK-LABEL: c.func @net_halves_away_from_zero
// CHECK:         [[mask:%.*]] = c.call "s2s_i32xn_greater"({{%.*}}, {{%.*}}, {{%.*}}) {{.*}}!c.named<"s2s_maskxn">
// CHECK:         "s2s_i32xn_select"([[mask]],
// CHECK:         "s2s_i32xn_div"(
func.func @halves_away_from_zero(%y: memref<20xi32>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 scalable {
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %up = arith.constant 1 : i32
    %down = arith.constant -1 : i32
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %negative = arith.cmpi slt, %a, %zero : i32
    %half = arith.select %negative, %down, %up : i32
    %sum = arith.addi %a, %half : i32
    %b = arith.divsi %sum, %two : i32
    loop.store %b, %y[affine_map<(d0) -> (d0)>(%c)] : i32, memref<20xi32>
  }
  func.return
}

// Sums are rounded to bytes.
//
// CHECK-LABEL: c.func @net_rounded
// CHECK:         "s2s_f32xn_of_i32"(
// CHECK:         "s2s_f32xn_mul"(
// CHECK:         "s2s_i8xn_quantize"(
func.func @rounded(%y: memref<20xi8>, %x: memref<20xi32>) {
  loop.for %c = 0 to 20 scalable {
    %scale = arith.constant 0.25 : f32
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%c)] : memref<20xi32> -> i32
    %float = arith.sitofp %a : i32 to f32
    %product = arith.mulf %float, %scale : f32
    %b = tensor.quantize %product {zero_point = 3 : i32} : i8
    loop.store %b, %y[affine_map<(d0) -> (d0)>(%c)] : i8, memref<20xi8>
  }
  func.return
}

// From the end to the start, the counter is the end of a strip; elements lie apart, and a condition is for all of them.
//
// CHECK-LABEL: c.func @net_backwards
// CHECK:         c.for %c_end = {{.*}} to {{.*}} step -1 by %n : index {
// CHECK:           %c = c.binary %c_end "-"
// CHECK:           "s2s_f32xn_load_strided"(
// CHECK:           c.if
// CHECK:             "s2s_f32xn_add_products"(
// CHECK:           "s2s_f32xn_store_strided"(
func.func @backwards(%y: memref<40xf32>, %x: memref<60xf32>) {
  loop.for %r = 0 to 2 {
    loop.for %c = 0 to 20 down scalable {
      %a = loop.load %x[affine_map<(d0) -> (d0 * 3)>(%c)] : memref<60xf32> -> f32
      %b = loop.if affine_set<(d0) : (d0 - 1 >= 0)>(%r) -> f32 {
        %p = arith.mulf %a, %a : f32
        %s = arith.addf %p, %a : f32
        loop.yield %s : f32
      } else {
        loop.yield %a : f32
      }
      loop.store %b, %y[affine_map<(d0) -> (d0 * 2)>(%c)] : f32, memref<40xf32>
    }
  }
  func.return
}
