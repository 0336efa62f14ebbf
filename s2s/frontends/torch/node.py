"""A call as its importer sees it: operands are values, attributes are typed, errors name the place."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from s2s.errors import CompilerBug, InputError, UnsupportedError
from s2s.frontends.builder import Builder, Scalar, Value
from s2s.frontends.draws import Draws
from s2s.frontends.torch.complex_numbers import Complex
from s2s.frontends.torch.dtypes import Number, numpy_dtype
from s2s.frontends.torch.program import Argument, Call, DType, Graph, Ref, TensorInfo
from s2s.interpret.graph.work import MAX_FOLDED_ELEMENTS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.size import Size, integer_of

Bound: TypeAlias = "Value | Complex | Scalar | complex | str | DType | Graph | Sequence[Bound] | None"
"""What stands behind an argument: a tensor, a number that is known, a graph."""


class Runner(Protocol):
    """Imports graphs that a call runs as networks of their own."""

    @property
    def draws(self) -> Draws:
        """The operators that draw random numbers."""
        ...

    def run_inside(self, inner: Builder, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The outputs of `graph`, built by `inner`."""
        ...


@frozen
class Node:
    """One call with its arguments resolved."""

    call: Call
    builder: Builder
    arguments: Mapping[str, Bound]
    runner: Runner

    @property
    def place(self) -> str:
        """`module (source line): operator`, for messages."""
        return place(self.call)

    @property
    def operator(self) -> str:
        """The name of the operator without namespace and overload."""
        return self.call.target.split(".")[1]

    @property
    def overload(self) -> str:
        """The overload."""
        return self.call.target.split(".")[2]

    def invalid(self, fact: str, way_out: str) -> InputError:
        """The error for a call that is wrong."""
        return InputError(f"{self.place}: {fact}; {way_out}")

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        """The error for a call that is right and that s2s cannot import."""
        return UnsupportedError(f"{self.place}: {fact}; {way_out}")

    # --------------------------------------------------------------- arguments

    def _bound(self, name: str) -> Bound:
        if name not in self.arguments:
            raise CompilerBug(f"{self.place}: the schema of {self.call.target} has no argument {name!r}")
        return self.arguments[name]

    def has(self, name: str) -> bool:
        """Whether an argument is there and not None."""
        return self.arguments.get(name) is not None

    def value(self, name: str) -> Value:
        """A tensor."""
        found = self._bound(name)
        if not isinstance(found, Value):
            raise self.invalid(f"argument {name!r} is no tensor", "export the model again")
        return found

    def optional(self, name: str) -> Value | None:
        """A tensor that may be left out."""
        return self.value(name) if self._bound(name) is not None else None

    def values(self, name: str) -> list[Value]:
        """A list of tensors."""
        found = [each for each in self.sequence(name) if isinstance(each, Value)]
        if len(found) != len(self.sequence(name)):
            raise self.invalid(f"an element of {name!r} is no tensor", "export the model again")
        return found

    def optional_values(self, name: str) -> list[Value | None]:
        """A list of tensors, some of which may be left out."""
        return [each if isinstance(each, Value) else None for each in self.sequence(name)]

    def sequence(self, name: str) -> Sequence[Bound]:
        """A list of anything."""
        found = self._bound(name)
        if isinstance(found, str | bytes) or not isinstance(found, Sequence):
            raise self.invalid(f"argument {name!r} is no list", "export the model again")
        return found

    def operand(self, name: str) -> Value | Scalar:
        """A tensor or a number."""
        found = self._bound(name)
        return found if isinstance(found, Value) else self._number(found, name)

    def number(self, name: str) -> Scalar:
        """A number that is known."""
        return self._number(self._bound(name), name)

    def number_or_none(self, name: str) -> Scalar | None:
        """A number that may be left out."""
        return self.number(name) if self._bound(name) is not None else None

    def _number(self, found: Bound, name: str) -> Scalar:
        if isinstance(found, Value):
            if found.array is None or found.array.size != 1:
                raise self.unsupported(f"{name!r} is computed at run time", f"make {name!r} a constant of the module")
            return found.array.reshape(()).item()
        if not isinstance(found, bool | int | float | Size):
            raise self.invalid(f"argument {name!r} is no number", "export the model again")
        return found

    def integer(self, name: str) -> int:
        """An integer."""
        return integer_of(self.number(name))

    def flag(self, name: str) -> bool:
        """A truth value; one that is left out is false."""
        return self._bound(name) is not None and bool(self.number(name))

    def real(self, name: str) -> float:
        """A float."""
        return float(self.number(name))

    def integers(self, name: str) -> list[int]:
        """A list of integers, or one integer as a list."""
        found = self._bound(name)
        if found is None:
            return []
        if isinstance(found, Sequence) and not isinstance(found, str):
            return [integer_of(self._number(each, name)) for each in found]
        return [integer_of(self._number(found, name))]

    def reals(self, name: str) -> list[float]:
        """A list of floats."""
        return [float(self._number(each, name)) for each in self.sequence(name)]

    def text(self, name: str) -> str:
        """A text."""
        found = self._bound(name)
        if not isinstance(found, str):
            raise self.invalid(f"argument {name!r} is no text", "export the model again")
        return found

    def graph(self, name: str) -> Graph:
        """A graph that the call runs."""
        found = self._bound(name)
        if not isinstance(found, Graph):
            raise self.invalid(f"argument {name!r} is no graph", "export the model again")
        return found

    def axis(self, name: str, rank: int) -> int:
        """An axis counted from the front."""
        return self.counted(self.integer(name), rank)

    def axes(self, name: str, rank: int) -> list[int]:
        """Several axes counted from the front, sorted."""
        return sorted({self.counted(axis, rank) for axis in self.integers(name)})

    def counted(self, axis: int, rank: int) -> int:
        """`axis` counted from the front; a scalar has one that can be named."""
        if not -max(rank, 1) <= axis < max(rank, 1):
            raise self.invalid(f"dimension {axis} is outside [-{rank}, {rank})", "fix the dimension")
        return axis % max(rank, 1)

    # ----------------------------------------------------------------- results

    def result_dtype(self, number: int = 0) -> Number:
        """The element type that torch gives a result."""
        info = self.call.results[number] if number < len(self.call.results) else None
        if not isinstance(info, TensorInfo):
            raise CompilerBug(f"{self.place}: result {number} has no known type")
        return numpy_dtype(info.dtype, self.place)

    def is_used(self, number: int) -> bool:
        """Whether a result is read; what is not is not computed."""
        return number in self.call.used

    def given_dtype(self, name: str) -> Number | None:
        """An element type that may be left out."""
        found = self._bound(name)
        return numpy_dtype(found.name, self.place) if isinstance(found, DType) else None

    # ------------------------------------------------------------------ values

    def require_small(self, count: int, what: str) -> None:
        """Refuse to make a constant that would be larger than any network needs."""
        if count > MAX_FOLDED_ELEMENTS:
            raise self.unsupported(f"{what} has {count} elements, more than {MAX_FOLDED_ELEMENTS}", "make it smaller")

    def constant(self, values: object, dtype: Number | type[np.generic] | None = None) -> Value:
        """A constant of this call."""
        return self.builder.constant(np.asarray(values, dtype))

    def counted_up(self, count: int, dtype: Number) -> Value:
        """The numbers from 0 up to below `count`."""
        return self.builder.counted(count, dtype)

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        """A constant of which a run reads the first elements along axes that are sizes."""
        return self.builder.table(values, shape)


def place(call: Call) -> str:
    """What an error message about `call` starts with: `encoder.conv1 (net.py:31): aten.convolution.default`."""
    return f"{call.place}: {call.target}"


Result = Value | Complex | Scalar | None | Sequence[Value | Complex | None]
Importer = Callable[[Node], Result]
"""Builds the operations of a call and returns its results; None stands for one that nobody reads."""

__all__ = ["Argument", "Bound", "Importer", "Node", "Ref", "Result", "Runner", "place"]
