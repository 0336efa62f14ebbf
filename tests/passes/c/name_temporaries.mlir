// RUN: s2s-opt %s -p c-name-temporaries --split-input-file | filecheck %s

// A value used twice is computed once.
// CHECK-LABEL: c.func @used_twice
c.func @used_twice(%y: !c.ptr<f32>, %x: !c.ptr<f32, const>) {
  %zero = c.literal 0 : index
  %from = c.subscript %x[%zero] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
  %v = c.load %from : (!c.lvalue<f32, const>) -> f32
  // CHECK: %v = c.load
  // CHECK-NEXT: [[X:%.*]] = c.let "v" %v : (f32) -> f32
  // CHECK-NEXT: c.binary [[X]] "*" [[X]]
  %square = c.binary %v "*" %v : (f32, f32) -> f32
  // CHECK-NOT: c.let
  %to = c.subscript %y[%zero] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %to "=" %square : !c.lvalue<f32>, f32
}
// CHECK: }

// -----

// A read does not move across a write that may reach the same memory...
// CHECK-LABEL: c.func @swap
c.func @swap(%y: !c.ptr<f32>) {
  %zero = c.literal 0 : index
  %one = c.literal 1 : index
  %first = c.subscript %y[%zero] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  %second = c.subscript %y[%one] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  // CHECK: %a = c.load
  // CHECK-NEXT: %a_1 = c.let "a" %a : (f32) -> f32
  %a = c.load %first : (!c.lvalue<f32>) -> f32
  // CHECK: %b = c.load
  // CHECK-NEXT: c.assign %first "=" %b
  %b = c.load %second : (!c.lvalue<f32>) -> f32
  c.assign %first "=" %b : !c.lvalue<f32>, f32
  // CHECK-NEXT: c.assign %second "=" %a_1
  c.assign %second "=" %a : !c.lvalue<f32>, f32
}

// -----

// ...and does where `restrict` says that it cannot.
// CHECK-LABEL: c.func @restrict
c.func @restrict(%y: !c.ptr<f32, restrict>, %x: !c.ptr<f32, const, restrict>) {
  // CHECK-NOT: c.let
  %zero = c.literal 0 : index
  %one = c.literal 1 : index
  %from = c.subscript %x[%zero] : (!c.ptr<f32, const, restrict>, index) -> !c.lvalue<f32, const>
  %a = c.load %from : (!c.lvalue<f32, const>) -> f32
  %first = c.subscript %y[%zero] : (!c.ptr<f32, restrict>, index) -> !c.lvalue<f32>
  %second = c.subscript %y[%one] : (!c.ptr<f32, restrict>, index) -> !c.lvalue<f32>
  %half = c.literal 0.5 : f32
  c.assign %first "=" %half : !c.lvalue<f32>, f32
  c.assign %second "=" %a : !c.lvalue<f32>, f32
}
// CHECK: }

// -----

// A variable is read in place until it changes.
// CHECK-LABEL: c.func @variable
c.func @variable() -> i32 {
  %one = c.literal 1 : i32
  // CHECK: c.variable named "count"
  %count = c.variable = %one : i32 -> !c.lvalue<i32>
  // CHECK: %before = c.load
  // CHECK-NEXT: c.let "before" %before
  %before = c.load %count : (!c.lvalue<i32>) -> i32
  c.assign %count "+=" %one : !c.lvalue<i32>, i32
  // CHECK: %after = c.load
  // CHECK-NEXT: %square = c.binary %after "*" %after
  %after = c.load %count : (!c.lvalue<i32>) -> i32
  %square = c.binary %after "*" %after : (i32, i32) -> i32
  %sum = c.binary %before "+" %square : (i32, i32) -> i32
  c.return %sum : i32
}

// -----

// What every iteration would compute again has a name; the simple bound of a loop stays where it is.
// CHECK-LABEL: c.func @loop
c.func @loop(%y: !c.ptr<i32>, %n: index) {
  %zero = c.literal 0 : index
  %eight = c.literal 8 : index
  // CHECK: c.for %i = %zero to %n named "i"
  c.for %i = %zero to %n : index {
    // CHECK: %row = c.binary %i "*" %eight
    // CHECK-NEXT: c.let "row" %row
    %row = c.binary %i "*" %eight : (index, index) -> index
    // CHECK-NEXT: %end = c.binary %i "+" %eight
    // CHECK-NEXT: c.for %0 = %i to %end named "j"
    %end = c.binary %i "+" %eight : (index, index) -> index
    c.for %0 = %i to %end : index {
      // CHECK-NEXT: c.binary %row_1 "+" %0
      %at = c.binary %row "+" %0 : (index, index) -> index
      %to = c.subscript %y[%at] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
      %v = c.literal 1 : i32
      c.assign %to "=" %v : !c.lvalue<i32>, i32
    }
  }
  // Blocks side by side use the same names.
  // CHECK: c.for %i_1 = %zero to %n named "i"
  c.for %i = %zero to %n : index {
    %to = c.subscript %y[%i] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
    %v = c.literal 2 : i32
    c.assign %to "=" %v : !c.lvalue<i32>, i32
  }
}

