// RUN: s2s-opt %s -p 'loop-cut-into-steps{most=40 unit=macs}' | filecheck %s

// A kernel that takes more than a step is cut along its loop: four iterations of 8 a tile, the same number in each.
// CHECK-LABEL: func.func private @rows(
// CHECK-NEXT:    %tile = loop.tile of 3
// CHECK-NEXT:    loop.for %i = max affine_map<(d0) -> ((d0 * 4))>(%tile) to min affine_map<(d0) -> (((d0 * 4) + 4), 11)>(%tile) {
// CHECK-NEXT:      loop.for %j = 0 to 8 {
func.func private @rows(%y: memref<88xf32>, %x: memref<88xf32>) attributes {kernel} {
  loop.for %i = 0 to 11 {
    loop.for %j = 0 to 8 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<88xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : f32, memref<88xf32>
    }
  }
  func.return
}

// One iteration takes more than a step: its body is cut, and its first tile does what stands before the loop.
// CHECK-LABEL: func.func private @copied(
// CHECK-NEXT:    %tile = loop.tile of 6
// CHECK-NEXT:    %i = loop.apply affine_map<(d0) -> ((d0 floordiv 3))>(%tile)
// CHECK-NEXT:    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)]
// CHECK-NEXT:    loop.if affine_set<(d0) : ((d0 mod 3) == 0)>(%tile) {
// CHECK-NEXT:      loop.store %v, %s
// CHECK-NEXT:      loop.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.for %j = max affine_map<(d0) -> (((d0 mod 3) * 34))>(%tile) to min affine_map<(d0) -> ((((d0 mod 3) * 34) + 34), 100)>(%tile) {
func.func private @copied(%y: memref<200xf32>, %x: memref<2xf32>, %s: memref<1xf32>) attributes {kernel} {
  loop.for %i = 0 to 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<2xf32> -> f32
    loop.store %v, %s[affine_map<() -> (0)>()] : f32, memref<1xf32>
    loop.for %j = 0 to 100 {
      %w = loop.load %s[affine_map<() -> (0)>()] : memref<1xf32> -> f32
      loop.store %w, %y[affine_map<(d0, d1) -> (d0 * 100 + d1)>(%i, %j)] : f32, memref<200xf32>
    }
  }
  func.return
}

// A loop that counts down has tiles that count the iterations, in the same order.
// CHECK-LABEL: func.func private @down(
// CHECK-NEXT:    %tile = loop.tile of 3
// CHECK-NEXT:    loop.for %turn = max affine_map<(d0) -> ((d0 * 32))>(%tile) to min affine_map<(d0) -> (((d0 * 32) + 32), 94)>(%tile) {
// CHECK-NEXT:      %i = loop.apply affine_map<(d0) -> (((d0 * -1) + 93))>(%turn)
func.func private @down(%y: memref<94xf32>, %x: memref<94xf32>) attributes {kernel} {
  loop.for %i = 0 to 94 down {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<94xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<94xf32>
  }
  func.return
}

// Several loops become several kernels. What no iteration writes is loaded again in each tile.
// CHECK-LABEL: func.func private @two_step1(
// CHECK-NEXT:    %tile = loop.tile of 2
// CHECK-NEXT:    %scale = loop.load %x
// CHECK-LABEL: func.func private @two_step2(
// CHECK-NEXT:    %tile = loop.tile of 2
// CHECK-NEXT:    %scale = loop.load %x
func.func private @two(%y: memref<50xf32>, %x: memref<1xf32>, %s: memref<50xf32>) attributes {kernel} {
  %scale = loop.load %x[affine_map<() -> (0)>()] : memref<1xf32> -> f32
  loop.for %i = 0 to 50 {
    loop.store %scale, %s[affine_map<(d0) -> (d0)>(%i)] : f32, memref<50xf32>
  }
  loop.for %j = 0 to 50 {
    loop.store %scale, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<50xf32>
  }
  func.return
}

// What fits a step stays as it is.
// CHECK-LABEL: func.func private @short(
// CHECK-NEXT:    loop.for %i = 0 to 15 {
func.func private @short(%y: memref<15xf32>, %x: memref<15xf32>) attributes {kernel} {
  loop.for %i = 0 to 15 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<15xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<15xf32>
  }
  func.return
}

// A step of a network that another one runs: all of its loop takes too much, and so does one repetition.
// CHECK-LABEL: func.func private @body(
// CHECK-SAME:    attributes {step_count = 4 : i64, longest_step = 32 : i64, step_unit = "macs"}
// CHECK-NEXT:    func.call @rows({{.*}}) {step = 0 : i64, tiles = 3 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 1 : i64}
func.func private @body(%arena: memref<0xi8> {role = "arena"}, %y: memref<88xf32>, %z: memref<15xf32>, %x: memref<88xf32>, %w: memref<15xf32>) {
  func.call @rows(%y, %x) : (memref<88xf32>, memref<88xf32>) -> ()
  func.call @short(%z, %w) : (memref<15xf32>, memref<15xf32>) -> ()
  func.return
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    attributes {step_count = 28 : i64, longest_step = 35 : i64, step_unit = "macs"}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 0 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 0 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 1 : i64}
// CHECK-NEXT:    func.call @two_step1({{.*}}) {step = 2 : i64, tiles = 2 : i64}
// CHECK-NEXT:    func.call @two_step2({{.*}}) {step = 3 : i64, tiles = 2 : i64}
// CHECK-NEXT:    func.call @copied({{.*}}) {step = 4 : i64, tiles = 6 : i64}
// CHECK-NEXT:    func.call @down({{.*}}) {step = 5 : i64, tiles = 3 : i64}
// CHECK-NEXT:    func.call @short({{.*}}) {step = 6 : i64}
// CHECK-NEXT:    loop.call_for @body {{.*}}{step = 7 : i64, tiles = 12 : i64
func.func @main(%arena: memref<4096xi8> {role = "arena"}, %y: memref<15xf32> {role = "output"}, %x: memref<15xf32> {role = "input"}, %a: memref<50xf32>, %b: memref<1xf32>, %c: memref<50xf32>, %d: memref<200xf32>, %e: memref<2xf32>, %f: memref<94xf32>, %g: memref<94xf32>, %h: memref<88xf32>, %i: memref<88xf32>, %inner: memref<0xi8>) {
  func.call @short(%y, %x) : (memref<15xf32>, memref<15xf32>) -> ()
  func.call @short(%y, %x) : (memref<15xf32>, memref<15xf32>) -> ()
  func.call @short(%y, %x) : (memref<15xf32>, memref<15xf32>) -> ()
  func.call @two(%a, %b, %c) : (memref<50xf32>, memref<1xf32>, memref<50xf32>) -> ()
  func.call @copied(%d, %e, %b) : (memref<200xf32>, memref<2xf32>, memref<1xf32>) -> ()
  func.call @down(%f, %g) : (memref<94xf32>, memref<94xf32>) -> ()
  func.call @short(%y, %x) : (memref<15xf32>, memref<15xf32>) -> ()
  loop.call_for @body in %inner : memref<0xi8> (%h, %y, %i, %x) {steps = 3 : i64, starts = array<i64: 0, 0, 0, 0>, strides = array<i64: 0, 0, 0, 0>} : (memref<88xf32>, memref<15xf32>, memref<88xf32>, memref<15xf32>)
  func.return
}
