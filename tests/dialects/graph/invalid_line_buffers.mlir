// RUN: s2s-opt %s --verify-diagnostics --split-input-file | filecheck %s

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>, %begin: tensor<1x2x2xf32>) {
  %y = graph.line_buffers %x(%begin) {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>, tensor<1x2x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: the rings begin with other types than they end with

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1, 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: 1 bodies, but not as many ticks, steps and counts

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3, 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: 2 numbers of rows for 1 tensors

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<2x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<2x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: the rows of tensor<2x3x2xf32> along axis 1 do not lie one after the other

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 0>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: @push runs 3 times every 0 from 0

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 7>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: @push takes (1, 7) of 2 tensors

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 0, 1>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: @push writes to a row of the input, or runs in a tick that has none

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 4>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: @push writes to a row of the input, or runs in a tick that has none

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 1>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: @push reads a tensor that gets its row, or has two rows for one

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x4xf32>
  func.return
}
// CHECK: tensor<1x1x2xf32>, which @push computes, is no row of tensor<1x3x4xf32>

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 0>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: run as

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>, %begin: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x(%begin) {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 3>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: bodies read tensors [], but 1 begin as something

// -----

func.func private @push(%row: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  func.return %row : tensor<1x1x2xf32>
}
func.func @main(%x: tensor<1x3x2xf32>) {
  %y = graph.line_buffers %x() {bodies = [@push], every = array<i64: 1>, firsts = array<i64: 0>, steps = array<i64: 2>, taken = array<i64: 1, 0>, counts = array<i64: 2>, written = array<i64: 1>, rows = array<i64: 3>, axis = 1} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  func.return
}
// CHECK: tensor 1 does not get all of its rows from one body
