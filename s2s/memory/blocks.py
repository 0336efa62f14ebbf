"""Group buffers that share an address into blocks, and find which blocks must not overlap.

A chain of in-place kernels (`relu` of `add` of `conv`) keeps one address through several buffers. Such a chain is a
block: its height over time is the size of the buffers that live then. Two blocks that live at the same time lie one
below the other, and the lower one needs only the height it has *while both live*:

    height
      |  aaaa bb          block {a, b}, b computed in place of a
      |  aaaa bb ccc      c may start right above b, below the top of a
      +------------------ step
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from s2s.memory.buffers import Buffer, InPlace, align_up


class Block(NamedTuple):
    """Buffers at one address in order of time; the block lives from `first` to `last`."""

    members: tuple[Buffer, ...]

    @property
    def size(self) -> int:
        return max(member.size for member in self.members)

    @property
    def align(self) -> int:
        return max(member.align for member in self.members)

    @property
    def first(self) -> int:
        return self.members[0].first

    @property
    def last(self) -> int:
        return self.members[-1].last

    def height(self, first: int, last: int) -> int:
        """Return the largest size of a live buffer within the steps `first` to `last`."""
        return max((m.size for m in self.members if m.first <= last and first <= m.last), default=0)


class Conflict(NamedTuple):
    """A conflict of one block with `other`, which lives at the same time; `own` and `height` are their heights at that
    time."""

    other: int
    own: int
    height: int


class Layout(NamedTuple):
    """The blocks of a plan, the conflicts of each block, and a lower bound of the size of any placement."""

    blocks: tuple[Block, ...]
    conflicts: tuple[tuple[Conflict, ...], ...]
    bound: int

    @property
    def work(self) -> int:
        """The cost of one placement of all blocks, in conflicts that it examines."""
        return len(self.blocks) + sum(map(len, self.conflicts))


def merge_in_place(buffers: Sequence[Buffer], chosen: Sequence[InPlace]) -> tuple[Block, ...]:
    """Merge buffers linked by the chosen pairs into blocks, in the order of their first buffers. Empty buffers are left
    out."""
    by_name = {buffer.name: buffer for buffer in buffers}
    heir = {pair.input: pair.output for pair in chosen}
    heirs = set(heir.values())
    blocks: list[Block] = []
    for buffer in buffers:
        if buffer.name in heirs:
            continue
        members = [buffer]
        while (following := heir.get(members[-1].name)) is not None:
            members.append(by_name[following])
        block = Block(tuple(members))
        if block.size:
            blocks.append(block)
    return tuple(blocks)


def layout_of(blocks: Sequence[Block]) -> Layout:
    """Find the conflicts by a sweep over time: linear in blocks plus conflicts."""
    conflicts: list[list[Conflict]] = [[] for _ in blocks]
    active: list[int] = []
    for index in sorted(range(len(blocks)), key=lambda i: (blocks[i].first, i)):
        block = blocks[index]
        active = [other for other in active if blocks[other].last >= block.first]
        for other in active:
            _relate(blocks, index, other, conflicts)
        active.append(index)
    return Layout(tuple(blocks), tuple(map(tuple, conflicts)), _aligned_bound(blocks, conflicts))


def _aligned_bound(blocks: Sequence[Block], conflicts: Sequence[Sequence[Conflict]]) -> int:
    """Return the largest sum of live blocks with all but the topmost padded to the common alignment of all offsets."""
    align = math.gcd(*(block.align for block in blocks))
    bound = 0
    for block, others in zip(blocks, conflicts, strict=True):
        for step in {member.first for member in block.members}:
            heights = [block.height(step, step), *(blocks[c.other].height(step, step) for c in others)]
            padded = [align_up(height, align) for height in heights]
            bound = max(bound, sum(padded) - max(p - h for p, h in zip(padded, heights, strict=True)))
    return bound


def _relate(blocks: Sequence[Block], index: int, other: int, conflicts: list[list[Conflict]]) -> None:
    """Record a conflict of two blocks if both hold bytes in their common time."""
    first = max(blocks[index].first, blocks[other].first)
    last = min(blocks[index].last, blocks[other].last)
    mine, theirs = blocks[index].height(first, last), blocks[other].height(first, last)
    if mine and theirs:
        conflicts[index].append(Conflict(other, mine, theirs))
        conflicts[other].append(Conflict(index, theirs, mine))


def total_size(layout: Layout, offsets: Sequence[int]) -> int:
    """Return the bytes of the arena for these offsets."""
    return max((offset + block.size for offset, block in zip(offsets, layout.blocks, strict=True)), default=0)
