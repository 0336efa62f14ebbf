// RUN: s2s-opt %s --sample-weights -p tensor-shorten-quantize | filecheck %s
// RUN: s2s-opt %s --sample-weights -p 'tensor-shorten-quantize{target=x86-64-v3}' | filecheck %s --check-prefix LANES

// Vectors of floats round in lanes.
//
// LANES-NOT: tensor.quantize

#each = #tensor.access<affine_map<(i) -> (i)>>
#scale = #tensor.access<affine_map<(i) -> (0)>>

// CHECK-LABEL: func.func private @sum
// CHECK:         %p = arith.mulf %f, %s : f32
// CHECK-NEXT:    %{{.*}} = arith.constant -5.000000e+00 : f32
// CHECK:         %q = tensor.quantize %p {zero_point = -5 : i32}
// CHECK-NEXT:    tensor.yield %q : i8
func.func private @sum(%x: tensor<4xi32>, %scale: tensor<1xf32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each, %scale at #scale) apply {
  ^bb0(%v: i32, %s: f32):
    %f = arith.sitofp %v : i32 to f32
    %p = arith.mulf %f, %s : f32
    %r = math.roundeven %p : f32
    %zp = arith.constant -5.0 : f32
    %z = arith.addf %r, %zp : f32
    %low = arith.constant -128.0 : f32
    %c = arith.maximumf %z, %low : f32
    %high = arith.constant 127.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi32>, tensor<1xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// 16 bits are limited to more.
//
// CHECK-LABEL: func.func private @wide
// CHECK:         %q = tensor.quantize %p {zero_point = 300 : i32, maybe_nan} : i16
func.func private @wide(%x: tensor<4xi32>, %scale: tensor<1xf32>) -> tensor<4xi16> {
  %y = tensor.compute [4] epilogue(%x at #each, %scale at #scale) apply {
  ^bb0(%v: i32, %s: f32):
    %f = arith.sitofp %v : i32 to f32
    %p = arith.mulf %f, %s : f32
    %r = math.roundeven %p : f32
    %zp = arith.constant 300.0 : f32
    %z = arith.addf %r, %zp : f32
    %low = arith.constant -32768.0 : f32
    %c = arith.maximumf %z, %low : f32
    %high = arith.constant 32767.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i16
    tensor.yield %q : i16
  } : (tensor<4xi32>, tensor<1xf32>) -> tensor<4xi16>
  func.return %y : tensor<4xi16>
}

// So do the results of tiles, whose sum is the first argument.
//
// CHECK-LABEL: func.func private @tiles
// CHECK:         %q = tensor.quantize %p {zero_point = -5 : i32, maybe_nan}
func.func private @tiles(%x: tensor<4x1xi32>, %scale: tensor<1xf32>) -> tensor<4x1xi8> {
  %y = tensor.transform [4] left dense<1.0> : tensor<1x1xf32> right dense<1.0> : tensor<1x1xf32>
    read(%x at #tensor.access<affine_map<(t, k, l) -> (t, k)>>)
    epilogue(%scale at #tensor.access<affine_map<(t, i, j) -> (0)>>)
    into #tensor.access<affine_map<(t, i, j) -> (t, i)>> apply {
  ^bb0(%acc: i32, %s: f32):
    %f = arith.sitofp %acc : i32 to f32
    %p = arith.mulf %f, %s : f32
    %r = math.roundeven %p : f32
    %zp = arith.constant -5.0 : f32
    %z = arith.addf %r, %zp : f32
    %low = arith.constant -128.0 : f32
    %c = arith.maximumf %z, %low : f32
    %high = arith.constant 127.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4x1xi32>, tensor<1xf32>) -> tensor<4x1xi8>
  func.return %y : tensor<4x1xi8>
}

// A zero point of 0 is not added.
//
// CHECK-LABEL: func.func private @symmetric
// CHECK:         %q = tensor.quantize %f {zero_point = 0 : i32}
func.func private @symmetric(%x: tensor<4xi32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: i32):
    %f = arith.sitofp %v : i32 to f32
    %r = math.roundeven %f : f32
    %low = arith.constant -128.0 : f32
    %c = arith.maximumf %r, %low : f32
    %high = arith.constant 127.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// What is quantised again stays a number, through a division and a relu. A division by a power of two is one product.
//
// CHECK-LABEL: func.func private @again
// CHECK:         %q = tensor.quantize %relu {zero_point = -128 : i32, factors = array<f32: 2.500000e-01, 4.000000e+00, 0.000000e+00>}
func.func private @again(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: i8):
    %f = arith.sitofp %v : i8 to f32
    %none = arith.constant 0.0 : f32
    %relu = arith.maximumf %f, %none : f32
    %step = arith.constant 0.25 : f32
    %o = arith.divf %relu, %step : f32
    %r = math.roundeven %o : f32
    %low = arith.constant -128.0 : f32
    %z = arith.addf %r, %low : f32
    %c = arith.maximumf %z, %low : f32
    %high = arith.constant 127.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// Floats from outside may be NaN.
//
// CHECK-LABEL: func.func private @given
// CHECK:         %q = tensor.quantize %v {zero_point = 7 : i32, maybe_nan}
func.func private @given(%x: tensor<4xf32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: f32):
    %r = math.roundeven %v : f32
    %zp = arith.constant 7.0 : f32
    %z = arith.addf %r, %zp : f32
    %low = arith.constant -128.0 : f32
    %c = arith.maximumf %z, %low : f32
    %high = arith.constant 127.0 : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptosi %d : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// With a zero point of 0, the conversion makes 0 of NaN. It saturates without limits, too.
//
// CHECK-LABEL: func.func private @without_limits
// CHECK:         %q = tensor.quantize %v {zero_point = 0 : i32}
// CHECK-NEXT:    tensor.yield %q : i8
func.func private @without_limits(%x: tensor<4xf32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: f32):
    %r = math.roundeven %v : f32
    %q = arith.fptosi %r : f32 to i8
    tensor.yield %q : i8
  } : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// TFLite takes halves away from zero. A division is two products.
//
// CHECK-LABEL: func.func private @away
// CHECK:         %q = tensor.quantize %v {zero_point = 5 : i32, away, factors = array<f32: 3.000000e-02, 33.3333321, 2.01662374e-06>}
// CHECK-NEXT:    tensor.yield %q : i8
func.func private @away(%x: tensor<4xf32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: f32):
    %step = arith.constant 0.03 : f32
    %o = arith.divf %v, %step : f32
    %low = arith.constant -133.0 : f32
    %c = arith.maximumf %o, %low : f32
    %high = arith.constant 122.0 : f32
    %d = arith.minimumf %c, %high : f32
    %size = math.absf %d : f32
    %floor = math.floor %size : f32
    %rest = arith.subf %size, %floor : f32
    %half = arith.constant 0.5 : f32
    %less = arith.cmpf olt, %rest, %half : f32
    %none = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %more = arith.select %less, %none, %one : f32
    %whole = arith.addf %floor, %more : f32
    %minus = arith.negf %whole : f32
    %below = arith.cmpf olt, %d, %none : f32
    %signed = arith.select %below, %minus, %whole : f32
    %wide = arith.fptosi %signed : f32 to i32
    %zp = arith.constant 5 : i32
    %moved = arith.addi %wide, %zp : i32
    %q = arith.trunci %moved : i32 to i8
    tensor.yield %q : i8
  } : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// A byte without sign is one with a sign, 128 higher.
