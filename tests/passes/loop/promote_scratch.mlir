// RUN: s2s-opt %s -p loop-promote-scratch | filecheck %s

// CHECK-LABEL: func.func private @centred(%y: memref<4xf32>, %x: memref<4xf32>) {
// CHECK:         %total = loop.for %r = 0 to 4 iter_args(%total_1 = %zero) -> (f32) {
// CHECK:         }
// CHECK-NEXT:    loop.for %j = 0 to 4 {
// CHECK-NEXT:      %v = loop.load %x
// CHECK-NEXT:      %d = arith.subf %v, %total : f32
// CHECK-NEXT:      loop.store %d, %y
func.func private @centred(%y: memref<4xf32>, %x: memref<4xf32>, %total: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for %r = 0 to 4 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%r)] : memref<4xf32> -> f32
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %sum, %total[affine_map<() -> (0)>()] : f32, memref<1xf32>
  loop.for %j = 0 to 4 {
    %t = loop.load %total[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%j)] : memref<4xf32> -> f32
    %d = arith.subf %v, %t : f32
    loop.store %d, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<4xf32>
  }
  func.return
}

// A value of each row, in the loop over rows.
// CHECK-LABEL: func.func private @of_each_row(%y: memref<4xf32>, %x: memref<4xf32>) {
// CHECK:         %twice = arith.addf %one, %one : f32
// CHECK-NEXT:    loop.store %twice, %y
func.func private @of_each_row(%y: memref<4xf32>, %x: memref<4xf32>, %one: memref<1xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
    %t = loop.load %one[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    %twice = arith.addf %t, %t : f32
    loop.store %twice, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: func.func private @declined_where_an_iteration_reads_what_the_one_before_wrote
// CHECK:         loop.load %one
// CHECK:         loop.store %v, %one
func.func private @declined_where_an_iteration_reads_what_the_one_before_wrote(%y: memref<4xf32>, %x: memref<4xf32>, %one: memref<1xf32>) {
  loop.for %i = 0 to 4 {
    %t = loop.load %one[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
    loop.store %t, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: func.func private @declined_behind_the_loop_that_stores
// CHECK:         loop.store %v, %one
// CHECK:         loop.load %one
func.func private @declined_behind_the_loop_that_stores(%y: memref<4xf32>, %x: memref<4xf32>, %one: memref<1xf32>) {
  loop.for %i = 0 to 4 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
  }
  %t = loop.load %one[affine_map<() -> (0)>()] : memref<1xf32> -> f32
  loop.store %t, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  func.return
}

// CHECK-LABEL: func.func private @declined_for_two_stores
// CHECK:         loop.store %v, %one
func.func private @declined_for_two_stores(%y: memref<4xf32>, %x: memref<4xf32>, %one: memref<1xf32>) {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> f32
  loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
  %t = loop.load %one[affine_map<() -> (0)>()] : memref<1xf32> -> f32
  loop.store %t, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
  loop.store %t, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  func.return
}

// CHECK-LABEL: func.func private @declined_for_a_result
// CHECK:         loop.store %v, %one
func.func private @declined_for_a_result(%one: memref<1xf32>, %x: memref<4xf32>) {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> f32
  loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
  func.return
}

// CHECK-LABEL: func.func private @declined_where_threads_divide
// CHECK:         loop.store %v, %one
func.func private @declined_where_threads_divide(%y: memref<4xf32>, %x: memref<4xf32>, %one: memref<1xf32>) attributes {threads = 2 : i64} {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> f32
  loop.store %v, %one[affine_map<() -> (0)>()] : f32, memref<1xf32>
  loop.for %i = 0 to 4 {
    %t = loop.load %one[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    loop.store %t, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.call @centred(%out, %in)
// CHECK-NEXT:    func.call @of_each_row(%out, %in)
// CHECK-NEXT:    %c = loop.alloc
func.func @main(%in: memref<4xf32>, %out: memref<4xf32>) {
  %a = loop.alloc : memref<1xf32>
  func.call @centred(%out, %in, %a) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  %b = loop.alloc : memref<1xf32>
  func.call @of_each_row(%out, %in, %b) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  %c = loop.alloc : memref<1xf32>
  func.call @declined_where_an_iteration_reads_what_the_one_before_wrote(%out, %in, %c) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  %d = loop.alloc : memref<1xf32>
  func.call @declined_behind_the_loop_that_stores(%out, %in, %d) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  %e = loop.alloc : memref<1xf32>
  func.call @declined_for_two_stores(%out, %in, %e) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  %f = loop.alloc : memref<1xf32>
  func.call @declined_for_a_result(%f, %in) : (memref<1xf32>, memref<4xf32>) -> ()
  %g = loop.alloc : memref<1xf32>
  func.call @declined_where_threads_divide(%out, %in, %g) : (memref<4xf32>, memref<4xf32>, memref<1xf32>) -> ()
  func.return
}
