// RUN: s2s-opt -p c-name-temporaries -t c %s | filecheck %s --strict-whitespace --match-full-lines

//      CHECK:static void scale(float *y, const float *x)
// CHECK-NEXT:{
// CHECK-NEXT:    y[0] = x[0] * 2.0f;
// CHECK-NEXT:}
c.func static @scale(%y: !c.ptr<f32>, %x: !c.ptr<f32, const>) {
  %zero = c.literal 0 : index
  %two = c.literal 2.0 : f32
  %from = c.subscript %x[%zero] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
  %v = c.load %from : (!c.lvalue<f32, const>) -> f32
  %p = c.binary %v "*" %two : (f32, f32) -> f32
  %to = c.subscript %y[%zero] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %to "=" %p : !c.lvalue<f32>, f32
}