//
// CHECK-LABEL: func.func private @without_sign
// CHECK:         %q = tensor.quantize %v {zero_point = -123 : i32, away, factors = array<f32: 3.000000e-02, 33.3333321, 2.01662374e-06>}
// CHECK-NEXT:    %[[SIGN:.*]] = arith.constant -128 : i8
// CHECK-NEXT:    %[[U:.*]] = arith.xori %q, %[[SIGN]] : i8
// CHECK-NEXT:    tensor.yield %[[U]] : i8
func.func private @without_sign(%x: tensor<4xf32>) -> tensor<4xi8> {
  %y = tensor.compute [4] epilogue(%x at #each) apply {
  ^bb0(%v: f32):
    %step = arith.constant 0.03 : f32
    %o = arith.divf %v, %step : f32
    %low = arith.constant -5.0 : f32
    %c = arith.maximumf %o, %low : f32
    %high = arith.constant 250.0 : f32
    %d = arith.minimumf %c, %high : f32
    %size = math.absf %d : f32
    %floor = math.floor %size : f32
    %rest = arith.subf %size, %floor : f32
    %half = arith.constant 0.5 : f32
    %less = arith.cmpf olt, %rest, %half : f32
    %none = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %more = arith.select %less, %none, %one : f32
    %whole = arith.addf %floor, %more : f32
    %minus = arith.negf %whole : f32
    %below = arith.cmpf olt, %d, %none : f32
    %signed = arith.select %below, %minus, %whole : f32
    %wide = arith.fptosi %signed : f32 to i32
    %zp = arith.constant 5 : i32
    %moved = arith.addi %wide, %zp : i32
    %q = arith.trunci %moved : i32 to i8
    tensor.yield %q : i8
  } : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// Halves to even, of a number that is no NaN; the second may be one, which gives 0.
//
// CHECK-LABEL: func.func private @without_sign_to_even
// CHECK:         tensor.quantize %f {zero_point = -8 : i32}
// CHECK-NEXT:    arith.constant -128 : i8
// CHECK-NEXT:    arith.xori
// CHECK:         math.roundeven %v : f32
// CHECK:         arith.fptoui
func.func private @without_sign_to_even(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %y, %w = tensor.compute [4] epilogue(%x at #each, %n at #each) apply {
  ^bb0(%v: f32, %i: i32):
    %zp = arith.constant 120.0 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %f = arith.sitofp %i : i32 to f32
    %r = math.roundeven %f : f32
    %z = arith.addf %r, %zp : f32
    %c = arith.maximumf %z, %low : f32
    %d = arith.minimumf %c, %high : f32
    %q = arith.fptoui %d : f32 to i8
    %s = math.roundeven %v : f32
    %t = arith.addf %s, %zp : f32
    %e = arith.maximumf %t, %low : f32
    %g = arith.minimumf %e, %high : f32
    %p = arith.fptoui %g : f32 to i8
    tensor.yield %q, %p : i8, i8
  } : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>)
  func.return %y, %w : tensor<4xi8>, tensor<4xi8>
}

