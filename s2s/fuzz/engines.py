"""Run one ONNX node by another engine: onnxruntime, or the reference evaluator of the onnx package."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import ml_dtypes
import numpy as np
import onnx
from onnx import helper

from s2s.errors import InputError
from s2s.fuzz.arrays import ALL
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import WEIGHTS

Run = Callable[[Sequence[Array]], list[Array]]
"""The outputs of a node for its operands; omitted operands are not passed."""

EngineName = Literal["onnxruntime", "onnxruntime in float32", "reference"]
ENGINES: tuple[EngineName, ...] = ("onnxruntime", "onnxruntime in float32", "reference")
"""By default the first engine that takes a node computes it: of floats of 16 bits, onnxruntime lacks many."""
NAMING_TYPES = frozenset(["BitCast", "Cast", "CastLike", "EyeLike", "QuantizeLinear", "DequantizeLinear"])
"""Operators that say what the element type of their result is."""
NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
IR_VERSION = 10
FIRST_OPSET = 18
"""The least opset in which a node is computed."""


def node_model(node: onnx.NodeProto, opsets: Mapping[str, int], operands: Mapping[str, Array]) -> onnx.ModelProto:
    """The model of one node, whose inputs are `operands` by name."""
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in operands.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], "node", inputs, outputs)
    versions = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(graph, opset_imports=versions, ir_version=IR_VERSION)


def run_node(
    node: onnx.NodeProto,
    opsets: Mapping[str, int],
    runs: Sequence[Mapping[str, Array]],
    engines: Sequence[EngineName] = ENGINES,
) -> tuple[EngineName, list[list[Array]]]:
    """The first engine that takes a node, and the outputs for each of `runs`, the operands by name."""
    model = node_model(node, {**opsets, "": _earliest(node, opsets[""])}, runs[0])
    reasons: list[str] = []
    for name in ("reference",) if _is_packed(node, runs[0]) else engines:
        try:
            with np.errstate(all="ignore"):
                return name, [list(map(np.asarray, found)) for found in _ENGINES[name](model, runs)]
        except Exception as error:
            reasons.append(f"{name} ({str(error).strip().splitlines()[0] if str(error).strip() else type(error)})")
    raise InputError(f"{node.name or node.op_type}: no engine computes it: {', '.join(reasons)}; leave it out")


def _is_packed(node: onnx.NodeProto, operands: Mapping[str, Array]) -> bool:
    """Return whether a node takes or gives a type that numpy lacks, which onnxruntime hands over as bytes."""
    given = [each.i for each in node.attribute if each.name == "to" and node.op_type == "Cast"]
    types = [*map(helper.tensor_dtype_to_np_dtype, given), *(value.dtype for value in operands.values())]
    return any(each not in ALL for each in types)


def _earliest(node: onnx.NodeProto, opset: int) -> int:
    """The first opset, from `FIRST_OPSET` on, that defines all operators of a node as `opset` does.

    Engines that do not know `opset` yet compute what has not changed since.
    """
    inner = [_earliest(each, opset) for attribute in node.attribute for each in attribute.g.node]
    known = not node.domain and onnx.defs.has(node.op_type, opset, "")
    own = onnx.defs.get_schema(node.op_type, opset, "").since_version if known else FIRST_OPSET
    return min(max(own, FIRST_OPSET, *inner), opset)


def _onnxruntime(model: onnx.ModelProto, runs: Sequence[Mapping[str, Array]]) -> list[list[Any]]:
    runtime: Any = importlib.import_module("onnxruntime")
    model, runs = _with_unsigned_weights(model, runs)
    session = runtime.InferenceSession(model.SerializeToString(), _options(), providers=["CPUExecutionProvider"])
    return [session.run(None, {name: np.asarray(value, order="C") for name, value in each.items()}) for each in runs]


def _with_unsigned_weights(
    model: onnx.ModelProto, runs: Sequence[Mapping[str, Array]]
) -> tuple[onnx.ModelProto, Sequence[Mapping[str, Array]]]:
    """Return the model of a node with weights and zero points of uint8 in place of int8 beside activations of uint8,
    whose products onnxruntime saturates without VNNI."""
    [node] = model.graph.node
    signed: set[str] = set()
    for places in WEIGHTS.get(node.op_type, ()):
        names = [node.input[place] if place < len(node.input) else "" for place in places]
        types = [runs[0][name].dtype if name else None for name in names]
        signed |= set(names[1:]) if types == [np.uint8, np.int8, np.int8] else set()
    if not signed:
        return model, runs
    unsigned = [
        {name: (each.astype(np.int16) + 128).astype(np.uint8) if name in signed else each for name, each in run.items()}
        for run in runs
    ]
    return node_model(node, {each.domain: each.version for each in model.opset_import}, unsigned[0]), unsigned


@cache
def _options() -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def _in_float32(model: onnx.ModelProto, runs: Sequence[Mapping[str, Array]]) -> list[list[Any]]:
    """Compute on floats of 32 bits what has 16, and round the results."""
    [node] = model.graph.node
    narrow = {value.dtype for value in runs[0].values() if value.dtype in NARROW}
    if node.op_type in NAMING_TYPES or len(narrow) != 1:
        raise InputError(f"{node.op_type}: has no operands of 16 bits to widen; use another engine")
    [dtype] = narrow
    wide = [
        {name: value.astype(np.float32) if value.dtype == dtype else value for name, value in each.items()}
        for each in runs
    ]
    opsets = {each.domain: each.version for each in model.opset_import}
    found = _onnxruntime(node_model(node, opsets, wide[0]), wide)
    return [[value.astype(dtype) if value.dtype == np.float32 else value for value in each] for each in found]


def _reference(model: onnx.ModelProto, runs: Sequence[Mapping[str, Array]]) -> list[list[Any]]:
    from onnx.reference import ReferenceEvaluator

    evaluator: Any = ReferenceEvaluator(model)
    [node] = model.graph.node
    opsets = {each.domain: each.version for each in model.opset_import}
    schema = onnx.defs.get_schema(node.op_type, opsets[node.domain], node.domain)
    results: list[list[Any]] = []
    for each in runs:
        found = [np.asarray(value) for value in evaluator.run(None, dict(each))]
        if node.input and schema.outputs[0].type_str == schema.inputs[0].type_str:
            found[0] = found[0].astype(each[node.input[0]].dtype)  # numpy sums 32 bits in 64
        results.append(found)
    return results


_ENGINES: Mapping[EngineName, Callable[[onnx.ModelProto, Sequence[Mapping[str, Array]]], list[list[Any]]]] = {
    "onnxruntime": _onnxruntime,
    "onnxruntime in float32": _in_float32,
    "reference": _reference,
}
