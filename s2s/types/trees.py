"""Decision trees as tables whose rows are nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

COMPARISONS = ("<=", "<", ">=", ">", "==", "!=")
"""What a node asks of a feature and its split, by the number that tables state it with."""
MAX_DEPTH = 512
"""Levels of a tree. Trainers stop far earlier, but a test of membership takes one level for each member."""


@frozen
class Trees:
    """Nodes of several trees, one in each row. A leaf is the next row of itself.

    A row is left for `yes` if `feature comparison split` holds, else for `no`. NaN fulfils `!=` alone; with `missing`
    it goes to `yes`.
    """

    roots: tuple[int, ...]
    features: tuple[int, ...]
    comparisons: tuple[int, ...]
    splits: tuple[float, ...]
    yes: tuple[int, ...]
    no: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Nodes and leaves."""
        return len(self.yes)

    def is_leaf(self, row: int) -> bool:
        """Return whether a row is a leaf."""
        return self.yes[row] == row

    def fault(self) -> str | None:
        """Return what is wrong with the tables; None if they are trees over features from 0 on."""
        rows = self.rows
        columns = (self.features, self.comparisons, self.splits, self.yes, self.no, self.missing)
        if not rows or any(len(column) != rows for column in columns):
            return "the columns of its nodes differ in length, or are empty"
        if not self.roots or any(not 0 <= row < rows for row in (*self.roots, *self.yes, *self.no)):
            return f"a row is beyond its {rows} rows"
        if any(not 0 <= code < len(COMPARISONS) for code in self.comparisons):
            return "it has an unknown comparison"
        if any(feature < 0 for feature in self.features):
            return "it looks at a feature below 0"
        return None if self.levels() is not None else f"its trees are over {MAX_DEPTH} levels deep, or run in circles"

    def levels(self) -> int | None:
        """Return the steps from the roots to the deepest leaf; None if there are more than `MAX_DEPTH`."""
        count, at = 0, set(self.roots)
        while at := {row for row in at if not self.is_leaf(row)}:
            count += 1
            at = {child for row in at for child in (self.yes[row], self.no[row])}
            if count > MAX_DEPTH:
                return None
        return count

    @cached_property
    def _below(self) -> Mapping[int, tuple[int, float]]:
        """For each row that a root leads to: the nodes of the tree from there on, each counted as often as paths lead
        to it, and the steps to a leaf if all branches are as likely."""
        found: dict[int, tuple[int, float]] = {}
        for row in self._children_first():
            below = [found[child] for child in self._children(row)]
            nodes = sum(count for count, _ in below) + len(below) // 2
            found[row] = (nodes, 1 + sum(steps for _, steps in below) / 2 if below else 0.0)
        return found

    def _children(self, row: int) -> Sequence[int]:
        return () if self.is_leaf(row) else (self.yes[row], self.no[row])

    def _children_first(self) -> Iterator[int]:
        """Return the rows that the roots lead to, each behind the rows that it leads to."""
        seen, pending = set[int](), list(self.roots)
        while pending:
            row = pending[-1]
            missing = [child for child in self._children(row) if child not in seen]
            if missing:
                pending += missing
                continue
            pending.pop()
            if row not in seen:
                seen.add(row)
                yield row

    def without_equal_sides(self, weights: Sequence[float]) -> "Trees":
        """Return the trees without branches both of whose sides end in equal weights, which are given by row.

        `x <= 3 ? (y <= 5 ? 1 : 1) : 2` becomes `x <= 3 ? 1 : 2`. Of a classifier's trees, each seen from one of its
        classes, most of the lowest branches are such.
        """
        kept: dict[int, int] = {}
        for row in self._children_first():
            sides = [kept[child] for child in self._children(row)]
            equal = bool(sides) and all(map(self.is_leaf, sides)) and weights[sides[0]] == weights[sides[1]]
            kept[row] = sides[0] if equal else row
        return replace(
            self,
            roots=tuple(kept[row] for row in self.roots),
            yes=tuple(kept.get(row, row) for row in self.yes),
            no=tuple(kept.get(row, row) for row in self.no),
        )

    def unfolded(self, root: int) -> int:
        """Return the nodes below `root`, where a node that several others lead to counts each time."""
        return self._below[root][0]

    def steps(self, root: int) -> float:
        """Return the steps from `root` to a leaf, if all branches are as likely."""
        return self._below[root][1]

    def leaves_below(self, root: int) -> Sequence[int]:
        """Return the rows of the leaves that `root` leads to."""
        seen, pending = {root}, [root]
        while pending:
            row = pending.pop()
            for child in (self.yes[row], self.no[row]):
                if child not in seen:
                    seen.add(child)
                    pending.append(child)
        return [row for row in sorted(seen) if self.is_leaf(row)]


def weight_table(
    rows: int, targets: int, weights: Sequence[tuple[int, int, float]], dtype: np.dtype[np.generic], absent: float = 0.0
) -> Array:
    """Return the weights by row and target; `absent` where a row says nothing of a target."""
    found = np.full((rows, targets), absent, dtype)
    for row, target, weight in weights:
        before = 0.0 if found[row, target] == absent else float(found[row, target])
        found[row, target] = before + weight
    return found


ABSENT = {"sum": 0.0, "min": float("inf"), "max": float("-inf")}
"""By aggregate, the weight that leaves are given for targets that they do not speak of."""
