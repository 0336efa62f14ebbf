"""The view that an importer has of a node: operands are values, attributes are typed, errors name the place."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto

from s2s.errors import CompilerBug, InputError, UnknownValueError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.draws import Draws
from s2s.frontends.names import one_line
from s2s.frontends.onnx.names import place
from s2s.frontends.onnx.tensors import read_tensor
from s2s.interpret.graph.work import MAX_FOLDED_ELEMENTS
from s2s.types.dtypes import Array
from s2s.types.size import integer_of

T = TypeVar("T")
RunBody = Callable[[GraphProto, Sequence[Value]], list[Value]]


class Bodies(Protocol):
    """Imports bodies as networks of their own."""

    def captures(self, *graphs: GraphProto) -> dict[str, Value]:
        """The computed values from outside that some of `graphs` read, by name."""
        ...

    def run_inside(
        self, graph: GraphProto, inner: Builder, inputs: Sequence[Value], captured: Mapping[str, Value]
    ) -> list[Value]:
        """The outputs of a body, built by `inner`; `captured` stands for what `captures` found."""
        ...

    def attempt(self, write: Callable[[], list[Value]]) -> list[Value] | None:
        """What `write` makes of bodies; None where one cannot be imported."""
        ...


class Node(NamedTuple):
    """One node, its version resolved, its attributes including the defaults of the operator."""

    proto: NodeProto
    builder: Builder
    since: int
    operands: Sequence[Value | None]
    attributes: Mapping[str, AttributeProto]
    folder: str | None
    run_body: RunBody
    bodies: Bodies
    draws: Draws
    declared: Sequence[tuple[int, ...] | None] = ()
    """The shape of each output as far as the model declares it."""

    @property
    def place(self) -> str:
        """`name (Operator)`, for messages."""
        return place(self.proto)

    def invalid(self, fact: str, way_out: str) -> InputError:
        """The error for a node that is wrong."""
        return InputError(f"{self.place}: {fact}; {way_out}")

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        """The error for a node that is right and that s2s cannot import."""
        return UnsupportedError(f"{self.place}: {fact}; {way_out}")

    def waits(self, fact: str, way_out: str) -> UnknownValueError:
        """The error for a node that needs a value which is not known yet."""
        return UnknownValueError(f"{self.place}: {fact}; {way_out}")

    # ---------------------------------------------------------------- operands

    def input(self, position: int) -> Value:
        """A required operand."""
        value = self.optional(position)
        if value is None:
            raise self.invalid(f"input {position} is left out", "connect it")
        return value

    def optional(self, position: int) -> Value | None:
        """An operand that may be left out."""
        return self.operands[position] if position < len(self.operands) else None

    def inputs(self) -> list[Value]:
        """All operands of a variadic operator."""
        return [self.input(position) for position in range(len(self.operands))]

    def known(self, position: int, what: str) -> Array:
        """The array of a required operand that must be constant; `what` names it."""
        array = self.input(position).array
        if array is None:
            raise self.waits(
                f"{what} is computed at run time", f"make {what} a constant (initializer), or simplify the model"
            )
        return array

    def known_ints(self, position: int, what: str) -> list[int]:
        """As `known`, for an operand that lists integers."""
        return [integer_of(value) for value in self.known(position, what).reshape(-1)]

    def known_reals(self, position: int, what: str) -> list[float]:
        """As `known`, for an operand that lists numbers."""
        return [float(value) for value in self.known(position, what).reshape(-1)]

    def known_number(self, position: int, what: str) -> int | float | bool | None:
        """The one element of an optional operand that must be constant; None when it is left out."""
        if self.optional(position) is None:
            return None
        array = self.known(position, what)
        if array.size != 1:
            raise self.invalid(f"{what} has shape {list(array.shape)}", "give one number")
        return array.reshape(()).item()

    @property
    def is_declared(self) -> bool:
        """Whether the model declares the shape of the first output."""
        return bool(self.declared) and self.declared[0] is not None

    def declared_shape(self, what: str) -> tuple[int, ...]:
        """The shape that the model declares for the first output, where operand `what` is computed at run time."""
        shape = self.declared[0] if self.declared else None
        if shape is None:
            raise self.waits(
                f"{what} is computed at run time",
                f"make {what} a constant (initializer), or declare the shape of {one_line(self.proto.output[0])}",
            )
        return shape

    def outputs(self) -> int:
        """The number of outputs up to the last one with a name."""
        used = [position for position, name in enumerate(self.proto.output) if name]
        return used[-1] + 1 if used else 0

    # -------------------------------------------------------------- attributes

    def has(self, name: str) -> bool:
        """Whether the attribute is given or has a default."""
        return name in self.attributes

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer attribute."""
        return int(self._attribute(name).i) if self.has(name) else _given(default, name)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """An integer attribute that means true or false."""
        return self._attribute(name).i != 0 if self.has(name) else _given(default, name)

    def real(self, name: str, default: float | None = None) -> float:
        """A float attribute; ONNX stores 32 bits of it."""
        return float(self._attribute(name).f) if self.has(name) else _given(default, name)

    def text(self, name: str, default: str | None = None) -> str:
        """A text attribute."""
        return self._attribute(name).s.decode("utf-8", "replace") if self.has(name) else _given(default, name)

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """A list of integers."""
        return list(self._attribute(name).ints) if self.has(name) else list(_given(default, name))

    def reals(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """A list of floats."""
        return list(self._attribute(name).floats) if self.has(name) else list(_given(default, name))

    def texts(self, name: str) -> list[bytes]:
        """A list of texts."""
        return list(self._attribute(name).strings)

    def tensor(self, name: str) -> Array:
        """A tensor attribute."""
        return read_tensor(self._attribute(name).t, self.folder, f"{self.place}: attribute {name!r}")

    def body(self, name: str) -> GraphProto:
        """A graph attribute: the body of an If, a Loop or a Scan."""
        return self._attribute(name).g

    def choice(self, name: str, *choices: str) -> str:
        """A text attribute that must be one of `choices`."""
        found = self.text(name)
        if found not in choices:
            raise self.unsupported(f"{name} is {one_line(found)!r}", f"use one of {', '.join(choices)}")
        return found

    def axis(self, axis: int, rank: int) -> int:
        """`axis` counted from the front, when it lies in `[-rank, rank)`."""
        if not -rank <= axis < rank:
            raise self.invalid(f"axis {axis} is outside [-{rank}, {rank})", "fix the axis")
        return axis % rank if rank else 0

    def axes(self, axes: Sequence[int], rank: int) -> list[int]:
        """Several axes counted from the front, sorted, each once."""
        found = sorted(self.axis(axis, rank) for axis in axes)
        if len(set(found)) != len(found):
            raise self.invalid(f"axes {list(axes)} name an axis twice", "name it once")
        return found

    def _attribute(self, name: str) -> AttributeProto:
        if name not in self.attributes:
            raise self.invalid(f"required attribute {name!r} is missing", "add it")
        return self.attributes[name]

    # ------------------------------------------------------------------ values

    def require_small(self, count: int, what: str) -> None:
        """Refuse to make a constant that would be larger than any network needs."""
        if count > MAX_FOLDED_ELEMENTS:
            raise self.unsupported(f"{what} has {count} elements, more than {MAX_FOLDED_ELEMENTS}", "make it smaller")

    def counted(self, count: int, dtype: np.dtype[np.generic]) -> Value:
        """The numbers from 0 up to below `count`."""
        return self.builder.counted(count, dtype)

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        """A constant of this node, of which a run reads the first elements along axes that are sizes."""
        return self.builder.table(values, shape)

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        """A constant of this node."""
        return self.builder.constant(np.asarray(values, dtype))


def _given(default: T | None, name: str) -> T:
    if default is None:
        raise CompilerBug(f"attribute {name!r} has no default")
    return default


Importer = Callable[[Node], Value | Sequence[Value]]
"""Builds the operations of a node and returns its outputs."""
