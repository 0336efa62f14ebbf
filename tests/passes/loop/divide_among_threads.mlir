// RUN: s2s-opt %s -p 'loop-divide-among-threads{threads=2}' --split-input-file | filecheck %s

// The outermost loop is divided. The scratch that each iteration fills for itself is there twice, a cache line apart.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    %s: memref<32xf32>
// CHECK-SAME:    in_place = array<i64>, threads = 2 : i64, per_thread = array<i64: 2>
// CHECK:         loop.for %i = 0 to 16 parallel {
// CHECK:           loop.for %j = 0 to 4 {
// CHECK:         func.func @main
// CHECK-SAME:    threads = 2 : i64
// CHECK:         %s = loop.alloc : memref<32xf32>
func.func private @k(%y: memref<16xf32>, %x: memref<64xf32>, %s: memref<4xf32>) {
  loop.for %i = 0 to 16 {
    loop.for %j = 0 to 4 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j)] : memref<64xf32> -> f32
      loop.store %v, %s[affine_map<(d0) -> (d0)>(%j)] : f32, memref<4xf32>
    }
    %w = loop.load %s[affine_map<() -> (3)>()] : memref<4xf32> -> f32
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
  }
  func.return
}
func.func @main(%y: memref<16xf32>, %x: memref<64xf32>) {
  %s = loop.alloc : memref<4xf32>
  func.call @k(%y, %x, %s) : (memref<16xf32>, memref<64xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// Two iterations are few: both loops are divided, and the element that each reads in place is its own.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    in_place = array<i64: 1>
// CHECK:         loop.for %i = 0 to 4 step 2 parallel {
// CHECK-NEXT:      loop.for %j = 0 to 8 parallel {
// CHECK-NEXT:        loop.for %l = 0 to 2 {
func.func private @k(%y: memref<32xf32>, %x: memref<32xf32>) attributes {in_place = array<i64: 1>} {
  loop.for %i = 0 to 4 step 2 {
    loop.for %j = 0 to 8 {
      loop.for %l = 0 to 2 {
        %v = loop.load %x[affine_map<(d0, d1, d2) -> ((d0 + d2) * 8 + d1)>(%i, %j, %l)] : memref<32xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1, d2) -> ((d0 + d2) * 8 + d1)>(%i, %j, %l)] : f32, memref<32xf32>
      }
    }
  }
  func.return
}
func.func @main(%y: memref<32xf32>, %x: memref<32xf32>) {
  func.call @k(%y, %x) : (memref<32xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// Iterations read what others would overwrite: not in place.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    in_place = array<i64>
// CHECK:         loop.for %i = 0 to 8 parallel {
func.func private @k(%y: memref<8xf32>, %x: memref<9xf32>) attributes {in_place = array<i64: 1>} {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0 + 1)>(%i)] : memref<9xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}
func.func @main(%y: memref<8xf32>, %x: memref<9xf32>) {
  func.call @k(%y, %x) : (memref<8xf32>, memref<9xf32>) -> ()
  func.return
}

// -----

// Two loops in a row: iteration i of the second one reads what iteration i of the first one has written.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    %s: memref<8xf32>
// CHECK:         loop.for %i = 0 to 8 parallel {
// CHECK:         loop.for %j = 0 to 8 parallel {
func.func private @k(%y: memref<8xf32>, %x: memref<8xf32>, %s: memref<8xf32>) {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  loop.for %j = 0 to 8 {
    %v = loop.load %s[affine_map<(d0) -> (d0)>(%j)] : memref<8xf32> -> f32
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<8xf32>
  }
  func.return
}
func.func @main(%y: memref<8xf32>, %x: memref<8xf32>) {
  %s = loop.alloc : memref<8xf32>
  func.call @k(%y, %x, %s) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  func.return
}

// -----

// Declined: a sum is never divided, not even where it goes through memory.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     parallel
func.func private @k(%y: memref<1xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 8 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    %w = loop.load %y[affine_map<() -> (0)>()] : memref<1xf32> -> f32
    %sum = arith.addf %v, %w : f32
    loop.store %sum, %y[affine_map<() -> (0)>()] : f32, memref<1xf32>
  }
  func.return
}
func.func @main(%y: memref<1xf32>, %x: memref<8xf32>) {
  func.call @k(%y, %x) : (memref<1xf32>, memref<8xf32>) -> ()
  func.return
}

