// RUN: s2s-opt %s --verify-diagnostics --split-input-file | filecheck %s

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x3xf32>)
%y = graph.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: result type is tensor<3x2xf32>, expected tensor<2x3xf32>

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<4xf32>)
%y = graph.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
// CHECK: shapes [2, 3] and [4] do not broadcast

// -----

%a, %b = "test.op"() : () -> (tensor<2xf32>, tensor<2xf16>)
%y = graph.add %a, %b : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
// CHECK: element types f32 and f16 differ

// -----

%a, %b = "test.op"() : () -> (tensor<2xi1>, tensor<2xi1>)
%y = graph.add %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
// CHECK: a has element type i1, expected a number type

// -----

%a = "test.op"() : () -> tensor<2xi32>
%y = graph.exp %a : tensor<2xi32>
// CHECK: x has element type i32, expected a float type

// -----

%a = "test.op"() : () -> tensor<2xui8>
%y = graph.neg %a : tensor<2xui8>
// CHECK: x has element type ui8, expected a signed type

// -----

%a = "test.op"() : () -> tensor<2xi8>
%y = graph.logical_not %a : tensor<2xi8>
// CHECK: x has element type i8, expected i1

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.bitwise_not %a : tensor<2xf32>
// CHECK: x has element type f32, expected an integer type

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.count_leading_zeros %a : tensor<2xf32>
// CHECK: x has element type f32, expected an integer type

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.clamp %a {min = 0 : i64} : tensor<2xf32>
// CHECK: min = 0 does not fit element type f32

// -----

%a = "test.op"() : () -> tensor<2xi8>
%y = graph.clamp %a {max = 6.0 : f64} : tensor<2xi8>
// CHECK: max = 6.0 does not fit element type i8

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.cast %a : (tensor<2xf32>) -> tensor<3xi8>
// CHECK: result type is tensor<3xi8>, expected tensor<2xi8>

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.bitcast %a : (tensor<2xf32>) -> tensor<2xi64>
// CHECK: f32 and i64 differ in size

// -----

%a, %b = "test.op"() : () -> (tensor<2xf32>, tensor<2xf32>)
%y = graph.less %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK: result type is tensor<2xf32>, expected tensor<2xi1>

// -----

%a, %b = "test.op"() : () -> (tensor<3xf32>, tensor<2x3xf32>)
%y = graph.prelu %a, %b : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: slope of shape [2, 3] does not broadcast to [3]

// -----

%a, %b, %c = "test.op"() : () -> (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>)
%y = graph.select %a, %b, %c : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK: cond has element type i8, expected i1

// -----

%a, %b = "test.op"() : () -> (tensor<1x8x8x4xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NWHC"} : (tensor<1x8x8x4xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: layout is "NWHC", expected "NHWC" or none

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, input_zp = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: element type f32 takes neither zero points nor an accumulator type

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, weight_zp = 128 : i64} : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi32>
// CHECK: zero point 128 is no value of i8

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc_type = f32} : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi32>
// CHECK: accumulator type is f32, expected i32 or i64

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>)
%y = graph.conv %a, %b, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi32>
// CHECK: b has element type i8, expected i32

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: x has 4 channels, w expects 2 in each of 1 groups

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 0 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: groups is 0, expected at least 1

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = -1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: groups is -1, expected at least 1

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: 5 output channels do not divide into 2 groups

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>)
%y = graph.conv %a, %b, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
// CHECK: b has shape [4], expected [6]

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: x has rank 4 and w has rank 3

// -----

