"""Loops of a function, and what may run or not as one of its branches goes.

0 → 1 → 2 → 4        block 1 branches on data; its sides meet in block 4
    └─→ 3 ──┘        between(1): {2, 3}
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from s2s.boards.paths.control_flow import Function

EXIT = -1
"""The place behind every return."""


class Shape:
    """Dominators, loops and meeting points of the blocks of a function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.successors: Mapping[int, Sequence[int]] = {
            number: block.successors for number, block in enumerate(function.blocks)
        }

    @cached_property
    def predecessors(self) -> Mapping[int, Sequence[int]]:
        """The blocks before each block."""
        before: dict[int, list[int]] = {number: [] for number in self.successors}
        for number, behind in self.successors.items():
            for other in behind:
                before[other].append(number)
        return before

    @cached_property
    def dominators(self) -> Mapping[int, frozenset[int]]:
        """The blocks that every way from the entry to a block goes through; it is one of them itself."""
        return _dominators(0, self.predecessors)

    @cached_property
    def back_edges(self) -> frozenset[tuple[int, int]]:
        """The edges that close a loop: from a block to one that dominates it."""
        edges = ((tail, head) for tail, behind in self.successors.items() for head in behind)
        return frozenset((tail, head) for tail, head in edges if head in self.dominators.get(tail, ()))

    @cached_property
    def loops(self) -> Mapping[int, frozenset[int]]:
        """The blocks of each loop, by its header."""
        members: dict[int, set[int]] = {}
        for tail, head in self.back_edges:
            body = members.setdefault(head, {head})
            body.update(_reached([tail], self.predecessors, frozenset(body)))
        return {head: frozenset(body) for head, body in members.items()}

    def header_of(self, block: int) -> int | None:
        """Return the header of the innermost loop of a block; None outside of loops."""
        return self._headers.get(block)

    @cached_property
    def _headers(self) -> Mapping[int, int]:
        outermost_first = sorted(self.loops.items(), key=lambda entry: -len(entry[1]))
        return {block: head for head, body in outermost_first for block in body}

    @property
    def is_reducible(self) -> bool:
        """Whether every cycle of blocks is a loop with one entry."""
        return _order(self.successors, self.back_edges) is not None

    @cached_property
    def order(self) -> Sequence[int]:
        """The blocks in an order in which all edges lead onwards, but for the ones that close loops."""
        return _order(self.successors, self.back_edges) or ()

    def leaves_loop(self, block: int) -> bool:
        """Whether a branch at the end of a block may leave the innermost loop."""
        head = self.header_of(block)
        return head is not None and any(other not in self.loops[head] for other in self._behind(block))

    def between(self, block: int) -> frozenset[int]:
        """Return the blocks that run or not as the branch at the end of a block goes."""
        meeting = self._meeting(block)
        starts = [other for other in self.successors[block] if other != meeting]
        return frozenset(_reached(starts, self.successors, frozenset([meeting])))

    def side_blocks(self, block: int) -> frozenset[int]:
        """Return the blocks that run or not as the branch at the end of a block goes, where the headers of loops run
        as often in every run: up to the next of these, where each side closes the loop itself.

        0 → 1 → 2 → 0        block 1 branches on data; blocks 2 and 3 both close the loop of block 0
            └─→ 3 → 0        side_blocks(1): {2, 3}
        """
        return frozenset[int]().union(*self.sides(block))

    def sides(self, block: int) -> Sequence[frozenset[int]]:
        """Return the blocks of each side of a branch, up to the same places; a block may be on several."""
        stops = frozenset({self._meeting(block), *self.dominators[block]})
        return [frozenset(_reached([other], self.successors, stops)) for other in self.successors[block]]

    def side_order(self, block: int) -> Sequence[int] | None:
        """Return the blocks of the sides in an order in which all edges lead onwards; None where they make a circle."""
        inside = self.side_blocks(block)
        edges = {number: [other for other in self.successors[number] if other in inside] for number in sorted(inside)}
        return _order(edges, frozenset())

    def early_end(self, block: int) -> frozenset[int] | None:
        """Return the blocks of the side of a branch that only ends the function, where the other side does its work.

        None if no side does: one that ends it has no loop and no call.
        """
        stops = frozenset([block])
        sides = [frozenset(_reached([other], self.successors, stops)) for other in self.successors[block]]
        idle = [side for side in sides if not self._works(side)]
        return idle[0] if len(sides) == 2 and len(idle) == 1 and self._meeting(block) == EXIT else None

    def _works(self, side: frozenset[int]) -> bool:
        return any(other in self.loops or self.function.blocks[other].callees for other in side)

    def _behind(self, block: int) -> Sequence[int]:
        """The blocks behind a block, with the exit behind a return."""
        here, behind = self.function.blocks[block], self.successors[block]
        returns = here.last.jumps and here.last.target is None
        return [*behind, EXIT] if returns or here.leaves_to is not None or not behind else behind

    @cached_property
    def _after(self) -> Mapping[int, frozenset[int]]:
        """The blocks that every way from a block to the exit goes through."""
        return _dominators(EXIT, {**{number: self._behind(number) for number in self.successors}, EXIT: ()})

    def _meeting(self, block: int) -> int:
        """Return the first block that all ways from a block go through."""
        later = self._after.get(block, frozenset()) - {block}
        return max(later, key=lambda other: len(self._after[other]), default=EXIT)


def _dominators(entry: int, before: Mapping[int, Sequence[int]]) -> Mapping[int, frozenset[int]]:
    """Return the nodes through which every way from `entry` to a node goes, for all that can be reached."""
    after: dict[int, list[int]] = {}
    for node, sources in before.items():
        for other in sources:
            after.setdefault(other, []).append(node)
    through: dict[int, frozenset[int]] = {entry: frozenset([entry])}
    waiting = list(after.get(entry, ()))
    while waiting:
        node = waiting.pop()
        sources = [through[other] for other in before[node] if other in through]
        common = sources[0].intersection(*sources[1:]) | {node}
        if node != entry and through.get(node) != common:
            through[node] = common
            waiting.extend(after.get(node, ()))
    return through


def _reached(starts: Iterable[int], edges: Mapping[int, Sequence[int]], stops: frozenset[int]) -> Iterator[int]:
    """Yield the nodes that can be reached from some without going through others."""
    seen: set[int] = set()
    waiting = [other for other in starts if other not in stops]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(other for other in edges.get(node, ()) if other not in stops)


def _order(edges: Mapping[int, Sequence[int]], without: frozenset[tuple[int, int]]) -> list[int] | None:
    """Sort nodes so that edges lead onwards; None where they make a circle."""
    entries = dict.fromkeys(edges, 0)
    onwards = {node: [other for other in behind if (node, other) not in without] for node, behind in edges.items()}
    for behind in onwards.values():
        for other in behind:
            entries[other] += 1
    ready, order = [node for node, count in entries.items() if not count], list[int]()
    while ready:
        order.append(ready.pop())
        for other in onwards[order[-1]]:
            entries[other] -= 1
            if not entries[other]:
                ready.append(other)
    return order if len(order) == len(edges) else None


__all__ = ["Shape"]
