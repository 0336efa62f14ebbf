// RUN: s2s-opt %s -p tensor-number-zero-points | filecheck %s

// A byte less a zero point, and a rescale that adds one. The constant is a limit of the clamp too, which keeps its own.
// CHECK-LABEL: func.func private @layer
func.func private @layer(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i8):
    %e = arith.extsi %v : i8 to i32
    // CHECK:      %[[LIMIT:.*]] = arith.constant -5 : i32
    %c = arith.constant -5 : i32
    // CHECK:      %[[ZP:.*]] = arith.constant {packed_number = 0 : i64} -5 : i32
    // CHECK-NEXT: arith.subi %e, %[[ZP]] : i32
    %d = arith.subi %e, %c : i32
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    // CHECK:      tensor.rescale {{.*}} "negative" {packed_number = 1 : i64, offset = -5 : i32} : i32
    %r = tensor.rescale %d, %m, %s "negative" {offset = -5 : i32} : i32
    // CHECK:      arith.maxsi %r, %[[LIMIT]] : i32
    %z = arith.maxsi %r, %c : i32
    %q = tensor.saturate %z
    tensor.yield %q : i8
  } : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// What is added to a rescaled number, and to the sum that is rescaled.
// CHECK-LABEL: func.func private @around
func.func private @around(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i32):
    // CHECK:      arith.constant {packed_number = 0 : i64} 640 : i32
    %before = arith.constant 640 : i32
    %d = arith.subi %v, %before : i32
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    %r = tensor.rescale %d, %m, %s "double" : i32
    // CHECK:      arith.constant {packed_number = 1 : i64} 7 : i32
    %behind = arith.constant 7 : i32
    %z = arith.addi %r, %behind : i32
    tensor.yield %z : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// Numbers that are added to others are no zero points, and a rescale without an offset adds none.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: packed_number
func.func private @others(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tensor.compute [4] epilogue(%x at #tensor.access<affine_map<(i) -> (i)>>) apply {
  ^bb0(%v: i32):
    %m = arith.constant 1278221461 : i32
    %s = arith.constant -2 : i8
    %r = tensor.rescale %v, %m, %s "negative" : i32
    %t = arith.muli %r, %m : i32
    %z = arith.addi %t, %m : i32
    tensor.yield %z : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}
