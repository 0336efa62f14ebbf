"""Ranges and steps of loop counters, over which byte positions are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.types.affine import Range, bounds, linear


@dataclass(frozen=True)
class Counter:
    """The counter of a loop: it goes from `first` to `last`, both included, at least `step` at a time.

    `grain` divides the distance of any two of its values. `down` loops begin at `last`, `parallel` ones anywhere.
    """

    first: int
    last: int
    step: int
    grain: int
    down: bool = False
    parallel: bool = False

    @property
    def directions(self) -> tuple[bool, ...]:
        """Whether the counter falls; a parallel one may do either."""
        return (False, True) if self.parallel else (self.down,)

    @property
    def goes_on(self) -> bool:
        """Whether there may be a second iteration."""
        return self.last - self.first >= self.step


def never_runs(lower: Sequence[AffineExpr], upper: Sequence[AffineExpr], ranges: Sequence[Range]) -> bool:
    """Whether a loop from the largest of `lower` to the least of `upper` has no iteration in any of `ranges`."""
    return any(bounds(end + start * -1, ranges)[1] <= 0 for start in lower for end in upper)


def from_start(
    lower: Sequence[AffineExpr], upper: Sequence[AffineExpr], step: int, ranges: Sequence[Range]
) -> tuple[AffineExpr, Counter] | None:
    """The start of a loop from the largest of `lower` to the least of `upper`, and the counter of what is added to it.

    None where it is not known which of them these are, or where the length varies.
    """
    starts = _largest(lower, ranges)
    ends = [end * -1 for end in _largest([each * -1 for each in upper], ranges)]
    if len(starts) > 1 or len(ends) > 1:
        return None
    least, most = bounds(ends[0] + starts[0] * -1, ranges)
    if least < most or most < 1:
        return None
    return starts[0], Counter(0, (most - 1) // step * step, step, step)


def grain_from(start: AffineExpr, step: int, counters: Sequence[Counter]) -> int:
    """What divides the distance of any two values of a loop that goes on by `step` from `start`, over `counters`."""
    form = linear(start, [(counter.first, counter.last) for counter in counters])
    moves = [
        factor * counters[atom.position].grain if isinstance(atom, AffineDimExpr) else factor
        for atom, factor in form.terms.items()
    ]
    return gcd(step, *moves)


def _largest(exprs: Sequence[AffineExpr], ranges: Sequence[Range]) -> list[AffineExpr]:
    """Those of `exprs` that may be larger than all others."""
    kept = list[AffineExpr]()
    for expr in exprs:
        if any(_reaches(other, expr, ranges) for other in kept):
            continue
        kept = [other for other in kept if not _reaches(expr, other, ranges)] + [expr]
    return kept


def _reaches(one: AffineExpr, other: AffineExpr, ranges: Sequence[Range]) -> bool:
    """Whether `one` is never less than `other`."""
    return bounds(one + other * -1, ranges)[0] >= 0
