"""Chains of kernels in row tiles that stay in a cache give the numbers of whole images."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import tensor
from s2s.frontends.onnx import load_model
from s2s.options import CompileOptions, Executor
from s2s.verify.engines import run_engine

TARGET = "x86-64-v3"
"""Its second cache is small: images of a test need not be large."""


def bottleneck(side: int, kernel: int, stride: int, pad: int) -> onnx.ModelProto:
    """Four channels, 40 channels, a depthwise window, 12 channels."""
    rng = np.random.default_rng(side + kernel)
    weights = {
        "expand": (40, 4, 1, 1),
        "slide": (40, 1, kernel, kernel),
        "project": (12, 40, 1, 1),
        "last": (3, 12, 1, 1),
    }
    stored = [
        numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name) for name, shape in weights.items()
    ]
    stored.append(numpy_helper.from_array(rng.standard_normal(40).astype(np.float32), "bias"))
    nodes = [
        helper.make_node("Conv", ["x", "expand", "bias"], ["a"], "expand"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("Conv", ["b", "slide"], ["c"], "slide", group=40, strides=[stride] * 2, pads=[pad] * 4),
        helper.make_node("Conv", ["c", "project"], ["d"], "project"),
        helper.make_node("Conv", ["d", "last"], ["y"], "last"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, side, side])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "bottleneck", [x], [y], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def tiled(model: onnx.ModelProto) -> bool:
    """Whether some computation makes more rows than it shares out."""
    module = Compilation(model, CompileOptions(target=TARGET)).at("tensor").module
    computes = [op for op in module.walk() if isinstance(op, tensor.ComputeOp)]
    tiles = [tile for op in computes if op.schedule is not None for tile in op.schedule.on(op).fused]
    return any(tile.before or tile.after for tile in tiles)


@pytest.mark.sample(2, each="executor")
@pytest.mark.parametrize(
    ("side", "kernel", "stride", "pad"), [(32, 3, 1, 1), (48, 5, 1, 2), (48, 3, 2, 1), (64, 5, 2, 2)]
)
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_row_tiles_keep_the_numbers(side: int, kernel: int, stride: int, pad: int, executor: Executor):
    model = bottleneck(side, kernel, stride, pad)
    assert tiled(model)
    x = {"x": np.random.default_rng(1).standard_normal((1, 4, side, side)).astype(np.float32)}
    [expected] = run_engine("onnxruntime", load_model(model), x)
    with api.compile(model, target=TARGET, executor=executor, poison=executor == "aot") as artifact:
        [found] = artifact.run(x).values()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("side", "kernel", "pad"), [(37, 3, 1), (32, 3, 0), (16, 3, 1)])
def test_images_that_do_not_come_out_even_or_are_small_stay_whole(side: int, kernel: int, pad: int):
    assert not tiled(bottleneck(side, kernel, 1, pad))
