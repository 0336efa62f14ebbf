"""Import LSH_PROJECTION of numbers: bits of a hash that is likely to be alike for inputs that are alike.

Each row of the input is hashed with each seed, and a bit says whether the (weighted) sum of the hashes is positive.
"""

from collections.abc import Mapping
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, greater, reshape, take
from s2s.frontends.tflite.fingerprint import Key, fingerprint
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import from_numpy

_SPARSE, _DENSE = 1, 2
_FLOAT, _DOUBLE, _INT32, _INT64 = (np.dtype(kind) for kind in (np.float32, np.float64, np.int32, np.int64))
_MAX_BITS, _MAX_BYTES = 31, 1024
"""Of a sparse hash, whose places LiteRT counts in 32 bits with a sign; and of a row, whose hash is one formula."""


def _lsh_projection(node: Node) -> Value:
    """A bit for each seed, or one number for the bits of each row of seeds."""
    seeds, x = node.input(0), node.input(1)
    weights = node.optional(2)
    kind = int(node.options.Type())
    if kind not in (_SPARSE, _DENSE):
        raise node.invalid(f"its type is {kind}", f"use SPARSE ({_SPARSE}) or DENSE ({_DENSE})")
    if seeds.dtype != _FLOAT or seeds.rank != 2 or x.rank < 1 or 0 in (*seeds.shape, *x.shape):
        raise node.invalid(f"has seeds {seeds.value.type} and input {x.value.type}", "give float32 seeds of rank 2")
    count, bits = seeds.shape
    if bits > _MAX_BITS + (kind == _DENSE):
        raise node.unsupported(f"makes {bits} bits of a row of seeds", f"use at most {_MAX_BITS}")
    rows = x.shape[0]
    if weights is not None and (weights.dtype != _FLOAT or weights.shape != (rows,)):
        raise node.invalid(f"has weights {weights.value.type} for {rows} rows", "give a float32 number for each row")
    hashes = fingerprint(_keys(node, seeds.value, x.value))
    signed = cast(emit(graph.BitcastOp, hashes, element_type=from_numpy(_INT64)), _DOUBLE)
    if weights is not None:
        signed = signed * reshape(cast(weights.value, _DOUBLE), [1, rows])
    score = emit(graph.ReduceSumOp, signed, axes=[1], keepdims=False)
    positive = cast(greater(score, 0), _INT32)
    if kind == _DENSE:
        return positive
    powers = node.constant((1 << np.arange(bits - 1, -1, -1)).reshape(1, bits), _INT32)
    number = emit(graph.ReduceSumOp, reshape(positive, [count, bits]) * powers, axes=[1], keepdims=False)
    first = (np.arange(count, dtype=np.int64) << bits).astype(np.int32)
    return number + node.constant(first)


def _keys(node: Node, seeds: Value, x: Value) -> Key:
    """The bytes of each seed, followed by the bytes of each row: `[seeds, rows]` strings."""
    rows, size = x.shape[0], prod(x.shape[1:])
    if size * x.dtype.itemsize > _MAX_BYTES:
        raise node.unsupported(f"hashes rows of {size * x.dtype.itemsize} bytes", f"use at most {_MAX_BYTES}")
    matrix = _unsigned(reshape(x, [rows, size]))
    parts = [reshape(take(matrix, 1, place, 1), [1, rows]) for place in range(size)]
    return Key([reshape(_unsigned(seeds), [prod(seeds.shape), 1]), *parts])


def _unsigned(x: Value) -> Value:
    """The bits of each number, as an unsigned one."""
    if x.is_bool:
        return cast(x, np.dtype(np.uint8))
    wanted = np.dtype(f"u{x.dtype.itemsize}")
    return x if x.dtype == wanted else emit(graph.BitcastOp, x, element_type=from_numpy(wanted))


IMPORTERS: Mapping[str, Importer] = {"LSH_PROJECTION": _lsh_projection}
