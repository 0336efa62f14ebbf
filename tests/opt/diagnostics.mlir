// RUN: s2s-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: Operation does not verify
"func.func"() <{sym_name = "f", function_type = (f32) -> ()}> ({
^bb0(%x: i32):
  "func.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: Operation graph.no_such_operation is not registered
"graph.no_such_operation"() : () -> ()