%a, %b = "test.op"() : () -> (tensor<1x4xf32>, tensor<6x4xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<1x6x6x6xf32>
// CHECK: x of shape [1, 4] has not 1 to 3 spatial dimensions

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: strides [1] has 1 entries, expected 2

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 0, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: strides [0, 1] has an entry below 1

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, -1, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: pads [0, -1, 0, 0] has an entry below 0

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 0>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: dilations [1, 0] has an entry below 1

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 4, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: kernel spans 9 elements, more than the padded input 0 + 8 + 0

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>)
%y = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 536870912, 0, 536870912, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK: result [1, 6, 1073741830, 6] has 38654705880 elements, more than 2147483647

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<3x6x3x3xf32>)
%y = graph.conv_transpose %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<3x6x3x3xf32>) -> tensor<1x6x10x10xf32>
// CHECK: x has 4 channels, w expects 3

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>)
%y = graph.conv_transpose %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 3 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x10xf32>
// CHECK: 4 input channels do not divide into 3 groups

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>)
%y = graph.conv_transpose %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, -1>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x10xf32>
// CHECK: output_padding [0, -1] has an entry below 0

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>)
%y = graph.conv_transpose %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 5, 0, 5, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x10xf32>
// CHECK: pads [5, 0, 5, 0] leave nothing of the output: [0, 10]

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<4x5xf32>)
%y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK: a has 3 columns and b has 4 rows

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf16>, tensor<3x5xi8>)
%y = graph.matmul %a, %b : (tensor<2x3xf16>, tensor<3x5xi8>) -> tensor<2x5xf16>
// CHECK: element type

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x5xi8>)
%y = graph.matmul %a, %b {b_zp = 3 : i64} : (tensor<2x3xf32>, tensor<3x5xi8>) -> tensor<2x5xf32>
// CHECK: element type

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x5xf32>)
%y = graph.matmul %a, %b {transpose_b} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
// CHECK: a has 3 columns and b has 5 rows

// -----

%a, %b = "test.op"() : () -> (tensor<3xf32>, tensor<3x5xf32>)
%y = graph.matmul %a, %b : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
// CHECK: a of shape [3] is no matrix

// -----

%a, %b = "test.op"() : () -> (tensor<2x2x3xf32>, tensor<4x3x5xf32>)
%y = graph.matmul %a, %b : (tensor<2x2x3xf32>, tensor<4x3x5xf32>) -> tensor<2x2x5xf32>
// CHECK: shapes [2] and [4] do not broadcast

// -----

%x, %w, %t, %s = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<8xf32>, tensor<3x2xf32>)
%y = graph.codebook_matmul %x, %w, %t, %s : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<8xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: expected 16 floats

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 3 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: bits is 3, expected 4 or 8

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x40xi8>, tensor<3x2x16xi8>, tensor<3x2xf32>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xi8>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: expected floats with at least one dimension

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xui8>, tensor<3x2xf32>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xui8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: expected i8 of shape [rows, blocks, bytes]

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<2x3xf32>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: scales has shape [2, 3], expected [3, 2]

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xi8>) -> tensor<2x3xf32>
// CHECK: scales has element type i8, expected a float

// -----

%x, %w, %s, %z = "test.op"() : () -> (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>, tensor<3x2xi32>)
%y = graph.blockwise_matmul %x, %w, %s, %z {bits = 4 : i64} : (tensor<2x40xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>, tensor<3x2xi32>) -> tensor<2x3xf32>
// CHECK: zero_points has element type i32, expected i8 or a float

// -----

%x, %t, %w, %s = "test.op"() : () -> (tensor<2x2x32xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>)
%y = graph.blockwise_dot %x, %t, %w, %s {bits = 4 : i64} : (tensor<2x2x32xi8>, tensor<2x2xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: expected i8 of shape [2, 2, 16]

// -----

%x, %t, %w, %s = "test.op"() : () -> (tensor<2x2x2x16xi8>, tensor<2x4xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>)
%y = graph.blockwise_dot %x, %t, %w, %s {bits = 4 : i64} : (tensor<2x2x2x16xi8>, tensor<2x4xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: x_scales is tensor<2x4xf32>, expected floats of shape [2, 2]

// -----

%x, %w, %s, %m, %d, %e = "test.op"() : () -> (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xf32>, tensor<3x2xf16>, tensor<3x2xf16>)
%y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64} : (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xf32>, tensor<3x2xf16>, tensor<3x2xf16>) -> tensor<2x3xf32>
// CHECK: mins is tensor<3x4xf32>, expected i8 of shape [rows, blocks]

// -----

%x, %w, %s, %m, %d, %e = "test.op"() : () -> (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x2xi8>, tensor<3x2xf16>, tensor<3x2xf16>)
%y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64} : (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x2xi8>, tensor<3x2xf16>, tensor<3x2xf16>) -> tensor<2x3xf32>
// CHECK: mins is tensor<3x2xi8>, expected tensor<3x4xi8>

