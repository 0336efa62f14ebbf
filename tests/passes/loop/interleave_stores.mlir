// RUN: s2s-opt %s -p loop-interleave-stores | filecheck %s

// CHECK-LABEL: func.func private @three
// CHECK:         %r = loop.load %x[affine_map<(d0) -> (d0)>(%i)]
// CHECK-NEXT:    %g = loop.load
// CHECK-NEXT:    %b = loop.load
// CHECK-NEXT:    loop.store_interleaved %y[affine_map<(d0) -> ((d0 * 3))>(%i)] from %r, %g, %b : memref<96xi8>, vector<16xi8>, vector<16xi8>, vector<16xi8>
// CHECK-NEXT:  }
func.func private @three(%y: memref<96xi8>, %x: memref<96xi8>) {
  loop.for %i = 0 to 32 step 16 {
    %r = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<96xi8> -> vector<16xi8>
    loop.store %r, %y[affine_map<(d0) -> (d0 * 3)>(%i)] {stride = 3 : i64} : vector<16xi8>, memref<96xi8>
    %g = loop.load %x[affine_map<(d0) -> (d0 + 32)>(%i)] : memref<96xi8> -> vector<16xi8>
    loop.store %g, %y[affine_map<(d0) -> (d0 * 3 + 1)>(%i)] {stride = 3 : i64} : vector<16xi8>, memref<96xi8>
    %b = loop.load %x[affine_map<(d0) -> (d0 + 64)>(%i)] : memref<96xi8> -> vector<16xi8>
    loop.store %b, %y[affine_map<(d0) -> (d0 * 3 + 2)>(%i)] {stride = 3 : i64} : vector<16xi8>, memref<96xi8>
  }
  func.return
}

// A buffer may hold bytes without sign.
//
// CHECK-LABEL: func.func private @unsigned
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b : memref<32xui8>, vector<16xi8>, vector<16xi8>
func.func private @unsigned(%y: memref<32xui8>, %x: memref<32xi8>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xui8>
  %b = loop.load %x[affine_map<() -> (16)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %b, %y[affine_map<() -> (1)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xui8>
  func.return
}

// The third place of each lane stays free.
//
// CHECK-LABEL: func.func private @a_place_between
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %r, %r {stride = 3 : i64} : memref<48xi8>, vector<16xi8>, vector<16xi8>
func.func private @a_place_between(%y: memref<48xi8>, %x: memref<32xi8>) {
  %r = loop.load %x[affine_map<() -> (0)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %r, %y[affine_map<() -> (0)>()] {stride = 3 : i64} : vector<16xi8>, memref<48xi8>
  loop.store %r, %y[affine_map<() -> (1)>()] {stride = 3 : i64} : vector<16xi8>, memref<48xi8>
  func.return
}

// Declined: the buffer is read in between.
//
// CHECK-LABEL: func.func private @read_between
// CHECK-NOT:     loop.store_interleaved
func.func private @read_between(%y: memref<32xi8>, %x: memref<16xi8>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<16xi8> -> vector<16xi8>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xi8>
  %b = loop.load %y[affine_map<() -> (0)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %b, %y[affine_map<() -> (1)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xi8>
  func.return
}

// Declined: the result may lie over the operand, which is read after a store.
//
// CHECK-LABEL: func.func private @in_place
// CHECK-NOT:     loop.store_interleaved
func.func private @in_place(%y: memref<32xi8>, %x: memref<32xi8>) attributes {in_place = array<i64: 1>} {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xi8>
  %b = loop.load %x[affine_map<() -> (16)>()] : memref<32xi8> -> vector<16xi8>
  loop.store %b, %y[affine_map<() -> (1)>()] {stride = 2 : i64} : vector<16xi8>, memref<32xi8>
  func.return
}

// A tile of floats whose vectors run across memory is transposed; the two halves of it lie apart.
//
// CHECK-LABEL: func.func private @tile
// CHECK:         loop.store_interleaved %y[affine_map<(d0) -> (d0)>(%i)] from %a, %b {stride = 6 : i64} : memref<54xf32>, vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %c = loop.load
// CHECK-NEXT:    loop.store_interleaved %y[affine_map<(d0) -> ((d0 + 24))>(%i)] from %b, %c {stride = 6 : i64}
// CHECK-NEXT:  }
func.func private @tile(%y: memref<54xf32>, %x: memref<54xf32>) {
  loop.for %i = 0 to 6 step 2 {
    %a = loop.load %x[affine_map<(d0) -> (d0 * 4)>(%i)] : memref<54xf32> -> vector<4xf32>
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%i)] {stride = 6 : i64} : vector<4xf32>, memref<54xf32>
    %b = loop.load %x[affine_map<(d0) -> (d0 * 4 + 4)>(%i)] : memref<54xf32> -> vector<4xf32>
    loop.store %b, %y[affine_map<(d0) -> (d0 + 24)>(%i)] {stride = 6 : i64} : vector<4xf32>, memref<54xf32>
    loop.store %b, %y[affine_map<(d0) -> (d0 + 1)>(%i)] {stride = 6 : i64} : vector<4xf32>, memref<54xf32>
    %c = loop.load %x[affine_map<(d0) -> (d0 * 4 + 8)>(%i)] : memref<54xf32> -> vector<4xf32>
    loop.store %c, %y[affine_map<(d0) -> (d0 + 25)>(%i)] {stride = 6 : i64} : vector<4xf32>, memref<54xf32>
  }
  func.return
}

// Two whole vectors at distance 2 interleave without a transposition.
//
// CHECK-LABEL: func.func private @a_pair_of_floats
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %b : memref<16xf32>, vector<8xf32>, vector<8xf32>
func.func private @a_pair_of_floats(%y: memref<16xf32>, %x: memref<16xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<16xf32> -> vector<8xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 2 : i64} : vector<8xf32>, memref<16xf32>
  %b = loop.load %x[affine_map<() -> (8)>()] : memref<16xf32> -> vector<8xf32>
  loop.store %b, %y[affine_map<() -> (1)>()] {stride = 2 : i64} : vector<8xf32>, memref<16xf32>
  func.return
}

// Declined: some of their lanes are stored.
//
// CHECK-LABEL: func.func private @a_pair_of_parts
// CHECK-NOT:     loop.store_interleaved
func.func private @a_pair_of_parts(%y: memref<10xf32>, %x: memref<16xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<16xf32> -> vector<8xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 2 : i64, lanes = 5 : i64} : vector<8xf32>, memref<10xf32>
  %b = loop.load %x[affine_map<() -> (8)>()] : memref<16xf32> -> vector<8xf32>
  loop.store %b, %y[affine_map<() -> (1)>()] {stride = 2 : i64, lanes = 5 : i64} : vector<8xf32>, memref<10xf32>
  func.return
}

// Tiles of integers are transposed too, and those of bytes are stored in words.
//
// CHECK-LABEL: func.func private @tiles_of_integers
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a, %a {stride = 9 : i64} : memref<72xi32>, vector<8xi32>, vector<8xi32>, vector<8xi32>
// CHECK:         loop.store_interleaved %z[affine_map<() -> (0)>()] from %b, %b {stride = 9 : i64} : memref<72xi8>, vector<8xi8>, vector<8xi8>
func.func private @tiles_of_integers(%y: memref<72xi32>, %z: memref<72xi8>, %x: memref<8xi32>, %w: memref<8xi8>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<8xi32> -> vector<8xi32>
  %b = loop.load %w[affine_map<() -> (0)>()] : memref<8xi8> -> vector<8xi8>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 9 : i64} : vector<8xi32>, memref<72xi32>
  loop.store %a, %y[affine_map<() -> (1)>()] {stride = 9 : i64} : vector<8xi32>, memref<72xi32>
  loop.store %a, %y[affine_map<() -> (2)>()] {stride = 9 : i64} : vector<8xi32>, memref<72xi32>
  loop.store %b, %z[affine_map<() -> (0)>()] {stride = 9 : i64} : vector<8xi8>, memref<72xi8>
  loop.store %b, %z[affine_map<() -> (1)>()] {stride = 9 : i64} : vector<8xi8>, memref<72xi8>
  func.return
}

