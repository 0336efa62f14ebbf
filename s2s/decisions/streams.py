"""Decide which constants are copied from a slow memory before kernels read them, and how early each copy starts.

The subject is `constants`, all that the network passes to kernels: they compete for the same memory and the same bus. A
choice lists for each of them, in the order of their first readers, how many kernels before its reader its copy starts,
or `-` for a constant that lies where kernels read it: `- - 2 2 1 0`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.memory.streams import Stream, behind_the_wait, just_in_time, stall
from s2s.targets import Target
from s2s.types.pools import Pool

KIND = "streams"
RESIDENT = "-"
Aheads = tuple[int | None, ...]
"""How many steps before its reader the copy of each constant starts; None: it is not copied."""
_Plan = Callable[[Sequence[Stream]], dict[Stream, int]]


class StreamsUnit(NamedTuple):
    """The constants of a network, and the memory that they are copied to."""

    home: Operation
    pool: Pool
    """The pool that they are copied from."""
    room: Pool
    """The memory of kernels: the first pool that holds buffers."""
    streams: tuple[Stream, ...]
    """The copies if all constants are copied, by their readers."""
    sizes: tuple[int, ...]
    """The bytes of each constant."""
    steps: tuple[int, ...]
    """The cycles of each step."""
    bound: Callable[[Aheads], int]
    """Returns bytes below which no plan of the memory gets with these copies."""
    peak: Callable[[Aheads], int]
    """Plans the memory and returns the bytes that buffers take with these copies, and constants that are not copied."""

    def ahead(self, choice: Aheads) -> dict[Stream, int]:
        """Return the copies of a choice."""
        found = {stream: choice[stream.constant] for stream in self.streams}
        return {stream: min(count, stream.step) for stream, count in found.items() if count is not None}


class StreamsKind(Kind[StreamsUnit, Aheads]):
    """Copies of constants."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[StreamsUnit, Aheads]]]:
        return (("the shortest wait within the memory of kernels", _shortest_wait), ("the smallest memory", _smallest))

    def key(self, subject: StreamsUnit) -> str:
        return "constants"

    def home(self, subject: StreamsUnit) -> Operation:
        return subject.home

    def about(self, subject: StreamsUnit) -> str:
        return f"{len(subject.sizes)} constants, from {subject.pool.name} to {subject.room.name}"

    def legal(self, subject: StreamsUnit, choice: Aheads) -> str | None:
        if len(choice) != len(subject.sizes):
            return f"it names {len(choice)} copies for {len(subject.sizes)} constants"
        return None

    def apply(self, subject: StreamsUnit, choice: Aheads) -> None:
        """Do nothing: the pass that asked inserts the copies at once."""

    def text(self, choice: Aheads) -> str:
        return " ".join(RESIDENT if each is None else str(each) for each in choice)

    def parse(self, subject: StreamsUnit, text: str) -> Aheads:
        words = text.split()
        most = len(str(len(subject.steps)))
        if not all(word == RESIDENT or (word.isdecimal() and len(word) <= most) for word in words):
            raise ValueError(f"give numbers of kernels, or {RESIDENT} for constants that are not copied")
        return tuple(None if word == RESIDENT else int(word) for word in words)

    def estimate(self, subject: StreamsUnit, choice: Aheads, target: Target) -> Cost | None:
        return Cost(cycles=stall(subject.ahead(choice), subject.steps), ram=subject.peak(choice))


def _shortest_wait(subject: StreamsUnit, target: Target) -> Sequence[Candidate[Aheads] | Refused]:
    """Propose copies just in time, right behind the wait before, and right before their readers, each beside as many
    constants that are not copied as fit."""
    plans: Sequence[tuple[str, _Plan]] = (
        ("copies just in time", lambda streams: just_in_time(streams, subject.steps)),
        ("copies during all kernels since the last wait", behind_the_wait),
        ("copies that nothing hides", lambda streams: dict.fromkeys(streams, 0)),
    )
    return [_filled(subject, note, plan) for note, plan in plans]


def _filled(subject: StreamsUnit, note: str, plan: _Plan) -> Candidate[Aheads] | Refused:
    """Leave the smallest constants, whose copies take longest for their bytes, where kernels read them, until none
    fits."""
    order = sorted(range(len(subject.sizes)), key=lambda number: (subject.sizes[number], number))

    def choice(count: int) -> Aheads:
        kept = set(order[:count])
        ahead = plan([stream for stream in subject.streams if stream.constant not in kept])
        longest: dict[int, int] = {}
        for stream, steps in ahead.items():
            longest[stream.constant] = max(steps, longest.get(stream.constant, 0))
        return tuple(longest.get(number) for number in range(len(subject.sizes)))

    least = subject.peak(choice(0))
    if least > subject.room.size:
        return Refused(note, f"it takes {least:,} bytes, and {subject.room.name} has {subject.room.size:,}")
    low, high = 0, len(order)
    while low < high:
        middle = (low + high + 1) // 2
        if subject.bound(choice(middle)) <= subject.room.size:
            low = middle
        else:
            high = middle - 1
    while low and (excess := subject.peak(choice(low)) - subject.room.size) > 0:
        while low and excess > 0:
            low -= 1
            excess -= subject.sizes[order[low]]
    made = choice(low)
    waits = stall(subject.ahead(made), subject.steps)
    copied = f"{note}, {len(order) - low} of {len(order)} constants"
    words = f"{copied}; kernels wait {waits:,} of {sum(subject.steps):,} cycles"
    return Candidate(lambda: made, words, Cost(cycles=waits, ram=subject.peak(made)))


def _smallest(subject: StreamsUnit, target: Target) -> Sequence[Candidate[Aheads]]:
    """Propose to copy every constant right before its reader."""
    return [Candidate(lambda: (0,) * len(subject.sizes), "all constants, right before their readers")]