// -----

%x, %w, %s, %m, %d, %e = "test.op"() : () -> (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xi8>, tensor<3x3xf16>, tensor<3x3xf16>)
%y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64} : (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xi8>, tensor<3x3xf16>, tensor<3x3xf16>) -> tensor<2x3xf32>
// CHECK: super_scales has shape [3, 3], expected [3, a divisor of 4]

// -----

%x, %w, %s, %m, %d, %e = "test.op"() : () -> (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xi8>, tensor<3x2xi8>, tensor<3x2xi8>)
%y = graph.superblock_matmul %x, %w, %s, %m, %d, %e {bits = 4 : i64} : (tensor<2x128xf32>, tensor<3x4x16xi8>, tensor<3x4xi8>, tensor<3x4xi8>, tensor<3x2xi8>, tensor<3x2xi8>) -> tensor<2x3xf32>
// CHECK: super_scales has element type i8, expected a float

// -----

%x, %w, %s = "test.op"() : () -> (tensor<2x70xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>)
%y = graph.blockwise_matmul %x, %w, %s {bits = 4 : i64} : (tensor<2x70xf32>, tensor<3x2x16xi8>, tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: x has 70 columns, w has 2 blocks of 32

// -----

%a = "test.op"() : () -> tensor<1x4x8x8xf32>
%y = graph.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 2, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
// CHECK: pads [2, 0, 0, 0] reach or exceed the kernel extent [2, 2]

// -----

%a = "test.op"() : () -> tensor<1x4x8x1xf32>
%y = graph.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 2, 0, 2>, dilations = array<i64: 1, 4>} : (tensor<1x4x8x1xf32>) -> tensor<1x4x4x1xf32>
// CHECK: window 0 along spatial dimension 1 holds nothing but padding

// -----

