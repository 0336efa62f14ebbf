"""Buffers with size, alignment and lifetime, plans of their offsets, and lower bounds of a plan's size.

Time is counted in steps of the execution order. A buffer occupies its bytes from step `first` to step `last`, both
included, so the input and the output of one kernel never share a byte, except where the kernel says they may.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from s2s.errors import CompilerBug


class Buffer(NamedTuple):
    """`size` bytes at a multiple of `align`, holding a value from step `first` to step `last`."""

    name: str
    size: int
    align: int
    first: int
    last: int


class InPlace(NamedTuple):
    """A kernel's permission: `output` may start at the address of `input`, which dies in the step that makes
    `output`."""

    output: str
    input: str


class Overlap(NamedTuple):
    """A kernel's permission: `output` may overlap `input`, which dies in the step that makes `output`, if the offset of
    the output less the offset of the input lies in none of the open intervals `forbidden` (sorted and disjoint)."""

    output: str
    input: str
    forbidden: tuple[tuple[int, int], ...]


class Plan(NamedTuple):
    """An offset for each buffer, the bytes of the arena, and a lower bound of any plan.

    `apart_bound` is the largest sum of simultaneously live buffers. It equals `lower_bound` unless buffers overlap.
    """

    offsets: Mapping[str, int]
    size: int
    lower_bound: int
    apart_bound: int = 0

    @property
    def ratio(self) -> float:
        """Arena bytes divided by the bound: 1.0 is a perfect plan."""
        return self.size / self.lower_bound if self.lower_bound else 1.0


def align_up(offset: int, align: int) -> int:
    """Return the smallest multiple of `align` that is at least `offset`."""
    return -(-offset // align) * align


def check_buffers(buffers: Sequence[Buffer], pairs: Sequence[InPlace | Overlap]) -> None:
    """Raise an error for buffers or permissions that contradict the planner's preconditions."""
    by_name = {buffer.name: buffer for buffer in buffers}
    if len(by_name) != len(buffers):
        raise CompilerBug("two buffers of one memory plan have the same name")
    for buffer in buffers:
        if buffer.size < 0 or buffer.align < 1 or buffer.last < buffer.first:
            raise CompilerBug(f"impossible buffer in a memory plan: {buffer}")
    for pair in pairs:
        made, dying = by_name[pair.output], by_name[pair.input]
        if not dying.first < dying.last == made.first:
            raise CompilerBug(f"in-place pair {pair}: an older input has to die in the step that makes the output")


def choose_in_place(buffers: Sequence[Buffer], in_place: Sequence[InPlace]) -> tuple[InPlace, ...]:
    """Choose one in-place partner for each buffer: pairs that save most bytes first, each input for one output only.

    In nearly every network a kernel has one output, so that taking the largest saving in each step is optimal.
    """
    by_name = {buffer.name: buffer for buffer in buffers}

    def saving(pair: InPlace) -> int:
        return min(by_name[pair.output].size, by_name[pair.input].size)

    taken_inputs: set[str] = set()
    taken_outputs: set[str] = set()
    chosen: list[InPlace] = []
    for pair in sorted(in_place, key=saving, reverse=True):
        if pair.input in taken_inputs or pair.output in taken_outputs or pair.input == pair.output:
            continue
        taken_inputs.add(pair.input)
        taken_outputs.add(pair.output)
        chosen.append(pair)
    return tuple(chosen)


def shares_in_place(buffers: Sequence[Buffer], in_place: Sequence[InPlace]) -> list[tuple[str, str, int]]:
    """Return the bytes that each result shares with the operand that it may be computed in place of, by name."""
    sizes = {buffer.name: buffer.size for buffer in buffers}
    return [(pair.output, pair.input, min(sizes[pair.output], sizes[pair.input])) for pair in in_place]


def lower_bound(buffers: Sequence[Buffer], in_place: Sequence[InPlace] = ()) -> int:
    """Return the largest sum of simultaneously live buffers; a buffer computed in place counts once with its input."""
    by_name = {buffer.name: buffer for buffer in buffers}
    change: dict[int, int] = {}
    saved: dict[int, int] = {}
    for buffer in buffers:
        change[buffer.first] = change.get(buffer.first, 0) + buffer.size
        change[buffer.last + 1] = change.get(buffer.last + 1, 0) - buffer.size
    for pair in choose_in_place(buffers, in_place):
        step = by_name[pair.output].first
        saved[step] = saved.get(step, 0) + min(by_name[pair.output].size, by_name[pair.input].size)
        change.setdefault(step + 1, 0)
    live, bound = 0, 0
    for step in sorted(change):
        live += change[step]
        bound = max(bound, live - saved.get(step, 0))
    return bound


def overlapped_bound(buffers: Sequence[Buffer], overlaps: Sequence[Overlap]) -> int:
    """Return the largest sum of live buffers less the bytes that an output can share with the inputs that die as it is
    made."""
    by_name = {buffer.name: buffer for buffer in buffers}
    shared: dict[str, int] = {}
    for overlap in overlaps:
        made, dying = by_name[overlap.output], by_name[overlap.input]
        shared[made.name] = shared.get(made.name, 0) + most_shared(made.size, dying.size, overlap.forbidden)
    change: dict[int, int] = {}
    for buffer in buffers:
        change[buffer.first] = change.get(buffer.first, 0) + buffer.size
        change[buffer.last + 1] = change.get(buffer.last + 1, 0) - buffer.size
        saved = min(buffer.size, shared.get(buffer.name, 0))
        change[buffer.first] -= saved
        change[buffer.first + 1] = change.get(buffer.first + 1, 0) + saved
    live, bound = 0, 0
    for step in sorted(change):
        live += change[step]
        bound = max(bound, live)
    return bound


def most_shared(output: int, input: int, forbidden: Sequence[tuple[int, int]]) -> int:
    """Return the most bytes that an output and an input of these sizes can share: 100 and 80 bytes at distances outside
    of (-40, 80) share 60 at distance -40."""
    edges = {0, input - output, *(end for interval in forbidden for end in interval)}
    allowed = [edge for edge in edges if not any(low < edge < high for low, high in forbidden)]
    return max((max(0, min(edge + output, input) - max(edge, 0)) for edge in allowed), default=0)