// -----

// An effect happens where it stands, once; a result that nobody uses is dropped only where nothing else happens.
// CHECK-LABEL: c.func @calls
c.func @calls(%x: f32) -> f32 {
  // CHECK: %t = c.call "next"() : () -> f32
  // CHECK-NEXT: c.let "t" %t
  %t = c.call "next"() : () -> f32
  // CHECK-NEXT: c.call "next"() : () -> f32
  %unused = c.call "next"() : () -> f32
  // CHECK-NOT: sqrtf
  %dropped = c.call "sqrtf"(%x) {pure} : (f32) -> f32
  c.return %t : f32
}
// CHECK: }

// -----

// Names are C's to refuse and unique where they are seen: `for`, the parameter `x`, the function `helper`.
c.func @helper() {
}
// CHECK: c.func @names(%for: f32, %x: f32) -> f32 attributes {parameters = ["for_", "x"]}
c.func @names(%for: f32, %x: f32) -> f32 {
  // CHECK: c.let "x0"
  %a = c.binary %for "+" %x : (f32, f32) -> f32
  %x_1 = c.binary %a "*" %a : (f32, f32) -> f32
  %1 = c.binary %x_1 "*" %x_1 : (f32, f32) -> f32
  // CHECK: c.let "t0"
  %helper = c.binary %1 "+" %1 : (f32, f32) -> f32
  // CHECK: c.let "helper2"
  %b = c.binary %helper "+" %helper : (f32, f32) -> f32
  c.return %b : f32
}

// -----

// An expression too long for a reader is cut.
// CHECK-LABEL: c.func @long
c.func @long(%x: f32) -> f32 {
  %a = c.call "a_rather_long_function_name"(%x) {pure} : (f32) -> f32
  // CHECK: %b = c.call
  %b = c.call "a_rather_long_function_name"(%a) {pure} : (f32) -> f32
  // CHECK-NEXT: c.let "b" %b
  %c = c.call "a_rather_long_function_name"(%b) {pure} : (f32) -> f32
  %d = c.call "a_rather_long_function_name"(%c) {pure} : (f32) -> f32
  c.return %d : f32
}

// -----