%a = "test.op"() : () -> tensor<1x4x8x8xf32>
%y = graph.max_pool %a {kernel = array<i64: 0, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
// CHECK: kernel [0, 2] has an entry below 1

// -----

%a = "test.op"() : () -> tensor<1x4x8x8xf32>
%y = graph.max_pool %a {kernel = array<i64: 2, 9>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
// CHECK: kernel spans 9 elements, more than the padded input 0 + 8 + 0

// -----

%a = "test.op"() : () -> tensor<1x4x8x8xf32>
%y = graph.avg_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, counted_pads = array<i64: 1, 0, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
// CHECK: counted_pads [1, 0, 0, 0] exceed pads [0, 0, 0, 0]

// -----

%a = "test.op"() : () -> tensor<1x4x8x8xf32>
%y = graph.max_pool_indices %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, storage_order = 2 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi64>
// CHECK: storage_order is 2, expected 0 (row major) or 1 (column major)

// -----

%a, %b, %c, %d, %e = "test.op"() : () -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>)
%y = graph.batch_norm %a, %b, %c, %d, %e {epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
// CHECK: var has shape [2], expected [3]

// -----

%a, %b, %c, %d, %e = "test.op"() : () -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
%y = graph.batch_norm %a, %b, %c, %d, %e {epsilon = 1.0e-5 : f64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK: x of shape [3] has no channel dimension

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.softmax %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: axis 2 is outside [0, 2)

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.softmax %a {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: axis -1 is outside [0, 2)

// -----

%a = "test.op"() : () -> tensor<2x3x4xf32>
%y = graph.lrn %a {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK: size is 0, expected at least 1

// -----

%x, %s = "test.op"() : () -> (tensor<2x3xf32>, tensor<2xf32>)
%y = graph.layer_norm %x scale %s : tensor<2xf32> {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: scale of shape [2] does not broadcast to [2, 3]

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
// CHECK: [2, 3] with 6 elements cannot become [7] with 7 elements

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.reshape %a : (tensor<2x3xf32>) -> tensor<6xf16>
// CHECK: result type is tensor<6xf16>, expected tensor<6xf32>

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.transpose %a {perm = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
// CHECK: axes [0, 0] name an axis twice

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.transpose %a {perm = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: perm [1] has 1 entries, expected 2

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.slice %a {starts = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: elements 1 to 3 along axis 0 are outside [0, 3)

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.slice %a {starts = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: elements 1 to -1 along axis 0 are outside [0, 3)

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.slice %a {starts = array<i64: 0>, sizes = array<i64: 1>, strides = array<i64: 0>} : (tensor<3xf32>) -> tensor<1xf32>
// CHECK: strides [0] has an entry 0

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.slice %a {starts = array<i64: 0>, sizes = array<i64: -1>, strides = array<i64: 1>} : (tensor<3xf32>) -> tensor<1xf32>
// CHECK: sizes [-1] has an entry below 0

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x4xf32>)
%y = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
// CHECK: shapes [2, 3] and [2, 4] differ outside axis 0

// -----

%a, %b = "test.op"() : () -> (tensor<2xf32>, tensor<2xi32>)
%y = graph.concat %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi32>) -> tensor<4xf32>
// CHECK: element types f32 and i32 differ

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.pad %a {low = array<i64: -1>, high = array<i64: 0>, mode = "constant", value = 0.0 : f64} : (tensor<3xf32>) -> tensor<2xf32>
// CHECK: low [-1] has an entry below 0

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.pad %a {low = array<i64: 1>, high = array<i64: 0>, mode = "constant"} : (tensor<3xf32>) -> tensor<4xf32>
// CHECK: pad mode constant comes without a value

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.pad %a {low = array<i64: 1>, high = array<i64: 0>, mode = "edge", value = 0.0 : f64} : (tensor<3xf32>) -> tensor<4xf32>
// CHECK: pad mode edge comes with a value

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.pad %a {low = array<i64: 1>, high = array<i64: 0>, mode = "mirror"} : (tensor<3xf32>) -> tensor<4xf32>
// CHECK: pad mode is mirror, expected one of constant, edge, reflect, wrap

// -----

%a = "test.op"() : () -> tensor<3xf32>
%y = graph.pad %a {low = array<i64: 3>, high = array<i64: 0>, mode = "reflect"} : (tensor<3xf32>) -> tensor<6xf32>
// CHECK: reflect padding 3 and 0 needs more than the 3 elements there are

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.broadcast_to %a : (tensor<2xf32>) -> tensor<3xf32>
// CHECK: x of shape [2] does not broadcast to [3]

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.tile %a {repeats = array<i64: -1>} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: repeats [-1] has an entry below 0

// -----

%a = "test.op"() : () -> tensor<2xf32>
%y = graph.tile %a {repeats = array<i64: 4611686018427387904>} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: result [9223372036854775808] has 9223372036854775808 elements, more than 2147483647

// -----

%y = graph.iota {axis = 1 : i64} : tensor<2xf32>
// CHECK: axis 1 is outside [0, 1)

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<4xi64>)
%y = graph.gather %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x4xf32>
// CHECK: axis 2 is outside [0, 2)

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<4xf32>)
%y = graph.gather %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
// CHECK: indices has element type f32, expected an integer type

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x3xi64>)
%y = graph.gather_elements %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xi64>) -> tensor<3x3xf32>
// CHECK: indices of shape [3, 3] do not lie inside x [2, 3] outside axis 1

// -----

%x = "test.op"() : () -> (tensor<9x2xf32>)
%y = graph.dynamic_slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 9, 2>, strides = array<i64: 1, 0>, begins = ["", ""], extents = ["", ""]} : (tensor<9x2xf32>) -> tensor<9x2xf32>
// CHECK: axis 1 with stride 0 has 2 positions, expected 1

// -----

%x = "test.op"() : () -> (tensor<9x2xf32>)
%y = graph.dynamic_slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 9, 2>, strides = array<i64: 1, 1>, begins = [""], extents = ["", ""]} : (tensor<9x2xf32>) -> tensor<9x2xf32>
// CHECK: starts has 2 entries, begins 1 and extents 2

// -----

%x = "test.op"() : () -> (tensor<9x2xf32>)
%y = graph.dynamic_reshape %x {shape = array<i64: 17>, extents = ["N"]} : (tensor<9x2xf32>) -> tensor<17xf32>
// CHECK: shape [17] with 1 extents for tensor<9x2xf32>, which has 18 elements

// -----

%x = "test.op"() : () -> (tensor<9x2xf32>)
%y = graph.same_pad %x {windows = array<i64: 3, 1>, strides = array<i64: 2, 1>, side = "left", value = 0.0} : (tensor<9x2xf32>) -> tensor<11x2xf32>
// CHECK: side is left, expected one of upper, lower

// -----

%x = "test.op"() : () -> (tensor<1x2x6x6xf32>)
%y = graph.max_pool_indices %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, storage_order = 0 : i64, side = "right"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xi64>
// CHECK: side is right, expected one of upper, lower

// -----

%x = "test.op"() : () -> (tensor<9x2xf32>)
%y = graph.same_pad %x {windows = array<i64: 3, 0>, strides = array<i64: 2, 1>, side = "upper", value = 0.0} : (tensor<9x2xf32>) -> tensor<11x1xf32>
// CHECK: windows

// -----

%x = "test.op"() : () -> (tensor<1x2x6x6xf32>)
%y = graph.same_avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, side = "left"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
// CHECK: side is left, expected one of upper, lower

// -----

%y = graph.size_values {values = array<i64: 9, 1>, names = ["N"]} : tensor<2xi64>
// CHECK: 2 values and 1 names for tensor<2xi64>

// -----

%a, %b = "test.op"() : () -> (tensor<9xi1>, tensor<i32>)
%y = graph.nonzero %a, %b {size = "found", bound = 10 : i64} : (tensor<9xi1>, tensor<i32>) -> tensor<10xi32>
// CHECK: mask has shape [9] and bound is 10

// -----

%a, %b = "test.op"() : () -> (tensor<9xi1>, tensor<1xi32>)
%y = graph.nonzero %a, %b {size = "found", bound = 9 : i64} : (tensor<9xi1>, tensor<1xi32>) -> tensor<9xi32>
// CHECK: count is tensor<1xi32>, expected one i32

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4xf32>, tensor<1x2x5xf32>, tensor<f32>)
%y = graph.non_max_suppression %a, %b, %c, %c {most = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x5xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x3xi32>
// CHECK: boxes [1, 6, 4] and scores [1, 2, 5], expected [b, n, 4] and [b, c, n]

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<1xf32>)
%y = graph.non_max_suppression %a, %b, %c, %c {most = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x3xi32>
// CHECK: the limits of overlaps and scores are no single numbers

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<f32>)
%y = graph.non_max_suppression %a, %b, %c, %c {most = 0 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x0xi32>
// CHECK: chooses 0 boxes, expected at least 1

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4xf16>, tensor<1x2x6xf32>, tensor<f32>)
%y = graph.non_max_suppression %a, %b, %c, %c {most = 3 : i64} : (tensor<1x6x4xf16>, tensor<1x2x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x3xi32>
// CHECK: boxes, scores and their limits are of other types than f32

// -----

%a = "test.op"() : () -> tensor<1x2x3x4x5xf32>
%y = graph.sum_patches %a {sizes = array<i64: 8, 5>, strides = array<i64: 2, 1>, low = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x8x5xf32>
// CHECK: x of shape [1, 2, 3, 4, 5] holds no patches of 2 dimensions

// -----

%a = "test.op"() : () -> tensor<2x3x4xf32>
%y = graph.determinant %a : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: x of shape [2, 3, 4] is no square matrix

// -----

%a = "test.op"() : () -> tensor<2x3x3xf16>
%y = graph.determinant %a : (tensor<2x3x3xf16>) -> tensor<2xf16>
// CHECK: x has element type f16, expected f32 or f64

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4xf32>, tensor<8xi32>, tensor<8x7x2xi32>)
%y = graph.max_regions %a, %b, %c, %c : (tensor<1x6x4xf32>, tensor<8xi32>, tensor<8x7x2xi32>, tensor<8x7x2xi32>) -> tensor<8x7x7x3xf32>
// CHECK: images are tensor<1x6x4xf32>, expected [n, h, w, c] of f32 or f64

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4x3xf32>, tensor<8xi64>, tensor<8x7x2xi32>)
%y = graph.max_regions %a, %b, %c, %c : (tensor<1x6x4x3xf32>, tensor<8xi64>, tensor<8x7x2xi32>, tensor<8x7x2xi32>) -> tensor<8x7x7x3xf32>
// CHECK: numbers of images are tensor<8xi64>, expected a row of i32

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<7x7x2xi32>)
%y = graph.max_regions %a, %b, %c, %c : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<7x7x2xi32>, tensor<7x7x2xi32>) -> tensor<8x7x7x3xf32>
// CHECK: ends of bins are tensor<7x7x2xi32>, expected [8, n, 2] of i32

