"""Concatenations of very many inputs are done in two steps, whose results are right."""

import numpy as np

from s2s.api import compile
from s2s.dialects import tensor
from s2s.passes.graph.lower_to_tensor.shape import MAX_JOINED
from support.onnx_text import onnx_model


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