// A sum of many products stays whole: a reader takes it in term by term.
// CHECK-LABEL: c.func @sum
// CHECK-NOT:   c.let
// CHECK:       c.return
c.func @sum(%x: !c.ptr<i32, const>, %weights: !c.ptr<i32, const>) -> i32 {
  %i0 = c.literal 0 : index
  %xp0 = c.subscript %x[%i0] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv0 = c.load %xp0 : (!c.lvalue<i32, const>) -> i32
  %wp0 = c.subscript %weights[%i0] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv0 = c.load %wp0 : (!c.lvalue<i32, const>) -> i32
  %p0 = c.binary %xv0 "*" %wv0 : (i32, i32) -> i32
  %i1 = c.literal 1 : index
  %xp1 = c.subscript %x[%i1] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv1 = c.load %xp1 : (!c.lvalue<i32, const>) -> i32
  %wp1 = c.subscript %weights[%i1] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv1 = c.load %wp1 : (!c.lvalue<i32, const>) -> i32
  %p1 = c.binary %xv1 "*" %wv1 : (i32, i32) -> i32
  %s1 = c.binary %p0 "+" %p1 : (i32, i32) -> i32
  %i2 = c.literal 2 : index
  %xp2 = c.subscript %x[%i2] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv2 = c.load %xp2 : (!c.lvalue<i32, const>) -> i32
  %wp2 = c.subscript %weights[%i2] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv2 = c.load %wp2 : (!c.lvalue<i32, const>) -> i32
  %p2 = c.binary %xv2 "*" %wv2 : (i32, i32) -> i32
  %s2 = c.binary %s1 "+" %p2 : (i32, i32) -> i32
  %i3 = c.literal 3 : index
  %xp3 = c.subscript %x[%i3] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv3 = c.load %xp3 : (!c.lvalue<i32, const>) -> i32
  %wp3 = c.subscript %weights[%i3] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv3 = c.load %wp3 : (!c.lvalue<i32, const>) -> i32
  %p3 = c.binary %xv3 "*" %wv3 : (i32, i32) -> i32
  %s3 = c.binary %s2 "+" %p3 : (i32, i32) -> i32
  %i4 = c.literal 4 : index
  %xp4 = c.subscript %x[%i4] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv4 = c.load %xp4 : (!c.lvalue<i32, const>) -> i32
  %wp4 = c.subscript %weights[%i4] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv4 = c.load %wp4 : (!c.lvalue<i32, const>) -> i32
  %p4 = c.binary %xv4 "*" %wv4 : (i32, i32) -> i32
  %s4 = c.binary %s3 "+" %p4 : (i32, i32) -> i32
  %i5 = c.literal 5 : index
  %xp5 = c.subscript %x[%i5] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv5 = c.load %xp5 : (!c.lvalue<i32, const>) -> i32
  %wp5 = c.subscript %weights[%i5] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv5 = c.load %wp5 : (!c.lvalue<i32, const>) -> i32
  %p5 = c.binary %xv5 "*" %wv5 : (i32, i32) -> i32
  %s5 = c.binary %s4 "+" %p5 : (i32, i32) -> i32
  %i6 = c.literal 6 : index
  %xp6 = c.subscript %x[%i6] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv6 = c.load %xp6 : (!c.lvalue<i32, const>) -> i32
  %wp6 = c.subscript %weights[%i6] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv6 = c.load %wp6 : (!c.lvalue<i32, const>) -> i32
  %p6 = c.binary %xv6 "*" %wv6 : (i32, i32) -> i32
  %s6 = c.binary %s5 "+" %p6 : (i32, i32) -> i32
  %i7 = c.literal 7 : index
  %xp7 = c.subscript %x[%i7] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv7 = c.load %xp7 : (!c.lvalue<i32, const>) -> i32
  %wp7 = c.subscript %weights[%i7] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv7 = c.load %wp7 : (!c.lvalue<i32, const>) -> i32
  %p7 = c.binary %xv7 "*" %wv7 : (i32, i32) -> i32
  %s7 = c.binary %s6 "+" %p7 : (i32, i32) -> i32
  %i8 = c.literal 8 : index
  %xp8 = c.subscript %x[%i8] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %xv8 = c.load %xp8 : (!c.lvalue<i32, const>) -> i32
  %wp8 = c.subscript %weights[%i8] : (!c.ptr<i32, const>, index) -> !c.lvalue<i32, const>
  %wv8 = c.load %wp8 : (!c.lvalue<i32, const>) -> i32
  %p8 = c.binary %xv8 "*" %wv8 : (i32, i32) -> i32
  %s8 = c.binary %s7 "+" %p8 : (i32, i32) -> i32
  c.return %s8 : i32
}

// -----

// What an arm of a conditional expression reads from memory is read before: compilers take the rest for a branch.
// CHECK-LABEL: c.func @chosen
c.func @chosen(%y: !c.ptr<f32>, %x: !c.ptr<f32, const>, %test: i1) {
  %zero = c.literal 0 : index
  %none = c.literal 0.0 : f32
  %from = c.subscript %x[%zero] : (!c.ptr<f32, const>, index) -> !c.lvalue<f32, const>
  // CHECK: %v = c.load
  // CHECK-NEXT: [[V:%.*]] = c.let "v" %v : (f32) -> f32
  %v = c.load %from : (!c.lvalue<f32, const>) -> f32
  // CHECK-NEXT: c.unary "-" [[V]]
  %w = c.unary "-" %v : (f32) -> f32
  %chosen = c.conditional %test, %w, %none : i1, f32
  %to = c.subscript %y[%zero] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
  c.assign %to "=" %chosen : !c.lvalue<f32>, f32
}

// -----

