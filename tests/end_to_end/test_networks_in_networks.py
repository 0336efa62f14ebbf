"""If, while and scan over networks, and state: every level and the C compute the same, run after run."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i1

from s2s.analysis.network.functions import input_numbers, main_of, networks
from s2s.compilation import Compilation
from s2s.errors import CompilerBug, UnsupportedError
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import initial_state, run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.loop.state import initial_loop_state
from s2s.interpret.tensor import run_tensor
from s2s.options import CompileOptions
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.weights import WeightStore
from support.compiled import compiled, run_c
from support.parse import parse

STREAM = """
func.func private @body(%h: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {tied = array<i64: 0, -1>} {
  %s = graph.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tanh %s : tensor<4xf32>
  func.return %t, %t : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<5x4xf32>, %h: tensor<4xf32> {name = "h", state, init = "start"}, %n: tensor<1xi32> {state})
    -> (tensor<5x4xf32>, tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) attributes {tied = array<i64: -1, 1, 2, -1>} {
  %last, %all = graph.scan @body(%h, %x) {steps = 5, carried = 1, scanned = 1, backward = array<i64: 0>}
    : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>)
  %one = graph.constant dense<1> : tensor<1xi32>
  %m = graph.add %n, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  func.return %all, %last, %m, %m : tensor<5x4xf32>, tensor<4xf32>, tensor<1xi32>, tensor<1xi32>
}
"""
SWAP = """
func.func private @body(%a: tensor<4xf32>, %b: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {tied = array<i64: 0, 1>} {
  %s = graph.add %a, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b, %s : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p, %q = graph.scan @body(%a, %b, %a) {steps = 3, carried = 2, scanned = 0}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return %p, %q : tensor<4xf32>, tensor<4xf32>
}
"""
READ_LATE = """
func.func private @body(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tied = array<i64: 0, -1>} {
  %e = graph.exp %h : tensor<4xf32>
  %r = graph.reduce_sum %e {axes = array<i64: 0>, keepdims} : (tensor<4xf32>) -> tensor<1xf32>
  %d = graph.div %h, %r : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %e, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %s = graph.sin %h : tensor<4xf32>
  %p, %q = graph.scan @body(%s) {steps = 2, carried = 1, scanned = 0, backward = array<i64: 0>}
    : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>)
  func.return %p, %q : tensor<4xf32>, tensor<2x4xf32>
}
"""
WHILE = """
func.func private @small(%h: tensor<4xf32>, %limit: tensor<f32>) -> tensor<i1> {
  %r = graph.reduce_sum %h {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %c = graph.less %r, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  func.return %c : tensor<i1>
}
func.func private @grow(%h: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> attributes {tied = array<i64: 0>} {
  %s = graph.add %h, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.add %s, %limit : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %t : tensor<4xf32>
}
func.func @main(%h: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %l = graph.abs %limit : tensor<f32>
  %r = graph.while @small do @grow(%h, %l) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
"""
IF = """
func.func private @yes(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = graph.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = graph.reduce_sum %m {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %b = graph.add %x, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %b, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @no(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  func.return %y, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%c: tensor<1xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = graph.exp %x : tensor<4xf32>
  %p, %q = graph.if %c then @yes else @no(%e, %x)
    : tensor<1xi1>, (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = graph.sub %p, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %s, %q : tensor<4xf32>, tensor<4xf32>
}
"""
START = {"start": np.array([0.5, -1.0, 2.0, 0.0], np.float32)}


def inputs_of(module: ModuleOp, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    main = main_of(module)
    found: list[Array] = []
    for number in input_numbers(main):
        wanted = as_tensor_type(main.args[number].type)
        array = rng.normal(size=wanted.get_shape()).astype(np.float32)
        found.append(array > 0 if wanted.element_type == i1 else array)
    return found


def store_of(params: Mapping[str, Array]) -> WeightStore:
    store = WeightStore()
    for name, value in params.items():
        store.add(name, value)
    return store


def runs_of_levels(module: ModuleOp, params: Mapping[str, Array], runs: Sequence[Sequence[Array]]) -> list[Array]:
    """All outputs of all runs by each level; asserts that they agree."""
    expected = _graph_runs(module, params, runs)
    for schedule in ("default", "reference"):
        compilation = Compilation(GraphModel(module, params, "net"), CompileOptions(target="c", schedule=schedule))
        scheduled, planned = compilation.at("tensor"), compilation.at("memory")
        state = initial_state(scheduled.module, scheduled.weights)
        tensor = [run_tensor(scheduled.module, each, scheduled.weights, state=state) for each in runs]
        flat = initial_loop_state(main_of(planned.module), planned.weights)
        loop = [run_loop(planned.module, each, planned.weights, state=flat) for each in runs]
        for level in (tensor, loop):
            for wanted, found in zip(expected, (value for run in level for value in run), strict=True):
                np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=1e-5)
    return expected


def _graph_runs(module: ModuleOp, params: Mapping[str, Array], runs: Sequence[Sequence[Array]]) -> list[Array]:
    store = store_of(params)
    state = initial_state(module, store)
    return [value for each in runs for value in run_graph(module, each, store, state=state)]


@pytest.mark.parametrize("text", [STREAM, SWAP, READ_LATE, WHILE, IF], ids=["stream", "swap", "late", "while", "if"])
def test_levels_and_c_agree_over_several_runs(text: str):
    module = parse(text)
    params = START if "start" in text else {}
    runs = [inputs_of(module, seed) for seed in range(4)]
    expected = iter(runs_of_levels(module, params, runs))
    with compiled(module, store_of(params), target="c") as artifact:
        for each in runs:
            for found in run_c(artifact, each):
                np.testing.assert_allclose(found, next(expected), rtol=1e-5)


def test_reset_makes_the_next_run_the_first_one():
    module = parse(STREAM)
    x = inputs_of(module, 7)
    with compiled(module, store_of(START), target="c") as artifact:
        first, second = run_c(artifact, x), run_c(artifact, x)
        artifact.loaded().reset()
        again = run_c(artifact, x)
    assert [value.item() for value in (first[1], second[1], again[1])] == [1, 2, 1]
    np.testing.assert_array_equal(first[0], again[0])
    assert not np.array_equal(first[0], second[0])


def test_header_tells_of_the_state_and_only_of_that():
    with compiled(parse(STREAM), store_of(START), target="c") as artifact:
        header, record = artifact.tree().text("include/net.h"), artifact.tree().text("metadata.json")
    assert "s2s_status net_reset(void *arena);" in header
    assert '"name": "h"' in record
    with compiled(parse(SWAP), target="c") as artifact:
        assert "net_reset" not in artifact.tree().text("include/net.h")


@pytest.mark.parametrize(("text", "reason"), [(SWAP, "loops or branches"), (STREAM, "loops or branches")])
def test_graph_executor_refuses(text: str, reason: str):
    with pytest.raises(UnsupportedError, match=reason):
        compiled(parse(text), store_of(START), executor="graph")


def test_network_that_runs_itself_is_a_bug():
    text = """
    func.func private @a(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
      %y = graph.if %c then @a else @a(%x, %c) : tensor<i1>, (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    """
    with pytest.raises(CompilerBug, match="network @a runs itself: a -> a"):
        networks(parse(text))


@pytest.mark.parametrize("io", ["caller", "arena"])
def test_outputs_of_a_run_survive_the_next_one(io: str):
    module = parse(STREAM)
    with compiled(module, store_of(START), target="c", io=io) as artifact:
        first = run_c(artifact, inputs_of(module, 1))[0]
        kept = first.copy()
        run_c(artifact, inputs_of(module, 2))
    np.testing.assert_array_equal(first, kept)


def test_two_arenas_are_two_streams():
    module = parse(STREAM)
    (x,) = inputs_of(module, 3)
    with compiled(module, store_of(START), target="c") as artifact:
        run_c(artifact, [x])
        network = artifact.loaded()
        counts: list[list[int]] = []
        arenas = [np.zeros(artifact.info.arena_size + 64, np.uint8) for _ in range(2)]
        pointers = [each.ctypes.data + -each.ctypes.data % 64 for each in arenas]
        y, n = np.zeros((5, 4), np.float32), np.zeros(1, np.int32)
        for arena in pointers:
            assert network.lib.net_reset(network.ffi.cast("void *", arena)) == 0
        for arena in (pointers[0], pointers[1], pointers[0], pointers[0], pointers[1]):
            handed = [network.ffi.cast("void *", at) for at in (arena, x.ctypes.data, y.ctypes.data, n.ctypes.data)]
            assert network.lib.net_run(*handed) == 0
            counts.append([pointers.index(arena), int(n[0])])
    assert counts == [[0, 1], [1, 1], [0, 2], [0, 3], [1, 2]]
