"""A TFLite graph under construction: tensors to choose operands from, each with the numbers it has.

Every operator is evaluated as it is added: an operator that no engine takes is given up before anything is built on it,
and quantisation can be drawn to fit the numbers, or not to.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from random import Random
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.frontends.tflite.schema import DTYPES, options_class
from s2s.fuzz.arrays import draw_array
from s2s.fuzz.network import Rejected
from s2s.fuzz.spread import Spread
from s2s.fuzz.tflite.oracle import evaluate_operator
from s2s.fuzz.tflite.writer import GraphSpec, OperatorSpec, TensorSpec
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

MAX_ELEMENTS = 2048
MAX_RANK = 5
LARGEST = 1e6
"""The largest size of a float, so that nothing built on it overflows."""
QUANTISED = ("INT8", "INT16", "UINT8")
MAIN_KINDS = (*("INT8",) * 12, *("INT16",) * 3, *("UINT8",) * 2, *("FLOAT32",) * 3)
"""The element type that most operators of a network have."""
STEPS = {"INT8": 255, "UINT8": 255, "INT16": 65535}

Quant = tuple[float, int]
"""Scale and zero point."""
Wanted = Callable[["Value"], bool]


@frozen(eq=False)
class Value:
    """A tensor of the network, and the numbers it has."""

    spec: TensorSpec
    spread: Spread

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def array(self) -> Array:
        """Its numbers as they are stored."""
        return self.spread.clean

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(self.spec.shape)

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return len(self.spec.shape)

    @property
    def kind(self) -> str:
        """The schema's name of its element type."""
        return self.spec.element

    @property
    def quant(self) -> Quant | None:
        """Its scale and zero point, if it has any."""
        scale, zero = self.spec.scale, self.spec.zero_point
        return (scale, zero) if isinstance(scale, float) and isinstance(zero, int) else None

    @property
    def reach(self) -> float:
        """The largest magnitude that it may stand for; of floats, that it has."""
        if self.quant is None:
            return float(np.abs(self.array.astype(np.float64)).max(initial=1e-3))
        limits = np.iinfo(DTYPES[self.kind].str)
        scale, zero = self.quant
        return scale * max(limits.max - zero, zero - limits.min)


