"""Import STABLEHLO_RNG_BIT_GENERATOR: random bits by Philox4x32-10 or Threefry2x32-20, with LiteRT's bits.

The state is an operand of two or three 64-bit numbers: the key, the number of the first block, and for Philox the upper
half of its counter, which is the key where it is left out. A result is the state after the last block.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, concat, reshape, take, unsqueeze
from s2s.frontends.philox import philox
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import from_numpy

_WORD, _WIDE = np.dtype(np.uint32), np.dtype(np.uint64)
_KINDS = ("int32", "int64", "uint32", "uint64")
_DEFAULT, _PHILOX, _THREEFRY = range(3)
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_GROUPS = 5
"""Groups of four rounds of Threefry, each followed by an addition of the key."""


def _bit_generator(node: Node) -> Sequence[Value]:
    """Bits in the order of the words that the generator makes, and the state after them."""
    state, algorithm, out = node.input(0).value, int(node.options.Algorithm()), node.output_type(1)
    sizes = ((2,),) if algorithm == _THREEFRY else ((2,), (3,))
    if algorithm not in (_DEFAULT, _PHILOX, _THREEFRY) or state.dtype != _WIDE or state.shape not in sizes:
        raise node.invalid(f"its algorithm {algorithm} has the state {state.type}", "give 2 numbers of uint64")
    if out.dtype.name not in _KINDS:
        raise node.unsupported(f"gives {out.dtype}", f"use one of {', '.join(_KINDS)}")
    shape = node.shape(out.shape)
    count = prod(shape) * out.dtype.itemsize // _WORD.itemsize
    blocks = -(-count // (2 if algorithm == _THREEFRY else 4))
    if blocks == 0:
        return [state, node.constant(np.zeros(shape), out.dtype)]
    parts = [take(state, 0, place, 1) for place in range(state.shape[0])]
    number = parts[1]
    place = number + cast(node.builder.append(graph.IotaOp(from_numpy(_WORD), [blocks], axis=0))[0], _WIDE)
    key = _words(parts[0], blocks)
    if algorithm == _THREEFRY:
        words: Sequence[Value] = _threefry(_words(place, blocks), key)
    else:
        words = philox((*_words(place, blocks), *(_words(parts[2], blocks) if len(parts) == 3 else key)), key)
    numbers = concat([unsqueeze(word, [1]) for word in words], 1)
    bits = take(reshape(numbers, [prod(numbers.shape)]), 0, 0, count)
    after = concat([parts[0], number + blocks, *parts[2:]], 0)
    return [after, reshape(_of_kind(bits, out.dtype), shape)]


def _words(number: Value, count: int) -> tuple[Value, Value]:
    """The lower and the upper half of 64-bit numbers, `count` times where it is one."""
    halves = cast(number, _WORD), cast(emit(graph.ShiftRightOp, number, number.like(32)), _WORD)
    low, high = (broadcast_to(half, [count]) for half in halves)
    return low, high


def _threefry(counter: tuple[Value, Value], key: tuple[Value, Value]) -> tuple[Value, Value]:
    """Two words for each counter (Salmon et al., 2011)."""
    keys = *key, _xor(_xor(*key), key[0].like(_PARITY))
    a, b = counter[0] + keys[0], counter[1] + keys[1]
    for group in range(_GROUPS):
        for count in _ROTATIONS[group % 2]:
            a = a + b
            left, right = emit(graph.ShiftLeftOp, b, b.like(count)), emit(graph.ShiftRightOp, b, b.like(32 - count))
            b = _xor(emit(graph.BitwiseOrOp, left, right), a)
        a, b = a + keys[(group + 1) % 3], b + keys[(group + 2) % 3] + (group + 1)
    return a, b


def _xor(a: Value, b: Value) -> Value:
    return emit(graph.BitwiseXorOp, a, b)


def _of_kind(words: Value, dtype: np.dtype[np.generic]) -> Value:
    """Words as integers of 32 or 64 bits, the lower word of these first."""
    if dtype.itemsize == _WIDE.itemsize:
        pairs = reshape(words, [words.shape[0] // 2, 2])
        low, high = (cast(reshape(take(pairs, 1, half, 1), [pairs.shape[0]]), _WIDE) for half in (0, 1))
        words = emit(graph.BitwiseOrOp, low, emit(graph.ShiftLeftOp, high, high.like(32)))
    return words if words.dtype == dtype else emit(graph.BitcastOp, words, element_type=from_numpy(dtype))


IMPORTERS: Mapping[str, Importer] = {"STABLEHLO_RNG_BIT_GENERATOR": _bit_generator}