// -----

%a, %b, %c, %d = "test.op"() : () -> (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x4xf32>, tensor<2xi32>)
%y = graph.roi_align %a, %b, %c, %c, %d {rows = 7 : i64, columns = 5 : i64, ratio = 0 : i64} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<2xi32>) -> tensor<8x7x5x3xf32>
// CHECK: places have shape [8, 4], expected [8, 2]

// -----

%a, %b, %c, %d = "test.op"() : () -> (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2xi64>)
%y = graph.roi_align %a, %b, %c, %c, %d {rows = 7 : i64, columns = 5 : i64, ratio = 0 : i64} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi64>) -> tensor<8x7x5x3xf32>
// CHECK: sizes are tensor<2xi64>, expected two i32

// -----

%a, %b, %c, %d = "test.op"() : () -> (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2xi32>)
%y = graph.roi_align %a, %b, %c, %c, %d {rows = 7 : i64, columns = 0 : i64, ratio = 0 : i64} : (tensor<1x6x4x3xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi32>) -> tensor<8x7x5x3xf32>
// CHECK: 7 x 0 bins of 0 samples, expected at least one bin

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<4x3xi64>)
%y = graph.gather_nd %a, %b {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xi64>) -> tensor<4xf32>
// CHECK: indices of shape [4, 3] are longer than the rank of x [2, 3]

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x3xi64>)
%y = graph.gather_nd %a, %b {batch_dims = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2xf32>
// CHECK: batch_dims 2 is outside [0, 2)

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x1xi64>)
%y = graph.gather_nd %a, %b {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<3x1xi64>) -> tensor<3xf32>
// CHECK: batch dimensions of [2, 3] and [3, 1] differ

