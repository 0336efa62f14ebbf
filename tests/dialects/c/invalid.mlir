// RUN: s2s-opt %s --verify-diagnostics --split-input-file | filecheck %s

%a = "test.op"() : () -> f32
%b = c.binary %a "%" %a : (f32, f32) -> f32
// CHECK: c.binary: C has no '%' on f32, f32

// -----

%a = "test.op"() : () -> i8
%b = c.binary %a "+" %a : (i8, i8) -> i8
// CHECK: c.binary: C gives '+' the type i32, result is i8

// -----

%a, %b = "test.op"() : () -> (i32, ui32)
%c = c.binary %a "<" %b : (i32, ui32) -> i1
// CHECK: c.binary: C has no '<' on i32, ui32

// -----

%a = "test.op"() : () -> i32
%b = c.binary %a "**" %a : (i32, i32) -> i32
// CHECK: c.binary: '**' is no operator of C for two operands

// -----

%a = "test.op"() : () -> f32
%b = c.unary "~" %a : (f32) -> f32
// CHECK: c.unary: C has no '~' on f32

// -----

%p, %i, %v = "test.op"() : () -> (!c.ptr<f32, const>, index, f32)
%place = c.subscript %p[%i] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
c.assign %place "=" %v : !c.lvalue<f32, const>, f32
// CHECK: c.assign: !c.lvalue<f32, const> cannot be written

// -----

%p, %i = "test.op"() : () -> (!c.ptr<f32, const>, index)
%place = c.subscript %p[%i] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32>
// CHECK: c.subscript: element is !c.lvalue<f32, const>, result is !c.lvalue<f32>

// -----

%p, %i = "test.op"() : () -> (!c.ptr<f32>, f32)
%place = c.subscript %p[%i] : (!c.ptr<f32>, f32) -> !c.lvalue<f32>
// CHECK: c.subscript: index is f32, not an integer

// -----

%place, %v = "test.op"() : () -> (!c.lvalue<i32>, i8)
c.assign %place "=" %v : !c.lvalue<i32>, i8
// CHECK: c.assign: place holds i32, value is i8

// -----

%wide = c.variable -> !c.lvalue<!c.array<4 x i8>>
%v = c.load %wide : (!c.lvalue<!c.array<4 x i8>>) -> i8
// CHECK: c.load: !c.lvalue<!c.array<4 x i8>> holds no value

// -----

%v = "test.op"() : () -> f64
%x = c.variable = %v : f64 -> !c.lvalue<f32>
// CHECK: c.variable: initial value is f64, variable is f32

// -----

%x = c.variable -> !c.lvalue<f32, const>
// CHECK: c.variable: a value that never changes is a c.let

// -----

%x = c.variable -> !c.lvalue<!c.array<0 x f32>>
// CHECK: c.array: 0 elements; C has no arrays without elements

// -----

%x = "test.op"() : () -> !c.ptr<f32>
%m = c.member %x "bias" : (!c.ptr<f32>) -> !c.lvalue<i32>
// CHECK: c.member: !c.ptr<f32> designates no structure

// -----

%lo, %hi = "test.op"() : () -> (index, i32)
"c.for"(%lo, %hi) <{step = 1 : i64}> ({
^bb0(%i: index):
}) : (index, i32) -> ()
// CHECK: c.for: bounds and counter are (index, i32, index), not one integer type

// -----

%x = "test.op"() : () -> f32
c.switch %x {
  c.comment "zero"
} {
  c.comment "other"
} : f32
// CHECK: c.switch: f32 is no integer

// -----

%n = "test.op"() : () -> i32
c.switch %n {
  c.comment "other"
} : i32
// CHECK: c.switch: 1 regions, expected a case and the default

// -----

%lo, %hi = "test.op"() : () -> (index, index)
c.for %i = %lo to %hi step 0 : index {
}
// CHECK: c.for: step 0 never ends

// -----

c.global @table : !c.array<4 x i8>
// CHECK: c.global: table has not exactly one of value and weight

// -----

c.func @f(%x: f32) attributes {parameters = ["x", "y"]} {
}
// CHECK: c.func: f: 2 names for 1 parameters

// -----

c.call "abort"() {pure} : () -> ()
// CHECK: c.call: abort neither gives nor writes anything

// -----

c.call "s2s_move_down"() : () -> ()
// CHECK: c.call: s2s_move_down is of the runtime, expected the header that declares it

// -----

c.overlay @net_arena members ["conv1", "pool1"] offsets [0] types [!c.array<16 x f32>]
// CHECK: c.overlay: 2 members, 1 offsets, 1 types

// -----

c.overlay @net_arena members ["conv1", "conv1"] offsets [0, 64] types [!c.array<16 x f32>, !c.array<4 x i8>]
// CHECK: c.overlay: net_arena has two members of one name

// -----

c.overlay @net_arena members ["conv1"] offsets [-4] types [!c.array<16 x f32>]
// CHECK: c.overlay: net_arena has a member before its beginning

// -----

"c.func"() <{sym_name = "none", function_type = (i32) -> ()}> ({
}) : () -> ()
// CHECK: c.func: none gives 0 values, C gives one

// -----

c.func @f(%i: index) {
  %n = c.variable -> !c.lvalue<i32>
  "c.for"(%i, %i, %n) <{step = 1 : i64}> ({
  ^bb0(%k: index):
  }) : (index, index, !c.lvalue<i32>) -> ()
}
// CHECK: c.for: the step is a i32, the counter a index
