// RUN: s2s-opt %s | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | s2s-opt | filecheck %s

c.include "math.h" {system}
c.include "s2s.h"
c.global static @taps : !c.array<4 x i8> = dense<[1, -2, 3, 4]> : tensor<4xi8> {comment = "four taps"}
c.global @kws_conv1_w : !c.array<864 x f32> weight "conv1.weight"
c.global @rows : !c.array<2 x !c.named<"row">> = [[1 : i32, "a"], [2 : i32, @taps]]
c.overlay @net_arena members ["conv1", "pool1"] offsets [0, 64] types [!c.array<16 x f32>, !c.array<4 x i8>]

// CHECK:      c.include "math.h" {system}
// CHECK-NEXT: c.include "s2s.h"
// CHECK-NEXT: c.global static @taps : !c.array<4 x i8> = dense<[1, -2, 3, 4]> : tensor<4xi8> {comment = "four taps"}
// CHECK-NEXT: c.global @kws_conv1_w : !c.array<864 x f32> weight "conv1.weight"
// CHECK-NEXT: c.global @rows : !c.array<2 x !c.named<"row">> = [[1 : i32, "a"], [2 : i32, @taps]]
// CHECK-NEXT: c.overlay @net_arena members ["conv1", "pool1"] offsets [0, 64] types [!c.array<16 x f32>, !c.array<4 x i8>]

// CHECK-LABEL: c.func static @scale
c.func static @scale(%y: !c.ptr<f32>, %x: !c.ptr<f32, const, restrict>) attributes {doc = "y[i] = 2 x[i]"} {
  %zero = c.literal 0 : index
  %count = c.literal 64 : index
  %two = c.literal 2.0 : f32
  // CHECK: c.for %i = %zero to %count step 4 unroll 8 : index {
  c.for %i = %zero to %count step 4 unroll 8 : index {
    // CHECK-NEXT: %from = c.subscript %x[%i] : (!c.ptr<f32, const, restrict>, index) -> !c.lvalue<f32, const>
    %from = c.subscript %x[%i] : (!c.ptr<f32, const, restrict>, index) -> !c.lvalue<f32, const>
    // CHECK-NEXT: %value = c.load %from : (!c.lvalue<f32, const>) -> f32
    %value = c.load %from : (!c.lvalue<f32, const>) -> f32
    // CHECK-NEXT: %twice = c.binary %two "*" %value : (f32, f32) -> f32
    %twice = c.binary %two "*" %value : (f32, f32) -> f32
    %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    // CHECK: c.assign %to "=" %twice : !c.lvalue<f32>, f32
    c.assign %to "=" %twice : !c.lvalue<f32>, f32
  }
}

// CHECK-LABEL: c.func @strips
c.func @strips() {
  %zero = c.literal 0 : index
  %count = c.literal 64 : index
  // CHECK: %n = c.variable -> !c.lvalue<index>
  %n = c.variable -> !c.lvalue<index>
  // CHECK-NEXT: c.for %i = %zero to %count by %n : index {
  c.for %i = %zero to %count by %n : index {
    c.assign %n "=" %count : !c.lvalue<index>, index
  }
  // CHECK: c.for %k = %count to %zero step -1 by %n : index {
  c.for %k = %count to %zero step -1 by %n : index {
    c.assign %n "=" %count : !c.lvalue<index>, index
  }
}

// CHECK-LABEL: c.func @forever
c.func @forever(%flag: !c.ptr<i1>) {
  // CHECK-NEXT: c.loop {
  c.loop {
    // CHECK-NEXT: c.break
    c.break
  }
}

// CHECK-LABEL: c.func @choice
c.func @choice(%n: i32) {
  // CHECK-NEXT: c.switch %n {
  // CHECK-NEXT:   c.comment "zero"
  // CHECK-NEXT: } {
  // CHECK-NEXT:   c.return
  // CHECK-NEXT: } : i32
  c.switch %n {
    c.comment "zero"
  } {
    c.return
  } : i32
}

// CHECK-LABEL: c.func @declarations() -> !c.named<"s2s_status">
c.func @declarations() -> !c.named<"s2s_status"> {
  %one = c.literal 1 : i32
  // CHECK:      %acc = c.variable named "acc" = %one : i32 -> !c.lvalue<i32>
  %acc = c.variable named "acc" = %one : i32 -> !c.lvalue<i32>
  // CHECK-NEXT: %wide = c.variable {align = 64 : i64, comment = "two pixels"} -> !c.lvalue<!c.array<64 x ui32>>
  %wide = c.variable {align = 64 : i64, comment = "two pixels"} -> !c.lvalue<!c.array<64 x ui32>>
  // CHECK-NEXT: %p = c.address_of %wide : (!c.lvalue<!c.array<64 x ui32>>) -> !c.ptr<ui32>
  %p = c.address_of %wide : (!c.lvalue<!c.array<64 x ui32>>) -> !c.ptr<ui32>
  // CHECK-NEXT: %q = c.let "q" %p : (!c.ptr<ui32>) -> !c.ptr<ui32>
  %q = c.let "q" %p : (!c.ptr<ui32>) -> !c.ptr<ui32>
  %now = c.load %acc : (!c.lvalue<i32>) -> i32
  %less = c.binary %now "<" %one : (i32, i32) -> i1
  // CHECK: c.if %less {
  c.if %less {
    // CHECK-NEXT: c.assign %acc "+=" %one : !c.lvalue<i32>, i32
    c.assign %acc "+=" %one : !c.lvalue<i32>, i32
  // CHECK-NEXT: } else {
  } else {
    // CHECK-NEXT: c.call "touch"(%q) : (!c.ptr<ui32>) -> ()
    c.call "touch"(%q) : (!c.ptr<ui32>) -> ()
  } : i1
  %float = c.cast %now : i32 to f32
  // CHECK: c.call "sqrtf"(%float) {pure} : (f32) -> f32
  %root = c.call "sqrtf"(%float) {pure} : (f32) -> f32
  %minus = c.unary "-" %root : (f32) -> f32
  // CHECK: c.conditional %less, %root, %minus : i1, f32
  %chosen = c.conditional %less, %root, %minus : i1, f32
  // CHECK-NEXT: c.comment "done */"
  c.comment "done */"
  %ok = c.symbol "S2S_OK" : !c.named<"s2s_status">
  // CHECK: c.return %ok : !c.named<"s2s_status">
  c.return %ok : !c.named<"s2s_status">
}

// CHECK-LABEL: c.func @members
c.func @members(%k: !c.ptr<!c.named<"conv_const">, const>) attributes {parameters = ["k"]} {
  // CHECK: c.member %k "bias" : (!c.ptr<!c.named<"conv_const">, const>) -> !c.lvalue<i32, const>
  %bias = c.member %k "bias" : (!c.ptr<!c.named<"conv_const">, const>) -> !c.lvalue<i32, const>
}

// CHECK: c.func @prototype(!c.ptr<f32>) -> f64
c.func @prototype(!c.ptr<f32>) -> f64
