"""Relations of sizes, evaluated at all their values.

N = 1..128         N + 1 > 0 holds at all sizes      2 * N > 8 from N = 5 on: an answer for each size
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from xdsl.ir.affine import AffineExpr

from s2s.support.frozen import frozen
from s2s.types.affine import bounds, is_constant
from s2s.types.affine_values import valued
from s2s.types.dtypes import Array
from s2s.types.size_expressions import simplified
from s2s.types.sizes import SizeRange, spelled

MAX_RUNS = 1 << 20
"""The most combinations of sizes for which a relation is decided one by one."""

MAX_FAILING = 64
"""The number of sizes at which a relation does not hold that are looked at from each end."""

RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
}


@frozen
class Guard:
    """A relation of two sizes that was decided by the greatest ones and does not hold, or fail, at all sizes."""

    left: AffineExpr
    relation: str
    right: AffineExpr
    answer: bool
    place: str
    """The node that was being read."""


class BoundedSizes:
    """Named sizes within bounds, and which relations of expressions of them hold where."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.ranges: list[SizeRange] = []
        self._rooms: dict[AffineExpr, int] = {}
        self._forms: dict[AffineExpr, AffineExpr] = {}
        self._decided: dict[tuple[AffineExpr, str, AffineExpr], Array | bool] = {}

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The least and the greatest value of each size."""
        return [(size.least, size.most) for size in self.ranges]

    @property
    def greatest(self) -> list[int]:
        """The greatest value of each size."""
        return [size.most for size in self.ranges]

    def room(self, expr: AffineExpr) -> int:
        """Return the greatest value of `expr` in any run; where there are too many, at the greatest sizes.

        `N mod 4` is 0 at `N = 640`, and 3 where there is room for it in all runs of `N = 1..640`.
        """
        if expr not in self._rooms:
            at_greatest = expr.eval(self.greatest, [])
            runs = self.runs_of(expr) if bounds(expr, self.bounds)[1] > at_greatest else None
            self._rooms[expr] = at_greatest if runs is None else int(valued(expr, runs).max())
        return self._rooms[expr]

    def make_room(self, expr: AffineExpr, room: int) -> None:
        """Let tensors hold `room` positions along axes of size `expr`, maybe more than it has in any run."""
        self._rooms[expr] = max(self.room(expr), room)

    def form(self, expr: AffineExpr) -> AffineExpr:
        """Return the form of `expr` that equal expressions have as a rule."""
        if expr not in self._forms:
            self._forms[expr] = simplified(expr, self.bounds)
        return self._forms[expr]

    def holding(self, guard: Guard) -> Array | None:
        """Return for all combinations of the sizes of a guard whether it holds; None where these are too many."""
        difference = self.form(guard.left + guard.right * -1)
        runs = self.runs_of(difference)
        return None if runs is None else RELATIONS[guard.relation](valued(difference, runs), 0) == guard.answer

    def failing(self, guard: Guard) -> Iterator[dict[str, int]]:
        """Yield sizes at which a guard does not hold, `MAX_FAILING` of them at most from each end of their bounds."""
        difference = self.form(guard.left + guard.right * -1)
        runs = self.runs_of(difference)
        if runs is None:
            yield dict(zip(self.names, (size.least for size in self.ranges), strict=True))
            return
        holds = RELATIONS[guard.relation](valued(difference, runs), 0)
        (places,) = np.nonzero(holds != guard.answer)
        for place in dict.fromkeys([*places[:MAX_FAILING].tolist(), *places[-MAX_FAILING:].tolist()]):
            yield {name: int(axis[place]) for name, axis in zip(self.names, runs, strict=True)}

    def answer(self, left: AffineExpr, relation: str, right: AffineExpr) -> Array | bool:
        key = left, relation, right
        if key not in self._decided:
            self._decided[key] = self._holds(left, relation, right)
        return self._decided[key]

    def _holds(self, left: AffineExpr, relation: str, right: AffineExpr) -> Array | bool:
        """Return whether a relation holds at all sizes, or where: one answer for each combination of sizes."""
        difference = self.form(left + right * -1)
        if is_constant(difference):
            return bool(RELATIONS[relation](difference.value, 0))
        low, high = bounds(difference, self.bounds)
        if low > 0 or high < 0:
            return relation != "==" and high < 0
        runs = self.runs_of(difference)
        values = np.array([difference.eval(self.greatest, [])]) if runs is None else valued(difference, runs)
        holds = RELATIONS[relation](values, 0)
        if runs is not None and (holds.all() or not holds.any()):
            return bool(holds.flat[0])
        return np.append(~holds[:1], holds) if runs is None else holds

    def runs_of(self, expr: AffineExpr) -> list[Array] | None:
        """Return the values of the sizes in all runs that differ in the sizes which `expr` has, in ascending order;
        None where there are too many."""
        used = expr.used_dims()
        counts = [len(size.values) for number, size in enumerate(self.ranges) if number in used]
        if np.prod(counts, dtype=object) > MAX_RUNS:
            return None
        varying = [np.array(size.values, np.int64) for number, size in enumerate(self.ranges) if number in used]
        meshed = iter([axis.reshape(-1) for axis in np.meshgrid(*varying, indexing="ij")])
        runs = int(np.prod(counts, dtype=np.int64))
        fixed = [np.broadcast_to(np.int64(size.most), runs) for size in self.ranges]
        return [next(meshed) if number in used else axis for number, axis in enumerate(fixed)]

    def of_something(self, difference: AffineExpr, fails: Array) -> Array:
        """Return where a relation fails but where a size is 0: `frontends/empty_sizes.py` proves that nothing is
        computed there."""
        used = difference.used_dims()
        empty = [number for number, size in enumerate(self.ranges) if number in used and size.least == 0]
        runs = self.runs_of(difference) if empty else None
        if runs is None:
            return fails
        nothing = np.any([runs[number] == 0 for number in empty], axis=0)
        return fails & ~nothing

    def describe(self, expr: AffineExpr) -> str:
        """Return `expr` with the names of sizes."""
        return spelled(expr, self.names)
