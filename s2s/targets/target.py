"""The description of a target."""

from dataclasses import dataclass


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
