"""Bound the cycles of every run from a run that was counted: all take its path, but for branches on data, whose longer
side counts.

    counted: 64 turns of a loop, 40 of them through a side of 3 cycles, 24 through one of 5     64 * base + 240
    greatest: every turn through the longer                                                     64 * base + 320

What the compiler of the network proves of a kernel is taken from it: that loops turn as often in every run, or how
often they turn at most. Branches of the C compiler, which may be choices in C, are found in the program itself.
"""

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from s2s.boards.cycles.price import Block, Prices
from s2s.boards.paths.control_flow import BasicBlock, Function, Program
from s2s.boards.paths.executions import Executions, OpenError
from s2s.boards.paths.reach import Reach
from s2s.errors import UnsupportedError
from s2s.support.frozen import frozen

COPIES, COPIED = ("memcpy", "memmove"), 32
"""Functions of the C library whose loops turn at most once for each byte, and the most bytes of a turn of a loop in C
that the compiler makes a call of one of these, or that stands for one where windows move."""


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


class LongestPaths:
    """The greatest cycles of the runs of a program."""

    def __init__(self, program: Program, prices: Prices, proof: Proof, runs: Sequence[Sequence[Block]]) -> None:
        self.program, self.prices, self.proof = program, prices, proof
        firsts = (part.first for blocks in runs for block in blocks for part in program.cut(block))
        self.reach = Reach(program, firsts, proof.functions - proof.repeating)
        self._executions = Executions(self.reach, program.image, self._own_cost, self._call)
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
        for block in (part for entry in blocks for part in self.program.cut(entry)):
            counted.setdefault(self.program.start_of(block.first), []).append(block)
        total, reasons, bounded = 0, dict[str, None](), list[str]()
        for start, of_function in counted.items():
            if start in self._apart:
                continue
            try:
                total += self._of_function(start, of_function)
            except OpenError as error:
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
        if start not in self._network:
            return frozenset()
        on_data = self.reach.flows[start].branches
        if self._is_proven(start):
            return frozenset[int]().union(*({branch, *shape.side_blocks(branch)} for branch in self._branches(start)))
        if start not in self._turns:
            return frozenset(range(len(function.blocks))) if on_data else frozenset()
        # what one of them has set may steer any other
        branches = [number for number, block in enumerate(function.blocks) if block.branches or block.by_table]
        return frozenset[int]().union(*({branch, *shape.between(branch)} for branch in branches))

    def _branches(self, start: int) -> Sequence[int]:
        """The blocks of a function with proven loops that end with a branch on data."""
        shape, function = self.reach.shape(start), self.reach.functions[start]
        on_data = [block for block in sorted(self.reach.flows[start].branches) if not shape.leaves_loop(block)]
        ends_early = [block for block in on_data if shape.early_end(block) is not None]
        return [block for block in on_data if block not in ends_early or function.name != self.proof.checked]

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
            raise OpenError(f"{function.name} is entered in its middle")
        total = sum(self._counted(start, number, runs) for number in same)
        total += sum(runs.of(number) * self._called(function.blocks[number]) for number in same)
        if self._is_proven(start):
            return total + self._of_sides(start, runs)
        if start in self._turns:
            return total + self._turned(start, sides, runs.of(0))
        return total + runs.of(0) * self._executions.longest(start) if sides else total

    def _of_sides(self, start: int, runs: "_Runs") -> int:
        """The greatest cycles from branches on data to where their sides meet again."""
        shape, branches = self.reach.shape(start), self._branches(start)
        within = {branch: shape.side_blocks(branch) for branch in branches}
        outermost = [
            branch for branch in branches if not any(branch in within[other] for other in branches if other != branch)
        ]
        if any(not any(branch in within[other] for other in outermost) for branch in {*branches} - {*outermost}):
            raise OpenError(f"{self.reach.functions[start].name} repeats as data say, nobody knows how often")
        return sum(runs.of(branch) * self._side(start, branch) for branch in outermost if runs.of(branch))

    def _side(self, start: int, branch: int) -> int:
        """The cycles of the longest way from a branch to where its sides meet, and of loops on it."""
        function, shape = self.reach.functions[start], self.reach.shape(start)
        inside, around = shape.side_blocks(branch), shape.header_of(branch)
        heads = [head for head in shape.loops if head in inside and head != around]
        longest: dict[tuple[int, bool], int] = {(branch, True): 0, (branch, False): 0}
        ends = [0]
        for number, entered in itertools.product((branch, *self._side_order(start, branch)), (False, True)):
            before = longest.get((number, entered))
            if before is None:
                continue
            block, counts = function.blocks[number], not heads or shape.header_of(number) == around
            if not block.successors or block.leaves_to is not None or block.last.target is None:
                ends.append(before + (self._side_cost(start, block, entered=entered, left=True) if counts else 0))
            for member in block.successors:
                jumps = function.blocks[member].first != block.behind
                behind = before + (self._side_cost(start, block, entered=entered, left=jumps) if counts else 0)
                if member not in inside or (number, member) in shape.back_edges:
                    ends.append(behind)
                else:
                    arrives = jumps or block.last.calls
                    longest[member, arrives] = max(longest.get((member, arrives), 0), behind)
        return max(ends) + sum(self._way(start, inside, head) * self._stated_turns(start) for head in heads)

    def _side_cost(self, start: int, block: BasicBlock, *, entered: bool, left: bool) -> int:
        """The greatest cycles of a block on a side of a branch, with what it calls, once."""
        copies = [self._copy(start, callee) for callee in block.callees if self._name(callee) in COPIES]
        calls = [self._call(callee) for callee in block.callees if self._name(callee) not in COPIES]
        return self._own_cost(block, entered, left) + sum(copies) + sum(calls)

    def _copy(self, start: int, callee: int | None) -> int:
        """The greatest cycles of a copy by the C library, of `COPIED` bytes for each turn of a loop of the caller."""
        assert callee is not None
        every = frozenset(range(len(self.reach.functions[callee].blocks)))
        ways = (self._way(callee, every, head) for head in self.reach.shape(callee).loops)
        return self._way(callee, every, None) + sum(ways) * COPIED * self._stated_turns(start)

    def _name(self, start: int | None) -> str:
        function = None if start is None else self.reach.functions.get(start)
        return "" if function is None else function.name

    def _side_order(self, start: int, branch: int) -> Sequence[int]:
        """The blocks of the sides of a branch in an order in which all edges but the ones that close loops lead on."""
        shape = self.reach.shape(start)
        order, inside = shape.side_order(branch), shape.side_blocks(branch)
        if order is None and not shape.is_reducible:
            raise OpenError(f"{self.reach.functions[start].name} jumps into a loop on a side of a branch on data")
        return [number for number in shape.order if number in inside] if order is None else order

    def _stated_turns(self, start: int) -> int:
        """How often a loop of a function turns in a call at most, by what its compiler states of it."""
        name = self.reach.functions[start].name
        most = self.proof.turns.get(name)
        if most is None:
            raise OpenError(f"{name} repeats on a side of a branch on data, nobody knows how often")
        return most

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
            raise OpenError("a branch on data leads out of the functions that are known")
        if start not in self._turns:
            return self._executions.longest(start)
        return self._turned(start, frozenset(range(len(function.blocks))), 1)

    def _turned(self, start: int, sides: frozenset[int], entries: int) -> int:
        """The greatest cycles of blocks of a function in which data say how often loops turn: of the longest way
        through it, and through each loop times its turns."""
        function, shape = self.reach.functions[start], self.reach.shape(start)
        if any(block.is_lost for block in function.blocks) or not shape.is_reducible:
            raise OpenError(f"{function.name} jumps by a table, or into a loop")
        every = len(sides) == len(function.blocks)
        total = entries * self._cached_way(start, sides, None, every=every)
        if function.name not in self.proof.repeating:
            return total  # its loops turn within the turns of the one that calls it
        for head in shape.loops:
            way = self._cached_way(start, sides, head, every=every)
            if way:
                total += way * entries * self._turns_of(start)
        return total + entries * sum(map(self._loops_below, self.reach.below(start) - {start}))

    def _loops_below(self, start: int) -> int:
        """The greatest cycles of the loops of a function that one calls in which data decide how often they turn."""
        every = frozenset(range(len(self.reach.functions[start].blocks)))
        heads = self.reach.shape(start).loops
        ways = ((head, self._cached_way(start, every, head, every=True)) for head in heads)
        return sum(way * self._turns_of(start) for _, way in ways)

    def _turns_of(self, start: int) -> int:
        """How often the header of a loop runs in a call at most."""
        most = self._turns[start]
        if most is None:
            raise OpenError(f"{self.reach.functions[start].name} repeats as data say, nobody knows how often")
        return most

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
        """The greatest cycles of a block with what it calls, once."""
        return self._own_cost(block, entered, left) + sum(map(self._call, block.callees))

    def _own_cost(self, block: BasicBlock, entered: bool, left: bool) -> int:
        """The greatest cycles of a block, once; a call leaves it, too."""
        leaves = left or block.last.calls
        try:
            return self.prices.of([Block(block.first, block.behind, 1, int(entered), int(leaves))]).most
        except UnsupportedError as error:
            raise OpenError(str(error)) from error


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
