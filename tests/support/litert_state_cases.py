"""Random cases for one step of an LSTM, random numbers, and lookups by keys."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from support.tflite_case import Case, Further, Generator, Operand, Random, shape_of, values_of

_BASIC = 1
_DEFAULT, _PHILOX, _THREEFRY = range(3)


def _sizes(random: Random) -> tuple[int, int, int]:
    """Rows, columns of the input, and units."""
    batch, depth, units = (int(n) for n in random.integers(1, [4, 9, 9]))
    return batch, depth, units


def _lstm(random: Random) -> Case:
    batch, depth, units = _sizes(random)
    shapes = [(batch, depth), (batch, units), (4 * units, depth + units), (4 * units,), (batch, units)]
    values = [random.normal(0, 1, shape).astype(np.float32) for shape in shapes]
    operands = [Operand(each, constant=place in (2, 3)) for place, each in enumerate(values)]
    further = [Further("float32", shape) for shape in ((batch, units), (batch, depth + units), (batch, 4 * units))]
    return Case("LSTM", operands, (batch, units), "float32", None, {"kernel_type": _BASIC}, further=further)


def _quantised_lstm(random: Random) -> Case:
    batch, depth, units = _sizes(random)
    scale, unit, cell = float(np.float32(random.uniform(0.002, 0.05))), (1 / 128, 128), (2.0**-11, 0)

    def drawn(kind: str, shape: tuple[int, ...]) -> np.ndarray:
        info = np.iinfo(kind)
        ends = random.choice([info.min, info.max], shape)
        return np.where(random.random(shape) < 0.1, ends, random.integers(info.min, info.max + 1, shape)).astype(kind)

    operands = [
        Operand(drawn("uint8", (batch, depth)), unit),
        Operand(drawn("uint8", (batch, units)), unit),
        Operand(drawn("uint8", (4 * units, depth + units)), (scale, int(random.integers(0, 256))), constant=True),
        Operand(random.integers(-9999, 9999, 4 * units).astype(np.int32), (scale / 128, 0), constant=True),
        Operand(drawn("int16", (batch, units)), cell),
    ]
    further = [
        Further("int16", (batch, units), cell),
        Further("uint8", (batch, depth + units), unit),
        Further("int16", (batch, 4 * units), (2.0**-12, 0)),
    ]
    return Case("LSTM", operands, (batch, units), "uint8", unit, {"kernel_type": _BASIC}, further=further)


def _multinomial(kind: str, random: Random) -> Case:
    (batch, classes), samples = (int(n) for n in random.integers(1, [4, 40])), int(random.integers(1, 30))
    logits = random.normal(0, 3, (batch, classes)).astype(np.float32)
    logits[random.random(logits.shape) < 0.1] = random.choice([-np.inf, np.inf, np.nan])
    seeds = {"seed": int(random.integers(1, 2**31)), "seed2": int(random.integers(-(2**31), 2**31))}
    operands = [Operand(logits), Operand(np.asarray(samples, np.int32), constant=True)]
    return Case("MULTINOMIAL", operands, (batch, samples), kind, None, seeds)


def _bit_generator(kind: str, random: Random) -> Case:
    algorithm = int(random.choice([_DEFAULT, _PHILOX, _THREEFRY]))
    state = random.integers(0, 2**64, 2 if algorithm == _THREEFRY else random.integers(2, 4), dtype=np.uint64)
    if random.random() < 0.3:
        state[1] = np.uint64(2**64 - int(random.integers(1, 4)))
    elif random.random() < 0.3:
        state[1] |= np.uint64(2**32 - 1)
    further = [Further(kind, shape_of(random, 3))]
    options = {"algorithm": algorithm}
    return Case("STABLEHLO_RNG_BIT_GENERATOR", [Operand(state)], state.shape, "uint64", None, options, further=further)


def _hashtable_lookup(kind: str, random: Random) -> Case:
    rows, count = (int(n) for n in random.integers(1, 9, 2))
    keys = np.sort(random.choice(40, rows, replace=False)).astype(np.int32) - 9
    wanted = np.where(random.random(count) < 0.6, random.choice(keys, count), random.integers(-30, 50, count))
    shape = shape_of(random, 2)
    table = Operand(values_of(random, kind, (rows, *shape)))
    operands = [Operand(wanted.astype(np.int32)), Operand(keys, constant=bool(random.integers(0, 2))), table]
    return Case("HASHTABLE_LOOKUP", operands, (count, *shape), kind, further=[Further("uint8", (count,))])


STATE_GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    "HASHTABLE_LOOKUP": {kind: partial(_hashtable_lookup, kind) for kind in ("float32", "int32")},
    "LSTM": {"float32": _lstm, "uint8": _quantised_lstm},
    "MULTINOMIAL": {kind: partial(_multinomial, kind) for kind in ("int32", "int64")},
    "STABLEHLO_RNG_BIT_GENERATOR": {
        kind: partial(_bit_generator, kind) for kind in ("int32", "int64", "uint32", "uint64")
    },
}
