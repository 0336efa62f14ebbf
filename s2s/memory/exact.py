"""Search for the exact optimum by branch and bound, for few blocks or within a budget of search nodes.

Any plan can be compacted: take its blocks by ascending offset and put each directly on top of the placed blocks that
live at the same time; no block ends higher than before. So it suffices to search the orders in which each block is
stacked on the blocks below it, with ascending offsets. A branch is cut when some block cannot end below the best plan,
or when at some step the lowest start plus the heights of all remaining blocks cannot.
"""

from dataclasses import field

from s2s.memory.blocks import Layout
from s2s.memory.buffers import align_up
from s2s.support.mutable import mutable

MAX_BLOCKS = 200


def search_exact(layout: Layout, size_to_beat: int, nodes: int) -> list[int] | None:
    """Return offsets of the smallest plan below `size_to_beat`; None if there is none, or if `nodes` ran out before
    one.

    A `size_to_beat` close to the bound cuts more branches, so ask for a perfect plan first.
    """
    if len(layout.blocks) > MAX_BLOCKS:
        return None
    search = _Search(layout, size_to_beat, nodes)
    search.extend(0, 0)
    return search.best


@mutable
class _Search:
    """State of the depth-first search: `offsets` of the placed blocks, `floor` under each of the others."""

    layout: Layout
    best_size: int
    budget: int
    best: list[int] | None = None
    offsets: list[int] = field(default_factory=list[int])
    floor: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.offsets = [-1] * len(self.layout.blocks)
        self.floor = [0] * len(self.layout.blocks)

    def extend(self, lowest: int, top: int) -> None:
        """Extend the partial plan, which ends at `top`, by each block that can be next at `lowest` or above."""
        if self.best_size <= self.layout.bound or self.budget <= 0:
            return
        self.budget -= 1
        starts = self._starts(lowest)
        if not starts:
            self.best, self.best_size = list(self.offsets), top
            return
        if not self._can_win(starts):
            return
        blocks = self.layout.blocks
        ceiling = min(start + blocks[index].size for index, start in starts.items())
        twins: set[object] = set()
        for index in sorted(starts, key=lambda i: (starts[i], -blocks[i].size, i)):
            shape = tuple((m.size, m.align, m.first, m.last) for m in blocks[index].members)
            if starts[index] < ceiling and shape not in twins:
                twins.add(shape)
                self._descend(index, starts[index], top)

    def _starts(self, lowest: int) -> dict[int, int]:
        """Return the lowest possible offset of each block that is not placed yet."""
        return {
            index: align_up(max(lowest, self.floor[index]), self.layout.blocks[index].align)
            for index, offset in enumerate(self.offsets)
            if offset < 0
        }

    def _can_win(self, starts: dict[int, int]) -> bool:
        """Return whether this partial plan may still end below the best one at every step."""
        for index, start in starts.items():
            block = self.layout.blocks[index]
            if start + block.size >= self.best_size:
                return False
            base, height = start, block.members[0].size
            for conflict in self.layout.conflicts[index]:
                other = self.layout.blocks[conflict.other]
                if conflict.other in starts and other.first <= block.first <= other.last:
                    height += other.height(block.first, block.first)
                    base = min(base, starts[conflict.other])
            if base + height >= self.best_size:
                return False
        return True

    def _descend(self, index: int, start: int, top: int) -> None:
        """Place one block, continue the search, and remove the block."""
        self.offsets[index] = start
        lifted: list[tuple[int, int]] = []
        for conflict in self.layout.conflicts[index]:
            floor = self.floor[conflict.other]
            if self.offsets[conflict.other] < 0 and floor < start + conflict.own:
                lifted.append((conflict.other, floor))
                self.floor[conflict.other] = start + conflict.own
        self.extend(start, max(top, start + self.layout.blocks[index].size))
        for other, floor in lifted:
            self.floor[other] = floor
        self.offsets[index] = -1
