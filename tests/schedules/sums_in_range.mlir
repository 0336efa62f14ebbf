// RUN: s2s-opt %s --sample-weights -p tensor-lower-to-loop,cse,dce | filecheck %s

#x = #tensor.access<affine_map<(p, o, k) -> (p, k)>>
#w = #tensor.access<affine_map<(p, o, k) -> (o, k)>>

// What is known of a sum of bytes is kept when one factor is staged: products always fit, this sum does too.
//
// CHECK-LABEL: func.func private @in_range
// CHECK:         arith.muli %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK-NEXT:    arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
func.func private @in_range(%x: tensor<2x6xi8>, %w: tensor<4x6xi8>) -> tensor<2x4xi32> {
  %y = tensor.compute [2, 4 | 6] reads(%x at #x, %w at #w)
      schedule #tensor.schedule<[cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p overflow<nsw> : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<2x6xi8>, tensor<4x6xi8>) -> tensor<2x4xi32>
  func.return %y : tensor<2x4xi32>
}

// A sum of which that is not known wraps around.
//
// CHECK-LABEL: func.func private @wraps
// CHECK:         arith.muli %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK-NEXT:    arith.addi %{{.*}}, %{{.*}} : i32
func.func private @wraps(%x: tensor<2x6xi8>, %w: tensor<4x6xi8>) -> tensor<2x4xi32> {
  %y = tensor.compute [2, 4 | 6] reads(%x at #x, %w at #w)
      schedule #tensor.schedule<[cache_read<0 at 0 as i16>]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } attributes {dims = "p o k"} : (tensor<2x6xi8>, tensor<4x6xi8>) -> tensor<2x4xi32>
  func.return %y : tensor<2x4xi32>
}

func.func @main(%x: tensor<2x6xi8> {name = "x"}) -> (tensor<2x4xi32> {name = "y"}, tensor<2x4xi32> {name = "z"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<4x6xi8>
  %y = graph.call @in_range(%x, %w) : (tensor<2x6xi8>, tensor<4x6xi8>) -> tensor<2x4xi32>
  %z = graph.call @wraps(%x, %w) : (tensor<2x6xi8>, tensor<4x6xi8>) -> tensor<2x4xi32>
  func.return %y, %z : tensor<2x4xi32>, tensor<2x4xi32>
}
