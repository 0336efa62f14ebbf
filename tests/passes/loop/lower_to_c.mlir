// RUN: s2s-opt %s -p loop-lower-to-c{prefix=net} --split-input-file | filecheck %s

// What a kernel only reads is const; pointers are apart unless the plan gave the result the buffer of an operand.
// CHECK-LABEL: c.func @net_add(%y: !c.ptr<f32>, %a: !c.ptr<f32, const>, %b: !c.ptr<f32, const, restrict>)
// CHECK-SAME: doc = "y[i] = a[i] + b[i]"
func.func private @add(%y: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>)
    attributes {in_place = array<i64: 1>, doc = "y[i] = a[i] + b[i]"} {
  // CHECK: c.for %i = {{%.*}} to {{%.*}} : index {
  loop.for %i = 0 to 8 {
    // CHECK-NEXT: [[A:%.*]] = c.subscript %a[%i]
    // CHECK-NEXT: %v = c.load [[A]]
    %v = loop.load %a[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    %w = loop.load %b[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    // CHECK: %sum = c.binary %v "+" %w : (f32, f32) -> f32
    %sum = arith.addf %v, %w : f32
    // CHECK: c.assign {{%.*}} "=" %sum
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// -----

// A carried value is a variable; what is added to it is added in place.
// CHECK-LABEL: c.func @net_sum
func.func private @sum(%y: memref<1xf32>, %x: memref<8xf32>) {
  // CHECK: %acc = c.variable = {{%.*}} : f32 -> !c.lvalue<f32>
  %zero = arith.constant 0.0 : f32
  // CHECK: c.for
  %sum = loop.for %i = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    // CHECK: c.assign %acc "+=" %v
    %next = arith.addf %acc, %v : f32
    loop.yield %next : f32
  }
  // CHECK: %sum = c.load %acc
  loop.store %sum, %y[affine_map<() -> (0)>()] : f32, memref<1xf32>
  func.return
}

// -----

// Sums of integers wrap, so a function of the runtime adds them, unless the operation promises to stay in range.
// CHECK-LABEL: c.func @net_wrap
func.func private @wrap(%y: memref<1xi32>, %x: memref<2xi32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<2xi32> -> i32
  %b = loop.load %x[affine_map<() -> (1)>()] : memref<2xi32> -> i32
  // CHECK: c.call "s2s_i32_add"(%a, %b) {pure} : (i32, i32) -> i32
  %c = arith.addi %a, %b : i32
  // CHECK: c.binary %c "+" %b : (i32, i32) -> i32
  %d = arith.addi %c, %b overflow<nsw> : i32
  loop.store %d, %y[affine_map<() -> (0)>()] : i32, memref<1xi32>
  func.return
}

// -----

// main checks what it is handed and calls kernel after kernel; views are offsets in elements.
// CHECK:      c.global @net_w : !c.array<4 x f32> weight "w"
// CHECK:      c.func @net_run(%0: !c.ptr<!c.named<"void">>, %1: !c.ptr<f32, const>, %2: !c.ptr<f32>)
// CHECK-SAME: extents = ["", "NET_X_SIZE", "NET_Y_SIZE"]
// CHECK-NEXT:   c.let "a" %0 : (!c.ptr<!c.named<"void">>) -> !c.ptr<f32>
// CHECK:        c.call "s2s_is_aligned"
// CHECK:        c.literal 2 : index
// CHECK:        c.call "net_mul"({{%.*}}, %1, {{%.*}}) {comment = "conv1, relu1"}
// CHECK:        c.symbol "S2S_OK"
func.func private @mul(%y: memref<4xf32>, %x: memref<4xf32>, %w: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func @main(%arena: memref<24xi8> {role = "arena"}, %y: memref<4xf32> {role = "output", name = "y"},
                %x: memref<4xf32> {role = "input", name = "x"})
    attributes {arena_size = 24 : i64, arena_align = 4 : i64} {
  %a = loop.view %arena[8 : i64] : memref<24xi8> -> memref<4xf32>
  %w = loop.weight "w" {hash = "0"} : memref<4xf32>
  func.call @mul(%a, %x, %w) {node = "conv1, relu1"} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @mul(%y, %a, %w) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