// -----

%a, %b, %c = "test.op"() : () -> (tensor<3xf32>, tensor<2xi64>, tensor<3xf32>)
%y = graph.scatter_elements %a, %b, %c {axis = 0 : i64, reduction = "none"} : (tensor<3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<3xf32>
// CHECK: updates have shape [3], expected [2]

// -----

%a, %b, %c = "test.op"() : () -> (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>)
%y = graph.scatter_elements %a, %b, %c {axis = 0 : i64, reduction = "sum"} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
// CHECK: reduction is sum, expected one of none, add, mul, min, max

// -----

%a, %b, %c = "test.op"() : () -> (tensor<3xi1>, tensor<2x1xi64>, tensor<2xi1>)
%y = graph.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<3xi1>, tensor<2x1xi64>, tensor<2xi1>) -> tensor<3xi1>
// CHECK: x has element type i1, expected a number type

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.advance %a {by = 6 : i64, slack = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: 6 elements cannot move by 6

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.advance %a {by = 2 : i64, slack = 3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: graph.advance: slack is 3, expected a multiple of by = 2

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x2xf32>)
%y = graph.insert_slice %a, %b {starts = array<i64: 0, 2>} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
// CHECK: elements 2 to 3 along axis 1 are outside [0, 3)

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.reduce_sum %a {axes = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: axes [0, 0] name an axis twice

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.reduce_max %a {axes = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: axis 3 is outside [0, 2)

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%y = graph.argmax %a {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xi16>
// CHECK: result type is tensor<3xi16>, expected tensor<3xi64>

// -----

%a = "test.op"() : () -> tensor<3xi1>
%y = graph.cumsum %a {axis = 0 : i64} : (tensor<3xi1>) -> tensor<3xi1>
// CHECK: x has element type i1, expected a number type

// -----

%x = "test.op"() : () -> tensor<2x3xf32>
%y = graph.top_k %x {count = 4 : i64} : (tensor<2x3xf32>) -> tensor<2x4xi32>
// CHECK: count 4 is not between 1 and the 3 elements of the last dimension

// -----

%x = "test.op"() : () -> tensor<3xf32>
%y = graph.row_order %x : (tensor<3xf32>) -> tensor<3xi32>
// CHECK: x has shape [3], expected rows of elements

// -----

%x, %roots = "test.op"() : () -> (tensor<2x8x1xf32>, tensor<4x2xf32>)
%y = graph.dft %x, %roots {bins = 5 : i64} : (tensor<2x8x1xf32>, tensor<4x2xf32>) -> tensor<2x5x2xf32>
// CHECK: roots have shape [4, 2], expected [8, 2]

// -----

%x, %roots = "test.op"() : () -> (tensor<2x8x3xf32>, tensor<8x2xf32>)
%y = graph.dft %x, %roots {bins = 5 : i64} : (tensor<2x8x3xf32>, tensor<8x2xf32>) -> tensor<2x5x2xf32>
// CHECK: x of shape [2, 8, 3] has numbers of 3 parts, expected 1 or 2

// -----

%x, %roots = "test.op"() : () -> (tensor<2x8x1xf32>, tensor<8x2xf32>)
%y = graph.dft %x, %roots {bins = 9 : i64} : (tensor<2x8x1xf32>, tensor<8x2xf32>) -> tensor<2x9x2xf32>
// CHECK: bins 9 is not between 1 and the 8 numbers of a row

// -----

%x, %roots = "test.op"() : () -> (tensor<2x8x1xi32>, tensor<8x2xi32>)
%y = graph.dft %x, %roots {bins = 5 : i64} : (tensor<2x8x1xi32>, tensor<8x2xi32>) -> tensor<2x5x2xi32>
// CHECK: x has element type i32, expected f32 or f64

// -----

%x, %roots, %turns = "test.op"() : () -> (tensor<14xi16>, tensor<7x2xi16>, tensor<3x2xi16>)
%y = graph.fixed_dft %x, %roots, %turns : (tensor<14xi16>, tensor<7x2xi16>, tensor<3x2xi16>) -> tensor<8x2xi16>
// CHECK: a row has 14 real numbers, expected twice a product of 2, 3 and 5

// -----

%x, %roots, %turns = "test.op"() : () -> (tensor<8xi16>, tensor<4x2xi16>, tensor<4x2xi16>)
%y = graph.fixed_dft %x, %roots, %turns : (tensor<8xi16>, tensor<4x2xi16>, tensor<4x2xi16>) -> tensor<5x2xi16>
// CHECK: turns have shape [4, 2], expected [2, 2]

// -----

%x, %roots, %turns = "test.op"() : () -> (tensor<8xf32>, tensor<4x2xf32>, tensor<2x2xf32>)
%y = graph.fixed_dft %x, %roots, %turns : (tensor<8xf32>, tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
// CHECK: x has element type f32, expected i16 or i32

// -----

%x, %roots, %turns = "test.op"() : () -> (tensor<5xi16>, tensor<4x2xi16>, tensor<2x2xi16>)
%y = graph.fixed_dft %x, %roots, %turns {inverse} : (tensor<5xi16>, tensor<4x2xi16>, tensor<2x2xi16>) -> tensor<8xi16>
// CHECK: x has shape [5], expected complex numbers of 2 parts

// -----

%x = "test.op"() : () -> tensor<2xf32>
%y = graph.call @missing(%x) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: @missing is not a function of this module

// -----

func.func private @kernel(tensor<2xf32>) -> tensor<3xf32>
%x = "test.op"() : () -> tensor<2xf32>
%y = graph.call @kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: called as (tensor<2xf32>) -> tensor<2xf32>, but @kernel is (tensor<2xf32>) -> tensor<3xf32>

// -----

"graph.reduce_sum"() <{axes = array<i64>}> : () -> tensor<2xf32>
// CHECK: Expected 1 operand, but got 0

// -----

%x = "test.op"() : () -> tensor<2xf32>
%y = "graph.softmax"(%x) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: property 'axis' expected in operation 'graph.softmax'

// -----

%x = "test.op"() : () -> f32
%y = "graph.reshape"(%x) : (f32) -> tensor<1xf32>
// CHECK: f32 should be of base attribute tensor

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>)
%y = graph.rescale %x, %m, %s {rounding = "triple", axis = 1 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
// CHECK: rounding is "triple", expected one of double, single, reduced

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>)
%y = graph.rescale %x, %m, %s {rounding = "double", axis = 0 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
// CHECK: multiplier has shape [3], expected [2]

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>)
%y = graph.rescale %x, %m, %s {rounding = "double", axis = 2 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
// CHECK: axis 2 is outside [0, 2)

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>)
%y = graph.rescale %x, %m, %s {rounding = "double", axis = 1 : i64, output_zp = 128 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi8>
// CHECK: zero point 128 is no value of i8

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>)
%y = graph.rescale %x, %m, %s {rounding = "double", axis = 1 : i64} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<2x3xi64>
// CHECK: result has element type i64, expected one of i8, ui8, i16, ui16, i32

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2xi64>, tensor<i32>, tensor<i8>)
%y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<2xi64>, tensor<i32>, tensor<i8>) -> tensor<2xi8>
// CHECK: x has element type i64, which rounding "double" does not take

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2xi32>, tensor<i8>, tensor<i8>)
%y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<2xi32>, tensor<i8>, tensor<i8>) -> tensor<2xi8>
// CHECK: multiplier has element type i8, expected i32

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2xi16>, tensor<256xi8>, tensor<i8>)
%y = graph.table %x, %m : (tensor<2xi16>, tensor<256xi8>) -> tensor<2xi8>
// CHECK: x has element type i16, expected an integer of 8 bits

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2xi8>, tensor<255xi8>, tensor<i8>)
%y = graph.table %x, %m : (tensor<2xi8>, tensor<255xi8>) -> tensor<2xi8>
// CHECK: table has shape [255], expected [256]

