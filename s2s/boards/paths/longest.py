"""Bound the cycles of every run from a run that was counted: all take its path, but for branches on data, whose longer
side counts.

    counted: 64 turns of a loop, 40 of them through a side of 3 cycles, 24 through one of 5     64 * base + 240
    greatest: every turn through the longer                                                     64 * base + 320

What the compiler of the network proves of a kernel is taken from it: that loops turn as often in every run, or how
often they turn at most. Branches of the C compiler, which may be choices in C, are found in the program itself.
"""

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from s2s.boards.cycles.price import Block, Prices
from s2s.boards.paths.control_flow import BasicBlock, Function, Program
from s2s.boards.paths.reach import Reach
from s2s.errors import EndsEarly, UnsupportedError
from s2s.support.frozen import frozen


@frozen
class Proof:
    """What is known of the functions of a network."""

    functions: frozenset[str]
    """Its functions in C, whose loops turn as often in every run unless they are in `repeating`."""
    repeating: frozenset[str] = frozenset()
    """The functions in which data decide how often loops turn."""
    turns: Mapping[str, int | None] = field(default_factory=dict[str, int | None])
    """How often a loop of a function turns in a call at most; None where nobody knows."""
    checked: str = ""
    """The function of which counted runs did not end early, with an error."""


@frozen
class Longest:
    """The greatest cycles of a run."""

    cycles: int | None
    """None where they have no bound."""
    bounded: tuple[str, ...] = ()
    """The functions in which the longer side of a branch was taken."""
    reasons: tuple[str, ...] = ()
    """Why there is no bound."""


class _OpenError(EndsEarly):
    """There is no bound."""


