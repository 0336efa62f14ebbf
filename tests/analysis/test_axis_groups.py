"""Groups of axes that hold the same elements before and after a reshape."""

import pytest

from s2s.analysis.structure.axis_groups import axis_groups

Group = tuple[list[int], list[int]]

GROUPS: list[tuple[list[int], list[int], list[Group]]] = [
    ([2, 9, 4], [18, 2, 2], [([0, 1], [0]), ([2], [1, 2])]),
    ([1, 3, 9, 9], [3, 81], [([0], []), ([1], [0]), ([2, 3], [1])]),
    ([6], [1, 2, 3, 1], [([0], [0, 1, 2]), ([], [3])]),
    ([2, 3], [3, 2], [([0, 1], [0, 1])]),
    ([], [1], [([], [0])]),
]


@pytest.mark.parametrize(("source", "result", "groups"), GROUPS)
def test_groups_hold_the_same_elements(source: list[int], result: list[int], groups: list[Group]):
    assert [(list(old), list(new)) for old, new in axis_groups(source, result)] == groups
