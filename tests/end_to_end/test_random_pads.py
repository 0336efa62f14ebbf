"""Random padding by edges and mirror images, narrow and wide, along one to three axes, against numpy."""

from typing import Any, Literal

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s.api import compile
from s2s.types.dtypes import Array

COUNT = 16
DTYPES = (np.float32, np.float64, np.int8, np.uint8, np.int32)


def pads(mode: Literal["edge", "reflect"]) -> tuple[onnx.ModelProto, dict[str, Array], dict[str, Array]]:
    """A model of some nodes side by side, its inputs, and what numpy gives."""
    rng = np.random.default_rng(7)
    nodes: list[Any] = []
    inputs: list[Any] = []
    outputs: list[Any] = []
    given: dict[str, Array] = {}
    wanted: dict[str, Array] = {}
    widths: list[Any] = []
    for number in range(COUNT):
        rank = int(rng.integers(1, 5))
        shape: list[int] = [int(size) for size in rng.integers(1, 9 if rank > 2 else 40, rank)]
        low, high = [0] * rank, [0] * rank
        for axis in rng.permutation(rank)[: int(rng.integers(1, 4))]:
            most: int = shape[int(axis)] + (3 if mode == "edge" else -1)
            low[axis], high[axis] = (int(width) for width in rng.integers(0, most + 1, 2))
        x = (50 * rng.standard_normal(shape)).astype(DTYPES[number % len(DTYPES)])
        y = np.pad(x, list(zip(low, high, strict=True)), mode=mode)
        names = f"x{number}", f"w{number}", f"y{number}"
        given[names[0]], wanted[names[2]] = x, y
        widths.append(numpy_helper.from_array(np.array(low + high, np.int64), names[1]))
        nodes.append(helper.make_node("Pad", names[:2], names[2:], mode=mode))
        kind = helper.np_dtype_to_tensor_dtype(x.dtype)
        inputs.append(helper.make_tensor_value_info(names[0], kind, x.shape))
        outputs.append(helper.make_tensor_value_info(names[2], kind, y.shape))
    graph = helper.make_graph(nodes, "pads", inputs, outputs, widths)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), given, wanted


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("mode", ["edge", "reflect"])
def test_padding_is_that_of_numpy(mode: Literal["edge", "reflect"], target: str):
    model, given, wanted = pads(mode)
    with compile(model, target=target) as artifact:
        found = artifact.run(given)
    for name, right in wanted.items():
        np.testing.assert_array_equal(found[name], right, err_msg=name)
