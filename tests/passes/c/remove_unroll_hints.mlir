// RUN: s2s-opt %s -p c-remove-unroll-hints | filecheck %s

// CHECK-LABEL: @hinted
// CHECK-SAME:    doc = "schedule: tile 4 ow; loops oh, ow"
// CHECK:         c.for %i = %zero to %end step 8 : index
c.func @hinted(%y: !c.ptr<f32>)
  attributes {doc = "schedule: tile 4 ow; let the C compiler unroll 18 passes of kw; loops oh, ow"} {
  %zero = c.literal 0 : index
  %end = c.literal 144 : index
  %one = c.literal 1.0 : f32
  c.for %i = %zero to %end step 8 unroll 18 : index {
    %at = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %at "=" %one : !c.lvalue<f32>, f32
  }
}
