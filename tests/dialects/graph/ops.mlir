// RUN: s2s-opt %s | s2s-opt | filecheck %s
// RUN: s2s-opt %s --print-op-generic | s2s-opt | filecheck %s

// CHECK-LABEL: func.func private @kernel
func.func private @kernel(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  // CHECK-NEXT: %0, %1 = graph.call @other(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %0, %1 = graph.call @other(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  func.return %0, %1 : tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: func.func private @other
func.func private @other(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)

// CHECK-LABEL: func.func private @step
func.func private @step(%h: tensor<4xf32>, %x: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) attributes {tied = array<i64: 0, -1>} {
  func.return %h, %x : tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func private @test
func.func private @test(%h: tensor<4xf32>, %x: tensor<2xf32>, %go: tensor<1xi1>) -> tensor<1xi1> {
  func.return %go : tensor<1xi1>
}

// CHECK-LABEL: func.func private @again
func.func private @again(%h: tensor<4xf32>, %x: tensor<2xf32>, %go: tensor<1xi1>) -> (tensor<4xf32>, tensor<2xf32>) attributes {tied = array<i64: 0, 1>} {
  func.return %h, %x : tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func private @branch
func.func private @branch(%h: tensor<4xf32>) -> tensor<4xf32> {
  func.return %h : tensor<4xf32>
}

func.func private @push(%x: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %x : tensor<1x1x2xf32>
}

// CHECK-LABEL: func.func @control
func.func @control(%go: tensor<1xi1>, %h: tensor<4xf32>, %x: tensor<2xf32>, %xs: tensor<3x2xf32>, %im: tensor<1x3x2xf32>, %outside: tensor<1xi32>) {
  // CHECK-NEXT: %one = graph.if %go then @branch else @branch(%h) : tensor<1xi1>, (tensor<4xf32>) -> tensor<4xf32>
  %one = graph.if %go then @branch else @branch(%h) : tensor<1xi1>, (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %b, %c = graph.while @test do @again(%h, %x, %go) : (tensor<4xf32>, tensor<2xf32>, tensor<1xi1>) -> (tensor<4xf32>, tensor<2xf32>)
  %b, %c = graph.while @test do @again(%h, %x, %go) : (tensor<4xf32>, tensor<2xf32>, tensor<1xi1>) -> (tensor<4xf32>, tensor<2xf32>)
  // CHECK-NEXT: %last, %all = graph.scan @step(%h, %xs) {steps = 3 : i64, carried = 1 : i64, scanned = 1 : i64, backward = array<i64: 0>} : (tensor<4xf32>, tensor<3x2xf32>) -> (tensor<4xf32>, tensor<3x2xf32>)
  %last, %all = graph.scan @step(%h, %xs) {steps = 3, carried = 1, scanned = 1, backward = array<i64: 0>} : (tensor<4xf32>, tensor<3x2xf32>) -> (tensor<4xf32>, tensor<3x2xf32>)
  // CHECK-NEXT: %rows = graph.line_buffers %im() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1 : i64, pushed} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  %rows = graph.line_buffers %im() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1 : i64, pushed} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  // CHECK-NEXT: graph.require %outside : tensor<1xi32>
  graph.require %outside : tensor<1xi32>
  func.return
}

// CHECK-LABEL: func.func @structure
func.func @structure(%x: tensor<4xf32>) {
  // CHECK-NEXT: %weight = graph.weight "conv1.weight" {hash = "c0ffee"} : tensor<4xf32>
  %weight = graph.weight "conv1.weight" {hash = "c0ffee"} : tensor<4xf32>
  // CHECK-NEXT: %scalar = graph.constant dense<1.000000e-05> : tensor<f32>
  %scalar = graph.constant dense<1.000000e-05> : tensor<f32>
  // CHECK-NEXT: %splat = graph.constant dense<0.000000e+00> : tensor<2x3xf32>
  %splat = graph.constant dense<0.000000e+00> : tensor<2x3xf32>
  // CHECK-NEXT: %half = graph.constant dense<[1.500000e+00, 6.550400e+04]> : tensor<2xf16>
  %half = graph.constant dense<[1.500000e+00, 6.550400e+04]> : tensor<2xf16>
  // CHECK-NEXT: %brain = graph.constant dense<[1.500000e+00, 3.389530e+38]> : tensor<2xbf16>
  %brain = graph.constant dense<[1.500000e+00, 3.389530e+38]> : tensor<2xbf16>
  // CHECK-NEXT: %signed = graph.constant dense<[-128, 127]> : tensor<2xi8>
  %signed = graph.constant dense<[-128, 127]> : tensor<2xi8>
  // CHECK-NEXT: %unsigned = graph.constant dense<[0, 255]> : tensor<2xui8>
  %unsigned = graph.constant dense<[0, 255]> : tensor<2xui8>
  // CHECK-NEXT: %bools = graph.constant dense<[true, false]> : tensor<2xi1>
  %bools = graph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: %named = graph.constant {node = "bn1"} dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %named = graph.constant {node = "bn1"} dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK-NEXT: %e, %f = graph.extern "my_blur"(%x, %weight) {source = "void my_blur();"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %e, %f = graph.extern "my_blur"(%x, %weight) {source = "void my_blur();"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  // CHECK-NEXT: %h = graph.extern "app.power"(%x) {packed, numbers = [2 : i64, 5.000000e-01 : f64]} : (tensor<4xf32>) -> tensor<4xf32>
  %h = graph.extern "app.power"(%x) {packed, numbers = [2 : i64, 0.5 : f64]} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %g = graph.extern "app.scale"() {node = "n", packed} : () -> tensor<4xf32>
  %g = graph.extern "app.scale"() {node = "n", packed} : () -> tensor<4xf32>
  // CHECK-NEXT: %a, %b = graph.call @kernel(%x, %weight) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %a, %b = graph.call @kernel(%x, %weight) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  // CHECK-NEXT: %c, %d = graph.call @kernel(%x, %weight) {node = "conv1, relu1"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %c, %d = graph.call @kernel(%x, %weight) {node = "conv1, relu1"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  func.return
}

// CHECK-LABEL: func.func @unary_float
func.func @unary_float(%x: tensor<2x3xf32>) {
  // CHECK-NEXT: %abs = graph.abs %x : tensor<2x3xf32>
  %abs = graph.abs %x : tensor<2x3xf32>
  // CHECK-NEXT: %neg = graph.neg %x : tensor<2x3xf32>
  %neg = graph.neg %x : tensor<2x3xf32>
  // CHECK-NEXT: %sign = graph.sign %x : tensor<2x3xf32>
  %sign = graph.sign %x : tensor<2x3xf32>
  // CHECK-NEXT: %ceil = graph.ceil %x : tensor<2x3xf32>
  %ceil = graph.ceil %x : tensor<2x3xf32>
  // CHECK-NEXT: %floor = graph.floor %x : tensor<2x3xf32>
  %floor = graph.floor %x : tensor<2x3xf32>
  // CHECK-NEXT: %round = graph.round %x : tensor<2x3xf32>
  %round = graph.round %x : tensor<2x3xf32>
  // CHECK-NEXT: %exp = graph.exp %x : tensor<2x3xf32>
  %exp = graph.exp %x : tensor<2x3xf32>
  // CHECK-NEXT: %log = graph.log %x : tensor<2x3xf32>
  %log = graph.log %x : tensor<2x3xf32>
  // CHECK-NEXT: %sqrt = graph.sqrt %x : tensor<2x3xf32>
  %sqrt = graph.sqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %rsqrt = graph.rsqrt %x : tensor<2x3xf32>
  %rsqrt = graph.rsqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %reciprocal = graph.reciprocal %x : tensor<2x3xf32>
  %reciprocal = graph.reciprocal %x : tensor<2x3xf32>
  // CHECK-NEXT: %sin = graph.sin %x : tensor<2x3xf32>
  %sin = graph.sin %x : tensor<2x3xf32>
  // CHECK-NEXT: %cos = graph.cos %x : tensor<2x3xf32>
  %cos = graph.cos %x : tensor<2x3xf32>
  // CHECK-NEXT: %tan = graph.tan %x : tensor<2x3xf32>
  %tan = graph.tan %x : tensor<2x3xf32>
  // CHECK-NEXT: %asin = graph.asin %x : tensor<2x3xf32>
  %asin = graph.asin %x : tensor<2x3xf32>
  // CHECK-NEXT: %acos = graph.acos %x : tensor<2x3xf32>
  %acos = graph.acos %x : tensor<2x3xf32>
  // CHECK-NEXT: %atan = graph.atan %x : tensor<2x3xf32>
  %atan = graph.atan %x : tensor<2x3xf32>
  // CHECK-NEXT: %sinh = graph.sinh %x : tensor<2x3xf32>
  %sinh = graph.sinh %x : tensor<2x3xf32>
  // CHECK-NEXT: %cosh = graph.cosh %x : tensor<2x3xf32>
  %cosh = graph.cosh %x : tensor<2x3xf32>
  // CHECK-NEXT: %tanh = graph.tanh %x : tensor<2x3xf32>
  %tanh = graph.tanh %x : tensor<2x3xf32>
  // CHECK-NEXT: %asinh = graph.asinh %x : tensor<2x3xf32>
  %asinh = graph.asinh %x : tensor<2x3xf32>
  // CHECK-NEXT: %acosh = graph.acosh %x : tensor<2x3xf32>
  %acosh = graph.acosh %x : tensor<2x3xf32>
  // CHECK-NEXT: %atanh = graph.atanh %x : tensor<2x3xf32>
  %atanh = graph.atanh %x : tensor<2x3xf32>
  // CHECK-NEXT: %erf = graph.erf %x : tensor<2x3xf32>
  %erf = graph.erf %x : tensor<2x3xf32>
  // CHECK-NEXT: %sigmoid = graph.sigmoid %x {node = "act"} : tensor<2x3xf32>
  %sigmoid = graph.sigmoid %x {node = "act"} : tensor<2x3xf32>
  // CHECK-NEXT: %identity = graph.identity %x : tensor<2x3xf32>
  %identity = graph.identity %x : tensor<2x3xf32>
  // CHECK-NEXT: %relu6 = graph.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : tensor<2x3xf32>
  %relu6 = graph.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : tensor<2x3xf32>
  // CHECK-NEXT: %unbounded = graph.clamp %x {min = 0xfff0000000000000 : f64} : tensor<2x3xf32>
  %unbounded = graph.clamp %x {min = 0xfff0000000000000 : f64} : tensor<2x3xf32>
  // CHECK-NEXT: %relu = graph.clamp %x {min = 0.000000e+00 : f64} : tensor<2x3xf32>
  %relu = graph.clamp %x {min = 0.000000e+00 : f64} : tensor<2x3xf32>
  // CHECK-NEXT: %free = graph.clamp %x : tensor<2x3xf32>
  %free = graph.clamp %x : tensor<2x3xf32>
  // CHECK-NEXT: %cast = graph.cast %x : (tensor<2x3xf32>) -> tensor<2x3xui8>
  %cast = graph.cast %x : (tensor<2x3xf32>) -> tensor<2x3xui8>
  // CHECK-NEXT: %bits = graph.bitcast %x : (tensor<2x3xf32>) -> tensor<2x3xui32>
  %bits = graph.bitcast %x : (tensor<2x3xf32>) -> tensor<2x3xui32>
  // CHECK-NEXT: %nan = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %nan = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %inf = graph.is_inf %x {detect_negative, detect_positive} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %inf = graph.is_inf %x {detect_negative, detect_positive} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: func.func @unary_rest
func.func @unary_rest(%x: tensor<4xi8>, %p: tensor<4xi1>) {
  // CHECK-NEXT: %not = graph.bitwise_not %x : tensor<4xi8>
  %not = graph.bitwise_not %x : tensor<4xi8>
  // CHECK-NEXT: %zeros = graph.count_leading_zeros %x : tensor<4xi8>
  %zeros = graph.count_leading_zeros %x : tensor<4xi8>
  // CHECK-NEXT: %negated = graph.logical_not %p : tensor<4xi1>
  %negated = graph.logical_not %p : tensor<4xi1>
  // CHECK-NEXT: %bounded = graph.clamp %x {min = -5 : i64, max = 5 : i64} : tensor<4xi8>
  %bounded = graph.clamp %x {min = -5 : i64, max = 5 : i64} : tensor<4xi8>
  func.return
}

// CHECK-LABEL: func.func @binary_float
func.func @binary_float(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>) {
  // CHECK-NEXT: %add = graph.add %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %add = graph.add %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %sub = graph.sub %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %sub = graph.sub %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %mul = graph.mul %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %mul = graph.mul %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %div = graph.div %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %div = graph.div %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %mod = graph.mod %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %mod = graph.mod %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %fmod = graph.mod %a, %b {fmod} : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %fmod = graph.mod %a, %b {fmod} : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %pow = graph.pow %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %pow = graph.pow %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %minimum = graph.minimum %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %minimum = graph.minimum %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %maximum = graph.maximum %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %maximum = graph.maximum %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %equal = graph.equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  %equal = graph.equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  // CHECK-NEXT: %less = graph.less %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  %less = graph.less %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  // CHECK-NEXT: %less_equal = graph.less_equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  %less_equal = graph.less_equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  // CHECK-NEXT: %greater = graph.greater %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  %greater = graph.greater %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  // CHECK-NEXT: %greater_equal = graph.greater_equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  %greater_equal = graph.greater_equal %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xi1>
  // CHECK-NEXT: %prelu = graph.prelu %add, %b {node = "prelu"} : (tensor<2x4x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %prelu = graph.prelu %add, %b {node = "prelu"} : (tensor<2x4x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %select = graph.select %less, %a, %b : (tensor<2x4x3xi1>, tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %select = graph.select %less, %a, %b : (tensor<2x4x3xi1>, tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: func.func @binary_rest
func.func @binary_rest(%p: tensor<3xi1>, %q: tensor<i1>, %a: tensor<3xui32>, %b: tensor<ui32>) {
  // CHECK-NEXT: %and = graph.logical_and %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  %and = graph.logical_and %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  // CHECK-NEXT: %or = graph.logical_or %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  %or = graph.logical_or %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  // CHECK-NEXT: %xor = graph.logical_xor %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  %xor = graph.logical_xor %p, %q : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  // CHECK-NEXT: %bits_and = graph.bitwise_and %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  %bits_and = graph.bitwise_and %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  // CHECK-NEXT: %bits_or = graph.bitwise_or %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  %bits_or = graph.bitwise_or %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  // CHECK-NEXT: %bits_xor = graph.bitwise_xor %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  %bits_xor = graph.bitwise_xor %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  // CHECK-NEXT: %left = graph.shift_left %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  %left = graph.shift_left %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  // CHECK-NEXT: %right = graph.shift_right %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  %right = graph.shift_right %a, %b : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
  func.return
}

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %t: tensor<4x3x2x2xf32>, %q: tensor<1x8x8x4xi8>, %v: tensor<6x4x3x3xi8>, %c: tensor<6xi64>) {
  // CHECK-NEXT: %plain = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
  %plain = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
  // CHECK-NEXT: %biased = graph.conv %x, %w, %b {node = "conv1", strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 1, 2>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x8xf32>
  %biased = graph.conv %x, %w, %b {node = "conv1", strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 1, 2>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x8xf32>
  // CHECK-NEXT: %quantised = graph.conv %q, %v, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC", input_zp = -3 : i64, weight_zp = 7 : i64, acc_type = i64} : (tensor<1x8x8x4xi8>, tensor<6x4x3x3xi8>, tensor<6xi64>) -> tensor<1x6x6x6xi64>
  %quantised = graph.conv %q, %v, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NHWC", input_zp = -3 : i64, weight_zp = 7 : i64, acc_type = i64} : (tensor<1x8x8x4xi8>, tensor<6x4x3x3xi8>, tensor<6xi64>) -> tensor<1x6x6x6xi64>
  // CHECK-NEXT: %up = graph.conv_transpose %x, %t {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x2x2xf32>) -> tensor<1x3x16x17xf32>
  %up = graph.conv_transpose %x, %t {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x2x2xf32>) -> tensor<1x3x16x17xf32>
  func.return
}

// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<2x3xi32>, %q: tensor<2x3xi8>, %m: tensor<3xi32>, %s: tensor<3xi8>, %one: tensor<i32>, %left: tensor<i8>, %t: tensor<256xi8>) {
  // CHECK-NEXT: %channels = graph.rescale %x, %m, %s {output_zp = -128 : i64, rounding = "double", axis = 1 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
  %channels = graph.rescale %x, %m, %s {output_zp = -128 : i64, rounding = "double", axis = 1 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
  // CHECK-NEXT: %whole = graph.rescale %q, %one, %left {input_zp = 3 : i64, rounding = "single"} : (tensor<2x3xi8>, tensor<i32>, tensor<i8>) -> tensor<2x3xi32>
  %whole = graph.rescale %q, %one, %left {input_zp = 3 : i64, rounding = "single"} : (tensor<2x3xi8>, tensor<i32>, tensor<i8>) -> tensor<2x3xi32>
  // CHECK-NEXT: %looked = graph.table %q, %t {node = "tanh"} : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  %looked = graph.table %q, %t {node = "tanh"} : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  func.return
}

// CHECK-LABEL: func.func @linear
func.func @linear(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4x3xf32>, %q: tensor<3x3xi8>) {
  // CHECK-NEXT: %ab = graph.matmul %a, %b : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  %ab = graph.matmul %a, %b : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  // CHECK-NEXT: %quantised = graph.matmul %q, %q {a_zp = 3 : i64, b_zp = 4 : i64} : (tensor<3x3xi8>, tensor<3x3xi8>) -> tensor<3x3xi32>
  %quantised = graph.matmul %q, %q {a_zp = 3 : i64, b_zp = 4 : i64} : (tensor<3x3xi8>, tensor<3x3xi8>) -> tensor<3x3xi32>
  // CHECK-NEXT: %ba = graph.matmul %b, %c {node = "fc", transpose_a, transpose_b} : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %ba = graph.matmul %b, %c {node = "fc", transpose_a, transpose_b} : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  func.return
}

// CHECK-LABEL: func.func @blockwise
func.func @blockwise(%x: tensor<2x40xf32>, %w: tensor<3x2x16xi8>, %v: tensor<3x2x32xi8>, %s: tensor<3x2xf32>, %z: tensor<3x2xi8>, %q: tensor<2x2x2x16xi8>, %t: tensor<2x2xf32>) {
  // CHECK-NEXT: %four = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %four = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %eight = graph.blockwise_matmul %x, %v, %s, %z {bits = 8 : i64} : (tensor<2x40xf32>, tensor<3x2x32xi8>, tensor<3x2xf32>, tensor<3x2xi8>) -> tensor<2x3xf32>
  %eight = graph.blockwise_matmul %x, %v, %s, %z {bits = 8 : i64} : (tensor<2x40xf32>, tensor<3x2x32xi8>, tensor<3x2xf32>, tensor<3x2xi8>) -> tensor<2x3xf32>
  // CHECK-NEXT: %marked = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64, int8_activations} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %marked = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64, int8_activations} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %dot = graph.blockwise_dot %q, %t, %w, %s, %z {bits = 4 : i64} : (tensor<2x2x2x16xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>, tensor<3x2xi8>) -> tensor<2x3xf32>
  %dot = graph.blockwise_dot %q, %t, %w, %s, %z {bits = 4 : i64} : (tensor<2x2x2x16xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>, tensor<3x2xi8>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @codebook
func.func @codebook(%x: tensor<2x40xf32>, %w: tensor<3x2x16xi8>, %t: tensor<16xf32>, %s: tensor<3x2xf32>) {
  // CHECK-NEXT: %y = graph.codebook_matmul %x, %w, %t, %s : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<16xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %y = graph.codebook_matmul %x, %w, %t, %s : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<16xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @superblocks
func.func @superblocks(%x: tensor<2x60xf32>, %w: tensor<3x2x16xi8>, %s: tensor<3x2xi8>, %m: tensor<3x2xi8>, %d: tensor<3x1xf16>, %e: tensor<3x1xf16>, %q: tensor<2x2x2x16xi8>, %t: tensor<2x2xf32>) {
  // CHECK-NEXT: %y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64, int8_activations} : (tensor<2x60xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x1xf16>, tensor<3x1xf16>) -> tensor<2x3xf32>
  %y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64, int8_activations} : (tensor<2x60xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x1xf16>, tensor<3x1xf16>) -> tensor<2x3xf32>
  // CHECK-NEXT: %dot = graph.superblock_dot %q, %t, %w, %s, %m, %d, %e : (tensor<2x2x2x16xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x1xf16>, tensor<3x1xf16>) -> tensor<2x3xf32>
  %dot = graph.superblock_dot %q, %t, %w, %s, %m, %d, %e : (tensor<2x2x2x16xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x1xf16>, tensor<3x1xf16>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @pool
func.func @pool(%x: tensor<1x2x6x6xf32>) {
  // CHECK-NEXT: %max = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  %max = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  // CHECK-NEXT: %avg = graph.avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  %avg = graph.avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  // CHECK-NEXT: %same = graph.same_avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, side = "upper"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  %same = graph.same_avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, side = "upper"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  // CHECK-NEXT: %centred = graph.max_pool_indices %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, storage_order = 0 : i64, side = "upper"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xi64>
  %centred = graph.max_pool_indices %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, storage_order = 0 : i64, side = "upper"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xi64>
  // CHECK-NEXT: %where = graph.max_pool_indices %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, storage_order = 0 : i64} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xi64>
  %where = graph.max_pool_indices %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, storage_order = 0 : i64} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xi64>
  func.return
}

// CHECK-LABEL: func.func @norm
func.func @norm(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>) {
  // CHECK-NEXT: %bn = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %bn = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %softmax = graph.softmax %x {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %softmax = graph.softmax %x {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %log_softmax = graph.log_softmax %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %log_softmax = graph.log_softmax %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %plain = graph.layer_norm %x {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %plain = graph.layer_norm %x {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %scaled = graph.layer_norm %x scale %d : tensor<4xf32> {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %scaled = graph.layer_norm %x scale %d : tensor<4xf32> {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %moved = graph.layer_norm %x bias %d : tensor<4xf32> {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %moved = graph.layer_norm %x bias %d : tensor<4xf32> {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %both = graph.layer_norm %x scale %d : tensor<4xf32> bias %d : tensor<4xf32> {node = "ln", axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %both = graph.layer_norm %x scale %d : tensor<4xf32> bias %d : tensor<4xf32> {node = "ln", axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %lrn = graph.lrn %x {size = 5 : i64, alpha = 9.9999997473787516e-05 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %lrn = graph.lrn %x {size = 5 : i64, alpha = 9.9999997473787516e-05 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<2x3x4xi8>, %s: tensor<i8>) {
  // CHECK-NEXT: %reshape = graph.reshape %x : (tensor<2x3x4xi8>) -> tensor<24xi8>
  %reshape = graph.reshape %x : (tensor<2x3x4xi8>) -> tensor<24xi8>
  // CHECK-NEXT: %scalar = graph.reshape %s : (tensor<i8>) -> tensor<1x1xi8>
  %scalar = graph.reshape %s : (tensor<i8>) -> tensor<1x1xi8>
  // CHECK-NEXT: %transpose = graph.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xi8>) -> tensor<4x2x3xi8>
  %transpose = graph.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xi8>) -> tensor<4x2x3xi8>
  // CHECK-NEXT: %rank_zero = graph.transpose %s {perm = array<i64>} : (tensor<i8>) -> tensor<i8>
  %rank_zero = graph.transpose %s {perm = array<i64>} : (tensor<i8>) -> tensor<i8>
  // CHECK-NEXT: %slice = graph.slice %x {starts = array<i64: 1, 2, 0>, sizes = array<i64: 1, 3, 2>, strides = array<i64: 1, -1, 3>} : (tensor<2x3x4xi8>) -> tensor<1x3x2xi8>
  %slice = graph.slice %x {starts = array<i64: 1, 2, 0>, sizes = array<i64: 1, 3, 2>, strides = array<i64: 1, -1, 3>} : (tensor<2x3x4xi8>) -> tensor<1x3x2xi8>
  // CHECK-NEXT: %concat = graph.concat %x, %x, %x {axis = 1 : i64} : (tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x3x4xi8>) -> tensor<2x9x4xi8>
  %concat = graph.concat %x, %x, %x {axis = 1 : i64} : (tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x3x4xi8>) -> tensor<2x9x4xi8>
  // CHECK-NEXT: %zeros = graph.pad %x {low = array<i64: 0, 1, 0>, high = array<i64: 0, 0, 2>, mode = "constant", value = 0 : i64} : (tensor<2x3x4xi8>) -> tensor<2x4x6xi8>
  %zeros = graph.pad %x {low = array<i64: 0, 1, 0>, high = array<i64: 0, 0, 2>, mode = "constant", value = 0 : i64} : (tensor<2x3x4xi8>) -> tensor<2x4x6xi8>
  // CHECK-NEXT: %mirror = graph.pad %x {low = array<i64: 1, 2, 3>, high = array<i64: 0, 0, 0>, mode = "reflect"} : (tensor<2x3x4xi8>) -> tensor<3x5x7xi8>
  %mirror = graph.pad %x {low = array<i64: 1, 2, 3>, high = array<i64: 0, 0, 0>, mode = "reflect"} : (tensor<2x3x4xi8>) -> tensor<3x5x7xi8>
  // CHECK-NEXT: %broadcast = graph.broadcast_to %s : (tensor<i8>) -> tensor<2x2xi8>
  %broadcast = graph.broadcast_to %s : (tensor<i8>) -> tensor<2x2xi8>
  // CHECK-NEXT: %tile = graph.tile %x {repeats = array<i64: 1, 2, 1>} : (tensor<2x3x4xi8>) -> tensor<2x6x4xi8>
  %tile = graph.tile %x {repeats = array<i64: 1, 2, 1>} : (tensor<2x3x4xi8>) -> tensor<2x6x4xi8>
  // CHECK-NEXT: %iota = graph.iota {axis = 1 : i64} : tensor<2x3xi32>
  %iota = graph.iota {axis = 1 : i64} : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: func.func @run_sizes
func.func @run_sizes(%x: tensor<9x1xf32>) {
  // CHECK-NEXT: %end = graph.dynamic_slice %x {starts = array<i64: 7, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 0>, begins = ["N - 2", ""], extents = ["", "K"]} : (tensor<9x1xf32>) -> tensor<2x3xf32>
  %end = graph.dynamic_slice %x {starts = array<i64: 7, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 0>, begins = ["N - 2", ""], extents = ["", "K"]} : (tensor<9x1xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %row = graph.dynamic_reshape %x {shape = array<i64: 9>, extents = ["N"]} : (tensor<9x1xf32>) -> tensor<9xf32>
  %row = graph.dynamic_reshape %x {shape = array<i64: 9>, extents = ["N"]} : (tensor<9x1xf32>) -> tensor<9xf32>
  // CHECK-NEXT: %centred = graph.same_pad %x {windows = array<i64: 3, 1>, strides = array<i64: 2, 1>, side = "lower", value = 0.000000e+00 : f64} : (tensor<9x1xf32>) -> tensor<11x1xf32>
  %centred = graph.same_pad %x {windows = array<i64: 3, 1>, strides = array<i64: 2, 1>, side = "lower", value = 0.0} : (tensor<9x1xf32>) -> tensor<11x1xf32>
  // CHECK-NEXT: %shape = graph.size_values {values = array<i64: 9, 1>, names = ["N", ""]} : tensor<2xi64>
  %shape = graph.size_values {values = array<i64: 9, 1>, names = ["N", ""]} : tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @selection
func.func @selection(%mask: tensor<9xi1>, %count: tensor<i32>, %boxes: tensor<1x6x4xf32>, %scores: tensor<1x2x6xf32>, %limit: tensor<f32>) {
  // CHECK-NEXT: %places = graph.nonzero %mask, %count {size = "found", bound = 5 : i64} : (tensor<9xi1>, tensor<i32>) -> tensor<5xi32>
  %places = graph.nonzero %mask, %count {size = "found", bound = 5 : i64} : (tensor<9xi1>, tensor<i32>) -> tensor<5xi32>
  // CHECK-NEXT: %chosen = graph.non_max_suppression %boxes, %scores, %limit, %limit {is_centered, most = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x3xi32>
  %chosen = graph.non_max_suppression %boxes, %scores, %limit, %limit {is_centered, most = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x3xi32>
  func.return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%image: tensor<1x6x4x3xf32>, %batch: tensor<8xi32>, %ends: tensor<8x2xf32>, %sizes: tensor<2xi32>, %high: tensor<8x7x2xi32>) {
  // CHECK-NEXT: %means = graph.roi_align %image, %batch, %ends, %ends, %sizes {rows = 7 : i64, columns = 5 : i64, ratio = 0 : i64, largest} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi32>) -> tensor<8x7x5x3xf32>
  %means = graph.roi_align %image, %batch, %ends, %ends, %sizes {rows = 7 : i64, columns = 5 : i64, ratio = 0 : i64, largest} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi32>) -> tensor<8x7x5x3xf32>
  // CHECK-NEXT: %maxima = graph.max_regions %image, %batch, %high, %high : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x7x2xi32>, tensor<8x7x2xi32>) -> tensor<8x7x7x3xf32>
  %maxima = graph.max_regions %image, %batch, %high, %high : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x7x2xi32>, tensor<8x7x2xi32>) -> tensor<8x7x7x3xf32>
  func.return
}

// CHECK-LABEL: func.func @patches
func.func @patches(%x: tensor<1x2x3x2x4x5xf32>) {
  // CHECK-NEXT: %y = graph.sum_patches %x {sizes = array<i64: 8, 5>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x2x4x5xf32>) -> tensor<1x2x8x5xf32>
  %y = graph.sum_patches %x {sizes = array<i64: 8, 5>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x2x4x5xf32>) -> tensor<1x2x8x5xf32>
  func.return
}

// CHECK-LABEL: func.func @determinants
func.func @determinants(%x: tensor<8x5x5xf32>) {
  // CHECK-NEXT: %y = graph.determinant %x : (tensor<8x5x5xf32>) -> tensor<8xf32>
  %y = graph.determinant %x : (tensor<8x5x5xf32>) -> tensor<8xf32>
  func.return
}

// CHECK-LABEL: func.func @index
func.func @index(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %p: tensor<3x1xi32>) {
  // CHECK-NEXT: %gather = graph.gather %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<2x3xi64>) -> tensor<4x2x3xf32>
  %gather = graph.gather %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<2x3xi64>) -> tensor<4x2x3xf32>
  // CHECK-NEXT: %elements = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<4x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  %elements = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<4x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  // CHECK-NEXT: %rows = graph.gather_nd %x, %p {batch_dims = 0 : i64} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  %rows = graph.gather_nd %x, %p {batch_dims = 0 : i64} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  // CHECK-NEXT: %scattered = graph.scatter_elements %x, %i, %elements {axis = 0 : i64, reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  %scattered = graph.scatter_elements %x, %i, %elements {axis = 0 : i64, reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  // CHECK-NEXT: %unpooled = graph.scatter_elements %x, %i, %elements {axis = 0 : i64, reduction = "none", nonnegative_indices} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  %unpooled = graph.scatter_elements %x, %i, %elements {axis = 0 : i64, reduction = "none", nonnegative_indices} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  // CHECK-NEXT: %added = graph.scatter_nd %x, %p, %rows {reduction = "add"} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %added = graph.scatter_nd %x, %p, %rows {reduction = "add"} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%old: tensor<2x4xf32>, %new: tensor<2x1xf32>) {
  // CHECK-NEXT: %moved = graph.advance %old {by = 1 : i64, slack = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %moved = graph.advance %old {by = 1 : i64, slack = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: %window = graph.insert_slice %moved, %new {starts = array<i64: 0, 3>} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %window = graph.insert_slice %moved, %new {starts = array<i64: 0, 3>} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: func.func @devices
func.func @devices(%x: tensor<4xf32>) {
  // CHECK-NEXT: %y = graph.device_copy %x from "main" to "dsp" {node = "conv"} : tensor<4xf32>
  %y = graph.device_copy %x from "main" to "dsp" {node = "conv"} : tensor<4xf32>
  func.return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<2x3x4xf32>) {
  // CHECK-NEXT: %sum = graph.reduce_sum %x {axes = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %sum = graph.reduce_sum %x {axes = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %max = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %max = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %min = graph.reduce_min %x {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %min = graph.reduce_min %x {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK-NEXT: %prod = graph.reduce_prod %x {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %prod = graph.reduce_prod %x {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %mean = graph.reduce_mean %x {node = "pool", axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %mean = graph.reduce_mean %x {node = "pool", axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  // CHECK-NEXT: %argmax = graph.argmax %x {axis = 1 : i64, keepdims, select_last} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi64>
  %argmax = graph.argmax %x {axis = 1 : i64, keepdims, select_last} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi64>
  // CHECK-NEXT: %argmin = graph.argmin %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
  %argmin = graph.argmin %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
  // CHECK-NEXT: %narrow = graph.argmin %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<3x4xi32>
  %narrow = graph.argmin %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<3x4xi32>
  // CHECK-NEXT: %first = graph.top_k %x {count = 2 : i64, smallest} : (tensor<2x3x4xf32>) -> tensor<2x3x2xi32>
  %first = graph.top_k %x {count = 2 : i64, smallest} : (tensor<2x3x4xf32>) -> tensor<2x3x2xi32>
  // CHECK-NEXT: %rows = graph.row_order %argmin : (tensor<3x4xi64>) -> tensor<3xi32>
  %rows = graph.row_order %argmin : (tensor<3x4xi64>) -> tensor<3xi32>
  // CHECK-NEXT: %cumsum = graph.cumsum %x {axis = 1 : i64, exclusive, reverse} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %cumsum = graph.cumsum %x {axis = 1 : i64, exclusive, reverse} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @transforms_in_fixed_point
// CHECK-NEXT: %y = graph.fixed_dft %x, %roots, %turns : (tensor<3x8xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<3x5x2xi16>
// CHECK-NEXT: %z = graph.fixed_dft %y, %roots, %turns {inverse} : (tensor<3x5x2xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<3x8xi16>
func.func @transforms_in_fixed_point(%x: tensor<3x8xi16>, %roots: tensor<4x2xi16>, %turns: tensor<2x2xi16>) {
  %y = graph.fixed_dft %x, %roots, %turns : (tensor<3x8xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<3x5x2xi16>
  %z = graph.fixed_dft %y, %roots, %turns {inverse} : (tensor<3x5x2xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<3x8xi16>
  func.return
}

// CHECK-LABEL: func.func @transforms
// CHECK-NEXT: %y = graph.dft %x, %roots {bins = 5 : i64} : (tensor<3x8x1xf32>, tensor<8x2xf32>) -> tensor<3x5x2xf32>
// CHECK-NEXT: %z = graph.dft %y, %others {bins = 5 : i64, inverse} : (tensor<3x5x2xf32>, tensor<5x2xf32>) -> tensor<3x5x2xf32>
func.func @transforms(%x: tensor<3x8x1xf32>, %roots: tensor<8x2xf32>, %others: tensor<5x2xf32>) {
  %y = graph.dft %x, %roots {bins = 5 : i64} : (tensor<3x8x1xf32>, tensor<8x2xf32>) -> tensor<3x5x2xf32>
  %z = graph.dft %y, %others {bins = 5 : i64, inverse} : (tensor<3x5x2xf32>, tensor<5x2xf32>) -> tensor<3x5x2xf32>
  func.return
}

// CHECK-LABEL: func.func @trees
func.func @trees(%rows: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK-NEXT: %tree = graph.tree_ensemble %rows {targets = 1 : i64, aggregate = "sum", roots = array<i64: 0>, features = array<i64: 2, 0, 0>, comparisons = array<i64: 0, 0, 0>, splits = array<f64: 5.000000e-01, 0.000000e+00, 0.000000e+00>, yes = array<i64: 1, 1, 2>, no = array<i64: 2, 1, 2>, missing = array<i64: 0, 0, 0>, leaf_rows = array<i64: 1, 2>, leaf_targets = array<i64: 0, 0>, leaf_weights = array<f64: 1.000000e+00, 2.000000e+00>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
  %tree = graph.tree_ensemble %rows {targets = 1 : i64, aggregate = "sum", roots = array<i64: 0>, features = array<i64: 2, 0, 0>, comparisons = array<i64: 0, 0, 0>, splits = array<f64: 5.000000e-01, 0.000000e+00, 0.000000e+00>, yes = array<i64: 1, 1, 2>, no = array<i64: 2, 1, 2>, missing = array<i64: 0, 0, 0>, leaf_rows = array<i64: 1, 2>, leaf_targets = array<i64: 0, 0>, leaf_weights = array<f64: 1.000000e+00, 2.000000e+00>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
  func.return %tree : tensor<4x1xf32>
}