// -----

// Declined: vectors that overlap, to end where the buffer does, would be written by two threads.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     parallel
func.func private @k(%y: memref<10xf32>, %x: memref<10xf32>) {
  loop.for %i = 0 to 8 step 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<10xf32> -> vector<4xf32>
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : vector<4xf32>, memref<10xf32>
  }
  func.return
}
func.func @main(%y: memref<10xf32>, %x: memref<10xf32>) {
  func.call @k(%y, %x) : (memref<10xf32>, memref<10xf32>) -> ()
  func.return
}

// -----

// Blocks that end where tiles do: the last one is shorter, and what is left over belongs to it alone.
// CHECK-LABEL: func.func private @k
// CHECK:         loop.for %block = 0 to 38 step 12 parallel {
// CHECK-NEXT:      loop.for %r = 0 to 3 parallel {
func.func private @k(%y: memref<128xf32>, %x: memref<128xf32>) {
  loop.for %block = 0 to 38 step 12 {
    loop.for %r = 0 to 3 {
      loop.for %i = max affine_map<(d0) -> (d0)>(%block) to min affine_map<(d0) -> (d0 + 12, 36)>(%block) step 4 {
        %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %i)] : memref<128xf32> -> vector<4xf32>
        loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %i)] : vector<4xf32>, memref<128xf32>
      }
      loop.for %j = 36 to min affine_map<(d0) -> (d0 + 12, 38)>(%block) {
        %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %j)] : memref<128xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %j)] : f32, memref<128xf32>
      }
    }
  }
  func.return
}
func.func @main(%y: memref<128xf32>, %x: memref<128xf32>) {
  func.call @k(%y, %x) : (memref<128xf32>, memref<128xf32>) -> ()
  func.return
}

// -----

// Declined: the last tile of a block stores into the next block.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     parallel
func.func private @k(%y: memref<128xf32>, %x: memref<128xf32>) {
  loop.for %block = 0 to 38 step 12 {
    loop.for %r = 0 to 3 {
      loop.for %i = max affine_map<(d0) -> (d0)>(%block) to min affine_map<(d0) -> (d0 + 12, 36)>(%block) step 4 {
        %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %i)] : memref<128xf32> -> vector<5xf32>
        loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %i)] : vector<5xf32>, memref<128xf32>
      }
      loop.for %j = 36 to min affine_map<(d0) -> (d0 + 12, 38)>(%block) {
        %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %j)] : memref<128xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 38 + d1)>(%r, %j)] : f32, memref<128xf32>
      }
    }
  }
  func.return
}
func.func @main(%y: memref<128xf32>, %x: memref<128xf32>) {
  func.call @k(%y, %x) : (memref<128xf32>, memref<128xf32>) -> ()
  func.return
}

// -----

// A schedule asks to divide the outermost loop alone, although it has few iterations: the loop inside stays serial.
// CHECK-LABEL: func.func private @k
// CHECK:         loop.for %i = 0 to 4 parallel {
// CHECK-NEXT:      loop.for %j = 0 to 8 {
// CHECK-NOT:     parallelize
func.func private @k(%y: memref<32xf32>, %x: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to 8 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<32xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : f32, memref<32xf32>
    }
  } {parallelize}
  func.return
}
func.func @main(%y: memref<32xf32>, %x: memref<32xf32>) {
  func.call @k(%y, %x) : (memref<32xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// A loop that ends at a size of the run is divided, too: how many iterations there are is known in the run.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    threads = 2 : i64
// CHECK:         loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) step 4 parallel {
// CHECK-NEXT:      loop.for %j = 0 to 4 {
func.func private @k(%y: memref<128xf32>, %x: memref<128xf32>) {
  %n = loop.size "n" from 1 to 128
  loop.for %i = 0 to min affine_map<(d0) -> (d0)>(%n) step 4 {
    loop.for %j = 0 to 4 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)] : memref<128xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)] : f32, memref<128xf32>
    }
  }
  func.return
}
func.func @main(%y: memref<128xf32>, %x: memref<128xf32>) {
  func.call @k(%y, %x) : (memref<128xf32>, memref<128xf32>) -> ()
  func.return
}

// -----

