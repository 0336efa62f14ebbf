// RUN: s2s-opt %s -p c-call-signed-shifts | filecheck %s

// CHECK-LABEL: c.func @signed
c.func @signed(%x: i32, %wide: i64, %narrow: i8) {
  %one = c.literal 1 : i32
  // CHECK: %a = c.call "s2s_i32_shift_right"(%x, %one) {pure, header = "\22s2s_math.h\22"} : (i32, i32) -> i32
  %a = c.binary %x ">>" %one : (i32, i32) -> i32
  // CHECK-NEXT: %b = c.call "s2s_i64_shift_right"(%wide, %one) {pure, header = "\22s2s_math.h\22"} : (i64, i32) -> i64
  %b = c.binary %wide ">>" %one : (i64, i32) -> i64
  // C computes with an int8_t as an int.
  // CHECK-NEXT: %c = c.call "s2s_i32_shift_right"(%narrow, %one) {pure, header = "\22s2s_math.h\22"} : (i8, i32) -> i32
  %c = c.binary %narrow ">>" %one : (i8, i32) -> i32
}

// Unsigned numbers and left shifts stay.
// CHECK-LABEL: c.func @declined
c.func @declined(%x: i32, %y: ui32) {
  %one = c.literal 1 : i32
  // CHECK: c.binary %y ">>" %one
  %a = c.binary %y ">>" %one : (ui32, i32) -> ui32
  // CHECK-NEXT: c.binary %x "<<" %one
  %b = c.binary %x "<<" %one : (i32, i32) -> i32
}
