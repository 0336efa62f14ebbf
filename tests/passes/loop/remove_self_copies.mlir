// RUN: s2s-opt %s -p loop-remove-self-copies | filecheck %s

// CHECK-LABEL: func.func private @scatter
// CHECK-NEXT:    loop.store %v, %y
// CHECK-NEXT:    func.return
func.func private @scatter(%y: memref<8xf32>, %x: memref<8xf32>, %v: f32) {
  loop.for %i = 0 to 2 {
    %a = loop.load %x[affine_map<(d0) -> ((d0 * 2))>(%i)] : memref<8xf32> -> f32
    %b = loop.load %x[affine_map<(d0) -> (((d0 * 2) + 1))>(%i)] : memref<8xf32> -> f32
    loop.store %a, %y[affine_map<(d0) -> ((d0 * 2))>(%i)] : f32, memref<8xf32>
    loop.store %b, %y[affine_map<(d0) -> (((d0 * 2) + 1))>(%i)] : f32, memref<8xf32>
  }
  loop.store %v, %y[affine_map<() -> (3)>()] : f32, memref<8xf32>
  func.return
}

// CHECK-LABEL: func.func private @declined_where_a_call_puts_them_apart
// CHECK:         loop.store
func.func private @declined_where_a_call_puts_them_apart(%y: memref<8xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 8 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// CHECK-LABEL: func.func private @declined_for_another_element
// CHECK:         loop.store
func.func private @declined_for_another_element(%y: memref<8xf32>, %x: memref<8xf32>) {
  loop.for %i = 0 to 7 {
    %a = loop.load %x[affine_map<(d0) -> ((d0 + 1))>(%i)] : memref<8xf32> -> f32
    loop.store %a, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
  }
  func.return
}

// CHECK-LABEL: func.func private @declined_behind_another_store
// CHECK:         loop.store %v
// CHECK-NEXT:    loop.store %a
func.func private @declined_behind_another_store(%y: memref<8xf32>, %x: memref<8xf32>, %v: f32) {
  %a = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> f32
  loop.store %v, %y[affine_map<() -> (0)>()] : f32, memref<8xf32>
  loop.store %a, %y[affine_map<() -> (0)>()] : f32, memref<8xf32>
  func.return
}

func.func @main(%arena: memref<64xi8>, %v: f32) {
  %p = loop.view %arena[0 : i64] : memref<64xi8> -> memref<8xf32>
  %q = loop.view %arena[0 : i64] : memref<64xi8> -> memref<8xf32>
  %r = loop.view %arena[32 : i64] : memref<64xi8> -> memref<8xf32>
  func.call @scatter(%p, %p, %v) : (memref<8xf32>, memref<8xf32>, f32) -> ()
  func.call @scatter(%q, %p, %v) : (memref<8xf32>, memref<8xf32>, f32) -> ()
  func.call @declined_where_a_call_puts_them_apart(%p, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @declined_where_a_call_puts_them_apart(%r, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @declined_for_another_element(%p, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @declined_behind_another_store(%p, %p, %v) : (memref<8xf32>, memref<8xf32>, f32) -> ()
  func.return
}
