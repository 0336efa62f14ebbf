"""MatMulBnb4: weights of four bits that stand for the numbers of a table stay packed beside it."""

import importlib
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s import api
from s2s.types.dtypes import Array
from support.threads import one_thread

FLOAT = onnx.TensorProto.FLOAT


def model(rows: int, columns: int, block: int, quant_type: int, lines: int) -> onnx.ModelProto:
    rng = np.random.default_rng(rows * columns)
    constants = {
        "w": rng.integers(0, 256, rows * columns // 2).astype(np.uint8),
        "absmax": rng.uniform(0.1, 1, rows * columns // block).astype(np.float32),
    }
    sizes: Any = {"K": columns, "N": rows, "block_size": block, "quant_type": quant_type}
    node = helper.make_node("MatMulBnb4", ["x", *constants], ["y"], name="fc", domain="com.microsoft", **sizes)
    graph = helper.make_graph(
        [node],
        "codebook",
        [helper.make_tensor_value_info("x", FLOAT, [lines, columns])],
        [helper.make_tensor_value_info("y", FLOAT, [lines, rows])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def by_onnxruntime(proto: onnx.ModelProto, x: Array) -> Array:
    runtime: Any = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(proto.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


@pytest.mark.parametrize(
    ("target", "lines", "quant_type", "packed"),
    [("c", 3, 0, True), ("cortex-m4", 1, 1, True), ("x86-64-v3", 1, 1, False), ("x86-64-v3", 128, 0, False)],
)
def test_codes_stay_packed_where_flash_is_short(target: str, lines: int, quant_type: int, packed: bool):
    rows, columns, block = 24, 64, 16
    proto = model(rows, columns, block, quant_type, lines)
    x = np.random.default_rng(1).standard_normal((lines, columns), np.float32)
    with api.compile(proto, target=target) as artifact:
        found = artifact.run({"x": x})["y"]
        count = rows * columns
        bytes = artifact.report().weights
        assert bytes == count // 2 + 4 * (count // block) + 64 if packed else bytes >= 4 * count
        (decision,) = (each for each in artifact.decisions if each.kind == "packed weights")
        assert decision.chosen == ("packed" if packed else "floats")
    np.testing.assert_allclose(found, by_onnxruntime(proto, x), rtol=1e-4, atol=1e-5)


def test_blocks_that_reach_into_the_next_row_are_floats():
    proto = model(8, 24, 16, 1, 2)
    x = np.random.default_rng(2).standard_normal((2, 24), np.float32)
    with api.compile(proto, target="c") as artifact:
        np.testing.assert_allclose(artifact.run({"x": x})["y"], by_onnxruntime(proto, x), rtol=1e-4, atol=1e-5)
        assert artifact.report().weights == 8 * 24 * 4