// Declined: a clamp that is narrower than bytes, a zero point that is no byte, and a number that is not rounded.
//
// CHECK-LABEL: func.func private @declined
// CHECK-NOT:     tensor.quantize
func.func private @declined(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %y, %w, %u = tensor.compute [4] epilogue(%x at #each, %n at #each) apply {
  ^bb0(%v: f32, %i: i32):
    %r = math.roundeven %v : f32
    %infinite = arith.constant 0x7F800000 : f32
    %c = arith.addf %r, %infinite : f32
    %q = arith.fptosi %c : f32 to i8
    %f = arith.sitofp %i : i32 to f32
    %s = math.roundeven %f : f32
    %zero = arith.constant 0.0 : f32
    %e = arith.maximumf %s, %zero : f32
    %high = arith.constant 127.0 : f32
    %g = arith.minimumf %e, %high : f32
    %t = arith.fptosi %g : f32 to i8
    %b = arith.fptosi %v : f32 to i8
    tensor.yield %q, %t, %b : i8, i8, i8
  } : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>)
  func.return %y, %w, %u : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

func.func @main(%x: tensor<4xi32>, %f: tensor<4xf32>) -> tensor<4xi8> {
  %s = graph.weight "s" {hash = "0"} : tensor<1xf32>
  %y = graph.call @sum(%x, %s) : (tensor<4xi32>, tensor<1xf32>) -> tensor<4xi8>
  %z = graph.call @symmetric(%x) : (tensor<4xi32>) -> tensor<4xi8>
  %g = graph.call @again(%z) : (tensor<4xi8>) -> tensor<4xi8>
  %h = graph.call @given(%f) : (tensor<4xf32>) -> tensor<4xi8>
  %w = graph.call @away(%f) : (tensor<4xf32>) -> tensor<4xi8>
  %p = graph.call @without_sign(%f) : (tensor<4xf32>) -> tensor<4xi8>
  %q, %r = graph.call @without_sign_to_even(%f, %x) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>)
  %l = graph.call @without_limits(%f) : (tensor<4xf32>) -> tensor<4xi8>
  %a, %b, %c = graph.call @declined(%f, %x) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>)
  func.return %y : tensor<4xi8>
}
