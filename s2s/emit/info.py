"""Describe a network for emission: names, sizes, origin and tests."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple

from s2s.analysis.channels.removed import RemovedChannels
from s2s.analysis.cost.loops import KernelPath
from s2s.analysis.numbers.sums import LayerSums
from s2s.c_syntax.interface import Interface
from s2s.decisions.decision import Decision
from s2s.dialects import loop
from s2s.support.frozen import frozen
from s2s.targets.target import Target
from s2s.types.dtypes import Array
from s2s.types.index_bounds import IndexBounds
from s2s.types.language import Language
from s2s.types.pools import Pools
from s2s.version import current_version

if TYPE_CHECKING:
    from s2s.executor.graph_json import Network


class Overlapping(NamedTuple):
    """A kernel result that overlaps an operand whose lifetime ends in that kernel."""

    nodes: str
    """The source nodes of the kernel."""
    bytes: int
    """The number of shared bytes."""
    distance: int
    """The distance in bytes from the start of the operand to the start of the result."""


class DeviceInfo(NamedTuple):
    """A device beside the first one, as its kernels are built for it."""

    name: str
    target: Target
    shared: bool
    """Whether it sees the memory of the first device, so that nothing is copied."""


class GoldenVector(NamedTuple):
    """Inputs and their expected outputs, in the order of the network's inputs and outputs."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    computed: Mapping[str, int] = {}
    """The sizes that kernels compute from these inputs, by name."""


@frozen
class Tolerance:
    """A float passes if it differs by at most `absolute + relative * |expected|`."""

    relative: float = 1e-4
    absolute: float = 1e-5
    scaled: bool = False
    """Whether `absolute` has grown with the largest result, as the error of Winograd convolutions does."""


HALF_ROUNDINGS: Mapping[str, float] = {"f16": 8 * 2.0**-10, "bf16": 8 * 2.0**-7}
"""The permitted error of results of 16 bits, relative and absolute: eight times the distance from 1 to the next one."""


@frozen
class Measured:
    """The sizes of the tree, compiled for the target, in bytes."""

    by: str
    """The compiler with its optimisation level: `gcc 12.2.1 -O3`."""
    code: int
    """Machine code of network and runtime, before the linker drops unused functions."""
    constants: int
    """Weights and tables."""
    static_ram: int
    """Variables outside of the arena."""
    stack: int | None
    """The deepest stack of the run function; None if it cannot be determined."""
    stack_note: str = ""
    """The reason why it is unknown, or what must be added to it."""
    stack_path: tuple[str, ...] = ()
    """The calls of the deepest stack, the run function first."""
    functions: Mapping[str, int] = field(default_factory=dict[str, int])
    """Machine code of the largest functions, the largest first."""
    stacks: Mapping[str, int] = field(default_factory=dict[str, int])
    """The deepest stack of each kernel with what it calls, the deepest first, without the run function's own; none
    for a kernel that the compiler put into its caller."""

    @property
    def flash(self) -> int:
        """The bytes in non-volatile memory."""
        return self.code + self.constants


class LineBuffered(NamedTuple):
    """Layers that run row by row within a run."""

    nodes: str
    kept: int
    """Bytes of the rows that are kept for later rows."""


class PushedRows(NamedTuple):
    """The input whose rows the caller hands over one after the other."""

    input: str
    axis: int
    rows: int
    row_size: int
    """Bytes of a row."""
    kept: int
    """Bytes of rows that are kept between calls."""
    nodes: str
    """The operators that run row by row."""

    def describe(self) -> str:
        """Describe the rows in words."""
        return (
            f"{self.input}: {self.rows:,} rows of {self.row_size:,} bytes, handed over one after the other; "
            f"{self.kept:,} bytes of rows are kept between calls"
        )


class JointMemory(NamedTuple):
    """The part of the common arena of several networks in one memory."""

    name: str
    size: int
    """Bytes."""
    offsets: Mapping[str, int]
    """Where the part of each network begins in it; networks without one are left out."""
    address: int | None = None
    """The address of the pool, where the user gives it: this part is at the start of the pool."""


