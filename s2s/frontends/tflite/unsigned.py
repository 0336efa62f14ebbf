"""Import operators on `uint8`, as early converters wrote them, as operators on `int8` with values 128 lower.

What these operators compute depends on their numbers less the zero points, so that nothing else changes. Others round
the stored numbers themselves (a mean, a resized image), and have no `uint8` here.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.records import Quant, TensorInfo
from s2s.frontends.tflite.tensors import Tensor

_HIGHEST_BIT = -128
SHIFTED = frozenset(
    (
        *("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "LEAKY_RELU", "PRELU", "RELU", "RELU6", "HARD_SWISH"),
        *("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "ELU", "LOGISTIC", "TANH"),
        *("SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION", "ARG_MAX", "ARG_MIN", "REDUCE_MAX", "REDUCE_MIN", "SUM"),
        *("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "MAX_POOL_2D"),
    )
)
"""The operators that have this."""


def with_unsigned(importers: Mapping[str, Importer]) -> Mapping[str, Importer]:
    """Extend `importers`by importers that can handle quantised `uint8` where they take `int8`."""
    return {name: _with_unsigned(each) if name in SHIFTED else each for name, each in importers.items()}


def _with_unsigned(importer: Importer) -> Importer:
    def run_lowered(node: Node) -> Value | list[Value]:
        tensors, outputs = list(node.graph.tensors), node.info.outputs
        operands = [None if operand is None else _lowered(operand) for operand in node.operands]
        for index in outputs:
            tensors[index] = _signed(tensors[index])
        results = importer(node._replace(operands=operands, graph=replace(node.graph, tensors=tuple(tensors))))
        given = [results] if isinstance(results, Value) else results
        pairs = zip(given, outputs, strict=True)
        return [raised(value) if _is_unsigned(node.graph.tensors[index]) else value for value, index in pairs]

    def choose(node: Node) -> Value | list[Value] | tuple[Value, ...]:
        infos = [operand.info for operand in node.operands if operand is not None]
        infos += [node.graph.tensors[index] for index in node.info.outputs]
        if any(map(_is_unsigned, infos)):
            return run_lowered(node)
        results = importer(node)
        return results if isinstance(results, Value) else list(results)

    return choose


def _is_unsigned(info: TensorInfo) -> bool:
    return info.kind == "UINT8" and info.quant is not None


def _signed(info: TensorInfo) -> TensorInfo:
    """Return the tensor with values of `int8`; its declared kind stays."""
    if info.quant is None or not _is_unsigned(info):
        return info
    quant = Quant(info.quant.scale, info.quant.zero_point - 128, info.quant.axis)
    return replace(info, dtype=np.dtype(np.int8), quant=quant)


def _lowered(x: Tensor) -> Tensor:
    if not _is_unsigned(x.info):
        return x
    return Tensor(lowered(x.value), _signed(x.info))


def lowered(x: Value) -> Value:
    """Numbers of `uint8` less 128, as `int8`."""
    bits = cast(x, np.dtype(np.int8))
    return emit(graph.BitwiseXorOp, bits, bits.like(_HIGHEST_BIT))


def raised(y: Value) -> Value:
    """Numbers of `int8` plus 128, as `uint8`."""
    return cast(emit(graph.BitwiseXorOp, y, y.like(_HIGHEST_BIT)), np.dtype(np.uint8))
