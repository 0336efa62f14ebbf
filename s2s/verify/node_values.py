"""The values that another engine computes at the nodes of a model, with which the values of our levels are compared."""

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from onnx import ModelProto, ValueInfoProto

from s2s.frontends import onnx, tflite
from s2s.frontends.formats import LoadedModel
from s2s.frontends.onnx.names import label
from s2s.types.dtypes import Array
from s2s.verify.engines import ForeignEngine, open_engine

T = TypeVar("T")

NodeValues = Mapping[str, Array]
"""The result of each node with one, by the node's name in provenance."""


def node_values(engine: ForeignEngine, model: LoadedModel, inputs: Mapping[str, Array]) -> NodeValues:
    """Run `model` once by `engine`, and return what its nodes compute; nothing by engines that keep outputs only.

    Nodes that share a name are left out, as are those in bodies of control flow.
    """
    if isinstance(model, onnx.LoadedModel) and engine in ("onnxruntime", "reference"):
        return _of_onnx(engine, model, inputs)
    if isinstance(model, tflite.LoadedModel) and engine == "litert":
        return _of_litert(model, inputs)
    return {}


def _of_onnx(engine: ForeignEngine, model: onnx.LoadedModel, inputs: Mapping[str, Array]) -> NodeValues:
    """Make every node's result an output of the model, and run that."""
    results = _single([(label(node), [name for name in node.output if name]) for node in model.proto.graph.node])
    known = [output.name for output in model.proto.graph.output]
    more = [name for name in results.values() if name not in known]
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    proto.graph.output.extend(ValueInfoProto(name=name) for name in more)
    found = open_engine(engine, model._replace(proto=proto, is_specialised=True))(inputs)
    values = dict(zip([*known, *more], found, strict=True))
    return {node: values[name] for node, name in results.items() if _is_tensor(values[name])}


def _of_litert(model: tflite.LoadedModel, inputs: Mapping[str, Array]) -> NodeValues:
    """Run LiteRT's reference kernels on a memory plan in which no tensor overlaps another."""
    runtime: Any = importlib.import_module("ai_edge_litert.interpreter")
    graph = model.info.subgraphs[0]
    interpreter: Any = runtime.Interpreter(
        model_content=model.data,
        experimental_op_resolver_type=runtime.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    for place, array in zip(graph.inputs, inputs.values(), strict=True):
        interpreter.resize_tensor_input(place, array.shape)
    interpreter.allocate_tensors()
    for place, array in zip(graph.inputs, inputs.values(), strict=True):
        interpreter.set_tensor(place, array)
    interpreter.invoke()
    results = _single([(info.label, info.outputs) for info in graph.operators])
    return {node: np.array(interpreter.get_tensor(place)) for node, place in results.items()}


def _single(nodes: Sequence[tuple[str, Sequence[T]]]) -> dict[str, T]:
    """Return the result of each node that has one, and a name of its own."""
    count = Counter(name for name, _ in nodes)
    return {name: results[0] for name, results in nodes if len(results) == 1 and count[name] == 1}


def _is_tensor(value: object) -> bool:
    """Return whether a result is a tensor of numbers; it may be a sequence, or text."""
    return isinstance(value, np.ndarray) and np.dtype(cast(Any, value).dtype).kind in "biufV"
