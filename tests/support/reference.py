"""Compares the meaning of a graph operation with that of an ONNX operator."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from s2s.analysis.dtypes import Array
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.interpret.graph import evaluate

OPSET = 21


def run_operation(build: Callable[..., GraphOp], inputs: Sequence[Array]) -> Array:
    """Build an operation on constants, verify it and evaluate it."""
    op = build(*(graph.ConstantOp(value) for value in inputs))
    op.verify()
    return evaluate(op, inputs)[0]


def run_onnx(kind: str, inputs: Sequence[Array], attributes: dict[str, Any], outputs: int = 1) -> list[Array]:
    """The outputs of one ONNX operator by ONNX's own reference implementation."""
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(outputs)]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, inputs, strict=True)
    ]
    node = helper.make_node(kind, names, results, **attributes)
    body = helper.make_graph([node], "one", infos, [onnx.ValueInfoProto(name=name) for name in results])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)])
    with np.errstate(all="ignore"):
        found = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    return [np.asarray(value) for value in found]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def assert_close(actual: Array, expected: Array, tolerance: float = 1e-6) -> None:
    """Equal types, shapes and NaNs; floats within `tolerance`, relative and absolute; all else exactly."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if np.issubdtype(actual.dtype, np.integer) or actual.dtype == np.bool_:
        np.testing.assert_array_equal(actual, expected)
    else:
        wide, reference = actual.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(wide, reference, rtol=tolerance, atol=tolerance, equal_nan=True)
