"""What emission has to know of a network beside its C: names, sizes, where it came from, how to test it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from xdsl.ir import Attribute

from s2s.analysis.numbers.sums import LayerSums
from s2s.decisions.decision import Decision
from s2s.executor.graph_json import Network
from s2s.targets.target import Target
from s2s.types.dtypes import Array, size_in_bytes
from s2s.types.interface import EmptyTensor, ModelTensor
from s2s.version import VERSION


@dataclass(frozen=True)
class Quantisation:
    """`real = scale * (q - zero_point)`."""

    scale: float
    zero_point: int

    def formula(self) -> str:
        """What it means, for comments."""
        if self.zero_point == 0:
            return f"real = {self.scale:g} * q"
        return f"real = {self.scale:g} * (q {'-' if self.zero_point > 0 else '+'} {abs(self.zero_point)})"


@dataclass(frozen=True)
class PortInfo:
    """An input or output of the network."""

    name: str
    """As in the model: any text."""
    element: Attribute
    shape: tuple[int, ...]
    layout: str = ""
    """What the dimensions are, if it is known: `N, time, band, C`."""
    quantisation: Quantisation | None = None
    offset: int | None = None
    """The byte of the arena at which it may lie; None where the arena has no room for it."""
    model: ModelTensor | None = None
    """What its bytes are to the model, where they are packed."""

    @property
    def count(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.count * size_in_bytes(self.element)


@dataclass(frozen=True)
class Overlapping:
    """A result of a kernel that lies over an operand which dies there."""

    nodes: str
    """The nodes of the model that the kernel computes."""
    bytes: int
    """What the two have in common."""
    distance: int
    """How far behind the operand the result starts."""


@dataclass(frozen=True)
class StateInfo:
    """What the network keeps from run to run, at a fixed place of its arena."""

    name: str
    """As in the model: any text."""
    element: Attribute
    shape: tuple[int, ...]
    offset: int
    """The byte of the arena at which it begins."""

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.shape) * size_in_bytes(self.element)


@dataclass(frozen=True)
class GoldenVector:
    """Inputs and the outputs that belong to them, in the order of the network's inputs and outputs."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]


@dataclass(frozen=True)
class Tolerance:
    """A float passes if it differs by at most `absolute + relative * |expected|`."""

    relative: float = 1e-4
    absolute: float = 1e-5
    scaled: bool = False
    """Whether `absolute` has grown with the largest result, as what convolutions by tiles lose does."""


@dataclass(frozen=True)
class Measured:
    """What a C compiler for the target makes of the tree, in bytes."""

    by: str
    """The compiler and how it optimised: `gcc 12.2.1 -O3`."""
    code: int
    """Machine code of network and runtime, before a linker drops what is not used."""
    constants: int
    """Weights and tables."""
    static_ram: int
    """Variables outside of the arena."""
    stack: int | None
    """The deepest stack of the run function; None where nobody can tell."""
    stack_note: str = ""
    """Why it cannot be told, or what comes on top."""
    functions: Mapping[str, int] = field(default_factory=dict[str, int])
    """Machine code of the largest functions, the largest first."""

    @property
    def flash(self) -> int:
        """Everything that has to keep its value without power."""
        return self.code + self.constants


@dataclass(frozen=True)
class RowTiled:
    """Layers that run in row tiles."""

    nodes: str
    rows: int
    """Rows of the result that a tile computes, at most."""
    recomputed: float
    """Multiply-adds on top, as a part of those of the network."""


@dataclass(frozen=True)
class Threads:
    """The threads that kernels are divided among."""

    most: int
    by: Literal["pthreads", "openmp"]

    @property
    def flags(self) -> tuple[str, ...]:
        """What compiler and linker are told."""
        return ("-pthread",) if self.by == "pthreads" else ("-fopenmp", "-DS2S_POOL_OPENMP")


@dataclass(frozen=True)
class NetworkInfo:
    """One network as it is emitted."""

    name: str
    """The prefix of its C names: a C identifier."""
    source: str
    """The model's file name: any text."""
    sha256: str
    """Of the model's file, in hexadecimal."""
    target: Target
    inputs: tuple[PortInfo, ...]
    outputs: tuple[PortInfo, ...]
    arena_size: int
    arena_align: int
    arena_lower_bound: int
    """No plan for this order of kernels needs less."""
    arena_apart_bound: int | None = None
    """The same if no two live buffers overlapped, where some may."""
    overlaps: tuple[Overlapping, ...] = ()
    row_tiles: tuple[RowTiled, ...] = ()
    extra_operations: float | None = None
    """What a budget of RAM costs, as a part of the operations carried out without it."""
    executor: Literal["aot", "graph"] = "aot"
    profile: Literal["default", "misra"] = "default"
    """The coding standard that the C keeps to."""
    threads: Threads | None = None
    """None where nothing is divided among threads."""
    states: tuple[StateInfo, ...] = ()
    description: str = ""
    """One line about the network: any text."""
    empty_inputs: tuple[EmptyTensor, ...] = ()
    """Inputs of the model without elements, which are not passed."""
    empty_outputs: tuple[EmptyTensor, ...] = ()
    graph: Network | None = None
    """The network as nodes, for executor `graph`."""
    measured: Measured | None = None
    """Where a compiler for the target was there."""
    golden: tuple[GoldenVector, ...] = ()
    sums: tuple[LayerSums, ...] = ()
    """What is proven of the sums of integer layers."""
    decisions: tuple[Decision, ...] = ()
    """What the compiler chose, and why."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """The options of this compilation, for the record."""
    version: str = VERSION

    @property
    def arena_type(self) -> str | None:
        """The type of the arena where it has one; else the caller hands over bytes."""
        return f"{self.name}_arena" if self.profile == "misra" and self.arena_size else None

    @property
    def io(self) -> Literal["caller", "arena"]:
        """Whether the arena has room for inputs and outputs."""
        return "caller" if all(port.offset is None for port in (*self.inputs, *self.outputs)) else "arena"

    @property
    def ports_size(self) -> int:
        """Bytes of inputs and outputs outside of the arena."""
        return sum(port.size for port in (*self.inputs, *self.outputs) if port.offset is None)
