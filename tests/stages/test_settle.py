"""Which networks have a golden vector."""

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.compilation import Compilation
from s2s.dialects import tensor
from s2s.options import CompileOptions
from s2s.stages.settle import Settled
from s2s.stages.tensor import Scheduled


def convolution(weight: float, pads: Sequence[int]) -> onnx.ModelProto:
    """A 3x3 convolution one of whose weights is `weight`."""
    weights = np.ones((1, 1, 3, 3), np.float32)
    weights[0, 0, 0, 0] = weight
    size = 3 + pads[0] + pads[2]
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"], pads=pads)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 5, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, size, size])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.mark.parametrize(
    ("weight", "pads", "count"),
    [(np.nan, [1] * 4, 0), (np.inf, [1] * 4, 0), (np.nan, [0] * 4, 1), (2.0, [1] * 4, 1)],
)
def test_weights_without_a_value_reach_through_padding_as_a_kernel_likes(weight: float, pads: list[int], count: int):
    settled = Compilation(convolution(weight, pads), CompileOptions(target="c", name="net")).facts(Settled)
    assert len(settled.golden) == count


def test_padding_that_a_stride_hides_asks_for_no_memory():
    model = convolution(1.0, [2**28, 1, 2**28, 1])
    model.graph.node[0].attribute.append(helper.make_attribute("strides", [2**28, 1]))
    model.graph.output[0].type.tensor_type.shape.dim[2].dim_value = 3
    assert Compilation(model, CompileOptions(target="c", name="net")).facts(Settled).golden == ()


def test_transformed_convolutions_compile_without_a_golden_vector():
    weights = np.full((64, 64, 3, 3), np.nan, np.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 32, 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 32, 32])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    compilation = Compilation(model, CompileOptions(target="x86-64-v3", name="net"))
    assert any(isinstance(op, tensor.TransformOp) for op in compilation.at("tensor").module.walk())
    assert compilation.facts(Scheduled).tolerance.scaled
