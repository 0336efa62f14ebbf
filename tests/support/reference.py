"""Compares the meaning of a graph operation with that of an ONNX operator."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from onnx import helper
from onnx.reference import ReferenceEvaluator

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.interpret.graph import evaluate
from s2s.types.dtypes import Array
from support.threads import one_thread

OPSET = 21


def run_operation(build: Callable[..., GraphOp], inputs: Sequence[Array]) -> Array:
    """Build an operation on constants, verify it and evaluate it."""
    op = build(*(graph.ConstantOp(value) for value in inputs))
    op.verify()
    return evaluate(op, inputs)[0]


def one_operator_model(kind: str, inputs: Sequence[Array], attributes: dict[str, Any], outputs: int) -> onnx.ModelProto:
    """A model of a single operator on inputs `x0, x1, …`."""
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(outputs)]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, inputs, strict=True)
    ]
    node = helper.make_node(kind, names, results, **attributes)
    body = helper.make_graph([node], "one", infos, [onnx.ValueInfoProto(name=name) for name in results])
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def run_onnx(kind: str, inputs: Sequence[Array], attributes: dict[str, Any], outputs: int = 1) -> list[Array]:
    """The outputs of one ONNX operator by ONNX's own reference implementation."""
    model = one_operator_model(kind, inputs, attributes, outputs)
    with np.errstate(all="ignore"):
        found: Any = ReferenceEvaluator(model).run(  # pyright: ignore[reportUnknownMemberType]
            None, {f"x{i}": value for i, value in enumerate(inputs)}
        )
    return [np.asarray(value) for value in found]


def run_onnxruntime(kind: str, inputs: Sequence[Array], attributes: dict[str, Any], outputs: int = 1) -> list[Array]:
    """The outputs of one ONNX operator by onnxruntime, for what ONNX's reference implementation gets wrong."""
    model = one_operator_model(kind, inputs, attributes, outputs)
    session = onnxruntime.InferenceSession(model.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"])
    found = session.run(None, {f"x{i}": value for i, value in enumerate(inputs)})  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return [np.asarray(value) for value in cast(Sequence[Array], found)]


def assert_close(actual: Array, expected: Array, tolerance: float = 1e-6) -> None:
    """Equal types, shapes and NaNs; floats within `tolerance`, relative and absolute; all else exactly."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if np.issubdtype(actual.dtype, np.integer) or actual.dtype == np.bool_:
        np.testing.assert_array_equal(actual, expected)
    else:
        wide, reference = actual.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(wide, reference, rtol=tolerance, atol=tolerance, equal_nan=True)
