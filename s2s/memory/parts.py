"""Model a part of a network as a search problem: a state is the set of executed steps, as the bits of an integer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from s2s.memory.steps import Network


class Use(NamedTuple):
    """A value that a step reads: its bytes, the steps of the part that read it, and whether it is needed later."""

    size: int
    readers: int
    survives: bool

    def dies(self, state: int, step: int) -> bool:
        """Return whether `step` is the only remaining reader."""
        return not self.survives and self.readers & ~state == 1 << step


class PartStep(NamedTuple):
    """A step of a part: it allocates `written` bytes while it runs, and `kept` of them stay live."""

    number: int
    before: int
    after: tuple[int, ...]
    uses: tuple[Use, ...]
    written: int
    kept: int
    in_place: tuple[tuple[int, int], ...]
    """Bytes that can be shared, each with the index into `uses` of the value that must die for it."""


class OrderedPart(NamedTuple):
    """Steps that are contiguous in some best order; steps are known by their position in the given order."""

    steps: tuple[PartStep, ...]
    live: int

    @classmethod
    def of(cls, network: Network, numbers: Sequence[int], live: int) -> "OrderedPart":
        """Prepare consecutive steps of the given order; `live` bytes are live when they begin."""
        first = numbers[0]
        return cls(tuple(_part_step(network, numbers, first, number) for number in numbers), live)

    def cost(self, state: int, live: int, index: int) -> tuple[int, int]:
        """Return the live bytes while step `index` runs, and after it."""
        step = self.steps[index]
        dead, shared = 0, 0
        for use in step.uses:
            if use.dies(state, index):
                dead += use.size
        for size, use in step.in_place:
            if size > shared and step.uses[use].dies(state, index):
                shared = size
        return live + step.written - shared, live + step.kept - dead

    def ready(self, state: int) -> Iterator[int]:
        """Yield the steps that can be executed next."""
        for index, step in enumerate(self.steps):
            if not state >> index & 1 and step.before & ~state == 0:
                yield index

    def walk(self, order: Sequence[int]) -> tuple[int, int]:
        """Return the peak of live bytes in this order, and the live bytes at its end."""
        state, live, peak = 0, self.live, self.live
        for index in order:
            during, live = self.cost(state, live, index)
            peak = max(peak, during)
            state |= 1 << index
        return peak, live


def parts_of(network: Network) -> list[OrderedPart]:
    """Split the network into parts that can be ordered independently."""
    live = network.live_at_start
    parts: list[OrderedPart] = []
    for numbers in network.segments():
        part = OrderedPart.of(network, numbers, live)
        parts.append(part)
        _, live = part.walk(range(len(numbers)))
    return parts


def _part_step(network: Network, numbers: Sequence[int], first: int, number: int) -> PartStep:
    """Return one step, with all steps before the part taken as executed and all steps after it as pending."""
    step, sizes = network.steps[number], network.sizes
    reads = tuple(dict.fromkeys(step.reads))
    in_place = tuple((min(sizes[out], sizes[read]), reads.index(read)) for out, read in step.in_place if read in reads)
    return PartStep(
        number,
        before=sum(1 << earlier - first for earlier in network.before[number] if earlier >= first),
        after=tuple(later - first for later in network.after[number] if later <= numbers[-1]),
        uses=tuple(_use(network, value, first, numbers[-1]) for value in reads),
        written=sum(sizes[value] for value in step.writes) + step.scratch,
        kept=sum(sizes[value] for value in step.writes if value in network.readers or value in network.kept),
        in_place=in_place,
    )


def _use(network: Network, value: int, first: int, last: int) -> Use:
    readers = network.readers[value]
    inside = sum(1 << reader - first for reader in readers if first <= reader <= last)
    return Use(network.sizes[value], inside, value in network.kept or readers[-1] > last)
