"""Import RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL and MULTINOMIAL: Philox4x32-10 with the operator's seeds, as in LiteRT.

`seed` is the key of the generator and `seed2` the upper half of its counter; the lower half counts blocks of four
numbers, from 0 when the network starts, on from run to run. Uniform numbers are LiteRT's bit for bit, normal ones as
far as logarithm, sine and cosine are; classes of MULTINOMIAL as far as exponentials in double precision are.
"""

from collections.abc import Mapping, Sequence
from math import pi, prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import broadcast_to, cast, concat, less, maximum, reshape, select, take, unsqueeze
from s2s.frontends.philox import Words, philox
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import from_numpy
from s2s.types.size import is_empty

_WORD, _WIDE, _FLOAT = np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.float32)
_DOUBLE, _INT32 = np.dtype(np.float64), np.dtype(np.int32)
_FRACTION_BITS = 23
_UPPER_FRACTION_BITS = 20
"""Of the 52 fraction bits of a double, the ones that come from the first of two words."""
_BLOCKS_A_NUMBER = 2 * 256
"""Blocks of the generator that a run of MULTINOMIAL passes over for each number, used or not."""
_SMALLEST = 1e-7
"""What a number is at least, before its logarithm is taken."""


def _uniform(node: Node) -> Value:
    """Numbers of [0, 1), multiples of 2**-23."""
    shape = _shape(node)
    return _in_order(_fractions(node, prod(shape)), shape)


def _normal(node: Node) -> Value:
    """Numbers of mean 0 and deviation 1, two from two uniform ones by Box and Muller's transform."""
    shape = _shape(node)
    numbers = _fractions(node, prod(shape))
    parts: list[Value] = []
    for radius, angle in (numbers[:2], numbers[2:]):
        length = emit(graph.SqrtOp, emit(graph.LogOp, maximum(radius, _SMALLEST)) * -2)
        turn = angle * (2 * pi)
        parts += [emit(graph.SinOp, turn) * length, emit(graph.CosOp, turn) * length]
    return _in_order(parts, shape)


def _multinomial(node: Node) -> Value:
    """For each row of logarithms of weights, the classes at which uniform numbers fall in the sums of the weights."""
    logits, samples = node.input(0), node.known_ints(1, "its number of samples")
    out = node.output_type().dtype
    if logits.rank != 2 or logits.shape[1] < 1 or len(samples) != 1 or samples[0] < 0 or logits.dtype != _FLOAT:
        raise node.invalid(f"draws {samples} numbers from {logits.value.type}", "give rows of float32 and one number")
    if out not in (_INT32, np.dtype(np.int64)):
        raise node.invalid(f"draws {out}", "use int32 or int64")
    (batch, _), count = logits.shape, samples[0]
    shape = node.shape([batch, count])
    if is_empty(shape):
        return node.constant(np.zeros(shape), out)
    words = _words(node, batch * count * 2, passed=batch * (-(-count // 4) * 4) * _BLOCKS_A_NUMBER)
    uniform = reshape(_in_order([_double(*words[:2]), _double(*words[2:])], (batch * count,)), shape)
    sums = _sums_of_weights(logits.value)
    at = uniform * take(sums, 1, sums.shape[1] - 1, 1)
    passed = emit(graph.LessEqualOp, unsqueeze(sums, [1]), unsqueeze(at, [2]))
    return cast(emit(graph.ReduceSumOp, cast(passed, _INT32), axes=[2], keepdims=False), out)


def _sums_of_weights(logits: Value) -> Value:
    """Running sums of `e ** x` in each row, scaled by its largest finite number; others weigh nothing."""
    finite = less(abs(logits), float("inf"))
    lowest = float(np.finfo(np.float32).min)
    largest = emit(graph.ReduceMaxOp, select(finite, logits, lowest), axes=[1], keepdims=True)
    weights = emit(graph.ExpOp, cast(logits, _DOUBLE) - cast(largest, _DOUBLE))
    return running_sum(select(finite, weights, 0), 1)


def _double(upper: Value, lower: Value) -> Value:
    """Two words as a double of [0, 1), a multiple of 2**-52."""
    mask = 2**_UPPER_FRACTION_BITS - 1
    high = cast(emit(graph.BitwiseAndOp, upper, upper.like(mask)), _DOUBLE) * 2.0**-_UPPER_FRACTION_BITS
    return high + cast(lower, _DOUBLE) * 2.0 ** -(_UPPER_FRACTION_BITS + 32)


def _shape(node: Node) -> tuple[int, ...]:
    """The shape of the result."""
    if node.output_type().dtype != _FLOAT:
        raise node.invalid(f"draws {node.output_type().dtype}", "use float32")
    return node.shape(node.known_ints(0, "its shape"))


def _fractions(node: Node, count: int) -> list[Value]:
    """The four words of each block for `count` numbers, as numbers of [0, 1)."""
    mask = 2**_FRACTION_BITS - 1
    return [
        cast(emit(graph.BitwiseAndOp, word, word.like(mask)), _FLOAT) * 2.0**-_FRACTION_BITS
        for word in _words(node, count)
    ]


def _words(node: Node, count: int, passed: int | None = None) -> Words:
    """The four words of each block for `count` words; a run passes over as many blocks, or over `passed`."""
    seeds = [_seed(int(seed)) for seed in (node.options.Seed(), node.options.Seed2())]
    if not any(seeds):
        raise node.unsupported(
            "has no seeds: TFLite draws other numbers at every start", "give seeds, or make the numbers an input"
        )
    blocks = -(-count // 4)
    before = node.own_state("block", [1], _WIDE)
    node.keep_own("block", before + (blocks if passed is None else passed))
    place = broadcast_to(before, [blocks]) + cast(
        node.builder.append(graph.IotaOp(from_numpy(_WORD), [blocks], axis=0))[0], _WIDE
    )
    low, high = cast(place, _WORD), cast(emit(graph.ShiftRightOp, place, place.like(32)), _WORD)
    key, upper = ((seed % 2**32, seed >> 32) for seed in seeds)
    third, fourth = (broadcast_to(reshape(low.like(part), [1]), [blocks]) for part in upper)
    return philox((low, high, third, fourth), key)


def _seed(number: int) -> int:
    """The 64 bits that LiteRT makes of a seed: its lower 32 bits, the sign repeated."""
    return ((number + 2**31) % 2**32 - 2**31) % 2**64


def _in_order(words: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """The numbers of the first block, then of the second one, …, under `shape`."""
    every = concat([unsqueeze(word, [1]) for word in words], 1)
    return reshape(take(reshape(every, [prod(every.shape)]), 0, 0, prod(shape)), shape)


IMPORTERS: Mapping[str, Importer] = {
    "MULTINOMIAL": _multinomial,
    "RANDOM_STANDARD_NORMAL": _normal,
    "RANDOM_UNIFORM": _uniform,
}