// Steps of a sum that an instruction adds products to keep their order.
// CHECK-LABEL: c.func @steps_of_a_sum
c.func @steps_of_a_sum(%start: i32, %a: i32, %b: i32) {
  // CHECK: [[FIRST:%.*]] = c.call "add_products"
  // CHECK-NEXT: [[NAMED:%.*]] = c.let "first" [[FIRST]]
  // CHECK-NEXT: c.call "add_products"([[NAMED]],
  %first = c.call "add_products"(%start, %a) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  %second = c.call "add_products"(%first, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  c.return %second : i32
}

// -----

// The last step of a sum stands where its products do, not where a later statement uses the sum.
// CHECK-LABEL: c.func @last_step
c.func @last_step(%y: !c.ptr<i32>, %start: i32, %a: i32) {
  // CHECK: [[SUM:%.*]] = c.call "add_products"
  // CHECK-NEXT: c.let "sum" [[SUM]]
  %sum = c.call "add_products"(%start, %a) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  %two = c.literal 2 : i32
  %twice = c.binary %sum "*" %two : (i32, i32) -> i32
  %zero = c.literal 0 : index
  %to = c.subscript %y[%zero] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %to "=" %twice : !c.lvalue<i32>, i32
}

// -----

// The next step of a sum takes the variable of the step before, which nothing reads again.
// CHECK-LABEL: c.func @steps_share_a_variable
c.func @steps_share_a_variable(%bias: i32, %a: i32, %b: i32) {
  // CHECK: %acc = c.call "add_products"(%bias,
  // CHECK-NEXT: [[VARIABLE:%.*]] = c.variable named "acc" = %acc
  // CHECK-NEXT: [[FIRST:%.*]] = c.load [[VARIABLE]]
  %acc = c.call "add_products"(%bias, %a) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  // CHECK-NEXT: [[SECOND:%.*]] = c.call "add_products"([[FIRST]],
  // CHECK-NEXT: c.assign [[VARIABLE]] "=" [[SECOND]]
  %acc_1 = c.call "add_products"(%acc, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  // CHECK-NEXT: [[LAST:%.*]] = c.load [[VARIABLE]]
  // CHECK-NEXT: c.call "add_products"([[LAST]],
  %sum = c.call "add_products"(%acc_1, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  c.return %sum : i32
}

// -----

// A step that is read again later keeps its variable to itself.
// CHECK-LABEL: c.func @steps_that_are_read_again
c.func @steps_that_are_read_again(%bias: i32, %a: i32, %b: i32) {
  // CHECK: c.let "acc"
  %acc = c.call "add_products"(%bias, %a) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  // CHECK: c.let "acc2"
  %acc_1 = c.call "add_products"(%acc, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  %last = c.call "add_products"(%acc_1, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
  %both = c.binary %last "+" %acc : (i32, i32) -> i32
  c.return %both : i32
}

// -----

// In a loop, the steps are assigned to the variable that the iteration sets in the end.
// CHECK-LABEL: c.func @steps_in_a_loop
c.func @steps_in_a_loop(%start: i32, %a: i32, %b: i32) {
  // CHECK: %acc = c.variable named "acc"
  %acc = c.variable = %start : i32 -> !c.lvalue<i32>
  %first = c.literal 0 : index
  %end = c.literal 8 : index
  c.for %i = %first to %end step 1 : index {
    %before = c.load %acc : (!c.lvalue<i32>) -> i32
    // CHECK: [[STEP:%.*]] = c.call "add_products"(%before,
    // CHECK-NEXT: c.assign %acc "=" [[STEP]]
    %acc_1 = c.call "add_products"(%before, %a) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
    // CHECK-NEXT: [[AGAIN:%.*]] = c.load %acc
    // CHECK-NEXT: [[DONE:%.*]] = c.call "add_products"([[AGAIN]],
    %done = c.call "add_products"(%acc_1, %b) {pure, header = "\22products.h\22", intrinsic} : (i32, i32) -> i32
    // CHECK-NEXT: c.assign %acc "=" [[DONE]]
    c.assign %acc "=" %done : !c.lvalue<i32>, i32
  }
  %sum = c.load %acc : (!c.lvalue<i32>) -> i32
  c.return %sum : i32
}

// -----

// Where the iteration goes on from the variable and not from the step, it is left alone.
// CHECK-LABEL: c.func @step_beside_a_variable
c.func @step_beside_a_variable(%y: !c.ptr<i32>, %start: i32, %a: i32) {
  // CHECK: %acc = c.variable named "acc"
  %acc = c.variable = %start : i32 -> !c.lvalue<i32>
  %first = c.literal 0 : index
  %end = c.literal 8 : index
  c.for %i = %first to %end step 1 : index {
    %before = c.load %acc : (!c.lvalue<i32>) -> i32
    // CHECK: c.let "acc2"
    %acc_1 = c.binary %before "*" %a : (i32, i32) -> i32
    // CHECK-NOT: c.assign %acc "="
    %square = c.binary %acc_1 "*" %acc_1 : (i32, i32) -> i32
    %to = c.subscript %y[%i] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
    c.assign %to "=" %square : !c.lvalue<i32>, i32
    // CHECK: c.assign %acc "+="
    c.assign %acc "+=" %a : !c.lvalue<i32>, i32
  }
  %sum = c.load %acc : (!c.lvalue<i32>) -> i32
  c.return %sum : i32
}

// -----

// The next tile begins in the variable of the tile before, once that is stored.
// CHECK-LABEL: c.func @tiles
c.func @tiles(%y: !c.ptr<i32>, %a: i32, %b: i32) {
  %zero = c.literal 0 : index
  %one = c.literal 1 : index
  // CHECK: %acc = c.variable named "acc" = %a
  %acc = c.variable = %a : i32 -> !c.lvalue<i32>
  c.assign %acc "+=" %b : !c.lvalue<i32>, i32
  %v = c.load %acc : (!c.lvalue<i32>) -> i32
  %to = c.subscript %y[%zero] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %to "=" %v : !c.lvalue<i32>, i32
  // CHECK: c.assign %acc "=" %b
  // CHECK-NOT: c.variable
  %acc_1 = c.variable = %b : i32 -> !c.lvalue<i32>
  c.assign %acc_1 "+=" %a : !c.lvalue<i32>, i32
  // CHECK: c.load %acc
  %w = c.load %acc_1 : (!c.lvalue<i32>) -> i32
  %next = c.subscript %y[%one] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %next "=" %w : !c.lvalue<i32>, i32
}

// -----

// A variable that is read later is not begun anew.
// CHECK-LABEL: c.func @tiles_that_live_together
c.func @tiles_that_live_together(%y: !c.ptr<i32>, %a: i32, %b: i32) {
  %zero = c.literal 0 : index
  // CHECK: c.variable named "acc" =
  %acc = c.variable = %a : i32 -> !c.lvalue<i32>
  c.assign %acc "+=" %b : !c.lvalue<i32>, i32
  // CHECK: c.variable named "acc2" =
  %acc_1 = c.variable = %b : i32 -> !c.lvalue<i32>
  c.assign %acc_1 "+=" %a : !c.lvalue<i32>, i32
  %v = c.load %acc : (!c.lvalue<i32>) -> i32
  %w = c.load %acc_1 : (!c.lvalue<i32>) -> i32
  %sum = c.binary %v "+" %w : (i32, i32) -> i32
  %to = c.subscript %y[%zero] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %to "=" %sum : !c.lvalue<i32>, i32
}

// -----

// So do the tiles of a loop behind the first one.
// CHECK-LABEL: c.func @tiles_behind_a_border
c.func @tiles_behind_a_border(%y: !c.ptr<i32>, %a: i32, %b: i32) {
  %zero = c.literal 0 : index
  %one = c.literal 1 : index
  %end = c.literal 8 : index
  // CHECK: %acc = c.variable named "acc" = %a
  %acc = c.variable = %a : i32 -> !c.lvalue<i32>
  c.assign %acc "+=" %b : !c.lvalue<i32>, i32
  %v = c.load %acc : (!c.lvalue<i32>) -> i32
  %to = c.subscript %y[%zero] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %to "=" %v : !c.lvalue<i32>, i32
  // CHECK: c.for
  c.for %i = %one to %end step 1 : index {
    // CHECK-NOT: c.variable
    // CHECK: c.assign %acc "=" %b
    %acc_1 = c.variable = %b : i32 -> !c.lvalue<i32>
    c.assign %acc_1 "+=" %a : !c.lvalue<i32>, i32
    %w = c.load %acc_1 : (!c.lvalue<i32>) -> i32
    %next = c.subscript %y[%i] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
    c.assign %next "=" %w : !c.lvalue<i32>, i32
  }
}

// -----

// A variable that is read behind the loop is not begun anew in it.
// CHECK-LABEL: c.func @tiles_inside_of_a_sum
c.func @tiles_inside_of_a_sum(%y: !c.ptr<i32>, %a: i32, %b: i32) {
  %zero = c.literal 0 : index
  %one = c.literal 1 : index
  %end = c.literal 8 : index
  // CHECK: %acc = c.variable named "acc" = %a
  %acc = c.variable = %a : i32 -> !c.lvalue<i32>
  c.for %i = %one to %end step 1 : index {
    // CHECK: c.variable named "acc2" = %b
    %acc_1 = c.variable = %b : i32 -> !c.lvalue<i32>
    c.assign %acc_1 "+=" %a : !c.lvalue<i32>, i32
    %w = c.load %acc_1 : (!c.lvalue<i32>) -> i32
    %next = c.subscript %y[%i] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
    c.assign %next "=" %w : !c.lvalue<i32>, i32
  }
  %v = c.load %acc : (!c.lvalue<i32>) -> i32
  %to = c.subscript %y[%zero] : (!c.ptr<i32>, index) -> !c.lvalue<i32>
  c.assign %to "=" %v : !c.lvalue<i32>, i32
}
