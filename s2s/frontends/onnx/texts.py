"""Texts as numbers, as the labels of classifiers are that were trained with names.

A tensor of texts is a tensor of i64 and a list of texts which its elements number: `["b", "a", "b"]` is `[0, 1, 0]` of
`("b", "a")`. Operators that move elements move the numbers. Nothing computes texts: they are known while the model is
read, and a caller finds those of an output in the header.
"""

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
from onnx import NodeProto, TensorProto

from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, checked_shape
from s2s.frontends.onnx.names import place
from s2s.types.dtypes import Array

MOVING = frozenset(
    [
        "ArrayFeatureExtractor",
        "Compress",
        "Concat",
        "Expand",
        "Flatten",
        "Gather",
        "GatherElements",
        "GatherND",
        "Identity",
        "Reshape",
        "Slice",
        "Split",
        "Squeeze",
        "Tile",
        "Transpose",
        "Unsqueeze",
        "Where",
    ]
)
"""Operators that take texts and only move them."""
_NUMBER = np.dtype(np.int64)


def read_texts(tensor: TensorProto, where: str) -> Array:
    """The texts of a tensor of them, an array of Python's strings."""
    shape = checked_shape(tuple(tensor.dims), where)
    if len(tensor.string_data) != prod(shape):
        raise InputError(
            f"{where}: holds {len(tensor.string_data)} values, its shape {list(tensor.dims)} needs {prod(shape)}; "
            "export the model again"
        )
    return np.array(decoded(tensor.string_data), object).reshape(shape)


def decoded(texts: Iterable[bytes]) -> list[str]:
    """Texts as Python has them."""
    return [text.decode("utf-8", "replace") for text in texts]


def text_constant(builder: Builder, texts: Array, name: str = "") -> Value:
    """A constant of `texts`, which are numbered in the order in which they come."""
    words = [str(text) for text in texts.reshape(-1)]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    array = np.array([numbers[word] for word in words], _NUMBER).reshape(texts.shape)
    return numbering(builder.constant(array, name), tuple(numbers))


def numbering(value: Value, texts: tuple[str, ...] | None) -> Value:
    """The same tensor, whose elements number `texts`."""
    same = Value(value.builder, value.type, value.name, value.stored, value.ssa, value.kept)
    same.narrow, same.texts = value.narrow, texts
    return same


def picked(numbers: Value, texts: Sequence[str]) -> Value:
    """The texts at these places of a list, of which some may be equal."""
    different = tuple(dict.fromkeys(texts))
    if len(different) == len(texts):
        return numbering(cast(numbers, _NUMBER), different)
    table = numbers.builder.constant(np.array([different.index(text) for text in texts], _NUMBER))
    return numbering(emit(graph.GatherOp, table, numbers, axis=0), different)


def alike(node: NodeProto, values: Sequence[Value | None]) -> Sequence[Value | None]:
    """The operands of `node`, of which some are texts; they number the same ones."""
    if node.op_type not in MOVING:
        raise UnsupportedError(f"{place(node)}: an operand is text, which it does not move alone; use numbers")
    texts = tuple(dict.fromkeys(text for value in values if value is not None for text in value.texts or ()))
    return [value if value is None or value.texts in (None, texts) else _renumbered(value, texts) for value in values]


def _renumbered(value: Value, texts: tuple[str, ...]) -> Value:
    table = value.builder.constant(np.array([texts.index(text) for text in value.texts or ()], _NUMBER))
    return numbering(emit(graph.GatherOp, table, value, axis=0), texts)