class Network:
    """A graph to which operators are added."""

    def __init__(self, random: Random, prefix: str) -> None:
        self.random = random
        self.main = random.choice(MAIN_KINDS)
        self.values: list[Value] = []
        self._tensors: list[TensorSpec] = []
        self._operators: list[OperatorSpec] = []
        self._inputs: list[Value] = []
        self._constants: list[Value] = []
        self._results: list[Value] = []
        self._prefix = prefix
        self._count = 0

    # ---------------------------------------------------------------- choices

    def chance(self, probability: float) -> bool:
        """Return true with a probability."""
        return self.random.random() < probability

    def kind(self, *allowed: str) -> str:
        """An element type of the allowed ones: the type of most of the network where it may be."""
        if self.main in allowed and self.chance(0.85):
            return self.main
        present = [value.kind for value in self.values if value.kind in allowed]
        return self.random.choice(present if present and self.chance(0.7) else allowed)

    def size(self) -> int:
        """A size of a dimension."""
        return self.random.choice((*(1,) * 3, *(2, 3, 4, 5) * 3, 6, 7, 8, 9, 15, 16, 17, 32))

    def shape(self, least: int = 1, most: int = 4) -> list[int]:
        """A shape of few elements."""
        shape = [self.size() for _ in range(self.random.randint(least, most))]
        while prod(shape) > MAX_ELEMENTS // 4:
            shape[shape.index(max(shape))] //= 2
        return shape

    def zero(self, kind: str) -> int:
        """A zero point, often at an end."""
        if kind not in ("INT8", "UINT8"):
            return 0
        zero = self.random.choice((0, -128, 127, *(self.random.randint(-128, 127) for _ in range(3))))
        return zero + 128 if kind == "UINT8" else zero

    def quant(self, kind: str) -> Quant | None:
        """Any scale and zero point."""
        if kind not in QUANTISED:
            return None
        low, high = (-13.0, -4.0) if kind == "INT16" else (-7.0, 0.0)
        return self._scale(np.exp(self.random.uniform(low, high))), self.zero(kind)

    def near(self, kind: str, reach: float) -> Quant | None:
        """Scale and zero point of a result that reaches about so far; sometimes far too fine or too coarse."""
        if kind not in QUANTISED:
            return None
        off = self.random.uniform(-5, 6) if self.chance(0.2) else self.random.uniform(-1, 1.5)
        return self._scale(2 * reach / STEPS[kind] * np.exp(off)), self.zero(kind)

    @staticmethod
    def _scale(scale: float) -> float:
        return float(np.float32(min(max(scale, 1e-9), 1e9)))

    def axis(self, value: Value) -> int:
        """A dimension of a value, counted from either end."""
        return self.random.randrange(-value.rank, value.rank)

    # --------------------------------------------------------------- operands

    def existing(self, kind: str, wanted: Wanted = lambda _: True, *, shifted: bool = False) -> Value | None:
        """A value of a type that is there already, a late one the most often.

        Values of 16 bits with a zero point are drawn with `shifted` alone: TFLite computes with none of them.
        """
        values = [value for value in self.values if value.kind == kind and wanted(value)]
        values = [value for value in values if shifted or kind != "INT16" or not (value.quant and value.quant[1])]
        if not values:
            return None
        return values[-1 - min(int(self.random.expovariate(0.4)), len(values) - 1)]

    def any(
        self,
        kind: str,
        least: int = 1,
        most: int = MAX_RANK,
        wanted: Wanted = lambda _: True,
        *,
        shifted: bool = False,
    ) -> Value:
        """A value of some rank, a new one if there is none."""
        if self.chance(0.9):
            value = self.existing(kind, lambda each: least <= each.rank <= most and wanted(each), shifted=shifted)
            if value is not None:
                return value
        value = self.input(kind, self.shape(least, min(most, 4)))
        if not wanted(value):
            raise Rejected("the new value is not as wanted")
        return value

    def image(self, kind: str) -> Value:
        """A value of batch, height, width and channels."""
        value = self.existing(kind, lambda each: each.rank == 4) if self.chance(0.9) else None
        if value is not None:
            return value
        side = (1, 3, 4, 5, 6, 7, 8, 9, 12)
        channels = self.random.choice((1, 2, 3, 4, 4, 5, 8, 8, 16, 17))
        return self.input(kind, [*(self.random.choice(each) for each in ((1, 1, 1, 2), side, side)), channels])

    def input(self, kind: str, shape: Sequence[int], quant: Quant | None = None) -> Value:
        """A new input of the network."""
        value = self._made("x", kind, self.numbers(kind, shape), quant or self.quant(kind))
        self._inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, kind: str, shape: Sequence[int], quant: Quant | None = None) -> Value:
        """A constant, one that is there already if it fits."""
        shared = [
            each
            for each in self._constants
            if each.kind == kind and each.shape == tuple(shape) and each.quant and quant in (None, each.quant)
        ]
        if shared and self.chance(0.5):
            return self.random.choice(shared)
        return self.known(self.numbers(kind, shape), quant or self.quant(kind))

    def known(self, values: Any, quant: Quant | None = None, dtype: Any = None) -> Value:
        """Numbers as a constant, such as axes: of 32 bits unless they have another type."""
        array = np.asarray(values)
        given = dtype if dtype is not None else array.dtype if isinstance(values, np.ndarray) else np.int32
        return self.keep(self._spec("c", array.astype(given), quant))

    def keep(self, spec: TensorSpec) -> Value:
        """A constant from its description."""
        assert spec.data is not None
        value = Value(spec, Spread(spec.data))
        self._tensors.append(spec)
        self._constants.append(value)
        return value

    def either(self, kind: str, shape: Sequence[int], quant: Quant | None = None) -> Value:
        """A new constant or a new input."""
        return self.constant(kind, shape, quant) if self.chance(0.6) else self.input(kind, shape, quant)

    def numbers(self, kind: str, shape: Sequence[int]) -> Array:
        """Numbers of a type: integers over its whole range, its ends among them."""
        rng = np.random.default_rng(self.random.getrandbits(64))
        if kind in QUANTISED:
            limits = np.iinfo(DTYPES[kind].str)
            drawn = rng.integers(limits.min, limits.max, shape, endpoint=True)
            ends = rng.choice([limits.min, limits.max], shape)
            return np.where(rng.random(shape) < 0.1, ends, drawn).astype(DTYPES[kind])
        return draw_array(self.random, DTYPES[kind], shape)

    def broadcastable(self, value: Value, quant: Quant | None = None) -> Value:
        """A second operand, of a shape that broadcasts with the shape of `value`."""

        def fits(other: Value) -> bool:
            shape = broadcast(value.shape, other.shape)
            return shape is not None and quant in (None, other.quant)

        other = self.existing(value.kind, fits) if self.chance(0.65) else None
        if other is not None:
            return other
        shape = [1 if self.chance(0.25) else size for size in value.shape]
        first = self.random.randint(0, len(shape) - 1) if self.chance(0.3) else 0
        return self.either(value.kind, shape[first:], quant)

    def requantised(self, value: Value, quant: Quant | None) -> Value:
        """The value with another scale and zero point."""
        if quant is None or value.quant == quant:
            return value
        [result] = self.add("QUANTIZE", [value], [self.result(value.kind, value.shape, quant)])
        return result

    # -------------------------------------------------------------- operators

    def result(self, kind: str, shape: Sequence[int], quant: Quant | None = None) -> TensorSpec:
        """The description of a result."""
        if prod(shape) > MAX_ELEMENTS or len(shape) > MAX_RANK or 0 in shape:
            raise Rejected("the result is large, or empty")
        scale, zero = quant or (None, 0)
        return TensorSpec(self.name("v"), tuple(map(int, shape)), kind, scale=scale, zero_point=zero)

    def like(self, value: Value, shape: Sequence[int]) -> TensorSpec:
        """The description of a result of the same type and quantisation."""
        return self.result(value.kind, shape, value.quant)

    def add(
        self,
        builtin: str,
        operands: Sequence[Value | None],
        results: Sequence[TensorSpec],
        *,
        states: Mapping[int, TensorSpec] | None = None,
        **fields: Any,
    ) -> list[Value]:
        """Add an operator and return its results; `states` are tensors that it keeps, by place among the operands."""
        names = ["" if value is None else value.name for value in operands]
        for place, spec in (states or {}).items():
            names[place] = spec.name
        operator = OperatorSpec(
            builtin,
            names,
            [spec.name for spec in results],
            options_class(builtin) or "",
            fields,
        )
        own = [*results, *(states or {}).values()]
        tensors = {spec.name: spec for spec in (*own, *(value.spec for value in operands if value is not None))}
        values = {value.name: value.spread for value in operands if value is not None}
        try:
            found = evaluate_operator(operator, tensors, values)
        except InputError as error:
            raise Rejected(str(error)) from error
        made = [Value(spec, found[spec.name]) for spec in results]
        for value in made:
            _check(value)
        self._tensors += own
        self._operators.append(operator)
        self.values += made
        self._results += made
        return made

    def name(self, kind: str) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"{self._prefix}{kind}{self._count}"

    def _made(self, letter: str, kind: str, array: Array, quant: Quant | None) -> Value:
        scale, zero = quant or (None, 0)
        spec = TensorSpec(self.name(letter), array.shape, kind, scale=scale, zero_point=zero)
        self._tensors.append(spec)
        return Value(spec, Spread(array))

    def _spec(self, letter: str, array: Array, quant: Quant | None) -> TensorSpec:
        scale, zero = quant or (None, 0)
        return TensorSpec(self.name(letter), array.shape, data=array, scale=scale, zero_point=zero)

    # ------------------------------------------------------------------ whole

    def attempt(self, draw: Callable[["Network"], object]) -> None:
        """Run `draw`; if it is rejected, nothing of it stays."""
        lists: tuple[list[Any], ...] = (
            *(self.values, self._tensors, self._operators, self._inputs, self._constants, self._results),
        )
        lengths = [len(each) for each in lists]
        try:
            draw(self)
        except Rejected:
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            raise

    def graph(self) -> GraphSpec:
        """The graph: its outputs are the values that no operator reads, and some that one does."""
        read = {name for each in self._operators for name in each.inputs}
        outputs = [value.name for value in self._results if value.name not in read or self.chance(0.1)]
        outputs += [value.name for value in self._inputs if value.name in read and self.chance(0.02)]
        used = read | {name for each in self._operators for name in (*each.outputs, *each.intermediates)}
        inputs = [value.name for value in self._inputs if value.name in read]
        return GraphSpec([spec for spec in self._tensors if spec.name in used], self._operators, inputs, outputs)

    def inputs(self) -> dict[str, Array]:
        """The numbers of the inputs."""
        return {value.name: value.array for value in self._inputs}

    def spreads(self) -> dict[str, Spread]:
        """What every value of the network should be."""
        return {value.name: value.spread for value in (*self._inputs, *self._results)}

    @property
    def length(self) -> int:
        """The number of operators."""
        return len(self._operators)


def broadcast(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...] | None:
    """The shape that two shapes broadcast to; None if they do not, or if it has too many elements."""
    try:
        shape = np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        return None
    return shape if prod(shape) <= MAX_ELEMENTS and len(shape) <= MAX_RANK else None


def _check(value: Value) -> None:
    if value.kind != "FLOAT32":
        return
    if not all(bool((np.abs(each) <= LARGEST).all()) for each in value.spread.runs()):
        raise Rejected("the result is not finite, or is large")
