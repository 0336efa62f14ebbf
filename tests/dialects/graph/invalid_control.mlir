// RUN: s2s-opt %s --verify-diagnostics --split-input-file | filecheck %s

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%go: tensor<2xi1>, %x: tensor<4xf32>) {
  %y = graph.if %go then @f else @f (%x) : tensor<2xi1>, (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// CHECK: the condition is tensor<2xi1>, expected one bool

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%go: tensor<i1>, %x: tensor<4xf32>) {
  %y = graph.if %go then @f else @g (%x) : tensor<i1>, (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// CHECK: @g is not a function of this module

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %y = graph.scan @f (%x) {steps = 2, carried = 1, scanned = 0} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// CHECK: @f ties its results to (None,), expected (0,)

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tied = array<i64: 0>} {
  func.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<5xf32>) {
  %y = graph.scan @f (%x) {steps = 2, carried = 1, scanned = 0} : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// CHECK: run as (tensor<5xf32>) -> tensor<5xf32>, but @f is (tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @main(%x: tensor<5xf32>) {
  %y = graph.scan @f (%x) {steps = 2, carried = 0, scanned = 1} : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// CHECK: tensor<5xf32> has not 2 slices

// -----

func.func @main(%x: tensor<5xf32>) {
  %y = graph.scan @f (%x) {steps = 0, carried = 1, scanned = 0} : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// CHECK: runs 0 steps, expected at least one

// -----

func.func @main(%x: tensor<5xf32>) {
  %y = graph.scan @f (%x) {steps = 2, carried = 1, scanned = 1} : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// CHECK: carries 1 and scans 1 of 1 inputs, with 1 results

// -----

func.func @main(%x: tensor<5xf32>) {
  %y = graph.scan @f (%x) {steps = 5, carried = 0, scanned = 1, backward = array<i64: 2>} : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// CHECK: backward lists 2, expected numbers below 2

// -----

func.func private @c(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %y = graph.while @c do @c (%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// CHECK: the condition is tensor<4xf32>, expected one bool
