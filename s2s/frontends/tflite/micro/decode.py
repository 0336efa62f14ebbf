"""Decode constants that TFLite-Micro's compressor has encoded: by a table, by Huffman's code, or without zero points.

The operator has pairs of operands: bits, the first one the highest of a byte, and a table. Byte 0 of a table says which
code it is, byte 1 is 1; parameters follow from byte 4, which is 1 as well, and the contents from byte 16. The constants
are decoded while the model is read, so that the network has the plain ones.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.tflite.micro.channels import channels_of
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.records import TensorInfo
from s2s.types.dtypes import Array

_HEADER = 16
_BY_TABLE, _BY_HUFFMAN, _PRUNED = range(3)
_DEEPEST = 16
"""The most tables that lead to a symbol."""
_KINDS = ("BOOL", "FLOAT32", "INT8", "INT16", "INT32", "INT64")


def _decode(node: Node) -> list[Value]:
    """Constants that were encoded by a table of values, by Huffman's code, or without their zero points."""
    if node.input_count != 2 * node.output_count:
        raise node.invalid(f"decodes {node.output_count} constants of {node.input_count} operands", "give two for each")
    return [_one(node, position) for position in range(node.output_count)]


def _one(node: Node, position: int) -> Value:
    y = node.output_type(position)
    encoded = node.known(2 * position, "what is decoded").tobytes()
    table = node.known(2 * position + 1, "the table of a code").tobytes()
    code = _CODES.get(table[0]) if len(table) >= _HEADER else None
    if code is None:
        raise node.unsupported(
            "its code is of a kind of the application's own", "encode by a table, Huffman or pruning"
        )
    if table[1] != 1 or table[4] != 1:
        raise node.unsupported(f"its code has version {table[1]}.{table[4]}", "encode with version 1")
    if y.kind not in _KINDS or y.open_shape:
        raise node.unsupported(f"decodes {y.kind.lower()} of shape {list(y.shape)}", f"use {', '.join(_KINDS).lower()}")
    node.require_small(prod(y.shape), "what it decodes")
    try:
        values = code(y, np.unpackbits(np.frombuffer(encoded, np.uint8)), table)
    except (IndexError, ValueError):
        raise node.invalid("its bits lead out of its table", "convert the model again") from None
    return node.builder.constant(values.astype(y.dtype).reshape(y.shape), f"{node.name}_{position}")


def _by_table(y: TensorInfo, bits: Array, table: bytes) -> Array:
    """Indices of as many bits each; a channel has a table of its own, `stride` values behind the table of the last
    one."""
    width, stride, count = table[5] & 7, table[6], prod(y.shape)
    if width == 0:
        raise ValueError("indices of no bits")
    numbers = bits[: count * width].reshape(count, width).astype(np.int64) @ (1 << np.arange(width)[::-1])
    return _values(y, table)[numbers + stride * channels_of(y)[0]]


def _pruned(y: TensorInfo, bits: Array, table: bytes) -> Array:
    """One bit for each element: the next value of the table, or the zero point of the channel."""
    count = prod(y.shape)
    kept = bits[:count].astype(np.bool_)
    points = np.zeros(1, np.int64) if y.quant is None else y.quant.zero_point
    values = points[channels_of(y)[0] if len(points) > 1 else np.zeros(count, np.int64)].astype(y.dtype)
    if kept.size != count:
        raise ValueError("too few bits")
    values[kept] = _values(y, table)[np.arange(np.count_nonzero(kept))]
    return values


def _values(y: TensorInfo, table: bytes) -> Array:
    stored = np.dtype(np.uint8) if y.dtype == np.bool_ else y.dtype.newbyteorder("<")
    count = (len(table) - _HEADER) // stored.itemsize
    return np.frombuffer(table, stored, count, _HEADER).astype(y.dtype)


def _by_huffman(y: TensorInfo, bits: Array, table: bytes) -> Array:
    """Code words by tables of tables. An entry has a flag, a number of bits, and a value.

    With the flag, the value is a symbol, of which the last bits read belong to it in that number; else as many bits and
    one more are an index to the table that lies `value` entries ahead.
    """
    wide = bool(table[5] & 1)
    if not wide and y.dtype != np.int8:
        raise ValueError("a table of 16 bits for other symbols than int8")
    entries = np.frombuffer(table, "<u4" if wide else "<u2", (len(table) - _HEADER) // (4 if wide else 2), _HEADER)
    word, first = (32 if wide else 16), (table[5] >> 4) + 1
    text, found, at = bits.tolist(), np.empty(prod(y.shape), np.int64), 0
    for number in range(found.size):
        used, at = first, at + first
        place = _index(text, at, used)
        entry = int(entries[place])
        for _ in range(_DEEPEST):
            if entry >> (word - 1):
                break
            used = (entry >> (word - 5) & 15) + 1
            at += used
            place += (entry & ((1 << (word - 5)) - 1)) + _index(text, at, used)
            entry = int(entries[place])
        own = entry >> (word - 5) & 15
        if own == 0 or at - used > len(text):
            raise ValueError("a symbol without bits, or too few bits")
        at -= max(0, used - own)
        found[number] = entry & ((1 << (word - 5)) - 1)
    return found.astype(y.dtype)


def _index(bits: Sequence[int], end: int, count: int) -> int:
    """The number that the `count` bits before `end` are; zeros follow the last one."""
    found = 0
    for place in range(end - count, end):
        found = 2 * found + (bits[place] if place < len(bits) else 0)
    return found


_CODES: Mapping[int, Callable[[TensorInfo, Array, bytes], Array]] = {
    _BY_TABLE: _by_table,
    _BY_HUFFMAN: _by_huffman,
    _PRUNED: _pruned,
}

IMPORTERS: Mapping[str, Importer] = {"TFLM_DECODE": _decode}
