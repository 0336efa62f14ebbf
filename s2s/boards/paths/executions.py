"""The longest execution of a function whatever its arguments are: all ways through its blocks, with what is known of
the registers on each.

    movs r2, #3             r2 = 3
 1: subs r2, #1             r2 = 2, 1, 0: three nodes of this block
    bne 1b                  Z = 0, 0, 1: the third way ends

A node is a block with a state before it, so a loop that counts becomes a row of nodes, and the longest way through all
of them is the bound. A row that comes back to one of its nodes has no bound, unless no branch on it depends on what is
not known: such a loop would never end, so no run that ends goes into it.

A division that makes a digit in each turn has a node for each number that these make. Where nodes get too many, words
that have most values before a block are forgotten there, and all is followed again: less is known, so there are no
fewer ways, and the longest of them bounds every run as before.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from s2s.boards.paths.control_flow import BasicBlock, Function
from s2s.boards.paths.image import Image
from s2s.boards.paths.known_bits import Bits
from s2s.boards.paths.machine import UNTOLD, Machine, State
from s2s.boards.paths.reach import Reach
from s2s.boards.paths.step import COMPARED, register_name
from s2s.errors import EndsEarly
from s2s.support.frozen import frozen

LIMIT = 10_000
"""Nodes of one function."""
ATTEMPTS = 8
"""How often the ways of a function are followed, with less and less known."""
Forgotten = Mapping[int, frozenset[str]]
"""The registers and words of the stack of which nothing is taken to be known before a block."""


class OpenError(EndsEarly):
    """There is no bound."""


@frozen
class _Node:
    """A block of a function, and what is known before it."""

    block: int
    entered: bool
    """Whether a jump led to it."""
    state: State


@dataclass
class _Visit:
    """A node whose ways on are being followed."""

    node: _Node
    ways: Iterator[tuple[int, _Node | None]]
    decided: bool
    """Whether there is one way on."""
    greatest: int | None = None


@dataclass
class Executions:
    """The longest executions of the functions of a program."""

    reach: Reach
    image: Image
    cost: Callable[[BasicBlock, bool, bool], int]
    """The greatest cycles of a block by itself, if a jump led to it or not, and if one leads from it or not."""
    call: Callable[[int | None], int]
    """The greatest cycles of a call."""
    _once: dict[int, int | str] = field(default_factory=dict[int, int | str])

    def longest(self, start: int) -> int:
        """Return the greatest cycles of one call of a function."""
        if start not in self._once:
            self._once[start] = f"{self.reach.functions[start].name} calls itself"
            try:
                self._once[start] = self._longest(self.reach.functions[start])
            except OpenError as error:
                self._once[start] = str(error)
        cycles = self._once[start]
        if isinstance(cycles, str):
            raise OpenError(cycles)
        return cycles

    def _longest(self, function: Function) -> int:
        """Follow all ways from the entry; where these are too many, without the words that differ most among them."""
        trail, needed = [_Ways(self, function)], set[str]()
        for _ in range(ATTEMPTS):
            try:
                if (cycles := trail[-1].longest()) is not None:
                    return cycles
            except OpenError:
                if len(trail) == 1:
                    raise
                needed.add(trail.pop().forgets)
            trail.append(trail[-1].without_another(needed))
        raise OpenError(f"{function.name} has more ways than are followed")

    def cycles(self, block: BasicBlock, *, entered: bool, left: bool) -> int:
        """Return the greatest cycles of a block with what it calls."""
        return self.cost(block, entered, left) + sum(map(self.call, block.callees))


class _Ways:
    """The ways through a function, the deepest first."""

    def __init__(
        self, executions: Executions, function: Function, forgets: str = "", forgotten: Forgotten | None = None
    ) -> None:
        self._executions, self._function = executions, function
        self.forgets, self._forgotten = forgets, forgotten or {}
        self._shares_stack = _shares_stack(function)
        self._ends: dict[_Node, int | None] = {}
        self._path: list[_Visit] = []
        self._places: dict[_Node, int] = {}

    def longest(self) -> int | None:
        """Return the greatest cycles of a way to an end; None if the ways are too many."""
        first = _Node(0, entered=True, state=((), UNTOLD, 0))
        self._enter(first)
        while self._path:
            visit = self._path[-1]
            way = next(visit.ways, None)
            if way is None:
                self._leave(visit)
            elif len(self._ends) + len(self._path) > LIMIT:
                return None
            else:
                self._follow(visit, *way)
        longest = self._ends[first]
        if longest is None:
            raise OpenError(f"{self._function.name} never ends")
        return longest

    def without_another(self, needed: Container[str]) -> "_Ways":
        """Return the ways without the word that has most values before a block, where it has more than half of them;
        `needed` are forgotten nowhere."""
        values: dict[tuple[str, int], set[Bits]] = {}
        for node in (*self._ends, *self._places):
            for place, word in node.state[0]:
                values.setdefault((place, node.block), set()).add(word)
        counts = {key: len(words) for key, words in values.items() if key[0] not in needed}
        if not counts:
            return self
        forgets, most = max(counts, key=lambda key: counts[key])[0], max(counts.values())
        blocks = (block for (place, block), count in counts.items() if place == forgets and 2 * count > most)
        return _Ways(self._executions, self._function, forgets, self._with_forgotten(forgets, blocks))

    def _with_forgotten(self, word: str, blocks: Iterable[int]) -> Forgotten:
        more = {block: self._forgotten.get(block, frozenset()) | {word} for block in blocks}
        return {**self._forgotten, **more}

    def _enter(self, node: _Node) -> None:
        self._places[node] = len(self._path)
        self._path.append(self._visit(node))

    def _leave(self, visit: _Visit) -> None:
        self._ends[visit.node] = visit.greatest
        del self._places[visit.node]
        self._path.pop()

    def _follow(self, visit: _Visit, cycles: int, node: _Node | None) -> None:
        """Go one of the ways on behind a block."""
        if node is None:
            visit.greatest = max(visit.greatest or 0, cycles)
        elif node in self._ends:
            behind = self._ends[node]
            visit.greatest = visit.greatest if behind is None else max(visit.greatest or 0, cycles + behind)
        elif node in self._places:
            if not all(other.decided for other in self._path[self._places[node] :]):
                raise OpenError(f"{self._function.name} repeats as data say, nobody knows how often")
        else:
            visit.ways = _again(cycles, node, visit.ways)
            self._enter(node)

    def _visit(self, node: _Node) -> _Visit:
        """Run a block, and find the ways on."""
        block = self._function.blocks[node.block]
        if block.is_lost:
            raise OpenError(f"{self._function.name} jumps by a table that is not known")
        machines = [Machine(node.state, self._executions.image, shares_stack=self._shares_stack)]
        for step in block.steps[:-1] if block.last.jumps or block.last.calls else block.steps:
            machines = [other for machine in machines for other in machine.run(step)]
        ways = dict.fromkeys(way for machine in machines for way in self._behind(node, machine))
        return _Visit(node, iter(ways), decided=len(ways) == 1)

    def _behind(self, node: _Node, machine: Machine) -> Iterator[tuple[int, _Node | None]]:
        """Yield the ways on behind a block, with its cycles."""
        block = self._function.blocks[node.block]
        taken = _taken(block, machine)
        if block.last.calls:
            machine.call()
        name = block.last.instruction.mnemonic.partition(".")[0][-2:] if block.branches else ""
        for number in block.successors:
            jumps = self._function.blocks[number].first != block.behind
            if block.branches and taken is not None and taken != jumps:
                continue
            state = self._known_before(number, machine.state_if(name, holds=jumps))
            jumps = jumps or block.last.calls
            yield self._executions.cycles(block, entered=node.entered, left=jumps), _Node(number, jumps, state)
        if (not block.successors or _leaves(block) or _may_return(block)) and taken is not False:
            yield self._executions.cycles(block, entered=node.entered, left=True), None

    def _known_before(self, block: int, state: State) -> State:
        words, flags, depth = state
        forgotten = self._forgotten.get(block, frozenset())
        return tuple((place, word) for place, word in words if place not in forgotten), flags, depth


def _leaves(block: BasicBlock) -> bool:
    return block.leaves_to is not None


def _may_return(block: BasicBlock) -> bool:
    """Whether a block ends with a return under a condition."""
    return block.branches and block.last.target is None


def _again(cycles: int, node: _Node, ways: Iterator[tuple[int, _Node | None]]) -> Iterator[tuple[int, _Node | None]]:
    """Yield a way again, now that its end is known, and then the others."""
    yield cycles, node
    yield from ways


def _taken(block: BasicBlock, machine: Machine) -> bool | None:
    """Return whether the branch behind a block is taken; None if that is not known, or if there is none."""
    last = block.last
    if not block.branches:
        return None
    word = last.instruction.mnemonic.partition(".")[0]
    if last.word not in COMPARED:
        return machine.condition(word[-2:])
    zero = machine.word(register_name(last.instruction.operands[0])).is_zero
    return zero if zero is None else zero == (word == "cbz")


def _shares_stack(function: Function) -> bool:
    """Whether a function computes an address in its stack, through which other code may write there."""
    steps = (step for block in function.blocks for step in block.steps)
    operands = (step.instruction.operands for step in steps if step.word in ("add", "addw", "mov", "sub", "subw"))
    return any("sp" in places[1:] and places[0] != "sp" for places in operands)


__all__ = ["Executions", "OpenError"]
