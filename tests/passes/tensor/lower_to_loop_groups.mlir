// RUN: s2s-opt %s -p tensor-lower-to-loop,cse,dce | filecheck %s

#x = #tensor.access<affine_map<(p, o, k) -> (p, k)>>
#w = #tensor.access<affine_map<(p, o, k) -> (k floordiv 4, o, k mod 4)>>

// A copy with 128 added; two pixels broadcast a group each against the same constants.
//
// CHECK-LABEL: func.func private @unsigned
// CHECK-NEXT:    loop.cache_read %x, %rows[affine_map<() -> (0, 0)>()] {count = 32 : i64, stride = 1 : i64, offset = 0 : i64, fill = -128 : i64, flip} : memref<32xi8>, memref<42xi8>
// CHECK-NEXT:    loop.for %p = 0 to 4 step 2 {
// CHECK:           %w_1 = loop.load_groups %w[affine_map<() -> (0)>()] {lane_stride = 4 : i64, stride = 1 : i64, count = 4 : i64} : memref<64xi8> -> vector<8xi32>
// CHECK-NEXT:      %rows_1 = loop.load_groups %rows[affine_map<(d0) -> ((d0 * 8))>(%p)] {lane_stride = 0 : i64, stride = 1 : i64, count = 4 : i64} : memref<42xi8> -> vector<8xi32>
// CHECK-NEXT:      %acc0 = loop.intrinsic <"vnni", {{.*}}>(%acc, %rows_1, %w_1)
// CHECK-NEXT:      %rows_2 = loop.load_groups %rows[affine_map<(d0) -> (((d0 * 8) + 8))>(%p)]
// CHECK-NEXT:      %acc1 = loop.intrinsic <"vnni", {{.*}}>(%acc, %rows_2, %w_1)
// CHECK-NEXT:      %w_2 = loop.load_groups %w[affine_map<() -> (32)>()]
func.func private @unsigned(%x: tensor<4x8xi8>, %w: tensor<2x8x4xi8>) -> tensor<4x8xi32> {
  %y = tensor.compute [4, 8 | 8] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [tile<0 by 2, 1 by 8>, unroll<2 by 8>, vectorize<1 by 8>, reorder<[1, 0, 2]>, cache_read<0 as i8>,
       tensorize<"vnni">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -128 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<4x8xi8>, tensor<2x8x4xi8>) -> tensor<4x8xi32>
  func.return %y : tensor<4x8xi32>
}

#wp = #tensor.access<affine_map<(p, o, k) -> (k floordiv 2, o, k mod 2)>>

