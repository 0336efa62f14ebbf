"""The control flow of a linked program: functions, basic blocks, and how one follows another.

8010: cmp r0, #3            block 0: successors 1 (falls through) and 2 (8018)
8012: bgt.n 8018
8014: bl 8100               block 1: a call ends a block, and comes back to its successor 2
8018: bx lr                 block 2: no successor
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from s2s.boards.cycles.instruction import Instruction
from s2s.boards.cycles.table import CONDITIONS
from s2s.support.frozen import frozen

TABLES = ("tbb", "tbh")
COMPARED = ("cbz", "cbnz")


@frozen
class Step:
    """An instruction, and whether a condition of an if-then block guards it."""

    instruction: Instruction
    is_guarded: bool

    @property
    def word(self) -> str:
        """The mnemonic without its width, and without the condition of an if-then block."""
        word = self.instruction.mnemonic.partition(".")[0]
        return word[:-2] if self.is_guarded and word.endswith(CONDITIONS) else word

    @property
    def jumps(self) -> bool:
        """Whether it may go on anywhere but behind itself: a branch or a return, and no call."""
        word = self.word
        return word in ("b", "bx", *TABLES, *COMPARED) or self._is_conditional_branch or self.instruction.writes_pc

    @property
    def _is_conditional_branch(self) -> bool:
        return self.word.startswith("b") and self.word[1:] in CONDITIONS

    @property
    def is_conditional(self) -> bool:
        """Whether a jump may be passed over."""
        return self.is_guarded or self._is_conditional_branch or self.word in COMPARED

    @property
    def target(self) -> int | None:
        """The address that a branch or a call names; None where a register or a table holds it."""
        if not (self._is_conditional_branch or self.word in ("b", "bl", *COMPARED)):
            return None
        return int(self.instruction.operands[-1], 16)

    @property
    def calls(self) -> bool:
        """Whether it is a call, which comes back."""
        return self.word in ("bl", "blx")


@frozen
class BasicBlock:
    """Instructions that run one behind the other."""

    steps: Sequence[Step]
    successors: tuple[int, ...]
    """The numbers of the blocks that may follow in the same function."""
    leaves_to: int | None = None
    """The address in another function at which it goes on for good."""

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
        """Whether a table in memory says where it goes on."""
        return self.last.word in TABLES

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

    def __init__(self, instructions: Iterable[Instruction], symbols: Iterable[tuple[str, int]]) -> None:
        self.names: dict[int, str] = {}
        for name, address in sorted(symbols, key=lambda entry: (entry[1], entry[0].startswith("_"), entry[0])):
            self.names.setdefault(address, name)
        self._starts = sorted(self.names)
        self._steps: dict[int, list[Step]] = {}
        for step in _guarded(instructions):
            self._steps.setdefault(self.start_of(step.instruction.address), []).append(step)
        self._functions: dict[int, Function] = {}

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
            self._functions[start] = Function(self.names[start], _blocks(steps))
        return self._functions[start]


def _guarded(instructions: Iterable[Instruction]) -> Iterable[Step]:
    """Mark the instructions behind each `it`."""
    left = 0
    for entry in instructions:
        yield Step(entry, left > 0)
        word = entry.mnemonic.partition(".")[0]
        is_it = word.startswith("it") and set(word[2:]) <= {"t", "e"}
        left = len(word) - 1 if is_it else max(left - 1, 0)


def _blocks(steps: Sequence[Step]) -> Sequence[BasicBlock]:
    """Cut the instructions of a function into blocks, without padding and other blocks that nothing leads to."""
    blocks = list(_cut(steps))
    reached, waiting = set[int](), [0]
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting.extend(blocks[number].successors)
    numbers = {number: place for place, number in enumerate(sorted(reached))}
    kept = (blocks[number] for number in numbers)
    return tuple(replace(entry, successors=tuple(numbers[other] for other in entry.successors)) for entry in kept)


def _cut(steps: Sequence[Step]) -> Iterable[BasicBlock]:
    """Cut the instructions of a function into blocks, numbered in order."""
    inside = {step.instruction.address for step in steps}
    targets = {step.target for step in steps if step.jumps}
    groups: list[list[Step]] = [[]]
    for step in steps:
        before = groups[-1][-1] if groups[-1] else None
        if before is not None and (step.instruction.address in targets or before.jumps or before.calls):
            groups.append([])
        groups[-1].append(step)
    numbers = {group[0].instruction.address: number for number, group in enumerate(groups)}
    for group in groups:
        last = group[-1]
        follows = [] if last.jumps and not last.is_conditional else [last.instruction.behind]
        places = [*follows, *([last.target] if last.jumps and last.target is not None else [])]
        outside = next((place for place in places if place not in inside), None)
        yield BasicBlock(group, tuple(dict.fromkeys(numbers[entry] for entry in places if entry in inside)), outside)


__all__ = ["COMPARED", "TABLES", "BasicBlock", "Function", "Program", "Step"]