class LongestPaths:
    """The greatest cycles of the runs of a program."""

    def __init__(self, program: Program, prices: Prices, proof: Proof, runs: Sequence[Sequence[Block]]) -> None:
        self.program, self.prices, self.proof = program, prices, proof
        self.reach = Reach(program, (block.first for blocks in runs for block in blocks))
        self._once: dict[int, int | str] = {}
        self._ways: dict[tuple[int, bool, int | None], int] = {}
        self._turns = self._all_turns()
        ours = (start for start, member in self.reach.functions.items() if member.name in proof.functions)
        self._network = frozenset[int]().union(*map(self.reach.below, ours))
        self._sides = {start: self._variable(start) for start in self.reach.functions}
        self._apart = self._called_apart()
        callees = (
            callee for member in self.reach.functions.values() for callee in member.callees if callee is not None
        )
        self._entered_inside = {program.start_of(callee) for callee in callees if callee not in self.reach.functions}

    def of(self, blocks: Sequence[Block]) -> Longest:
        """Return the greatest cycles of a run that was counted."""
        counted: dict[int, list[Block]] = {}
        for block in blocks:
            counted.setdefault(self.program.start_of(block.first), []).append(block)
        total, reasons, bounded = 0, dict[str, None](), list[str]()
        for start, of_function in counted.items():
            if start in self._apart:
                continue
            try:
                total += self._of_function(start, of_function)
            except _OpenError as error:
                reasons[str(error)] = None
            if self._sides.get(start):
                bounded.append(self.reach.functions[start].name)
        return Longest(None if reasons else total, tuple(bounded), tuple(reasons))

    def _all_turns(self) -> Mapping[int, int | None]:
        """How often loops turn at most, by function: where data decide that, and in what is called there."""
        limits: dict[int, int | None] = {}
        for start, function in self.reach.functions.items():
            if function.name in self.proof.repeating:
                most = self.proof.turns.get(function.name)
                for member in self.reach.below(start):
                    before = limits.get(member, 0)
                    limits[member] = None if before is None or most is None else max(before, most)
        return limits

    def _is_proven(self, start: int) -> bool:
        """Whether the loops of a function turn as often in every run."""
        name = self.reach.functions[start].name.partition(".")[0]
        return start not in self._turns and name in self.proof.functions

    def _variable(self, start: int) -> frozenset[int]:
        """The blocks of a function that run or not as data say."""
        function, shape = self.reach.functions[start], self.reach.shape(start)
        sides: set[int] = set()
        for branch in self._branches(start, function):
            early = shape.early_end(branch) if function.name == self.proof.checked else None
            sides |= {branch, *shape.between(branch)} if early is None else early
        return frozenset(sides)

    def _branches(self, start: int, function: Function) -> Iterable[int]:
        """The blocks that end with a branch on data."""
        shape, on_data = self.reach.shape(start), self.reach.flows[start].branches
        if start not in self._network:
            return ()
        if self._is_proven(start):
            return [block for block in on_data if not shape.leaves_loop(block)]
        if start in self._turns or on_data:  # what one of them has set may steer any other
            return [number for number, block in enumerate(function.blocks) if block.branches or block.is_lost]
        return ()

    def _called_apart(self) -> frozenset[int]:
        """The functions that are called or not as data say."""
        apart: set[int] = set()
        for start, numbers in self._sides.items():
            blocks = self.reach.functions[start].blocks
            for callee in (callee for number in numbers for callee in blocks[number].callees):
                if callee is not None:
                    apart |= self.reach.below(callee)
        return frozenset(apart)

    def _of_function(self, start: int, counted: Sequence[Block]) -> int:
        """The greatest cycles of a function in a run, with what is called apart below it."""
        function = self.reach.functions.get(start)
        calls = any(callee in self._apart for callee in function.callees) if function is not None else False
        if function is None or (not self._sides[start] and not calls):
            return self.prices.of(counted).most
        runs = _Runs(function, counted)
        sides = self._sides[start]
        same = [number for number in range(len(function.blocks)) if number not in sides]
        if start in self._entered_inside:
            raise _OpenError(f"{function.name} is entered in its middle")
        total = sum(self._counted(start, number, runs) for number in same)
        total += sum(runs.of(number) * self._called(function.blocks[number]) for number in same)
        return total + self._turned(start, sides, runs.of, runs.of(0))

    def _counted(self, start: int, number: int, runs: "_Runs") -> int:
        """The greatest cycles of the runs of a block that are the same in every run."""
        block, count = self.reach.functions[start].blocks[number], runs.of(number)
        from_sides = any(member in self._sides[start] for member in self.reach.shape(start).predecessors[number])
        entered = count if from_sides else runs.entered(block)
        return self.prices.of([Block(block.first, block.behind, count, entered, runs.left(block))]).most if count else 0

    def _called(self, block: BasicBlock) -> int:
        """The greatest cycles of what a block calls and data may call too, once."""
        return sum(self._call(callee) for callee in block.callees if callee in self._apart)

    def _call(self, start: int | None) -> int:
        """The greatest cycles of one call of a function."""
        function = None if start is None else self.reach.functions.get(start)
        if start is None or function is None:
            raise _OpenError("a branch on data leads out of the functions that are known")
        if start not in self._once:
            self._once[start] = f"{function.name} calls itself"
            every = frozenset(range(len(function.blocks)))
            try:
                self._once[start] = self._turned(start, every, lambda _: 0, 1)
            except _OpenError as error:
                self._once[start] = str(error)
        cycles = self._once[start]
        if isinstance(cycles, str):
            raise _OpenError(cycles)
        return cycles

    def _turned(self, start: int, sides: frozenset[int], runs: Callable[[int], int], entries: int) -> int:
        """The greatest cycles of blocks that run as data say: of the longest way through the function, and through each
        loop times its turns."""
        function, shape = self.reach.functions[start], self.reach.shape(start)
        if any(block.is_lost for block in function.blocks) or not shape.is_reducible:
            raise _OpenError(f"{function.name} jumps by a table, or into a loop")
        every = len(sides) == len(function.blocks)
        total = entries * self._cached_way(start, sides, None, every=every)
        if start in self._turns and function.name not in self.proof.repeating:
            return total  # its loops turn within the turns of the one that calls it
        for head in shape.loops:
            way = self._cached_way(start, sides, head, every=every)
            if way:
                total += way * self._turns_of(start, head, runs, entries)
        if start in self._turns:
            total += entries * sum(map(self._loops_below, self.reach.below(start) - {start}))
        return total

    def _loops_below(self, start: int) -> int:
        """The greatest cycles of the loops of a function that one calls in which data decide how often they turn."""
        every = frozenset(range(len(self.reach.functions[start].blocks)))
        heads = self.reach.shape(start).loops
        ways = ((head, self._cached_way(start, every, head, every=True)) for head in heads)
        return sum(way * self._turns_of(start, head, lambda _: 0, 1) for head, way in ways)

    def _turns_of(self, start: int, head: int, runs: Callable[[int], int], entries: int) -> int:
        """How often the header of a loop runs at most."""
        if self._is_proven(start) and runs(0):
            return runs(head)
        name = self.reach.functions[start].name
        most = self._turns.get(start, self.proof.turns.get(name))
        if most is None:
            raise _OpenError(f"{name} repeats as data say, nobody knows how often")
        return most * entries

    def _cached_way(self, start: int, sides: frozenset[int], head: int | None, *, every: bool) -> int:
        if (start, every, head) not in self._ways:
            self._ways[start, every, head] = self._way(start, sides, head)
        return self._ways[start, every, head]

    def _way(self, start: int, sides: frozenset[int], head: int | None) -> int:
        """The cycles of the longest way through a loop once, or through the function outside of loops."""
        function, shape = self.reach.functions[start], self.reach.shape(start)
        inside = range(len(function.blocks)) if head is None else shape.loops[head]
        longest: dict[tuple[int, bool], int] = {(0 if head is None else head, True): 0}
        ends = [0]
        for number, entered in itertools.product(shape.order, (False, True)):
            before = longest.get((number, entered))
            if before is None or number not in inside:
                continue
            block, counts = function.blocks[number], number in sides and shape.header_of(number) == head
            for member in (*block.successors, None):
                jumps = member is None or function.blocks[member].first != block.behind
                behind = before + (self._cost(block, entered=entered, left=jumps) if counts else 0)
                if member is None:
                    ends.append(behind if not block.successors or block.branches else before)
                elif (number, member) in shape.back_edges or member not in inside:
                    ends.append(behind)
                else:
                    longest[member, jumps] = max(longest.get((member, jumps), 0), behind)
        return max(ends)

    def _cost(self, block: BasicBlock, *, entered: bool, left: bool) -> int:
        """The greatest cycles of a block, once."""
        try:
            own = self.prices.of([Block(block.first, block.behind, 1, int(entered), int(left))]).most
        except UnsupportedError as error:
            raise _OpenError(str(error)) from error
        return own + sum(map(self._call, block.callees))


class _Runs:
    """How often the blocks of a function ran."""

    def __init__(self, function: Function, counted: Iterable[Block]) -> None:
        firsts = [block.first for block in function.blocks]
        self._runs = [0] * len(firsts)
        self._counted = tuple(counted)
        for block in self._counted:
            for number in range(bisect_left(firsts, block.first), bisect_left(firsts, block.behind)):
                self._runs[number] += block.runs

    def of(self, number: int) -> int:
        """Return the runs of a block."""
        return self._runs[number]

    def entered(self, block: BasicBlock) -> int:
        """Return the runs of a block that a branch led to."""
        return sum(member.entered for member in self._counted if member.first == block.first)

    def left(self, block: BasicBlock) -> int:
        """Return the runs of a block that ended with a branch that was taken."""
        return sum(member.left for member in self._counted if member.behind == block.behind)


__all__ = ["Longest", "LongestPaths", "Proof"]