// A copy in 16 bits without its zero point; pairs of it are broadcast against constants that are widened as they load.
//
// CHECK-LABEL: func.func private @pairs
// CHECK-NEXT:    loop.cache_read %x, %rows[affine_map<() -> (0, 0)>()] {count = 32 : i64, stride = 1 : i64, offset = 128 : i64} : memref<32xi8>, memref<40xi16>
// CHECK:           %w_1 = loop.load_groups %w[affine_map<() -> (0)>()] {lane_stride = 2 : i64, stride = 1 : i64, count = 2 : i64, widened} : memref<64xi8> -> vector<8xi32>
// CHECK-NEXT:      %rows_1 = loop.load_groups %rows[affine_map<(d0) -> ((d0 * 8))>(%p)] {lane_stride = 0 : i64, stride = 1 : i64, count = 2 : i64} : memref<40xi16> -> vector<8xi32>
// CHECK-NEXT:      %acc0 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %rows_1, %w_1)
// CHECK:           %w_2 = loop.load_groups %w[affine_map<() -> (16)>()]
func.func private @pairs(%x: tensor<4x8xi8>, %w: tensor<4x8x2xi8>) -> tensor<4x8xi32> {
  %y = tensor.compute [4, 8 | 8] reads(%x at #x, %w at #wp) schedule #tensor.schedule<
      [tile<0 by 2, 1 by 8>, unroll<2 by 8>, vectorize<1 by 8>, reorder<[1, 0, 2]>, cache_read<0 as i16>,
       tensorize<"x86-wide">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -128 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<4x8xi8>, tensor<4x8x2xi8>) -> tensor<4x8xi32>
  func.return %y : tensor<4x8xi32>
}

// A zero point of the constant is taken off as its bytes are widened.
//
// CHECK-LABEL: func.func private @constants_with_a_zero_point
// CHECK:           %w_1 = loop.load_groups %w[affine_map<() -> (0)>()] {{.*}}widened
// CHECK-NEXT:      %offsets = arith.constant 8388736 : i32
// CHECK-NEXT:      %[[BOTH:.*]] = loop.broadcast %offsets : i32 -> vector<8xi32>
// CHECK-NEXT:      %w_2 = loop.add_pairs %w_1, %[[BOTH]]
// CHECK:           loop.intrinsic <"x86-wide", {{.*}}>(%acc, %{{.*}}, %w_2)
// CHECK:           %w_3 = loop.load_groups %w[affine_map<() -> (16)>()] {{.*}}widened
// CHECK-NEXT:      loop.add_pairs %w_3, %[[BOTH]]
func.func private @constants_with_a_zero_point(%x: tensor<4x4xi8>, %w: tensor<2x8x2xi8>) -> tensor<4x8xi32> {
  %y = tensor.compute [4, 8 | 4] reads(%x at #x, %w at #wp) schedule #tensor.schedule<
      [tile<0 by 2, 1 by 8>, unroll<2 by 4>, vectorize<1 by 8>, reorder<[1, 0, 2]>, cache_read<0 as i16>,
       tensorize<"x86-wide">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -128 : i32
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %wz = arith.subi %we, %zp : i32
    %p = arith.muli %xe, %wz : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<4x4xi8>, tensor<2x8x2xi8>) -> tensor<4x8xi32>
  func.return %y : tensor<4x8xi32>
}

#xc = #tensor.access<affine_map<(o, p, k) -> (p, k)>>
#wc = #tensor.access<affine_map<(o, p, k) -> (k floordiv 2, o, k mod 2)>>

// Both vectors of channels stay in registers; the pair of each of the three pixels is loaded when it is used.
//
// CHECK-LABEL: func.func private @pixels_in_turn
// CHECK:         %acc00 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X:.*]], %[[LOW:.*]]) :
// CHECK:         %acc10 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X]], %[[HIGH:.*]]) :
// CHECK-NEXT:    %[[X1:.*]] = loop.load_groups %rows[
// CHECK-NEXT:    %acc01 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X1]], %[[LOW]]) :
// CHECK-NEXT:    %acc11 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X1]], %[[HIGH]]) :
// CHECK-NEXT:    %[[X2:.*]] = loop.load_groups %rows[
// CHECK-NEXT:    %acc02 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X2]], %[[LOW]]) :
// CHECK-NEXT:    %acc12 = loop.intrinsic <"x86-wide", {{.*}}>(%acc, %[[X2]], %[[HIGH]]) :
func.func private @pixels_in_turn(%x: tensor<3x2xi8>, %w: tensor<1x16x2xi8>) -> tensor<16x3xi32> {
  %y = tensor.compute [16, 3 | 2] reads(%x at #xc, %w at #wc) schedule #tensor.schedule<
      [tile<0 by 16, 1 by 3>, unroll<2 by 2>, vectorize<0 by 8>, cache_read<0 as i16>, tensorize<"x86-wide">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "o p k"} : (tensor<3x2xi8>, tensor<1x16x2xi8>) -> tensor<16x3xi32>
  func.return %y : tensor<16x3xi32>
}

#xd = #tensor.access<affine_map<(h, c, r) -> (h + r - 1, c)>, guarded>
#wd = #tensor.access<affine_map<(h, c, r) -> (r floordiv 4, c, r mod 4)>>

// Three rows under each other are a group; padding holds the zero point.
//
// CHECK-LABEL: func.func private @columns
// CHECK:         loop.cache_read %x, %rows[{{.*}}] {count = 56 : i64, stride = 1 : i64, offset = 0 : i64} : memref<40xi8>, memref<66xi8>
// CHECK:         %rows_1 = loop.load_groups %rows[affine_map<(d0) -> ((d0 * 8))>(%h)] {lane_stride = 1 : i64, stride = 8 : i64, count = 3 : i64} : memref<66xi8> -> vector<8xi32>
// CHECK-NEXT:    %acc_1 = loop.intrinsic <"x86-pairs", {{.*}}>(%acc, %rows_1, %w_1) : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<8xi32>
// CHECK-NEXT:    %byte = loop.cast_lanes %acc_1 : vector<8xi32> -> vector<8xi8>
// CHECK-NEXT:    loop.store %byte, %y[affine_map<(d0) -> ((d0 * 8))>(%h)] : vector<8xi8>, memref<40xi8>
func.func private @columns(%x: tensor<5x8xi8>, %w: tensor<1x8x4xi8>) -> tensor<5x8xi8> {
  %y = tensor.compute [5, 8 | 3] reads(%x at #xd, %w at #wd) schedule #tensor.schedule<
      [tile<1 by 8>, unroll<2 by 3>, vectorize<1 by 8>, reorder<[1, 0, 2]>, cache_read<0 as i8>,
       tensorize<"x86-pairs">]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    %byte = arith.trunci %acc : i32 to i8
    tensor.yield %byte : i8
  } attributes {dims = "h c r"} : (tensor<5x8xi8>, tensor<1x8x4xi8>) -> tensor<5x8xi8>
  func.return %y : tensor<5x8xi8>
}

// A row that is read in place gets the 128 in its registers.
//
// CHECK-LABEL: func.func private @in_place
// CHECK:         %flip = arith.constant -2139062144 : i32
// CHECK-NEXT:    %flip_1 = loop.broadcast %flip : i32 -> vector<8xi32>
// CHECK-NEXT:    arith.xori %x_1, %flip_1 : vector<8xi32>
func.func private @in_place(%x: tensor<1x4xi8>, %w: tensor<1x8x4xi8>) -> tensor<1x8xi32> {
  %y = tensor.compute [1, 8 | 4] reads(%x at #x, %w at #w) schedule #tensor.schedule<
      [tile<1 by 8>, unroll<2 by 4>, vectorize<1 by 8>, tensorize<"vnni">]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -128 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<1x4xi8>, tensor<1x8x4xi8>) -> tensor<1x8xi32>
  func.return %y : tensor<1x8xi32>
}

#xh = #tensor.access<affine_map<(o, h, k) -> (h, k)>>
#wh = #tensor.access<affine_map<(o, h, k) -> (k floordiv 4, o, k mod 4)>>

// A byte holds two factors: the lower halves are masked, the upper ones shifted down first.
//
// CHECK-LABEL: func.func private @halves_of_bytes
// CHECK:         %[[W:.*]] = loop.load_groups %w[affine_map<() -> (0)>()]
// CHECK:         %[[LOW:.*]] = arith.andi %[[W]], %{{.*}} : vector<8xi32>
// CHECK:         %acc_1 = loop.intrinsic <"vnni-by-unsigned", {{.*}}>(%acc, %{{.*}}, %[[LOW]])
// CHECK:         %[[S:.*]] = arith.shrsi %[[W]], %{{.*}} : vector<8xi32>
// CHECK:         %[[HIGH:.*]] = arith.andi %[[S]], %{{.*}} : vector<8xi32>
// CHECK:         loop.load_groups %x[affine_map<() -> (4)>()]
// CHECK:         loop.intrinsic <"vnni-by-unsigned", {{.*}}>(%acc_1, %{{.*}}, %[[HIGH]])
func.func private @halves_of_bytes(%x: tensor<2x4xi8>, %w: tensor<1x8x4xi8>) -> tensor<8xi32> {
  %y = tensor.compute [8 | 2, 4] reads(%x at #xh, %w at #wh) schedule #tensor.schedule<
      [tile<0 by 8>, unroll<1 by 2, 2 by 4>, vectorize<0 by 8>, tensorize<"vnni-by-unsigned">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %four = arith.constant 4 : i32
    %fifteen = arith.constant 15 : i32
    %half = tensor.index 1
    %h = arith.index_cast %half : index to i32
    %count = arith.muli %h, %four : i32
    %we = arith.extsi %wv : i8 to i32
    %ws = arith.shrsi %we, %count : i32
    %wn = arith.andi %ws, %fifteen : i32
    %xe = arith.extsi %xv : i8 to i32
    %p = arith.muli %xe, %wn : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "o h k"} : (tensor<2x4xi8>, tensor<1x8x4xi8>) -> tensor<8xi32>
  func.return %y : tensor<8xi32>
}

#rows = #tensor.access<affine_map<(p, o, k) -> (p, k)>>
#constants = #tensor.access<affine_map<(p, o, k) -> (o, k floordiv 4, k mod 2, (k floordiv 2) mod 2)>>

// The rows of two pixels lie one behind the other, in the operand and in the copy: one run holds both.
//
// CHECK-LABEL: func.func private @joined
// CHECK:         loop.for %p = 0 to 4 step 2 {
// CHECK-NEXT:      loop.cache_read %x, %rows[affine_map<(d0) -> (0, (d0 * 8))>(%p)] {count = 16 : i64, stride = 1 : i64, offset = 128 : i64} : memref<32xi8>, memref<16xi16>
func.func private @joined(%x: tensor<4x8xi8>, %w: tensor<3x2x2x2xi8>) -> tensor<4x3xi32> {
  %y = tensor.compute [4, 3 | 8] reads(%x at #rows, %w at #constants) schedule #tensor.schedule<
      [tile<0 by 2>, unroll<2 by 8>, reorder<[0, 1, 2]>, cache_read<0 at 0 as i16>, tensorize<"smlad">]>
      inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %zp = arith.constant -128 : i32
    %xe = arith.extsi %xv : i8 to i32
    %xz = arith.subi %xe, %zp : i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xz, %we : i32
    %t = arith.addi %acc, %p : i32
    tensor.yield %t : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<4x8xi8>, tensor<3x2x2x2xi8>) -> tensor<4x3xi32>
  func.return %y : tensor<4x3xi32>
}
