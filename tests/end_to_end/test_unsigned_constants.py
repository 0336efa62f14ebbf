"""Constants of unsigned types, up to the largest, in every operator that takes integers."""

from typing import Any

import numpy as np
import pytest

from s2s.api import compile
from support.compiled import run_c
from support.onnx_nodes import run_reference
from support.onnx_text import onnx_model

BINARY = ("Add", "Sub", "Mul", "Div", "Mod", "BitwiseAnd", "BitwiseOr", "BitwiseXor")
COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
LIMITS = ("Max", "Min")
TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)


@pytest.mark.sample(3)
@pytest.mark.parametrize("schedule", ["default", "reference"])
@pytest.mark.parametrize("dtype", TYPES)
def test_constants_above_the_signed_maximum(dtype: Any, schedule: Any):
    most = int(np.iinfo(dtype).max)
    kind, size = np.dtype(dtype).name, 8
    constants = {"large": most - most // 4, "largest": most, "middle": most // 2 + 1}
    outputs, nodes = list[str](), list[str]()
    for operator in (*BINARY, *COMPARISONS, *LIMITS):
        for name in constants:
            output = f"{operator}_{name}".lower()
            outputs.append(f"{'bool' if operator in COMPARISONS else kind}[{size}] {output}")
            nodes.append(f"{output} = {operator}(x, {name})")
    outputs += [f"{kind}[{size}] clipped", f"{kind}[{size}] raised", f"{kind}[{size + 2}] padded"]
    nodes += ["clipped = Clip(x, middle, large)", "raised = Clip(x, large)", "padded = Pad(x, ends, largest)"]
    values = ", ".join(f"{kind} {name} = {{{value}}}" for name, value in constants.items())
    signature = f"({kind}[{size}] x) => ({', '.join(outputs)}) <{values}, int64[2] ends = {{1, 1}}>"
    model = onnx_model(f"{signature} {{ {' '.join(nodes)} }}", opset=21)
    x = np.array([0, 1, 7, most // 2, most // 2 + 1, most - most // 4, most - 1, most], dtype)
    with compile(model, schedule=schedule) as artifact:
        found = run_c(artifact, [x])
    for node, actual, wanted in zip(nodes, found, run_reference(model, [x]), strict=True):
        np.testing.assert_array_equal(actual, wanted, node)
