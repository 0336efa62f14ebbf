// RUN: s2s-opt %s -p tensor-pick-schedule{target=x86-64-v4} --split-input-file | filecheck %s

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// A panel of 32 columns is used by every tile of rows, while the next one is fetched.
// CHECK-LABEL: func.func private @product
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 13, 1 by 32>, vectorize<1 by 16>, reorder<[1, 0, 2]>, prefetch<1 along 1>, cache_read<1 packed 
func.func private @product(%a: tensor<128x256xf32>, %b: tensor<256x768xf32>) -> tensor<128x768xf32> {
  %y = tensor.compute [128, 768 | 256] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<128x256xf32>, tensor<256x768xf32>) -> tensor<128x768xf32>
  func.return %y : tensor<128x768xf32>
}

func.func @main(%a: tensor<128x256xf32>) -> tensor<128x768xf32> {
  %b = graph.weight "b" {hash = "0"} : tensor<256x768xf32>
  %y = graph.call @product(%a, %b) : (tensor<128x256xf32>, tensor<256x768xf32>) -> tensor<128x768xf32>
  func.return %y : tensor<128x768xf32>
}

// -----

#x = #tensor.access<affine_map<(o, p, l, i, r) -> (i, p, r)>>
#w = #tensor.access<affine_map<(o, p, l, i, r) -> (o * 16 + l, i * 16 + r)>>

// Pixels that do not fit into the second cache go through it in blocks. Each step of the channels goes on in another
// plane, far from the last: it is fetched too.
// CHECK-LABEL: func.func private @pointwise
// CHECK:         schedule #tensor.schedule<{{\[}}tile<1 by 126 by 14, 0 by 2, 2 by 16>, vectorize<2 by 16>, prefetch<1 along 0>, prefetch<0 along 3>, cache_read<1 packed 
func.func private @pointwise(%x: tensor<16x3136x16xf32>, %w: tensor<64x256xf32>) -> tensor<4x3136x16xf32> {
  %y = tensor.compute [4, 3136, 16 | 16, 16] reads(%x at #x, %w at #w) inits [0.0 : f32] reduce {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<16x3136x16xf32>, tensor<64x256xf32>) -> tensor<4x3136x16xf32>
  func.return %y : tensor<4x3136x16xf32>
}

func.func @main(%x: tensor<16x3136x16xf32>) -> tensor<4x3136x16xf32> {
  %w = graph.weight "w" {hash = "0"} : tensor<64x256xf32>
  %y = graph.call @pointwise(%x, %w) : (tensor<16x3136x16xf32>, tensor<64x256xf32>) -> tensor<4x3136x16xf32>
  func.return %y : tensor<4x3136x16xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// Declined: all of it stays in the first cache.
// CHECK-LABEL: func.func private @small
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 12, 1 by 32>, vectorize<1 by 16>, reorder<[1, 0, 2]>, cache_read<1 packed 
func.func private @small(%a: tensor<24x32xf32>, %b: tensor<32x64xf32>) -> tensor<24x64xf32> {
  %y = tensor.compute [24, 64 | 32] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<24x32xf32>, tensor<32x64xf32>) -> tensor<24x64xf32>
  func.return %y : tensor<24x64xf32>
}

func.func @main(%a: tensor<24x32xf32>) -> tensor<24x64xf32> {
  %b = graph.weight "b" {hash = "0"} : tensor<32x64xf32>
  %y = graph.call @small(%a, %b) : (tensor<24x32xf32>, tensor<32x64xf32>) -> tensor<24x64xf32>
  func.return %y : tensor<24x64xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// Constants that come from beyond the second cache for each block: half of it is one block, so that they come less often.
// CHECK-LABEL: func.func private @deep
// CHECK:         schedule #tensor.schedule<{{\[}}tile<0 by 39 by 13, 1 by 32>, vectorize<1 by 16>, reorder<[1, 0, 2]>, prefetch<1 along 1>, cache_read<1 packed 
func.func private @deep(%a: tensor<256x4096xf32>, %b: tensor<4096x256xf32>) -> tensor<256x256xf32> {
  %y = tensor.compute [256, 256 | 4096] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<256x4096xf32>, tensor<4096x256xf32>) -> tensor<256x256xf32>
  func.return %y : tensor<256x256xf32>
}

func.func @main(%a: tensor<256x4096xf32>) -> tensor<256x256xf32> {
  %b = graph.weight "deep" {hash = "0"} : tensor<4096x256xf32>
  %y = graph.call @deep(%a, %b) : (tensor<256x4096xf32>, tensor<4096x256xf32>) -> tensor<256x256xf32>
  func.return %y : tensor<256x256xf32>
}

// -----

#a = #tensor.access<affine_map<(m, n, k) -> (m, k)>>
#b = #tensor.access<affine_map<(m, n, k) -> (k, n)>>

// A panel of 1 MB fills the cache: it is read in blocks of 1024 steps, each for all rows.
// CHECK-LABEL: func.func private @long
// CHECK:         schedule #tensor.schedule<{{\[}}tile<1 by 32 by 32, 2 by 1024 by 1, 0 by 13>, vectorize<1 by 16>, reorder<[1, 0, 2]>, cache_read<1 packed 
func.func private @long(%a: tensor<52x8192xf32>, %b: tensor<8192x512xf32>) -> tensor<52x512xf32> {
  %y = tensor.compute [52, 512 | 8192] reads(%a at #a, %b at #b) inits [0.0 : f32] reduce {
  ^bb0(%av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %s = arith.addf %acc, %p : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<52x8192xf32>, tensor<8192x512xf32>) -> tensor<52x512xf32>
  func.return %y : tensor<52x512xf32>
}

func.func @main(%a: tensor<52x8192xf32>) -> tensor<52x512xf32> {
  %b = graph.weight "long" {hash = "0"} : tensor<8192x512xf32>
  %y = graph.call @long(%a, %b) : (tensor<52x8192xf32>, tensor<8192x512xf32>) -> tensor<52x512xf32>
  func.return %y : tensor<52x512xf32>
}
