"""Networks at loop level run on one arena, and show what their kernels write."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.ir import Operation

from s2s.errors import CompilerBug, InputError
from s2s.interpret.loop import Options, run_loop
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.parse import parse

NETWORK = """
func.func private @scale(%y: memref<4xf32>, %x: memref<4xf32>, %w: memref<4xf32>, %scratch: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    %b = loop.load %w[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    %p = arith.mulf %a, %b : f32
    loop.store %p, %scratch[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
    loop.store %p, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<4xf32>
  }
  func.return
}
func.func private @truth(%y: memref<4xui8>, %x: memref<4xf32>) {
  %limit = arith.constant 2.0 : f32
  loop.for %i = 0 to 4 {
    %a = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<4xf32> -> f32
    %more = arith.cmpf ogt, %a, %limit : f32
    %byte = arith.extsi %more : i1 to i8
    loop.store %byte, %y[affine_map<(d0) -> (d0)>(%i)] : i8, memref<4xui8>
  }
  func.return
}
func.func @main(
    %arena: memref<48xi8> {role = "arena"}, %y: memref<4xui8> {role = "output"}, %x: memref<4xf32> {role = "input"}
) {
  %w = loop.weight "w" {hash = ""} : memref<4xf32>
  %a = loop.view %arena[0] : memref<48xi8> -> memref<4xf32>
  %s = loop.view %arena[16] : memref<48xi8> -> memref<4xf32>
  %b = loop.view %arena[32] : memref<48xi8> -> memref<4xf32>
  func.call @scale(%a, %x, %w, %s) {node = "mul1"}
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @scale(%b, %a, %w, %s) {node = "mul2"}
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @truth(%y, %b) {node = "greater"} : (memref<4xui8>, memref<4xf32>) -> ()
  func.return
}
"""
X = np.array([[1, 1], [1, 0]], np.float32)


def store() -> WeightStore:
    weights = WeightStore()
    weights.add("w", np.array([1, 2, 3, 4], np.float32))
    return weights


def test_network_runs_and_is_observed():
    seen = list[tuple[str, list[Array]]]()

    def observe(op: Operation, results: Sequence[Array]) -> None:
        seen.append((str(op.attributes["node"]), list(results)))

    [y] = run_loop(parse(NETWORK), [X], store(), observe)
    assert y.dtype == np.uint8
    assert y.tolist() == [0, 255, 255, 0]
    assert [(node, [value.tolist() for value in values]) for node, values in seen] == [
        ('"mul1"', [[1, 2, 3, 0]]),
        ('"mul2"', [[1, 4, 9, 0]]),
        ('"greater"', [[0, 255, 255, 0]]),
    ]


@pytest.mark.parametrize(
    "buffer", ["loop.view %arena[4] : memref<8xi8> -> memref<1xf32>", "loop.alloc : memref<1xf32>"]
)
@pytest.mark.parametrize(("poison", "expected"), [(True, float("nan")), (False, 0.0)])
def test_memory_nobody_wrote_is_poisoned(buffer: str, poison: bool, expected: float):
    text = """
    func.func @main(%arena: memref<8xi8> {role = "arena"}, %y: memref<1xf32> {role = "output"}) {
      %a = BUFFER
      %v = loop.load %a[affine_map<() -> (0)>()] : memref<1xf32> -> f32
      loop.store %v, %y[affine_map<() -> (0)>()] : f32, memref<1xf32>
      func.return
    }
    """
    np.testing.assert_array_equal(
        run_loop(parse(text.replace("BUFFER", buffer)), [], options=Options(poison=poison)), [[expected]]
    )


def test_kernel_that_writes_to_an_input_of_the_network_is_a_bug():
    wrong = NETWORK.replace("@scale(%b, %a, %w, %s)", "@scale(%x, %a, %w, %s)")
    with pytest.raises(CompilerBug, match=r"@scale: loop\.store: %y \(memref<4xf32>\) is an input or a weight"):
        run_loop(parse(wrong), [X], store())


def test_kernel_may_run_in_place():
    same = NETWORK.replace("@scale(%b, %a, %w, %s)", "@scale(%a, %a, %w, %s)").replace(
        "@truth(%y, %b)", "@truth(%y, %a)"
    )
    assert run_loop(parse(same), [X], store())[0].tolist() == [0, 255, 255, 0]


def test_inputs_are_not_touched_and_have_to_fit():
    x = X.copy()
    run_loop(parse(NETWORK), [x], store())
    assert x.flags.writeable
    with pytest.raises(InputError, match="array has 4 elements of float64"):
        run_loop(parse(NETWORK), [X.astype(np.float64)], store())
    with pytest.raises(InputError, match="inputs: 2 are given, the network has 1"):
        run_loop(parse(NETWORK), [X, X], store())


def test_argument_without_a_role_is_a_bug():
    with pytest.raises(CompilerBug, match="@main: argument %x has no role"):
        run_loop(parse(NETWORK.replace(' {role = "input"}', "")), [X], store())


def test_module_without_main_is_a_bug():
    with pytest.raises(CompilerBug, match="@main is not a function"):
        run_loop(parse("func.func @other() { func.return }"), [X], store())
