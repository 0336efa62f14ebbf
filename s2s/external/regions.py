"""Merge neighbouring nodes of a dataflow graph into regions that can run in one call.

conv0 (npu) -> add1 (npu)          conv0 and add1 are one region …
conv0 -> relu2 (us) -> add1        … but not if relu2 lies on a path between them: the call would have to run
                                   before relu2, whose input it makes, and behind it, as it reads its result
"""

from collections.abc import Hashable, Sequence


def merge_regions(edges: Sequence[tuple[int, int]], owners: Sequence[Hashable]) -> list[int | None]:
    """Return the region of each node, by the number of its first member; None for nodes without an owner.

    Edges lead from lower to higher numbers. Two regions are merged if an edge joins them, they have one owner, and no
    path leads from one to the other through a third: so each region is connected and convex.
    """
    region: list[int | None] = [None if owner is None else number for number, owner in enumerate(owners)]
    group = list(range(len(owners)))
    for first, second in sorted(edges, key=lambda edge: (edge[1], edge[0])):
        a, b = group[first], group[second]
        if owners[first] is None or owners[first] != owners[second] or a == b:
            continue
        if not _is_led_round(a, b, edges, group):
            low, high = sorted((a, b))
            group = [low if each == high else each for each in group]
    return [None if each is None else group[number] for number, each in enumerate(region)]


def _is_led_round(a: int, b: int, edges: Sequence[tuple[int, int]], group: Sequence[int]) -> bool:
    """Whether a path leads from group `a` to group `b`, or back, through another group."""
    after: dict[int, set[int]] = {}
    for first, second in edges:
        if group[first] != group[second]:
            after.setdefault(group[first], set()).add(group[second])
    return _reaches(after, a, b) or _reaches(after, b, a)


def _reaches(after: dict[int, set[int]], start: int, end: int) -> bool:
    """Whether `end` can be reached from `start` by more than one step."""
    pending, seen = list(after.get(start, set()) - {end}), {start}
    while pending:
        node = pending.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            pending += after.get(node, ())
    return False
