// RUN: s2s-opt %s --split-input-file -p c-parametrise-kernels{most=2} | filecheck %s

// 8 and 16, and the numbers that follow from them by the same formula, become one parameter.
// CHECK-LABEL: c.func @kws_set(%y: !c.ptr<f32>, %n: index)
// CHECK-SAME:    parameters = ["y", "n"]
// CHECK:         c.subscript %y[%n]
// CHECK:         %j = c.literal 2 : index
// CHECK-NEXT:    %j_1 = c.binary %n "*" %j
// CHECK-NEXT:    %j_2 = c.literal 4 : index
// CHECK-NEXT:    %j_3 = c.binary %j_1 "+" %j_2
// CHECK-NEXT:    c.subscript %y[%j_3]
// CHECK-LABEL: c.func @ic_set(%y: !c.ptr<f32>, %n: index)
// CHECK-LABEL: c.func @run
// CHECK-NEXT:    %0 = c.literal 8 : index
// CHECK-NEXT:    c.call "kws_set"(%y, %0)
// CHECK-NEXT:    %1 = c.literal 16 : index
// CHECK-NEXT:    c.call "ic_set"(%y, %1)
c.func @kws_set(%y : !c.ptr<f32>) attributes {parameters = ["y"]} {
  %one = c.literal 1.0 : f32
  %i = c.literal 8 : index
  %at = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %at "=" %one : !c.lvalue<f32>, f32
  %j = c.literal 20 : index
  %next = c.subscript %y[%j] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %next "=" %one : !c.lvalue<f32>, f32
}
c.func @ic_set(%y : !c.ptr<f32>) attributes {parameters = ["y"]} {
  %one = c.literal 1.0 : f32
  %i = c.literal 16 : index
  %at = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %at "=" %one : !c.lvalue<f32>, f32
  %j = c.literal 36 : index
  %next = c.subscript %y[%j] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %next "=" %one : !c.lvalue<f32>, f32
}
c.func @run(%y : !c.ptr<f32>) attributes {extents = [""]} {
  c.call "kws_set"(%y) : (!c.ptr<f32>) -> ()
  c.call "ic_set"(%y) : (!c.ptr<f32>) -> ()
}

// -----

// Declined: three numbers that have nothing to do with each other.
// CHECK-LABEL: c.func @a(%y: !c.ptr<f32>) {
// CHECK-LABEL: c.func @b(%y: !c.ptr<f32>) {
c.func @a(%y : !c.ptr<f32>) {
  %i = c.literal 3 : index
  %at = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  %one = c.literal 1.0 : f32
  c.assign %at "=" %one : !c.lvalue<f32>, f32
  %two = c.literal 2.0 : f32
  c.assign %at "+=" %two : !c.lvalue<f32>, f32
}
c.func @b(%y : !c.ptr<f32>) {
  %i = c.literal 5 : index
  %at = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  %one = c.literal 8.0 : f32
  c.assign %at "=" %one : !c.lvalue<f32>, f32
  %two = c.literal 9.0 : f32
  c.assign %at "+=" %two : !c.lvalue<f32>, f32
}
