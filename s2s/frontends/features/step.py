"""A step before or after a network, which builds operations of the graph."""

from collections.abc import Collection, Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.features.parameters import written
from s2s.frontends.formulas import cast
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, from_numpy, tensor_type

Shape = tuple[int, ...]
F32, I32, I16, U8 = (np.dtype(name) for name in ("float32", "int32", "int16", "uint8"))


class Kept(NamedTuple):
    """What a step keeps from run to run."""

    before: Value
    """Its value before the run."""
    after: Value


class States:
    """The states that steps keep, by name."""

    def __init__(self, builder: Builder, taken: Collection[str]) -> None:
        """`taken` are names of other inputs and states."""
        self.builder, self.taken = builder, taken
        self.kept: dict[str, Kept] = {}

    def begin(self, wish: str, shape: Shape, dtype: np.dtype[np.generic]) -> tuple[str, Value]:
        """Return a new state, which is zeros before the first run: its name, and its value."""
        name, number = wish, 1
        while name in self.kept or name in self.taken:
            number += 1
            name = f"{wish}_{number}"
        block = self.builder.block
        argument = block.insert_arg(tensor_type(from_numpy(dtype), shape), len(block.args))
        value = self.builder.computed(argument, name)
        self.kept[name] = Kept(value, value)
        return name, value

    def keep(self, name: str, value: Value) -> None:
        """Let the state `name` be `value` in the next run."""
        self.kept[name] = self.kept[name]._replace(after=value)


@frozen(kw_only=True)
class Step:
    """A step; the fields of its class are its parameters."""

    name: ClassVar[str]
    option: ClassVar[str]

    def __str__(self) -> str:
        parameters = written(self)
        return f"{self.name}:{parameters}" if parameters else self.name

    def check(self) -> None:
        """Raise `InputError` for parameters that contradict each other or have no meaning."""

    def invalid(self, fact: str, way_out: str) -> InputError:
        """Return the error for a step that does not fit."""
        return InputError(f"{self.option} {self}: {fact}; {way_out}")

    def require_positive(self, **values: float) -> None:
        """Raise `InputError` for the first of these parameters that is not above 0."""
        for name, value in values.items():
            if not value > 0:
                raise self.invalid(f"{name} is {value:g}", "give more than 0")


@frozen(kw_only=True)
class PreStep(Step):
    """A step before the network, which knows what it takes from the shape that is wanted of it."""

    option: ClassVar[str] = "--pre"
    dtype: ClassVar[np.dtype[np.generic]] = F32
    """The element type of the input of a network that begins with the step."""
    by_rows: ClassVar[bool] = False
    """Whether each row of the result follows from the same row of what is taken."""

    def taken(self, wanted: Shape) -> Shape:
        """Return the shape that the step takes in order to give `wanted` elements."""
        return wanted

    def taken_type(self) -> np.dtype[np.generic]:
        """Return the element type of the input of a network that begins with the step."""
        return self.dtype

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        """Build the step on `x`; the result has the elements of `wanted`, in order."""
        raise NotImplementedError


@frozen(kw_only=True)
class PostStep(Step):
    """A step after the network, on one of its outputs."""

    option: ClassVar[str] = "--post"
    takes_reals: ClassVar[bool] = True
    """Whether the step computes on the real numbers that quantised outputs stand for."""

    def apply(self, x: Value, states: States, outputs: "Mapping[str, Value]") -> "Results":
        """Build the step on `x`, one of the `outputs`."""
        raise NotImplementedError

    def require_classes(self, x: Value) -> None:
        """Raise `InputError` for an output without an axis of classes."""
        if x.rank < 1:
            raise self.invalid("the output is one number", "name an output whose last axis has the classes")


@frozen
class Results:
    """The outputs of a step after the network, by the suffix that their names have behind the name of the output."""

    outputs: Mapping[str, Value]
    number: tuple[str, ...] = ()
    """The outputs that number classes, which labels name."""
    replaced: bool = True
    """Whether the output that the step reads is no output any more."""


def reals(x: Value) -> Value:
    """Return `x` in float32; samples of 16 bits as fractions of 32768, as audio libraries read them."""
    if x.dtype == I16:
        return cast(x, F32) * (1 / 32768)
    return cast(x, F32)


def as_array(values: object) -> Array:
    """Return numbers in float32."""
    return np.asarray(values, np.float32)
