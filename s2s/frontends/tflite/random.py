"""Import RANDOM_UNIFORM and RANDOM_STANDARD_NORMAL: Philox4x32-10 with the seeds of the operator, as LiteRT draws.

`seed` is the key of the generator and `seed2` the upper half of its counter; the lower half counts blocks of four
numbers, from 0 when the network starts, on from run to run. Uniform numbers are LiteRT's bit for bit, normal ones as
far as logarithm, sine and cosine are.
"""

from collections.abc import Mapping, Sequence
from math import pi, prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, concat, maximum, reshape, take, unsqueeze
from s2s.frontends.philox import philox
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import from_numpy

_WORD, _WIDE, _FLOAT = np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.float32)
_FRACTION_BITS = 23
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


def _shape(node: Node) -> tuple[int, ...]:
    """The shape of the result."""
    if node.output_type().dtype != _FLOAT:
        raise node.invalid(f"draws {node.output_type().dtype}", "use float32")
    return node.shape(node.known_ints(0, "its shape"))


def _fractions(node: Node, count: int) -> list[Value]:
    """The four words of each block for `count` numbers, as numbers of [0, 1)."""
    seeds = [_seed(int(seed)) for seed in (node.options.Seed(), node.options.Seed2())]
    if not any(seeds):
        raise node.unsupported(
            "has no seeds: TFLite draws other numbers at every start", "give seeds, or make the numbers an input"
        )
    blocks = -(-count // 4)
    before = node.own_state("block", [1], _WIDE)
    node.keep_own("block", before + blocks)
    place = broadcast_to(before, [blocks]) + cast(
        node.builder.append(graph.IotaOp(from_numpy(_WORD), [blocks], axis=0))[0], _WIDE
    )
    low, high = cast(place, _WORD), cast(emit(graph.ShiftRightOp, place, place.like(32)), _WORD)
    key, upper = ((seed % 2**32, seed >> 32) for seed in seeds)
    third, fourth = (broadcast_to(reshape(low.like(part), [1]), [blocks]) for part in upper)
    words = philox((low, high, third, fourth), key)
    mask = 2**_FRACTION_BITS - 1
    return [cast(emit(graph.BitwiseAndOp, word, word.like(mask)), _FLOAT) * 2.0**-_FRACTION_BITS for word in words]


def _seed(number: int) -> int:
    """The 64 bits that LiteRT makes of a seed: its lower 32 bits, the sign repeated."""
    return ((number + 2**31) % 2**32 - 2**31) % 2**64


def _in_order(words: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """The numbers of the first block, then of the second one, …, under `shape`."""
    every = concat([unsqueeze(word, [1]) for word in words], 1)
    return reshape(take(reshape(every, [prod(every.shape)]), 0, 0, prod(shape)), shape)


IMPORTERS: Mapping[str, Importer] = {
    "RANDOM_STANDARD_NORMAL": _normal,
    "RANDOM_UNIFORM": _uniform,
}
