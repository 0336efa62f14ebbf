"""The description of a target."""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, Literal

from s2s.support.frozen import frozen
from s2s.targets.intrinsic import Form, Intrinsic
from s2s.targets.keys import (
    CFLAG,
    COMMAND,
    DESCRIPTION,
    FOLDER,
    METADATA,
    NAME,
    PACKAGE,
    Key,
    ListOf,
    Number,
    OneOf,
    check_fields,
    key,
)

CACHE = Number(0, 1 << 40)
WORTH_A_FORK_JOIN = 16
"""A kernel with less work than this many fork-joins is left to one thread: two lose by reading each other's caches."""
MIN_LANES_OF_RUNS = 8
"""The fewest floats in a vector of targets for which the runtime casts runs of numbers in vectors."""


@frozen
class Intrinsics:
    """Intrinsics of different names."""

    words: str = "a list of names of intrinsics, each once"

    def holds(self, value: object) -> bool:
        """Whether these are such intrinsics."""
        if not isinstance(value, tuple):
            return False
        found: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
        names = {each.name for each in found if isinstance(each, Intrinsic)}
        return len(names) == len(found)


@frozen(kw_only=True)
class Target:
    """A processor and its C compiler, as code generation sees them. Heuristics read it, and never its name.

    The fields are the keys of a target file. A value that is out of range is refused with an `InputError`.
    """

    name: str = field(metadata=key(NAME, "What build files, comments and reports call the target."))
    description: str = field(default="", metadata=key(DESCRIPTION, "The processor in words."))
    lanes: int = field(
        default=1, metadata=key(OneOf((1, 4, 8, 16)), "float32 lanes of the preferred vector; 1 for scalar code.")
    )
    registers: int = field(
        default=16,
        metadata=key(Number(4, 256), "Floating-point registers (of `lanes` lanes) that a register tile may fill."),
    )
    align: int = field(
        default=8,
        metadata=key(
            OneOf((1, 2, 4, 8, 16, 32, 64, 128, 256)), "Alignment in bytes of the arena and of every buffer in it."
        ),
    )
    cflags: tuple[str, ...] = field(
        default=(),
        metadata=key(ListOf(CFLAG), "What the C compiler is told beside `-std=c99 -O3`; stated in every build file."),
    )
    cc: str = field(
        default="",
        metadata=key(COMMAND, "The cross compiler of the target; empty where the one of this machine does."),
    )
    headers: str = field(
        default="",
        metadata=key(
            FOLDER,
            "The folder of the C library's headers, where the cross compiler does not know it: for measuring and"
            " emulated boards, not for build files.",
        ),
    )
    packages: tuple[str, ...] = field(
        default=(),
        metadata=key(ListOf(PACKAGE), "The Debian packages that hold this cross compiler and its C library."),
    )
    word_bits: int = field(default=64, metadata=key(OneOf((32, 64)), "Bits of a general register."))
    intrinsics: tuple[Intrinsic, ...] = field(
        default=(),
        metadata=key(
            Intrinsics(),
            "The instructions that add up several products of small integers, the preferred one first.",
        ),
    )
    integer_lanes: int = field(
        default=0,
        metadata=key(OneOf((0, 4)), "Lanes of vectors that only integers of 32 bits have; 0 where there are none."),
    )
    scalable_bits: int = field(
        default=0,
        metadata=key(
            OneOf((0, 128, 256, 512, 1024)),
            "Bits of a vector register where programs learn at run time how many there are: what costs assume, and any"
            " length is right. 0 where vectors have one length, or there are none.",
        ),
    )
    fork_join: int = field(
        default=8000,
        metadata=key(
            Number(0, 1 << 40),
            "Operations that a core does in the time in which threads get work and hand back results, and the data that"
            " they share moves between their caches; 0 where programs have no threads.",
        ),
    )
    io: Literal["caller", "arena"] = field(
        default="caller",
        metadata=key(
            OneOf(("caller", "arena")),
            "Where inputs and outputs live unless `--io` says otherwise: in buffers of the caller, or in the arena.",
        ),
    )
    l1_bytes: int = field(
        default=0,
        metadata=key(
            CACHE, "Bytes of the first data cache of one core; 0 where memory is as near as a cache would be."
        ),
    )
    l2_bytes: int = field(
        default=0,
        metadata=key(CACHE, "Bytes of the second cache that one core has to itself; 0 where there is none."),
    )
    l3_bytes: int = field(
        default=0,
        metadata=key(
            CACHE,
            "Bytes of the last cache that one network may count on, as other cores use it too; 0 where there is none.",
        ),
    )
    line_bytes: int = field(default=32, metadata=key(OneOf((16, 32, 64, 128, 256)), "Bytes of a cache line."))
    fma_ports: int = field(
        default=1, metadata=key(Number(1, 8), "Multiply-adds (of a whole vector) that start in one cycle.")
    )
    fma_latency: int = field(
        default=4, metadata=key(Number(1, 64), "Cycles until the result of a multiply-add can be added to.")
    )
    stream_bytes: int = field(
        default=8, metadata=key(Number(1, 1024), "Bytes that one core reads in a cycle from beyond its own caches.")
    )
    memory_bytes: int = field(
        default=4, metadata=key(Number(1, 1024), "Bytes that one core reads in a cycle from memory.")
    )

    load_floats: int = field(
        default=1,
        metadata=key(OneOf((1, 2)), "Neighbouring floats that one load of scalar code moves to registers."),
    )
    max_function_args: int = field(
        default=127,
        metadata=key(Number(8, 4096), "Arguments that a function may have; C99 guarantees 127."),
    )

    def intrinsics_of(self, form: Form) -> tuple[Intrinsic, ...]:
        """The intrinsics of one form, the preferred one first."""
        return tuple(each for each in self.intrinsics if each.form == form)

    @property
    def library_flags(self) -> tuple[str, ...]:
        """What tells the cross compiler where the headers of the C library are."""
        return ("-isystem", self.headers) if self.headers else ()

    @property
    def casts_runs(self) -> bool:
        """Whether vectors hold enough floats for the runtime to cast runs of numbers in them."""
        return self.lanes >= MIN_LANES_OF_RUNS

    @property
    def least_work(self) -> int:
        """Operations below which a kernel is left to one thread."""
        return WORTH_A_FORK_JOIN * self.fork_join

    @property
    def has_byte_lanes(self) -> bool:
        """Whether vectors multiply bytes, several products to a lane."""
        return any(self.lanes in each.lanes for each in self.intrinsics_of("dot_lanes"))

    @property
    def multiplies_bytes(self) -> bool:
        """Whether an instruction adds up products of neighbouring bytes, in vectors or in scalar code."""
        return self.has_byte_lanes if self.lanes > 1 else bool(self.intrinsics)

    def __post_init__(self) -> None:
        check_fields("Target", self, KEYS, contradiction)


KEYS: Mapping[str, Key] = {each.name: each.metadata[METADATA] for each in fields(Target)}
"""The keys of a target file in their order."""


def contradiction(values: Mapping[str, Any]) -> str | None:
    """Return which two values of a target contradict each other, and what to change; None if none do."""
    lanes, align = values["lanes"], values["align"]
    for each in values["intrinsics"]:
        if align % each.align:
            return f"align = {align}: intrinsic {each.name} wants {each.align} bytes; give a multiple of that"
    if lanes > 1 and align % (4 * lanes):
        return f"align = {align}: vectors of {lanes} lanes take {4 * lanes} bytes; give a multiple of that"
    return None
