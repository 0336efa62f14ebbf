"""Runs models of one ONNX node through the frontend and through ONNX's reference, and compares."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from s2s.frontends.onnx import Imported, import_model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.reference import assert_close
from support.threads import one_thread


@dataclass(frozen=True)
class Known:
    """An operand that is an initializer of the model."""

    array: Array


def known(values: object, dtype: type[np.generic] = np.int64) -> Known:
    """`values` as an initializer."""
    return Known(np.asarray(values, dtype))


def floats(*shape: int, seed: int = 0, low: float = -2, high: float = 2, dtype: type[np.generic] = np.float32) -> Array:
    """Random numbers of `shape`, the same in every run."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


@dataclass(frozen=True)
class NodeCase:
    """One node: its operands (None: left out; `Known`: an initializer), attributes, and the opset it is of."""

    kind: str
    operands: Sequence[Array | Known | None]
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    opset: int = 21
    outputs: int = 1
    tolerance: float = 1e-5
    expected: Sequence[Array] | None = None
    """Given where no implementation runs this version of the operator."""
    by_runtime: bool = False
    """Compare with onnxruntime, where ONNX's reference implementation deviates from the text of the standard."""

    def model(self) -> onnx.ModelProto:
        """The model of this node."""
        names = ["" if operand is None else f"x{number}" for number, operand in enumerate(self.operands)]
        results = [f"y{number}" for number in range(self.outputs)]
        node = helper.make_node(self.kind, names, results, name="node", **self.attributes)
        named = list(zip(names, self.operands, strict=True))
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(operand.dtype), operand.shape)
            for name, operand in named
            if isinstance(operand, np.ndarray)
        ]
        constants = [numpy_helper.from_array(x.array, name) for name, x in named if isinstance(x, Known)]
        graph = helper.make_graph(
            [node], "one", inputs, [onnx.ValueInfoProto(name=name) for name in results], constants
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)

    def inputs(self) -> list[Array]:
        """The arrays the network is run with."""
        return [operand for operand in self.operands if isinstance(operand, np.ndarray)]


def run_imported(imported: Imported, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of an imported network, by the numpy meaning of its operations."""
    with np.errstate(all="ignore"):
        return run_graph(imported.module, inputs, imported.weights)


def free_inputs(model: onnx.ModelProto) -> list[str]:
    """Names of the inputs that have no initializer."""
    given = {tensor.name for tensor in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in given]


def run_reference(model: onnx.ModelProto, inputs: Sequence[Array]) -> list[Array]:
    """The outputs by ONNX's reference implementation."""
    evaluator: Any = ReferenceEvaluator(model)
    with np.errstate(all="ignore"):
        found: Sequence[Array] = evaluator.run(None, dict(zip(free_inputs(model), inputs, strict=True)))
    return [np.asarray(value) for value in found]


def run_onnxruntime(model: onnx.ModelProto, inputs: Sequence[Array]) -> list[Array]:
    """The outputs by onnxruntime, with all optimisations off."""
    runtime: Any = onnxruntime
    options = one_thread()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    unsigned = with_unsigned_weights(model).SerializeToString()
    session = runtime.InferenceSession(unsigned, options, providers=["CPUExecutionProvider"])
    found: Sequence[Array] = session.run(None, dict(zip(free_inputs(model), inputs, strict=True)))
    return [np.asarray(value) for value in found]


def check(case: NodeCase) -> None:
    """Import the node, run it, and compare with the reference."""
    model, inputs = case.model(), case.inputs()
    oracle = run_onnxruntime if case.by_runtime else run_reference
    expected = case.expected if case.expected is not None else oracle(model, inputs)
    found = run_imported(import_model(model), inputs)
    assert len(found) == len(expected)
    for actual, wanted in zip(found, expected, strict=True):
        assert_close(actual, wanted, case.tolerance)
