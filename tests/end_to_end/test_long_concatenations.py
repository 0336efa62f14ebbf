"""Concatenations of very many inputs are done in steps, whose results are right."""

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.functions import KERNEL
from s2s.api import Target, compile
from s2s.dialects import tensor
from s2s.errors import UnsupportedError
from s2s.passes.context import CompilerContext
from s2s.passes.graph.lower_to_tensor.shape import MAX_JOINED
from s2s.passes.loop.limit_args import LimitArgsPass
from support.onnx_text import onnx_model
from support.parse import parse

TWO_RESULTS = """
func.func private @two(%y: memref<4xf32>, %z: memref<4xf32>, %x: memref<4xf32>, %scratch: memref<2xf32>) {
  func.return
}
func.func @main() {
  func.return
}
"""


def test_no_computation_has_more_operands_than_can_be_lowered_quickly():
    parts = ["x", "z"] * (MAX_JOINED // 2 + 3)
    model = onnx_model(
        f"(float[2, 1] x, float[2, 3] z) => (float[2, N] y) {{ y = Concat <axis = 1> ({', '.join(parts)}) }}"
    )
    x, z = np.ones((2, 1), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    with compile(model, target="c") as artifact:
        (found,) = artifact.run({"x": x, "z": z}).values()
        module = artifact.compilation.at("compute").module
    np.testing.assert_array_equal(found, np.concatenate([{"x": x, "z": z}[name] for name in parts], 1))
    computes = [op for op in module.walk() if isinstance(op, tensor.ComputeOp)]
    assert max(len(op.epilogue) for op in computes) <= MAX_JOINED


@pytest.mark.parametrize("count", [9, 40])
def test_no_kernel_takes_more_arguments_than_the_target_allows(count: int):
    names = [f"x{number}" for number in range(count)]
    inputs = ", ".join(f"float[1, 2] {name}" for name in names)
    body = f"({inputs}) => (float[1, N] y) {{ a = Concat <axis = 1> ({', '.join(names)}) y = Relu (a) }}"
    given = {name: np.full((1, 2), number - 3, np.float32) for number, name in enumerate(names)}
    with compile(onnx_model(body), target=Target(name="few", max_function_args=8)) as artifact:
        (found,) = artifact.run(given).values()
        module = artifact.compilation.at("loop").module
    np.testing.assert_array_equal(found, np.maximum(np.concatenate(list(given.values()), 1), 0))
    kernels = [op for op in module.ops if isinstance(op, FuncOp) and KERNEL in op.attributes]
    assert max(len(kernel.args) for kernel in kernels) <= 8


def test_a_kernel_whose_results_and_scratch_exceed_the_limit_is_refused():
    """Scratch is known only after lowering, where splitting is no more possible."""
    with pytest.raises(UnsupportedError, match=r"two: takes 4 arguments .* a function of main may have 3"):
        LimitArgsPass(("main=3",)).apply(CompilerContext(), parse(TWO_RESULTS))


def test_a_difference_in_another_shape_is_joined_in_vectors():
    """The index of the rest of 4 elements, from 1296 on, has divisions that cancel only on the whole range."""
    body = (
        "(float[65, 4, 1, 5] x, float[2, 1] a, float[6, 1] b) => (float[1308, 1] y)"
        " <int64[2] s = {1300, 1}> { d = Sub(x, x) r = Reshape(d, s) y = Concat <axis = 0> (a, r, b) }"
    )
    x = np.ones((65, 4, 1, 5), np.float32)
    a, b = np.full((2, 1), 2, np.float32), np.full((6, 1), 3, np.float32)
    with compile(onnx_model(body), target="host") as artifact:
        (found,) = artifact.run({"x": x, "a": a, "b": b}).values()
    np.testing.assert_array_equal(found, np.concatenate([a, np.zeros((1300, 1), np.float32), b]))
