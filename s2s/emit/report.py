"""Figures of a compiled network."""

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from s2s.support.frozen import frozen
from s2s.types.sizes import InputShapes, assumed_in_words


@frozen
class Report:
    """Figures of a compiled network, in bytes. Those that need the C compiler are None until they are measured."""

    name: str
    target: str
    executor: str
    kernels: int
    arena: int
    arena_lower_bound: int
    arena_ratio: float
    ram: int
    """The arena, and inputs and outputs outside of it."""
    inputs: int
    outputs: int
    weights: int
    measured_by: str | None = None
    """The compiler that the measured sizes below are from."""
    flash: int | None = None
    """Code and constants of network and runtime."""
    code: int | None = None
    """Machine code."""
    code_of: Mapping[str, int] = field(default_factory=dict[str, int])
    """The code of the largest functions."""
    static_ram: int | None = None
    stack: int | None = None
    stack_note: str = ""
    stack_of: Mapping[str, int] = field(default_factory=dict[str, int])
    """The stack of each kernel with what it calls."""
    arena_lower_bound_apart: int | None = None
    """The least bytes of the arena if no result lay over an operand of its kernel."""
    overlaps: str = ""
    """The results that do."""
    extra_operations: float | None = None
    """What a budget of RAM costs."""
    line_buffers: str = ""
    """The layers that run row by row within a run, and the bytes of the rows that are kept."""
    pushed_rows: str = ""
    """The input whose rows are handed over, and what is kept of them."""
    accumulators: str = ""
    """What is proven of the sums of integer layers."""
    removed_channels: str = ""
    """The channels that no kernel computes."""
    code_in_pools: str = ""
    """The kernels whose functions lie in memory pools, and what they take of these."""
    assumed: InputShapes = field(default_factory=dict[str, tuple[int | str, ...]])
    """The shapes of inputs that were assumed, as the model leaves their batch open."""
    fixed: Mapping[str, Mapping[int, int]] = field(default_factory=dict[str, Mapping[int, int]])
    """The sizes that a program of PyTorch fixes although `dynamic_shapes` leaves them open, by input and dimension."""
    real_ports: str = ""
    """The inputs and outputs that stay real numbers where bytes are asked for, and why."""

    def as_dict(self) -> dict[str, Any]:
        """The figures in order; figures that were not measured are left out."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "", {})}

    def in_words(self) -> dict[str, str]:
        """The figures that need no C compiler, as a reader wants them: with units and thousands."""
        ports = f"inputs {self.inputs:,} and outputs {self.outputs:,} included"
        return {
            **assumed_in_words(self.assumed, self.fixed),
            "target": f"{self.target}, executor {self.executor}",
            "kernels": f"{self.kernels:,}",
            "RAM": f"{self.ram:,} bytes, {ports}",
            "arena": f"{self.arena:,} bytes of it; lower bound for this order of kernels {self.arena_lower_bound:,}"
            f"{self._apart()}",
            **({"line buffers": self.line_buffers} if self.line_buffers else {}),
            **({"rows": self.pushed_rows} if self.pushed_rows else {}),
            **({"not bytes": self.real_ports} if self.real_ports else {}),
            "constants": f"{self.weights:,} bytes",
            **({"channels that are constants": self.removed_channels} if self.removed_channels else {}),
        }

    def _apart(self) -> str:
        """Describe the arena without overlapping results, and the operations that a budget of RAM adds."""
        apart, extra = self.arena_lower_bound_apart, self.extra_operations
        words = "" if apart is None or apart <= self.arena else f", {apart:,} if no result lay over an operand"
        if not extra:
            return words
        change = f"{abs(extra):.1%} {'more' if extra > 0 else 'fewer'}"
        return f"{words}; about {change} operations than without a budget"
