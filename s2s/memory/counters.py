"""Compute ranges and steps of loop counters, over which byte positions are compared."""

from collections.abc import Collection, Sequence
from math import gcd
from typing import NamedTuple

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.types.affine import Range, bounds, linear


class Counter(NamedTuple):
    """The counter of a loop: from `first` to `last`, both included, in steps of at least `step`.

    `grain` divides the difference of any two of its values. A `down` loop begins at `last`, a `parallel` one may run in
    any order. It takes `every` value between the two in steps of `step`, or only some of them. In a run it may end
    earlier, by as many values as the least of `cuts` is below 0, rounded to steps: for a loop to `min(8, n - 2)`, where
    `n` is a size, that is `n - 10`.
    """

    first: int
    last: int
    step: int
    grain: int
    down: bool = False
    parallel: bool = False
    every: bool = False
    cuts: tuple[AffineExpr, ...] = ()

    @property
    def directions(self) -> tuple[bool, ...]:
        """The directions in which the counter may run: False is up, True is down; a parallel loop may run in both."""
        return (False, True) if self.parallel else (self.down,)

    @property
    def end(self) -> int:
        """The first value behind the last one, in steps of the loop."""
        return self.last + self.step

    @property
    def span(self) -> int:
        """The values from `first` to `end`."""
        return self.end - self.first

    @property
    def goes_on(self) -> bool:
        """Whether the loop may have a second iteration."""
        return self.last - self.first >= self.step


def never_runs(lower: Sequence[AffineExpr], upper: Sequence[AffineExpr], ranges: Sequence[Range]) -> bool:
    """Return whether a loop from `max(lower)` to `min(upper)` has no iteration anywhere in `ranges`."""
    return any(bounds(end + start * -1, ranges)[1] <= 0 for start in lower for end in upper)


def from_start(
    lower: Sequence[AffineExpr],
    upper: Sequence[AffineExpr],
    step: int,
    ranges: Sequence[Range],
    sizes: Collection[int] = (),
) -> tuple[AffineExpr, Counter] | None:
    """Return the start of a loop from `max(lower)` to `min(upper)`, and the counter of the offsets from it.

    For a loop from `16 * b` to `16 * b + 12` in steps of 4 these are `16 * b` and a counter from 0 to 8. None if no
    single bound is known to be the largest or the smallest, or if the length varies.

    The dimensions `sizes` are sizes of the run. An end that depends on one can only shorten the loop, so it is left out
    where others remain: to `min(16 * b + 12, n)` with n of `sizes`, the counter still goes from 0 to 8.
    """
    starts = _largest(lower, ranges)
    fixed = [each for each in upper if each.used_dims().isdisjoint(sizes)]
    ends = [end * -1 for end in _largest([each * -1 for each in fixed or upper], ranges)]
    if len(starts) > 1 or len(ends) > 1:
        return None
    least, most = bounds(ends[0] + starts[0] * -1, ranges)
    if least < most or most < 1:
        return None
    return starts[0], Counter(0, (most - 1) // step * step, step, step, every=len(fixed) == len(upper))


def grain_from(start: AffineExpr, step: int, counters: Sequence[Counter]) -> int:
    """Return a divisor of the difference of any two values of a loop that runs in steps of `step` from `start`. Steps
    of 4 from `6 * b` give 2."""
    form = linear(start, [(counter.first, counter.last) for counter in counters])
    moves = [
        factor * counters[atom.position].grain if isinstance(atom, AffineDimExpr) else factor
        for atom, factor in form.terms.items()
    ]
    return gcd(step, *moves)


def _largest(exprs: Sequence[AffineExpr], ranges: Sequence[Range]) -> list[AffineExpr]:
    """Return the ones of `exprs` that may exceed all others."""
    kept = list[AffineExpr]()
    for expr in exprs:
        if any(_reaches(other, expr, ranges) for other in kept):
            continue
        kept = [other for other in kept if not _reaches(expr, other, ranges)] + [expr]
    return kept


def _reaches(one: AffineExpr, other: AffineExpr, ranges: Sequence[Range]) -> bool:
    """Return whether `one` is never less than `other`."""
    return bounds(one + other * -1, ranges)[0] >= 0
