"""The state of a function's translation: where each value is kept, and how messages name it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

AnyMemRef = MemRefType[Attribute]
Step = Callable[[Frame], None]
"""One operation, carried out on a frame."""
Kernel = Callable[[Sequence[Array]], None]
"""A function, called with its buffers."""
Called = Callable[[CallOp, Sequence[Array]], None]
"""Told of a call that has returned, and of its buffers."""


@dataclass(frozen=True)
class Options:
    """How the interpreter behaves where the dialect leaves a choice."""

    fused: bool = False
    """`loop.fma` rounds once, as on a machine that has it; else twice, as in plain C."""
    poison: bool = True
    """Memory starts as NaN and -1, so that reading what nobody wrote is noticed; else as zeros."""


@dataclass
class Scope:
    """The function under translation."""

    function: str
    weights: WeightStore
    options: Options
    callee: Callable[[str], Kernel]
    """Finds the translation of another function."""
    called: Called | None = None
    """Told of every call; nobody is if None."""
    places: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constants: Frame = field(default_factory=list[Any])
    """The frame before the function runs: constants are in their places, everything else is None."""

    def place(self, value: SSAValue) -> int:
        """Where `value` is kept."""
        if value not in self.places:
            raise CompilerBug(f"@{self.function}: %{value.name_hint} is used before it is defined")
        return self.places[value]

    def operands(self, values: Sequence[SSAValue]) -> list[int]:
        """Where each of `values` is kept."""
        return [self.place(value) for value in values]

    def new(self, value: SSAValue, constant: Any = None) -> int:
        """Give `value` a place, which holds `constant` from the start."""
        self.places[value] = len(self.constants)
        self.constants.append(constant)
        return self.places[value]

    def where(self, op: Operation) -> str:
        """The beginning of a message about `op`."""
        return f"@{self.function}: {op.name}"


def memref(value: SSAValue) -> AnyMemRef:
    """The type of a buffer."""
    if not isa(value.type, AnyMemRef):
        raise CompilerBug(f"%{value.name_hint} is {value.type}, not a buffer")
    return value.type


def length(value: SSAValue) -> int:
    """The number of elements of a flat buffer."""
    return memref(value).get_shape()[0]


def buffer_name(value: SSAValue) -> str:
    """A buffer as a message calls it."""
    return f"%{value.name_hint or '?'} ({value.type})"
