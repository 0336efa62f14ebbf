"""Networks at tensor level run: kernels, weights, calls, and whatever is still written in `graph`."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.errors import InputError
from s2s.interpret.tensor import run_tensor
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.parse import parse

NETWORK = """
func.func private @scale(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2x3xf32> attributes {kernel} {
  %y = tensor.compute [2, 3]
      epilogue(%x at #tensor.access<affine_map<(d0, d1) -> (d0, d1)>>,
               %w at #tensor.access<affine_map<(d0, d1) -> (d1)>>)
      apply {
  ^bb0(%xv: f32, %wv: f32):
    %p = arith.mulf %xv, %wv : f32
    tensor.yield %p : f32
  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %w = graph.weight "w" {hash = ""} : tensor<3xf32>
  %a = graph.call @scale(%x, %w) {node = "mul1"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %n = graph.neg %a {node = "neg1"} : tensor<2x3xf32>
  %y = graph.reshape %n {node = "flat"} : (tensor<2x3xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}
"""


def test_network_of_both_levels_runs_and_is_observed():
    weights = WeightStore()
    weights.add("w", np.array([1, 2, 3], np.float32))
    seen = list[str]()

    def observe(op: Operation, results: Sequence[Array]) -> None:
        seen.append(f"{op.name} {results[0].shape}")

    x = np.ones((2, 3), np.float32)
    [y] = run_tensor(parse(NETWORK), [x], weights, observe)
    assert y.tolist() == [-1, -2, -3, -1, -2, -3]
    assert seen == [
        "graph.weight (3,)",
        "tensor.compute (2, 3)",
        "graph.call (2, 3)",
        "graph.neg (2, 3)",
        "graph.reshape (6,)",
    ]


def test_single_kernel_runs():
    kernel = next(op for op in parse(NETWORK).body.block.ops if isinstance(op, FuncOp))
    x, w = np.ones((2, 3), np.float32), np.array([1, 2, 3], np.float32)
    assert run_tensor(kernel, [x, w])[0].tolist() == [[1, 2, 3], [1, 2, 3]]


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="input 0"):
        run_tensor(parse(NETWORK), [np.ones((3, 2), np.float32)])
