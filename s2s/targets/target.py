"""The description of a target."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Target:
    """What heuristics read. They never ask for a target's name."""

    name: str
    description: str
    lanes: int
    """float32 lanes of the preferred vector; 1 for scalar code."""
    registers: int
    """Floating-point registers (of `lanes` lanes) that a register tile may fill."""
    align: int
    """Alignment in bytes of the arena and of every buffer in it."""
    cflags: tuple[str, ...]
    """What the C compiler is told beside `-std=c99 -O3`; stated in every build file."""
    cc: str = ""
    """The cross compiler that belongs to the target; empty where the one of this machine does."""
    packages: tuple[str, ...] = ()
    """The Debian packages that hold this cross compiler and its C library."""
    word_bits: int = 64
    """Bits of a general register."""
    dsp: bool = False
    """Whether two products of 16 bits are added in one instruction (SMLAD of ARM's DSP extension)."""
    mve: bool = False
    """Whether there are vectors of 128 bits for integers (Helium, ARM's M-profile vector extension)."""
    byte_dot: Literal["signed", "unsigned"] | None = None
    """What vectors multiply bytes by signed bytes with, four products to a lane: signed bytes, or unsigned ones."""
    hand_over: int | None = 8000
    """Operations that a processor does in the time in which it hands work to another one, and what both share moves
    between their caches; None where programs have no threads."""
    io: Literal["caller", "arena"] = "caller"
    """Where inputs and outputs live unless the user says otherwise: in buffers of the caller, or in the arena."""
    l1_bytes: int = 0
    """Bytes of the first data cache of one core; 0 where memory is as near as a cache would be."""
    l2_bytes: int = 0
    """Bytes of the second cache that one core has to itself; 0 where there is none."""
    line_bytes: int = 32
    """Bytes of a cache line."""
    fma_ports: int = 1
    """Multiply-adds (of a whole vector) that start in one cycle."""
    fma_latency: int = 4
    """Cycles until the result of a multiply-add can be added to."""
    stream_bytes: int = 8
    """Bytes that one core reads in a cycle from beyond its own caches."""
    l3_bytes: int = 0
    """Bytes of the last cache that one network may count on, as other cores use it too; 0 where there is none."""
    memory_bytes: int = 4
    """Bytes that one core reads in a cycle from memory."""