@frozen
class TogetherInfo:
    """Several networks as one tree."""

    name: str
    """The name of the tree, and the prefix of what the networks share: a C identifier."""
    networks: "tuple[NetworkInfo, ...]"
    offsets: tuple[int, ...]
    """The first byte of each network's arena in the common one."""
    arena_size: int
    arena_align: int
    concurrent: bool = False
    """Whether all networks may run at the same time."""
    shares_state: bool = False
    """Whether networks that keep state go on with each other's."""
    measured: Measured | None = None
    """Measured sizes of the whole tree; the stack is the deepest one of all run functions."""
    memories: "tuple[JointMemory, ...]" = ()
    """The parts of the common arena in memory pools, or in the memories of several devices; none if it is one."""


class CodePool(NamedTuple):
    """A memory pool of functions."""

    name: str
    size: int
    """Bytes that it has."""
    kernels: tuple[str, ...]
    """The kernels whose functions are there, by their names in C."""
    is_placed: bool
    """Whether it has an address, so that a linker script of the tree places it."""

    def describe(self, functions: Mapping[str, int]) -> str:
        """Return what is there: `itcm 3,154 of 4,096 bytes (kws_conv_1x1, …)`, where `functions` has all sizes."""
        names = ", ".join(self.kernels) or "no kernel"
        if any(kernel not in functions for kernel in self.kernels):
            return f"{self.name} of {self.size:,} bytes ({names})"
        return f"{self.name} {sum(functions[kernel] for kernel in self.kernels):,} of {self.size:,} bytes ({names})"


@frozen(kw_only=True)
class NetworkInfo(Interface):
    """A network as it is emitted."""

    source: str
    """The model's file name: any text."""
    sha256: str
    """The SHA-256 of the model's file, in hexadecimal."""
    target: Target
    arena_lower_bound: int
    """A lower bound of the arena for this order of kernels."""
    arena_apart_bound: int | None = None
    """The same bound if no two live buffers overlapped, where some may."""
    overlaps: tuple[Overlapping, ...] = ()
    line_buffers: tuple[LineBuffered, ...] = ()
    pushed: PushedRows | None = None
    """The input whose rows are handed over; None if a run takes whole inputs."""
    steps: loop.RunSteps | None = None
    """The steps that a run is cut into; None if it is one piece."""
    extra_operations: float | None = None
    """The extra operations that a RAM budget costs, as a share of the operations without it."""
    description: str = ""
    """One line about the network: any text."""
    interface: Literal["plain", "tvm"] = "plain"
    """Whether C may call it under TVM's names, too."""
    graph: "Network | None" = None
    """The network as nodes, for executor `graph`."""
    measured: Measured | None = None
    """Measured sizes, if a compiler for the target was installed."""
    golden: tuple[GoldenVector, ...] = ()
    language: Language | None = None
    """The tokeniser and the cache of a language model."""
    lasting: tuple[str, ...] = ()
    """The parts that hold something from run to run: state, or constants copied there at start."""
    memories: Pools = ()
    """The memory pools whose addresses the user gives."""
    code: tuple[CodePool, ...] = ()
    """The memory pools of functions."""
    devices: tuple[DeviceInfo, ...] = ()
    """The devices beside the first one."""
    sums: tuple[LayerSums, ...] = ()
    """The proven bounds of the sums of integer layers."""
    removed_channels: RemovedChannels | None = None
    """The channels that no kernel computes; None if there are none."""
    paths: tuple[KernelPath, ...] = ()
    """What is proven of the path of each kernel, and of the run function."""
    decisions: tuple[Decision, ...] = ()
    """The decisions of the compiler, with reasons."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    index_bounds: Mapping[str, IndexBounds] = field(default_factory=dict[str, IndexBounds])
    """The inputs and states that are indices."""
    checks_indices: bool = False
    """Whether a run checks indices that it computes."""
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """The options of this compilation, for the record."""
    version: str = field(default_factory=current_version)

    @property
    def ports_size(self) -> int:
        """Bytes of inputs and outputs outside of the arena; of an input whose rows are handed over, one row."""
        return self.inputs_size + sum(port.size for port in self.outputs if port.offset is None)

    @property
    def inputs_size(self) -> int:
        """Bytes of inputs outside of the arena."""
        if self.pushed is not None:
            return self.pushed.row_size
        return sum(port.size for port in self.inputs if port.offset is None)