// -----

%x, %m, %s = "test.op"() : () -> (tensor<2xi32>, tensor<i32>, tensor<i8>)
%y = graph.rescale %x, %m, %s {rounding = "double", min = 5 : i64, max = 4 : i64} : (tensor<2xi32>, tensor<i32>, tensor<i8>) -> tensor<2xi8>
// CHECK: limits [5, 4] are no range of i8

// -----

"graph.extern"() {function = "f"} : () -> ()
// CHECK: f has no results, expected at least one

// -----

%y = "graph.extern"() {function = "f", numbers = [1 : i64]} : () -> tensor<4xf32>
// CHECK: f takes numbers, which packed functions alone do

// -----

%x = "test.op"() : () -> tensor<4xf32>
%y = graph.device_copy %x from "dsp" to "dsp" : tensor<4xf32>
// CHECK: copies from "dsp" to "dsp", expected two devices

// -----

%x = "test.op"() : () -> tensor<4x3xf32>
%y = graph.tree_ensemble %x {targets = 1 : i64, aggregate = "sum", roots = array<i64: 0>, features = array<i64: 3, 0>, comparisons = array<i64: 0, 0>, splits = array<f64: 0.5, 0.0>, yes = array<i64: 1, 1>, no = array<i64: 1, 1>, missing = array<i64: 0, 0>, leaf_rows = array<i64: 1>, leaf_targets = array<i64: 0>, leaf_weights = array<f64: 1.0>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
// CHECK: a tree looks at a feature beyond the 3 of its input

// -----

%x = "test.op"() : () -> tensor<4x3xf32>
%y = graph.tree_ensemble %x {targets = 1 : i64, aggregate = "sum", roots = array<i64: 0>, features = array<i64: 0, 0>, comparisons = array<i64: 0, 0>, splits = array<f64: 0.5, 0.0>, yes = array<i64: 1, 1>, no = array<i64: 1, 1>, missing = array<i64: 0, 0>, leaf_rows = array<i64: 0>, leaf_targets = array<i64: 0>, leaf_weights = array<f64: 1.0>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
// CHECK: a weight belongs to no leaf

// -----

%x = "test.op"() : () -> tensor<2xi32>
graph.require %x : tensor<2xi32>
// CHECK: graph.require: reads tensor<2xi32>, expected tensor<1xi32>
