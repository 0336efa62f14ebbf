"""Levels are run against each other; a fault is found at its level and its node."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from s2s.verify.compare import Tolerance
from s2s.verify.levels import (
    Level,
    Skipped,
    Trace,
    compare_levels,
    graph_level,
    loop_level,
    outputs_level,
    tensor_level,
)
from support.parse import parse

GRAPH = """
func.func private @scale(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.mul %x, %w {node = "mul1"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = graph.neg %y {node = "neg1"} : tensor<2x3xf32>
  func.return %z : tensor<2x3xf32>
}
func.func private @total(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
MAIN
"""

MAIN = """
func.func @main(%given: tensor<6xf32>) -> tensor<2xf32> {
  %x = graph.reshape %given {node = "neg1"} : (tensor<6xf32>) -> tensor<2x3xf32>
  %w = graph.weight "w" {hash = "", node = "mul1"} : tensor<2x3xf32>
  %a = graph.call @scale(%x, %w) {node = "mul1, neg1"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = graph.call @scale(%a, %w) {node = "mul2, neg2"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.call @total(%b) {node = "sum"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""

TENSOR = """
func.func private @scale(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = tensor.compute [2, 3] epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>,
                                    %w at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) apply {
  ^bb0(%xv: f32, %wv: f32):
    %p = arith.mulf %xv, %wv : f32
    %n = arith.negf %p : f32
    tensor.yield %n : f32
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
func.func private @total(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = tensor.compute [2 | 3] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>) inits [0.0 : f32] reduce {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  } apply {
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
MAIN
"""

LOOP = """
func.func private @scale(%y: memref<6xf32>, %x: memref<6xf32>, %w: memref<6xf32>) {
  loop.for %i = 0 to 6 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<6xf32> -> f32
    %b = loop.load %w[affine_map<(d0) -> (d0)>(%i)] : memref<6xf32> -> f32
    %p = arith.mulf %a, %b : f32
    %n = arith.negf %p : f32
    loop.store %n, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<6xf32>
  }
  func.return
}
func.func private @total(%y: memref<2xf32>, %x: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 2 {
    %sum = loop.for %j = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[affine_map<(d0, d1) -> (d0 * 3 + d1)>(%i, %j)] : memref<6xf32> -> f32
      %s = arith.addf %acc, %a : f32
      loop.yield %s : f32
    }
    loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<2xf32>
  }
  func.return
}
func.func @main(%arena: memref<48xi8> {role = "arena"}, %y: memref<2xf32> {role = "output"},
                %x: memref<6xf32> {role = "input"}) {
  %w = loop.weight "w" {hash = ""} : memref<6xf32>
  %a = loop.view %arena[0] : memref<48xi8> -> memref<6xf32>
  %b = loop.view %arena[24] : memref<48xi8> -> memref<6xf32>
  func.call @scale(%a, %x, %w) {node = "mul1, neg1"} : (memref<6xf32>, memref<6xf32>, memref<6xf32>) -> ()
  func.call @scale(%b, %a, %w) {node = "mul2, neg2"} : (memref<6xf32>, memref<6xf32>, memref<6xf32>) -> ()
  func.call @total(%y, %b) {node = "sum"} : (memref<2xf32>, memref<6xf32>) -> ()
  func.return
}
"""

X = np.arange(1, 7, dtype=np.float32)
W = np.array([[1, 2, 3], [0.5, 0.25, 2]], np.float32)
FAULT = ("arith.negf %p", "arith.addf %p, %p")


def weights() -> WeightStore:
    store = WeightStore()
    store.add("w", W)
    return store


def engine(inputs: Sequence[Array]) -> list[Array]:
    """What compiled C would give."""
    return [(inputs[0].reshape(2, 3) * W * W).sum(1)]


def levels(texts: Mapping[str, str]) -> dict[str, Level]:
    """All four levels, some of them in another text."""
    store = weights()
    texts = {"graph": GRAPH, "tensor": TENSOR, "loop": LOOP, **texts}
    modules = {level: parse(text.replace("MAIN", MAIN)) for level, text in texts.items()}
    return {
        "graph": graph_level(modules["graph"], store),
        "tensor": tensor_level(modules["tensor"], store),
        "loop": loop_level(modules["loop"], store),
        "c": outputs_level(engine),
    }


def test_levels_that_agree():
    report = compare_levels(levels({}), [X])
    assert report.passed
    assert report.parting is None
    assert report.describe().splitlines() == [
        "graph: ran",
        "tensor: agrees with level graph in 4 values",
        "loop: agrees with level tensor in 4 values",
        "c: agrees with level loop in 1 values",
    ]


@pytest.mark.parametrize(("level", "above"), [("tensor", "graph"), ("loop", "tensor")])
def test_fault_in_a_kernel_is_found_at_its_first_node(level: str, above: str):
    text = {"tensor": TENSOR, "loop": LOOP}[level].replace(*FAULT)
    report = compare_levels(levels({level: text}), [X])
    assert report.parting is not None
    assert (report.parting.level, report.parting.against, report.parting.node) == (level, above, "neg1")
    assert report.levels[-1] is report.parting
    assert report.parting.describe().startswith(
        f"{level}: parts from level {above} at neg1: 6 of 6 elements differ, first at [0, 0]"
    )


def test_fault_of_the_last_node_only():
    wrong = LOOP.replace("d0 * 3 + d1", "d0 * 2 + d1")
    parting = compare_levels(levels({"loop": wrong}), [X]).parting
    assert parting is not None
    assert (parting.level, parting.node, parting.compared) == ("loop", "sum", 2)


def test_fault_of_the_graph_shows_at_the_level_below():
    wrong = GRAPH.replace("graph.mul", "graph.add")
    parting = compare_levels(levels({"graph": wrong}), [X]).parting
    assert parting is not None
    assert (parting.level, parting.node) == ("tensor", "neg1")


def test_fault_of_the_c_code_shows_in_an_output():
    wrong = {**levels({}), "c": outputs_level(lambda inputs: [engine(inputs)[0] + np.float32(1)])}
    parting = compare_levels(wrong, [X]).parting
    assert parting is not None
    assert (parting.level, parting.against, parting.node) == ("c", "loop", "output 0")


def test_missing_output_is_noticed():
    parting = compare_levels({**levels({}), "c": outputs_level(lambda inputs: [])}, [X]).parting
    assert parting is not None
    assert parting.reason == "0 outputs, loop has 1"


def test_level_that_breaks_off_is_wrong():
    outside = LOOP.replace("loop.for %i = 0 to 6", "loop.for %i = 0 to 7")
    report = compare_levels(levels({"loop": outside}), [X])
    assert not report.passed
    assert report.levels[-1].describe() == (
        "loop: breaks off: @scale: loop.load: index 6 is outside of %x (memref<6xf32>)"
    )


def test_buffer_that_is_overwritten_too_early_is_found():
    overlap = LOOP.replace("%arena[24]", "%arena[8]")
    parting = compare_levels(levels({"loop": overlap}), [X]).parting
    assert parting is not None
    assert (parting.level, parting.node) == ("loop", "neg2")


def test_level_that_takes_too_long_is_skipped_and_says_so():
    chosen = levels({})
    chosen["loop"] = loop_level(parse(LOOP), weights(), limit=10)
    report = compare_levels(chosen, [X])
    assert report.passed
    assert [level.describe() for level in report.levels[2:]] == [
        "loop: skipped: it takes 110 operations one by one, the limit is 10",
        "c: agrees with level tensor in 1 values",
    ]


def test_tolerance_may_be_stated():
    close = {**levels({}), "c": outputs_level(lambda inputs: [engine(inputs)[0] * np.float32(1.001)])}
    assert not compare_levels(close, [X]).passed
    assert compare_levels(close, [X], Tolerance(0.01, 0.0)).passed


def test_nodes_are_compared_only_where_both_levels_compute_them_in_the_same_parts():
    one, two, three = (np.full(2, value, np.float32) for value in (1, 2, 3))
    above = Trace([one], {"a": [one], "split": [one, two], "b": [one]})
    below = Trace([one], {"a": [one], "split": [three], "c": [three], "b": [np.ones(3, np.float32)]})
    report = compare_levels({"graph": lambda inputs: above, "tensor": lambda inputs: below}, [])
    assert report.passed
    assert report.levels[1].compared == 2


def test_values_of_one_node_are_compared_where_they_have_one_type():
    """A cache in bytes: one kernel ends with the bytes, one of another level with the floats that they stand for."""
    one, byte = np.ones(2, np.float32), np.ones(2, np.int8)
    above, below = Trace([one], {"seen": [byte], "a": [one]}), Trace([one], {"seen": [one], "a": [one]})
    report = compare_levels({"graph": lambda inputs: above, "tensor": lambda inputs: below}, [])
    assert report.passed
    assert report.levels[1].compared == 2


def test_first_level_may_be_skipped():
    report = compare_levels({"graph": lambda inputs: Skipped("no time"), "c": outputs_level(engine)}, [X])
    assert [level.describe() for level in report.levels] == ["graph: skipped: no time", "c: ran"]
