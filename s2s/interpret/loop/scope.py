"""The state of a function's compilation: the place of each value, and names for messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

AnyMemRef = MemRefType[Attribute]
Step = Callable[[Frame], None]
"""One compiled operation, which runs on a frame."""
Kernel = Callable[[Sequence[Array]], None]
"""A compiled function, called with its buffers."""
Called = Callable[[CallOp, Sequence[Array]], None]
"""Called with each finished call and its buffers."""


@frozen
class Options:
    """Options of the interpreter where the dialect leaves a choice."""

    fused: bool = False
    """Whether `loop.fma` rounds once, as a fused instruction does, or twice, as plain C does."""
    poison: bool = True
    """Whether memory starts as NaN and -1, so that reads of undefined bytes show, or as zeros."""
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    """Sizes that vary from run to run, by name."""


@dataclass
class Scope:
    """The function that is being compiled."""

    function: str
    weights: WeightStore
    options: Options
    callee: Callable[[str], Kernel]
    """Returns the compiled form of another function."""
    called: Called | None = None
    """Called after every call, if given."""
    places: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constants: Frame = field(default_factory=list[Any])
    """The frame before the function runs: it holds the constants, and None elsewhere."""

    def place(self, value: SSAValue) -> int:
        """Return the place of `value`."""
        if value not in self.places:
            raise CompilerBug(f"@{self.function}: %{value.name_hint} is used before it is defined")
        return self.places[value]

    def operands(self, values: Sequence[SSAValue]) -> list[int]:
        """Return the places of `values`."""
        return [self.place(value) for value in values]

    def new(self, value: SSAValue, constant: Any = None) -> int:
        """Assign `value` a new place, which holds `constant` from the start."""
        self.places[value] = len(self.constants)
        self.constants.append(constant)
        return self.places[value]

    def where(self, op: Operation) -> str:
        """Return the beginning of a message about `op`."""
        return f"@{self.function}: {op.name}"


def memref(value: SSAValue) -> AnyMemRef:
    """Return the type of a buffer."""
    if not isa(value.type, AnyMemRef):
        raise CompilerBug(f"%{value.name_hint} is {value.type}, not a buffer")
    return value.type


def length(value: SSAValue) -> int:
    """Return the number of elements of a flat buffer."""
    return memref(value).get_shape()[0]


def buffer_name(value: SSAValue) -> str:
    """Return the name of a buffer for messages."""
    return f"%{value.name_hint or '?'} ({value.type})"