// The end of a loop inside of another one depends on that: only the outer one is divided.
// CHECK-LABEL: func.func private @k
// CHECK:         loop.for %i = 0 to 4 parallel {
// CHECK-NEXT:      loop.for %j = 0 to min affine_map<(d0) -> ((d0 + 1))>(%i) {
func.func private @k(%y: memref<16xf32>, %x: memref<16xf32>) {
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to min affine_map<(d0) -> (d0 + 1)>(%i) {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j)] : memref<16xf32> -> f32
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j)] : f32, memref<16xf32>
    }
  }
  func.return
}
func.func @main(%y: memref<16xf32>, %x: memref<16xf32>) {
  func.call @k(%y, %x) : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// Blocks that end where the run does are divided as those of the greatest size are: a smaller size shortens a block, or
// leaves it out, and a shorter block touches nothing more.
// CHECK-LABEL: func.func private @k
// CHECK-SAME:    threads = 2 : i64
// CHECK:         loop.for %block = 0 to min affine_map<(d0) -> (d0)>(%n) step 12 parallel {
// CHECK-NEXT:      loop.for %r = 0 to 4 parallel {
func.func private @k(%y: memref<192xf32>, %x: memref<192xf32>) {
  %n = loop.size "n" from 1 to 40
  loop.for %block = 0 to min affine_map<(d0) -> (d0)>(%n) step 12 {
    loop.for %r = 0 to 4 {
      loop.for %i = max affine_map<(d0, d1) -> (d0)>(%block, %n)
          to min affine_map<(d0, d1) -> (d0 + 12, d1, 38)>(%block, %n) step 2 {
        %v = loop.load %x[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %i)] : memref<192xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %i)] : f32, memref<192xf32>
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0 + 4)>(%r, %i)] : f32, memref<192xf32>
      }
      loop.for %j = 38 to min affine_map<(d0, d1) -> (d0 + 12, d1)>(%block, %n) {
        %v = loop.load %x[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %j)] : memref<192xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %j)] : f32, memref<192xf32>
      }
    }
  }
  func.return
}
func.func @main(%y: memref<192xf32>, %x: memref<192xf32>) {
  func.call @k(%y, %x) : (memref<192xf32>, memref<192xf32>) -> ()
  func.return
}

// -----

// Declined: the last tile of such a block stores into the next one.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     parallel
func.func private @k(%y: memref<192xf32>, %x: memref<192xf32>) {
  %n = loop.size "n" from 1 to 40
  loop.for %block = 0 to min affine_map<(d0) -> (d0)>(%n) step 12 {
    loop.for %r = 0 to 4 {
      loop.for %i = max affine_map<(d0, d1) -> (d0)>(%block, %n)
          to min affine_map<(d0, d1) -> (d0 + 12, d1, 38)>(%block, %n) step 2 {
        %v = loop.load %x[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %i)] : memref<192xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %i)] : f32, memref<192xf32>
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0 + 8)>(%r, %i)] : f32, memref<192xf32>
      }
      loop.for %j = 38 to min affine_map<(d0, d1) -> (d0 + 12, d1)>(%block, %n) {
        %v = loop.load %x[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %j)] : memref<192xf32> -> f32
        loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 4 + d0)>(%r, %j)] : f32, memref<192xf32>
      }
    }
  }
  func.return
}
func.func @main(%y: memref<192xf32>, %x: memref<192xf32>) {
  func.call @k(%y, %x) : (memref<192xf32>, memref<192xf32>) -> ()
  func.return
}

// -----

// Declined: scratch that an iteration writes first of all, but of which it reads what others have written.
// CHECK-LABEL: func.func private @k
// CHECK-NOT:     parallel
func.func private @k(%y: memref<16xf32>, %x: memref<16xf32>, %s: memref<4xf32>) {
  loop.for %i = 0 to 16 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<16xf32> -> f32
    loop.store %v, %s[affine_map<(d0) -> (d0 mod 4)>(%i)] : f32, memref<4xf32>
    %w = loop.load %s[affine_map<(d0) -> ((d0 + 3) mod 4)>(%i)] : memref<4xf32> -> f32
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<16xf32>
  }
  func.return
}
func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) {
  %s = loop.alloc : memref<4xf32>
  func.call @k(%y, %x, %s) : (memref<16xf32>, memref<16xf32>, memref<4xf32>) -> ()
  func.return
}