// Only so many lanes of each vector are stored.
//
// CHECK-LABEL: func.func private @some_lanes
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a {stride = 6 : i64, lanes = 3 : i64}
func.func private @some_lanes(%y: memref<14xf32>, %x: memref<4xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> vector<4xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 6 : i64, lanes = 3 : i64} : vector<4xf32>, memref<14xf32>
  loop.store %a, %y[affine_map<() -> (1)>()] {stride = 6 : i64, lanes = 3 : i64} : vector<4xf32>, memref<14xf32>
  func.return
}

// Declined: so few of so many lanes do not pay for a turn.
//
// CHECK-LABEL: func.func private @too_few
// CHECK-NOT:     loop.store_interleaved
func.func private @too_few(%y: memref<64xf32>, %x: memref<16xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<16xf32> -> vector<16xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 4 : i64} : vector<16xf32>, memref<64xf32>
  loop.store %a, %y[affine_map<() -> (1)>()] {stride = 4 : i64} : vector<16xf32>, memref<64xf32>
  func.return
}

// A second tile may write the end of the first one again, as long as it comes later.
//
// CHECK-LABEL: func.func private @overlapping_tiles
// CHECK:         loop.store_interleaved %y[affine_map<() -> (0)>()] from %a, %a {stride = 4 : i64}
// CHECK-NEXT:    loop.store_interleaved %y[affine_map<() -> (12)>()] from %a, %a {stride = 4 : i64}
func.func private @overlapping_tiles(%y: memref<32xf32>, %x: memref<4xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> vector<4xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  loop.store %a, %y[affine_map<() -> (1)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  loop.store %a, %y[affine_map<() -> (12)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  loop.store %a, %y[affine_map<() -> (13)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  func.return
}

// Declined: another vector begins where the last lane of the first one lies, and comes in between.
//
// CHECK-LABEL: func.func private @an_element_twice
// CHECK-NOT:     loop.store_interleaved
func.func private @an_element_twice(%y: memref<32xf32>, %x: memref<4xf32>) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> vector<4xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  loop.store %a, %y[affine_map<() -> (12)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  loop.store %a, %y[affine_map<() -> (1)>()] {stride = 4 : i64} : vector<4xf32>, memref<32xf32>
  func.return
}
