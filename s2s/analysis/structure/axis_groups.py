"""Match the axes of a tensor with the axes that it has after a reshape."""

from collections.abc import Sequence


def axis_groups(source: Sequence[int], result: Sequence[int]) -> list[tuple[range, range]]:
    """Return the shortest runs of axes of `source` and of `result` that hold the same elements, from the front.

    `[2, 9, 4]` and `[18, 2, 2]` have the groups `[2, 9]` and `[18]`, `[4]` and `[2, 2]`. Both shapes have as many
    elements, at least one. An axis of one element may be a group without one on the other side.
    """
    found = list[tuple[range, range]]()
    old, new = 0, 0
    while old < len(source) or new < len(result):
        first, sizes = (old, new), [1, 1]
        while first == (old, new) or sizes[0] != sizes[1]:
            if old < len(source) and (sizes[0] <= sizes[1] or new == len(result)):
                sizes[0] *= source[old]
                old += 1
            else:
                sizes[1] *= result[new]
                new += 1
        found.append((range(first[0], old), range(first[1], new)))
    return found
