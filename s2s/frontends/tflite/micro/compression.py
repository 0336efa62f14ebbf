"""Decompress the constants of a model of TFLite-Micro whose metadata say that they are indices into tables of values.

The buffer that the model's metadata calls `COMPRESSION_METADATA` is a flatbuffer of its own: for each sub-graph a list
of tensors, each with the buffer of its values and the bits of an index. The tensor's own buffer holds the indices, the
first one in the highest bits of a byte. A tensor with a scale for each channel has a table for each, one behind the
other. The constants are decompressed while the model is read, so that the network has the plain ones;
`loop-encode-constants` finds those of few values again, in the layout that their kernel takes.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite.micro.channels import channels_of
from s2s.frontends.tflite.read import COMPRESSION, intact
from s2s.frontends.tflite.records import ModelInfo, TensorInfo
from s2s.support import progress

VERSION = 1
KINDS = ("BOOL", "FLOAT32", "INT8", "INT16", "INT32", "INT64")
MAX_BITS = 7
_PLACE = f"metadata {COMPRESSION}"


class Compressed(NamedTuple):
    """A tensor whose buffer holds indices."""

    subgraph: int
    tensor: int
    values: int
    """The buffer of the tables."""
    bits: int


def decompressed(model: ModelInfo) -> ModelInfo:
    """Return `model` with the values of all constants in buffers; `model` itself if none is compressed."""
    if model.compression is None:
        return model
    if not 0 <= model.compression < len(model.buffers):
        raise InputError(f"{_PLACE}: buffer {model.compression} of {len(model.buffers)}; export the model again")
    with intact(_PLACE):
        found = list(_compressed(bytes(model.buffers[model.compression])))
    buffers, graphs = list(model.buffers), [list(graph.tensors) for graph in model.subgraphs]
    stored = 0
    for each in found:
        if each.subgraph >= len(graphs) or not 0 <= each.tensor < len(graphs[each.subgraph]):
            raise InputError(f"{_PLACE}: sub-graph {each.subgraph} has no tensor {each.tensor}; export the model again")
        tensor = graphs[each.subgraph][each.tensor]
        if max(tensor.buffer, each.values) >= len(model.buffers):
            raise InputError(f"{_PLACE}: buffer {each.values} of {len(model.buffers)}; export the model again")
        indices, values = (bytes(model.buffers[number]) for number in (tensor.buffer, each.values))
        stored += len(indices) + len(values)
        graphs[each.subgraph][each.tensor] = replace(tensor, buffer=len(buffers))
        buffers.append(_looked_up(tensor, indices, values, each.bits))
    plain = sum(map(len, buffers[len(model.buffers) :]))
    progress.step(f"decompressing {len(found)} constants of {stored:,} bytes to {plain:,}")
    changed = (replace(graph, tensors=tuple(new)) for graph, new in zip(model.subgraphs, graphs, strict=True))
    return replace(model, buffers=tuple(buffers), subgraphs=tuple(changed))


def _looked_up(tensor: TensorInfo, indices: bytes, values: bytes, bits: int) -> bytes:
    """Return the bytes of a tensor of which `indices` are given and the tables of values."""
    if tensor.kind not in KINDS or tensor.open_shape or any(size < 0 for size in tensor.shape):
        fact = f"{tensor.kind.lower()} of shape {list(tensor.shape)} is compressed"
        raise UnsupportedError(f"{tensor.place}: {fact}; compress constants of {', '.join(KINDS).lower()}")
    if not 1 <= bits <= MAX_BITS:
        raise InputError(f"{tensor.place}: indices of {bits} bits, 1 to {MAX_BITS} expected; compress the model again")
    count, size = prod(tensor.shape), tensor.dtype.itemsize
    if len(indices) * 8 < count * bits:
        raise InputError(f"{tensor.place}: {len(indices)} bytes hold no {count} indices of {bits} bits; compress again")
    try:
        channels, tables = channels_of(tensor)
    except ValueError as error:
        raise UnsupportedError(f"{tensor.place}: has {error}; compress it by channels or not at all") from None
    if len(values) % (size * tables):
        raise InputError(f"{tensor.place}: {len(values)} bytes of values are no {tables} tables; compress again")
    stride = len(values) // size // tables
    each = np.unpackbits(np.frombuffer(indices, np.uint8), count=count * bits).reshape(count, bits)
    numbers = each.astype(np.int64) @ (1 << np.arange(bits)[::-1])
    if count and int(numbers.max()) >= stride:
        raise InputError(f"{tensor.place}: index {int(numbers.max())} of {stride} values; compress the model again")
    table = np.frombuffer(values, np.uint8).reshape(-1, size)
    return table[numbers + stride * channels].tobytes()


def _compressed(data: bytes) -> Iterator[Compressed]:
    root = _Table(data, _number(data, "<I", 0))
    version = root.number(0, "<I", 1)
    if version > VERSION:
        raise UnsupportedError(f"{_PLACE}: has version {version}; compress the model with version {VERSION}")
    for subgraph, graph in enumerate(root.tables(1)):
        for tensor in graph.tables(0):
            yield Compressed(subgraph, tensor.number(0, "<i", 0), tensor.number(1, "<I", 0), tensor.number(2, "<B", 0))


class _Table:
    """A table of a flatbuffer, whose fields have numbers."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._fields = at - _number(data, "<i", at)
        self._length = _number(data, "<H", self._fields)

    def _place(self, field: int) -> int:
        """Return where a field is stored; 0 if it is not."""
        entry = 4 + 2 * field
        offset = _number(self._data, "<H", self._fields + entry) if entry + 2 <= self._length else 0
        return self._at + offset if offset else 0

    def number(self, field: int, format: str, default: int) -> int:
        """Return a number, which is left out where it is the default."""
        place = self._place(field)
        return _number(self._data, format, place) if place else default

    def tables(self, field: int) -> Sequence["_Table"]:
        """Return the tables of a vector."""
        place = self._place(field)
        if not place:
            return []
        start = place + _number(self._data, "<I", place)
        count = _number(self._data, "<I", start)
        if count > len(self._data):
            raise ValueError("a vector longer than the file")
        places = [start + 4 + 4 * number for number in range(count)]
        return [_Table(self._data, each + _number(self._data, "<I", each)) for each in places]


def _number(data: bytes, format: str, at: int) -> int:
    if at < 0:
        raise ValueError("an offset out of the file")
    return int(struct.unpack_from(format, data, at)[0])
