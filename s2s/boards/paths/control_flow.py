"""The control flow of a linked program: functions, basic blocks, and how one follows another.

8010: cmp r0, #3            block 0: successors 1 (falls through) and 2 (8018)
8012: bgt.n 8018
8014: bl 8100               block 1: a call ends a block, and comes back to its successor 2
8018: bx lr                 block 2: no successor
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from s2s.boards.cycles.instruction import Instruction
from s2s.boards.cycles.price import Block
from s2s.boards.paths.image import Image
from s2s.boards.paths.step import Step
from s2s.boards.paths.tables import targets
from s2s.support.frozen import frozen


@frozen
class BasicBlock:
    """Instructions that run one behind the other."""

    steps: Sequence[Step]
    successors: tuple[int, ...]
    """The numbers of the blocks that may follow in the same function."""
    leaves_to: int | None = None
    """The address in another function at which it goes on for good."""
    by_table: bool = False
    """Whether a table in memory says where it goes on."""

    @property
    def first(self) -> int:
        """The address of the first instruction."""
        return self.steps[0].instruction.address

    @property
    def behind(self) -> int:
        """The address behind the last instruction."""
        return self.last.instruction.behind

    @property
    def last(self) -> Step:
        """The last instruction."""
        return self.steps[-1]

    @property
    def branches(self) -> bool:
        """Whether it goes on at one of several places."""
        return self.last.jumps and self.last.is_conditional

    @property
    def is_lost(self) -> bool:
        """Whether nobody knows where it goes on: by a table that could not be read."""
        return self.by_table and not self.successors

    @property
    def callees(self) -> tuple[int | None, ...]:
        """The address of each function that it goes on in, for good or not; None for one in a register."""
        called = (self.last.target,) if self.last.calls else ()
        return called if self.leaves_to is None else (*called, self.leaves_to)


@frozen
class Function:
    """A function of a program; block 0 is its entry."""

    name: str
    blocks: Sequence[BasicBlock]

    @cached_property
    def callees(self) -> tuple[int | None, ...]:
        """The address of each function that it may go on in; None for one in a register."""
        return tuple(dict.fromkeys(entry for block in self.blocks for entry in block.callees))


class Program:
    """The functions of a linked program, by address."""

    def __init__(
        self, instructions: Iterable[Instruction], symbols: Iterable[tuple[str, int]], image: Image | None = None
    ) -> None:
        self.image = image or Image()
        self.names: dict[int, str] = {}
        owner = ""
        by_place = sorted(symbols, key=lambda symbol: (symbol[1], *map(symbol[0].startswith, "._"), symbol[0]))
        for name, address in by_place:
            self.names.setdefault(address, owner if name.startswith(".") else name)
            owner = self.names[address]
        self._starts = sorted(self.names)
        steps = list(_guarded(instructions))
        while entered := self._entered_inside(steps):
            self.names |= {address: self.names[self.start_of(address)] for address in entered}
            self._starts = sorted(self.names)
        self._steps: dict[int, list[Step]] = {}
        for step in steps:
            self._steps.setdefault(self.start_of(step.instruction.address), []).append(step)
        self._functions: dict[int, Function] = {}

    def _entered_inside(self, steps: Iterable[Step]) -> set[int]:
        """Return where functions that share code, such as `__udivsi3` and `__aeabi_uidivmod`, enter each other's
        middle: a function of its own starts there. Parts of one, such as `kernel.cold`, are left as they are."""
        entered: set[int] = set()
        for step in steps:
            target = step.target if step.jumps or step.calls else None
            if target is None or target in self.names:
                continue
            here, there = self.start_of(step.instruction.address), self.start_of(target)
            one, other = self.names.get(here, ""), self.names.get(there, "")
            are_parts = one != other and one.partition(".")[0] == other.partition(".")[0]
            if here != there and other and not are_parts:
                entered.add(target)
        return entered

    def cut(self, block: Block) -> Iterable[Block]:
        """Cut instructions that ran one behind the other where a function starts among them."""
        first = block.first
        for start in self._starts[bisect_right(self._starts, first) : bisect_left(self._starts, block.behind)]:
            yield replace(block, first=first, behind=start, entered=block.entered * (first == block.first), left=0)
            first = start
        yield replace(block, first=first, entered=block.entered * (first == block.first))

    def start_of(self, address: int) -> int:
        """Return the address of the function that an address lies in."""
        place = bisect_right(self._starts, address) - 1
        return self._starts[place] if place >= 0 else address

    def function(self, start: int) -> Function | None:
        """Return the function that starts at an address; None if there is none."""
        if start not in self._functions:
            steps = self._steps.get(start)
            if not steps or start not in self.names:
                return None
            self._functions[start] = Function(self.names[start], self._blocks(steps))
        return self._functions[start]

    def _blocks(self, steps: Sequence[Step]) -> Sequence[BasicBlock]:
        """Cut the instructions of a function into blocks, without padding and other blocks that nothing leads to."""
        blocks = list(self._cut(_with_far_jumps(steps)))
        reached, waiting = set[int](), [0]
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                waiting.extend(blocks[number].successors)
        numbers = {number: place for place, number in enumerate(sorted(reached))}
        kept = (blocks[number] for number in numbers)
        return tuple(replace(entry, successors=tuple(numbers[other] for other in entry.successors)) for entry in kept)

    def _cut(self, steps: Sequence[Step]) -> Iterable[BasicBlock]:
        """Cut the instructions of a function into blocks, numbered in order."""
        inside = {step.instruction.address for step in steps}
        tables = {
            step.instruction.address: jumps
            for place, step in enumerate(steps)
            if (jumps := targets(steps, place, self.image, self.names.get)) != ()
        }
        entries = {address for jumps in tables.values() for address in jumps or ()}
        entries |= {step.target for step in steps if step.jumps and step.target is not None}
        groups: list[list[Step]] = [[]]
        for step in steps:
            before = groups[-1][-1] if groups[-1] else None
            if before is not None and (step.instruction.address in entries or before.jumps or before.calls):
                groups.append([])
            groups[-1].append(step)
        numbers = {group[0].instruction.address: number for number, group in enumerate(groups)}
        for group in groups:
            last = group[-1]
            if last.instruction.address in tables:
                places = tables[last.instruction.address] or ()
                inner = () if any(place not in inside for place in places) else places
                yield BasicBlock(group, tuple(numbers[place] for place in inner), by_table=True)
                continue
            follows = [] if last.jumps and not last.is_conditional else [last.instruction.behind]
            places = [*follows, *([last.target] if last.jumps and last.target is not None else [])]
            outside = next((place for place in places if place not in inside), None)
            inner = dict.fromkeys(numbers[entry] for entry in places if entry in inside)
            yield BasicBlock(group, tuple(inner), outside)


def _with_far_jumps(steps: Sequence[Step]) -> Sequence[Step]:
    """Mark the calls of a function that lead into its own middle: they come back by a jump, or never."""
    inner = {step.instruction.address for step in steps[1:]}
    return [replace(step, is_far_jump=True) if step.calls and step.target in inner else step for step in steps]


def _guarded(instructions: Iterable[Instruction]) -> Iterable[Step]:
    """Mark the instructions behind each `it`."""
    left = 0
    for entry in instructions:
        yield Step(entry, left > 0)
        word = entry.mnemonic.partition(".")[0]
        is_it = word.startswith("it") and set(word[2:]) <= {"t", "e"}
        left = len(word) - 1 if is_it else max(left - 1, 0)


__all__ = ["BasicBlock", "Function", "Program"]
