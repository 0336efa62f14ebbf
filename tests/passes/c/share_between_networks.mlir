// RUN: s2s-opt %s --split-input-file -p c-share-between-networks{prefix=models} | filecheck %s

// Equal constants and equal kernels stand once, under a name of their own; callers name that.
// CHECK:      builtin.module @models {
// CHECK-NEXT:   c.global @models_w : !c.array<4 x f32> weight "w"
// CHECK-NEXT:   c.func @models_copy
// CHECK-SAME:     doc = "y[i] = x[i]\0Anodes of kws: a\0Anodes of ic: b"
// CHECK:      builtin.module @kws {
// CHECK-NEXT:   c.func @kws_run
// CHECK-NEXT:     c.symbol "models_w"
// CHECK-NEXT:     c.call "models_copy"
// CHECK:      builtin.module @ic {
// CHECK-NEXT:   c.func @ic_run
// CHECK-NEXT:     c.symbol "models_w"
// CHECK-NEXT:     c.call "models_copy"
builtin.module @kws {
  c.global @kws_w : !c.array<4 x f32> weight "w"
  c.func @kws_copy(%y : !c.ptr<f32>, %x : !c.ptr<f32, const>) attributes {doc = "y[i] = x[i]\0Anodes: a"} {
    %i = c.literal 0 : index
    %from = c.subscript %x[%i] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
    %v = c.load %from : (!c.lvalue<f32, const>) -> f32
    %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %to "=" %v : !c.lvalue<f32>, f32
  }
  c.func @kws_run(%y : !c.ptr<f32>) attributes {extents = [""]} {
    %w = c.symbol "kws_w" : !c.ptr<f32, const>
    c.call "kws_copy"(%y, %w) : (!c.ptr<f32>, !c.ptr<f32, const>) -> ()
  }
}
builtin.module @ic {
  c.global @ic_weights : !c.array<4 x f32> weight "w"
  c.func @ic_move(%out : !c.ptr<f32>, %in : !c.ptr<f32, const>) attributes {doc = "y[j] = x[j]\0Anodes: b"} {
    %j = c.literal 0 : index
    %from = c.subscript %in[%j] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
    %v = c.load %from : (!c.lvalue<f32, const>) -> f32
    %to = c.subscript %out[%j] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %to "=" %v : !c.lvalue<f32>, f32
  }
  c.func @ic_run(%y : !c.ptr<f32>) attributes {extents = [""]} {
    %w = c.symbol "ic_weights" : !c.ptr<f32, const>
    c.call "ic_move"(%y, %w) : (!c.ptr<f32>, !c.ptr<f32, const>) -> ()
  }
}

// -----

// The kernel that promises less stands for both.
// CHECK:      builtin.module @models {
// CHECK-NEXT:   c.func @models_set(%y: !c.ptr<f32>)
builtin.module @a {
  c.func @a_set(%y : !c.ptr<f32, restrict>) {
    %i = c.literal 0 : index
    %one = c.literal 1.0 : f32
    %to = c.subscript %y[%i] : (!c.ptr<f32, restrict>, index) -> !c.lvalue<f32>
    c.assign %to "=" %one : !c.lvalue<f32>, f32
  }
}
builtin.module @b {
  c.func @b_set(%y : !c.ptr<f32>) {
    %i = c.literal 0 : index
    %one = c.literal 1.0 : f32
    %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %to "=" %one : !c.lvalue<f32>, f32
  }
}

// -----

// Declined: the kernels store different numbers, the constants have different values.
// CHECK-NOT:  @models
// CHECK:      builtin.module @c {
// CHECK-NEXT:   c.global @c_w
// CHECK-NEXT:   c.func @c_set
// CHECK:      builtin.module @d {
// CHECK-NEXT:   c.global @d_w
// CHECK-NEXT:   c.func @d_set
builtin.module @c {
  c.global @c_w : !c.array<4 x f32> weight "w"
  c.func @c_set(%y : !c.ptr<f32>) {
    %i = c.literal 0 : index
    %one = c.literal 1.0 : f32
    %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %to "=" %one : !c.lvalue<f32>, f32
  }
}
builtin.module @d {
  c.global @d_w : !c.array<4 x f32> weight "other"
  c.func @d_set(%y : !c.ptr<f32>) {
    %i = c.literal 0 : index
    %two = c.literal 2.0 : f32
    %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
    c.assign %to "=" %two : !c.lvalue<f32>, f32
  }
}
