// RUN: s2s-opt %s --split-input-file -p c-place-constants | filecheck %s
// RUN: s2s-opt %s --split-input-file -p c-place-constants{form=incbin} | filecheck %s --check-prefix=ASKED

// Few bytes are literals, unless the user asks for a file.
// CHECK: builtin.module attributes {{.*}}constants = "C arrays"
// ASKED: builtin.module attributes {{.*}}constants = "binary file"
c.global @small : !c.array<864 x f32> weight "small"

// -----

// More than a megabyte is a file.
// CHECK: builtin.module attributes {{.*}}constants = "binary file"
c.global @half : !c.array<140000 x f32> weight "half"
c.global @rest : !c.array<140000 x f32> weight "rest"

// -----

// Declined: no table has its values in the weight store.
// CHECK: builtin.module {
c.global static @taps : !c.array<4 x i8> = dense<[1, -2, 3, 4]> : tensor<4xi8>
