// RUN: s2s-opt %s -p c-pack-weights{prefix=net} | filecheck %s

// The function that a program calls gets the weights, and hands them on; initial values of state stay in the program.
// CHECK: c.struct @net_weights members ["pack"] types [!c.named<"s2s_pack">]
// CHECK-NEXT: c.global @net_w : !c.array<4 x f32> weight "w" {packed}
// CHECK-NEXT: c.global @net_init : !c.array<4 x f32> weight "init"
c.global @net_w : !c.array<4 x f32> weight "w"
c.global @net_init : !c.array<4 x f32> weight "init"

// CHECK-NEXT: c.func static @net_inner(%weights: !c.ptr<!c.named<"net_weights">, const>, %y: !c.ptr<f32>)
// CHECK: c.let "w"
// CHECK-NEXT: c.symbol "NET_W_AT" : index
// CHECK-NEXT: c.binary {{.*}} "+"
// CHECK-NEXT: c.call "net_conv"(%y, %{{.*}})
c.func static @net_inner(%y : !c.ptr<f32>) attributes {parameters = ["y"]} {
  %w = c.symbol "net_w" : !c.ptr<f32, const>
  c.call "net_conv"(%y, %w) : (!c.ptr<f32>, !c.ptr<f32, const>) -> ()
}

// CHECK: c.func @net_run(%weights: !c.ptr<!c.named<"net_weights">, const>, %y: !c.ptr<f32>)
// CHECK-SAME: parameters = ["weights", "y"], extents = ["", "NET_Y_SIZE"]
// CHECK: S2S_ERR_NULL
// CHECK: S2S_ERR_UNBOUND
// CHECK: c.call "net_inner"(%weights, %y)
c.func @net_run(%y : !c.ptr<f32>) -> !c.named<"s2s_status"> attributes {parameters = ["y"], extents = ["NET_Y_SIZE"]} {
  c.call "net_inner"(%y) : (!c.ptr<f32>) -> ()
  %ok = c.symbol "S2S_OK" : !c.named<"s2s_status">
  c.return %ok : !c.named<"s2s_status">
}

// CHECK: c.func @net_reset(%y: !c.ptr<f32>)
// CHECK-NEXT: c.symbol "net_init"
c.func @net_reset(%y : !c.ptr<f32>) -> !c.named<"s2s_status"> attributes {parameters = ["y"], extents = [""]} {
  %init = c.symbol "net_init" : !c.ptr<f32, const>
  c.call "net_copy"(%y, %init) : (!c.ptr<f32>, !c.ptr<f32, const>) -> ()
  %ok = c.symbol "S2S_OK" : !c.named<"s2s_status">
  c.return %ok : !c.named<"s2s_status">
}
