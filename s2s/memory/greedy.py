"""Greedy placement orders, which cost one sort each and are optimal for most networks.

Sources: greedy by size and greedy by breadth are those of Pisarchyk and Lee, "Efficient Memory Management for Deep
Neural Net Inference" (2020).
"""

from collections.abc import Iterator

from s2s.memory.blocks import Layout


def by_size(layout: Layout) -> list[int]:
    """Order blocks by size, largest first; the longer-lived first among equals."""
    blocks = layout.blocks
    return sorted(
        range(len(blocks)), key=lambda i: (-blocks[i].size, blocks[i].first - blocks[i].last, blocks[i].first)
    )


def by_area(layout: Layout) -> list[int]:
    """Order blocks by size times lifetime, largest first."""
    blocks = layout.blocks
    return sorted(range(len(blocks)), key=lambda i: (-blocks[i].size * (blocks[i].last - blocks[i].first + 1), i))


def by_life(layout: Layout) -> list[int]:
    """Order blocks by lifetime, longest first, the larger first among equals: skip connections go to the bottom."""
    blocks = layout.blocks
    return sorted(
        range(len(blocks)), key=lambda i: (blocks[i].first - blocks[i].last, -blocks[i].size, blocks[i].first)
    )


def by_time(layout: Layout) -> list[int]:
    """Order blocks by their first step, as a run-time allocator would meet them."""
    return sorted(range(len(layout.blocks)), key=lambda i: (layout.blocks[i].first, -layout.blocks[i].size))


def by_breadth(layout: Layout) -> list[int]:
    """Order blocks by the steps with most live bytes; within a step, largest blocks first."""
    breadth = {i: block.size + sum(c.height for c in layout.conflicts[i]) for i, block in enumerate(layout.blocks)}
    order: list[int] = []
    placed: set[int] = set()
    for index in sorted(breadth, key=lambda i: (-breadth[i], i)):
        group = [index, *(c.other for c in layout.conflicts[index])]
        for member in sorted(group, key=lambda i: (-layout.blocks[i].size, i)):
            if member not in placed:
                placed.add(member)
                order.append(member)
    return order


def greedy_orders(layout: Layout) -> Iterator[list[int]]:
    """Yield the orders to try before any search, the best in experience first."""
    yield by_size(layout)
    yield by_breadth(layout)
    yield by_area(layout)
    yield by_life(layout)
    yield by_time(layout)
