"""A case of one operator of TFLite: its operands and the type of its result, and what random cases are drawn from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from s2s.frontends.tflite.schema import options_class
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

Random = np.random.Generator
Quant = tuple[float, int]


@dataclass(frozen=True)
class Operand:
    """A tensor of a case: with data it is a constant of the model, else an input that is fed `values`."""

    values: Array
    quant: Quant | None = None
    constant: bool = False


class Further(NamedTuple):
    """A result after the first."""

    kind: str
    shape: tuple[int, ...]
    quant: Quant | None = None


@dataclass(frozen=True)
class Case:
    """One operator, its operands, and the type of its result."""

    builtin: str
    operands: Sequence[Operand]
    shape: tuple[int, ...]
    kind: str
    quant: Quant | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    defined: Array | None = None
    """Where the reference's result is defined by C++, if not everywhere."""
    further: Sequence[Further] = ()
    computation: tuple[str, str] | None = None
    """The option that numbers a graph of two numbers, and the operator that this consists of; empty: the second one."""

    @property
    def inputs(self) -> list[Array]:
        """What the model is fed."""
        return [operand.values for operand in self.operands if not operand.constant]

    @property
    def model(self) -> bytes:
        """The model of this operator alone."""
        return network([self])


def network(cases: Sequence[Case]) -> bytes:
    """The model of all `cases` side by side: their inputs and outputs one after the other."""
    tensors: list[TensorSpec] = []
    operators: list[OperatorSpec] = []
    bodies: list[GraphSpec] = []
    for number, case in enumerate(cases):
        operands = [_spec(f"{case.builtin}{number}.x{place}", operand) for place, operand in enumerate(case.operands)]
        scale, zero = case.quant or (None, 0)
        result = TensorSpec(f"{case.builtin}{number}", case.shape, case.kind.upper(), scale=scale, zero_point=zero)
        names = [spec.name for spec in operands]
        options = options_class(case.builtin) or ""
        more = [_further(f"{result.name}.{place}", each) for place, each in enumerate(case.further, 1)]
        outputs = [result.name, *(each.name for each in more)]
        given = dict(case.options)
        if case.computation is not None:
            option, builtin = case.computation
            bodies.append(_body(builtin, case.kind))
            given[option] = len(bodies)
        operators.append(OperatorSpec(case.builtin, names, outputs, options, given))
        tensors += [*operands, result, *more]
    results = [name for operator in operators for name in operator.outputs]
    free = [spec.name for spec in tensors if spec.data is None and spec.name not in results]
    return model([GraphSpec(tensors, operators, free, results), *bodies])


def _body(builtin: str, kind: str) -> GraphSpec:
    """The graph of one operator on two numbers, or of none."""
    tensors = [TensorSpec(name, (), kind.upper()) for name in "abc"]
    operators = [OperatorSpec(builtin, ["a", "b"], ["c"], options_class(builtin) or "")] if builtin else []
    return GraphSpec(tensors, operators, ["a", "b"], ["c"] if builtin else ["b"], "body")


def _further(name: str, result: Further) -> TensorSpec:
    scale, zero = result.quant or (None, 0)
    return TensorSpec(name, result.shape, result.kind.upper(), scale=scale, zero_point=zero)


def _spec(name: str, operand: Operand) -> TensorSpec:
    scale, zero = operand.quant or (None, 0)
    data = operand.values if operand.constant else None
    return TensorSpec(name, operand.values.shape, operand.values.dtype.name.upper(), data, scale, zero)


Generator = Callable[[Random], Case]


# -------------------------------------------------------------------- building blocks


def shape_of(random: Random, most: int = 5, size: int = 6) -> tuple[int, ...]:
    return tuple(int(n) for n in random.integers(1, size, random.integers(1, most + 1)))


def broadcast_pair(random: Random, most: int = 5) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that go together: equal, or with dimensions of one, or one of them shorter."""
    shape = list(shape_of(random, most))
    if random.random() < 0.4:
        return tuple(shape), tuple(shape)
    first = [1 if random.random() < 0.3 else n for n in shape]
    second = [1 if random.random() < 0.3 else n for n in shape]
    cut = int(random.integers(0, len(shape) + 1)) if random.random() < 0.5 else 0
    pair = tuple(first), tuple(second[cut:])
    return pair if random.random() < 0.5 else (pair[1], pair[0])


def scale_of(random: Random, low: float = -7.0, high: float = 1.0) -> float:
    return float(np.float32(np.exp(random.uniform(low, high))))


def zero_of(random: Random, kind: str) -> int:
    if kind != "int8":
        return 0
    return int(random.choice([0, -128, 127, *random.integers(-128, 128, 3)]))


def quant_of(random: Random, kind: str) -> Quant | None:
    if kind not in ("int8", "int16"):
        return None
    low, high = (-7.0, 0.0) if kind == "int8" else (-13.0, -4.0)
    return scale_of(random, low, high), zero_of(random, kind)


def values_of(random: Random, kind: str, shape: Sequence[int], spread: float = 4.0) -> Array:
    if kind == "bool":
        return random.integers(0, 2, shape).astype(np.bool_)
    if kind == "float32":
        drawn = random.normal(0, spread, shape)
        return np.where(random.random(shape) < 0.1, np.round(drawn), drawn).astype(np.float32)
    if kind in ("int32", "int64"):
        return random.integers(-1000, 1000, shape).astype(kind)
    info = np.iinfo(kind)
    ends = random.choice([info.min, info.max, 0], shape)
    return np.where(random.random(shape) < 0.1, ends, random.integers(info.min, info.max + 1, shape)).astype(kind)


def operand_of(random: Random, kind: str, shape: Sequence[int], quant: Quant | None = None) -> Operand:
    return Operand(values_of(random, kind, shape), quant or quant_of(random, kind))


def result_near(random: Random, kind: str, real: float) -> Quant | None:
    """Quantisation of a result whose numbers reach about `real`."""
    if kind not in ("int8", "int16"):
        return None
    steps = 255 if kind == "int8" else 65535
    scale = np.float32(2 * real / steps * np.exp(random.uniform(-1.0, 1.5)))
    return float(scale), zero_of(random, kind)


def reach_of(operand: Operand) -> float:
    """About the largest magnitude an operand stands for."""
    if operand.quant is None:
        return 1.0
    info = np.iinfo(operand.values.dtype.str)
    scale, zero = operand.quant
    return scale * max(info.max - zero, zero - info.min)


def axes_of(random: Random, rank: int) -> Operand:
    count = int(random.integers(1, rank + 1))
    axes = random.choice(rank, count, replace=False)
    return Operand(np.where(random.random(count) < 0.3, axes - rank, axes).astype(np.int32), constant=True)


def reduced_shape(case: Operand, axes: Operand, keep: bool) -> tuple[int, ...]:
    shape = case.values.shape
    gone = {int(axis) % len(shape) for axis in axes.values}
    return tuple(1 if dim in gone else n for dim, n in enumerate(shape) if keep or dim not in gone)
