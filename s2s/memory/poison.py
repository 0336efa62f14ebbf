"""Check a plan by simulating it: no byte is overwritten while it is still needed.

The check shares no code with the planners. It executes the steps, writes the name of each new buffer over its bytes,
reads each buffer back before it dies and then poisons the bytes that it still owns. Bytes that no buffer border
separates are one cell, which is equivalent to a simulation byte by byte.
"""

from bisect import bisect_left
from collections.abc import Sequence

from s2s.errors import CompilerBug
from s2s.memory.buffers import Buffer, InPlace, Overlap, Plan

POISON = "(dead)"


def check_plan(
    buffers: Sequence[Buffer], plan: Plan, in_place: Sequence[InPlace] = (), overlaps: Sequence[Overlap] = ()
) -> None:
    """Raise CompilerBug at the first live byte that the plan overwrites, or the first rule that it violates."""
    for buffer in buffers:
        offset = plan.offsets[buffer.name]
        if offset < 0 or offset % buffer.align or offset + buffer.size > plan.size:
            raise CompilerBug(f"plan puts {buffer} at {offset} of {plan.size} bytes: outside, or not aligned")
    _Arena(buffers, plan, in_place, overlaps).run()


class _Arena:
    """The cells of the arena with their owners."""

    def __init__(
        self, buffers: Sequence[Buffer], plan: Plan, in_place: Sequence[InPlace], overlaps: Sequence[Overlap]
    ) -> None:
        self.buffers = [buffer for buffer in buffers if buffer.size]
        self.plan = plan
        at = plan.offsets
        self.allowed = {(pair.output, pair.input) for pair in in_place if at[pair.output] == at[pair.input]}
        for overlap in overlaps:
            distance = at[overlap.output] - at[overlap.input]
            if not any(low < distance < high for low, high in overlap.forbidden):
                self.allowed.add((overlap.output, overlap.input))
        starts = {plan.offsets[b.name] for b in self.buffers}
        ends = {plan.offsets[b.name] + b.size for b in self.buffers}
        self.borders = sorted(starts | ends)
        self.cells = [POISON] * len(self.borders)

    def run(self) -> None:
        """Simulate the steps in which a buffer is born or dies."""
        born: dict[int, list[Buffer]] = {}
        dying: dict[int, list[Buffer]] = {}
        for buffer in self.buffers:
            born.setdefault(buffer.first, []).append(buffer)
            dying.setdefault(buffer.last, []).append(buffer)
        for step in sorted(born.keys() | dying.keys()):
            for buffer in born.get(step, ()):
                self._write(buffer, step)
            for buffer in dying.get(step, ()):
                self._read_back(buffer)
            for buffer in dying.get(step, ()):
                self._poison(buffer)

    def _span(self, buffer: Buffer) -> range:
        offset = self.plan.offsets[buffer.name]
        return range(bisect_left(self.borders, offset), bisect_left(self.borders, offset + buffer.size))

    def _write(self, buffer: Buffer, step: int) -> None:
        for cell in self._span(buffer):
            owner = self.cells[cell]
            if owner != POISON and (buffer.name, owner) not in self.allowed:
                raise CompilerBug(
                    f"step {step}: {buffer.name} overwrites live bytes of {owner} at {self.borders[cell]}"
                )
            self.cells[cell] = buffer.name

    def _read_back(self, buffer: Buffer) -> None:
        for cell in self._span(buffer):
            owner = self.cells[cell]
            if owner != buffer.name and (owner, buffer.name) not in self.allowed:
                raise CompilerBug(f"step {buffer.last}: {buffer.name} reads bytes of {owner} at {self.borders[cell]}")

    def _poison(self, buffer: Buffer) -> None:
        for cell in self._span(buffer):
            if self.cells[cell] == buffer.name:
                self.cells[cell] = POISON
