"""Model a network as steps with dependences, and split it into segments that can be ordered independently."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from s2s.errors import CompilerBug


class Step(NamedTuple):
    """One kernel call, with values by number. A pair (written, read) of `in_place` may share an address if the read
    value dies."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    scratch: int = 0
    in_place: tuple[tuple[int, int], ...] = ()


class Network(NamedTuple):
    """Steps with their dependences; a value without a producer is live from the start to its last read."""

    steps: tuple[Step, ...]
    sizes: tuple[int, ...]
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    readers: dict[int, tuple[int, ...]]
    kept: frozenset[int]

    @classmethod
    def of(cls, steps: Sequence[Step], sizes: Sequence[int], kept: Iterable[int]) -> "Network":
        """Derive the dependences from reads and writes; `steps` come in a valid order."""
        producer: dict[int, int] = {}
        readers: dict[int, list[int]] = {}
        before: list[tuple[int, ...]] = []
        after: list[list[int]] = [[] for _ in steps]
        for number, step in enumerate(steps):
            for value in dict.fromkeys(step.reads):
                readers.setdefault(value, []).append(number)
            needed = dict.fromkeys(producer[value] for value in step.reads if value in producer)
            before.append(tuple(needed))
            for earlier in needed:
                after[earlier].append(number)
            for value in step.writes:
                if value in producer or value in readers:
                    raise CompilerBug(f"value {value} is written twice, or read before step {number} writes it")
                producer[value] = number
        frozen = {value: tuple(found) for value, found in readers.items()}
        return cls(tuple(steps), tuple(sizes), tuple(before), tuple(map(tuple, after)), frozen, frozenset(kept))

    @property
    def live_at_start(self) -> int:
        """Return the bytes of the values that no step writes."""
        written = {value for step in self.steps for value in step.writes}
        return sum(self.sizes[value] for value in {*self.readers, *self.kept} - written)

    def segments(self) -> list[list[int]]:
        """Split the steps behind each one that all others must precede or follow.

        Such a step is the only ready one when its turn comes, in forward and in backward order.
        """
        count = len(self.steps)
        cuts = _alone(self.before, self.after, range(count)) & _alone(self.after, self.before, reversed(range(count)))
        segments: list[list[int]] = [[]]
        for number in range(count):
            segments[-1].append(number)
            if number in cuts:
                segments.append([])
        return [segment for segment in segments if segment]


def _alone(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], order: Iterable[int]) -> set[int]:
    """Return the steps that are the only ready one at their turn in `order`."""
    missing = [len(needed) for needed in before]
    ready = missing.count(0)
    alone: set[int] = set()
    for number in order:
        if ready == 1:
            alone.add(number)
        ready -= 1
        for later in after[number]:
            missing[later] -= 1
            ready += missing[later] == 0
    return alone
