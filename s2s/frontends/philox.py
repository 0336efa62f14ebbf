"""Random numbers by Philox4x32-10 (Salmon et al., 2011), a generator without state of its own.

It makes four words of 32 bits of a key and a counter. Here the key is the seed of an operator, and the counter the
number of a block of four and the number of the run: equal seeds give equal numbers in equal runs, on every machine.
Element `i` of `count` is word `i // blocks` of block `i % blocks`, for `blocks = ceil(count / 4)`.
"""

from collections.abc import Sequence
from math import pi, prod

import numpy as np

from s2s.dialects import graph
from s2s.errors import UnsupportedError
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, reshape, take
from s2s.types.dtypes import from_numpy
from s2s.types.size import Size

ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_WORD, _WIDE, _FLOAT = np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.float32)
_STEP = 2.0**-24
"""The distance of neighbouring numbers in [0, 1): the upper 24 bits of a word count them."""
Words = tuple[Value, Value, Value, Value]
Key = tuple[int, int] | tuple[Value, Value]
"""Two words, known when the network is compiled or when it runs."""


def philox(counter: Words, key: Key) -> Words:
    """Four words for each counter."""
    a, b, c, d = counter
    low, high = key
    for number in range(ROUNDS):
        first, second = _product(a, _MULTIPLIERS[0]), _product(c, _MULTIPLIERS[1])
        steps = [number * step % 2**32 for step in _WEYL]
        a, b, c, d = (
            _xor(_xor(second[0], b), _sum(low, steps[0], b)),
            second[1],
            _xor(_xor(first[0], d), _sum(high, steps[1], d)),
            first[1],
        )
    return a, b, c, d


def _product(x: Value, factor: int) -> tuple[Value, Value]:
    """The upper and the lower word of `x * factor`."""
    wide = cast(x, _WIDE) * factor
    return cast(emit(graph.ShiftRightOp, wide, wide.like(32)), _WORD), cast(wide, _WORD)


def _sum(part: int | Value, step: int, like: Value) -> Value:
    """A word of the key and `step`, modulo 2**32."""
    return like.like((part + step) % 2**32) if isinstance(part, int) else part + step


def _xor(a: Value, b: Value) -> Value:
    return emit(graph.BitwiseXorOp, a, b)


def words(count: int, seed: int, run: Value) -> Words:
    """Words for `count` numbers; `run` is the number of the run, as one u64."""
    blocks = -(-count // 4)
    if isinstance(blocks, Size):
        raise UnsupportedError(
            f"{run.builder.node}: draws {count} numbers, each by how many there are; give constant sizes"
        )
    number = run.builder.append(graph.IotaOp(from_numpy(_WORD), [blocks], axis=0))[0]
    zero = number.like(0)
    upper = cast(emit(graph.ShiftRightOp, run, run.like(32)), _WORD)
    counter = (number, _spread(number, cast(run, _WORD)), _spread(number, upper), _spread(number, zero))
    return philox(counter, (seed % 2**32, (seed >> 32) % 2**32))


def _spread(like: Value, word: Value) -> Value:
    return emit(graph.BroadcastToOp, word, shape=list(like.shape))


def uniform(shape: Sequence[int], seed: int, run: Value) -> Value:
    """Numbers of [0, 1) as f32, multiples of 2**-24."""
    count = prod(shape)
    every = concat([_fraction(word) for word in words(count, seed, run)], 0)
    return reshape(take(every, 0, 0, count), shape)


def normal(shape: Sequence[int], seed: int, run: Value) -> Value:
    """Numbers of the normal distribution of mean 0 and deviation 1 as f32, by Box and Muller's transform."""
    count = prod(shape)
    parts: list[Value] = []
    made = [_fraction(word) for word in words(count, seed, run)]
    for radius, angle in (made[:2], made[2:]):
        length = emit(graph.SqrtOp, emit(graph.LogOp, radius + _STEP) * -2)
        turn = angle * (2 * pi)
        parts += [length * emit(graph.CosOp, turn), length * emit(graph.SinOp, turn)]
    return reshape(take(concat(parts, 0), 0, 0, count), shape)


def _fraction(word: Value) -> Value:
    return cast(emit(graph.ShiftRightOp, word, word.like(8)), _FLOAT) * _STEP
