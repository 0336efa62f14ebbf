"""onnxruntime gets weights of uint8 beside activations of uint8, whose products it does not saturate."""

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper

from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.onnx_nodes import run_onnxruntime, run_reference

SCALE = np.array(0.5, np.float32)
ZERO = np.array(3, np.uint8)


def quantised(op: str, x: Array, constants: dict[str, Array], names: list[str], result: type) -> ModelProto:
    """A model of one node with operands `names`, of which `x` is an input."""
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"])],
        "net",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(result)), None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


LARGE = np.full((1, 4), 255, np.uint8)
IMAGE = np.full((1, 2, 3, 3), 255, np.uint8)
LAYER = {"s": SCALE, "z": ZERO, "ws": SCALE, "ys": np.array(600.0, np.float32)}
CASES = {
    "MatMulInteger": quantised("MatMulInteger", LARGE, {"w": np.full((4, 2), 127, np.int8)}, ["x", "w"], np.int32),
    "zero points": quantised(
        "MatMulInteger",
        LARGE,
        {"w": np.full((4, 2), 127, np.int8), "z": ZERO, "wz": np.array([-1, 2], np.int8)},
        ["x", "w", "z", "wz"],
        np.int32,
    ),
    "ConvInteger": quantised("ConvInteger", IMAGE, {"w": np.full((2, 2, 2, 2), 127, np.int8)}, ["x", "w"], np.int32),
    "QLinearConv": quantised(
        "QLinearConv",
        IMAGE,
        {**LAYER, "w": np.full((2, 2, 2, 2), 127, np.int8), "wz": np.array(-4, np.int8)},
        ["x", "s", "z", "w", "ws", "wz", "ys", "z"],
        np.uint8,
    ),
    "QLinearMatMul": quantised(
        "QLinearMatMul",
        LARGE,
        {**LAYER, "w": np.full((4, 2), 127, np.int8), "wz": np.array(-4, np.int8)},
        ["x", "s", "z", "w", "ws", "wz", "ys", "z"],
        np.uint8,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_results_stay_as_they_are(case: str):
    model, x = CASES[case], IMAGE if "Conv" in case else LARGE
    changed = with_unsigned_weights(model)
    weights = {each.name: numpy_helper.to_array(each).dtype for each in changed.graph.initializer}
    assert weights["w/unsigned"] == np.uint8
    [expected] = run_reference(model, [x])
    [found] = run_onnxruntime(changed, [x])
    np.testing.assert_array_equal(found, expected)


def test_weights_beside_signed_activations_stay_signed():
    x = np.ones((1, 4), np.int8)
    model = quantised("MatMulInteger", x, {"w": np.full((4, 2), 127, np.int8)}, ["x", "w"], np.int32)
    [node] = with_unsigned_weights(model).graph.node
    assert list(node.input) == ["x", "w"]


def test_a_model_without_such_weights_is_not_copied():
    model = quantised("MatMulInteger", LARGE, {"w": np.ones((4, 2), np.uint8)}, ["x", "w"], np.int32)
    assert with_unsigned_weights(model) is model
