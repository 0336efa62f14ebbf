"""Read a TFLite file of one graph back into the description that `writer` writes."""

from collections import Counter
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from s2s.frontends.tflite.read import read_model
from s2s.frontends.tflite.records import ModelInfo, OperatorInfo, Subgraph, TensorInfo
from s2s.frontends.tflite.schema import PACKED_BITS, fields_of, options_class
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec
from s2s.types.dtypes import Array


def read_graph(data: bytes) -> GraphSpec:
    """The first graph of a file."""
    info = read_model(data, "model")
    graph = _with_unique_names(info.subgraphs[0])
    tensors = [_tensor(info, entry) for entry in graph.tensors]
    inputs, outputs = ([tensors[index].name for index in entry] for entry in (graph.inputs, graph.outputs))
    return GraphSpec(tensors, [_operator(graph, entry) for entry in graph.operators], inputs, outputs, graph.name)


def _with_unique_names(graph: Subgraph) -> Subgraph:
    """The graph whose tensors have names that differ: a file tells tensors by their numbers."""
    counts = Counter(tensor.name for tensor in graph.tensors)
    tensors = [
        replace(tensor, name=f"{tensor.name or 'tensor'}_{place}")
        if counts[tensor.name] > 1 or not tensor.name
        else tensor
        for place, tensor in enumerate(graph.tensors)
    ]
    return replace(graph, tensors=tuple(tensors))


def _tensor(info: ModelInfo, tensor: TensorInfo) -> TensorSpec:
    stored = info.buffers[tensor.buffer]
    data = _numbers(np.frombuffer(stored, np.uint8), tensor) if len(stored) else None
    quant = tensor.quant
    if quant is None:
        return TensorSpec(tensor.name, tensor.shape, tensor.kind, data, is_variable=tensor.is_variable)
    return TensorSpec(
        tensor.name,
        tensor.shape,
        tensor.kind,
        data,
        quant.scale,
        quant.zero_point,
        quant.axis,
        is_variable=tensor.is_variable,
    )


def _numbers(stored: Array, tensor: TensorInfo) -> Array:
    """A constant; of two and four bits the lowest of a byte come first."""
    bits = PACKED_BITS.get(tensor.kind)
    if bits is None:
        return stored.view(tensor.dtype).reshape(tensor.shape)
    codes = (stored[:, None] >> np.arange(0, 8, bits, dtype=np.uint8)).reshape(-1)[: prod(tensor.shape)]
    shifted = (codes << (8 - bits)).astype(np.uint8).view(tensor.dtype)
    return (shifted >> (8 - bits)).reshape(tensor.shape)


def _operator(graph: Subgraph, operator: OperatorInfo) -> OperatorSpec:
    def names(places: tuple[int, ...]) -> list[str]:
        return [graph.tensors[place].name if place >= 0 else "" for place in places]

    options = (options_class(operator.builtin) or "") if operator.options is not None else ""
    return OperatorSpec(
        operator.builtin,
        names(operator.inputs),
        names(operator.outputs),
        options,
        _fields(operator.options, options) if options else {},
        operator.custom,
        operator.custom_options,
        names(operator.intermediates),
        operator.version,
    )


def _fields(options: Any, name: str) -> dict[str, Any]:
    """The fields of a table of options, by their names in lower case."""
    fields: dict[str, Any] = {}
    for accessor in fields_of(name):
        key = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in accessor).lstrip("_")
        if hasattr(options, f"{accessor}AsNumpy"):
            if getattr(options, f"{accessor}Length")():
                fields[key] = np.asarray(getattr(options, f"{accessor}AsNumpy")())
        else:
            fields[key] = getattr(options, accessor)()
    return fields
