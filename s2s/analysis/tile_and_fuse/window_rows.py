"""The rows of a copied window that instructions multiply by constants, a group of neighbouring taps at a time.

A window of 5 x 7 taps in a copy 14 elements wide has, by groups of 8, 5 rows at a distance of 14. A window of 21 taps
in one row has, by groups of 16, 2 rows at a distance of 16.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.structure.products import ProductSum
from s2s.analysis.tile_and_fuse.scheduled_kernel import Point, TileView, stride
from s2s.types.affine import Linear, bounds, linear, ranges


class WindowRows(NamedTuple):
    """Rows of neighbouring elements of a copy."""

    rows: int
    distance: int
    """The elements from the beginning of a row to the next one."""


def window_rows(plan: CopyPlan, group: int) -> WindowRows | None:
    """Return the rows of the window of `plan` by groups of `group` taps; None if its taps do not lie side by side, its
    rows not at one distance, or it is copied in blocks."""
    op = plan.op
    taps, outer = op.reduction_sizes[-1], op.reduction_sizes[:-1]
    if plan.is_rows or plan.widened or plan.schedule.blocked_reductions:
        return None
    zero: list[AffineExpr] = [AffineConstantExpr(0)] * op.rank

    def place(*steps: int) -> int:
        here = plan.position([*zero, *map(AffineConstantExpr, steps)], [AffineConstantExpr(0)] * len(op.sizes))
        return bounds(here, [])[0]

    rows = [place(*steps, 0) for steps in product(*map(range, outer))]
    first = [place(*[0] * len(outer), tap) for tap in range(taps)]
    distances = {after - before for before, after in pairwise(rows)}
    if first != list(range(taps)) or len(distances) > 1 or (taps > group and prod(outer) > 1):
        return None
    if taps > group:
        return WindowRows(-(-taps // group), group)
    return WindowRows(len(rows), distances.pop() if distances else 0)


def fault_of_whole_window(view: TileView, products: ProductSum) -> str | None:
    """Return why the operands of `view` do not lie as `dot_window` takes them; None if they do."""
    op, plan, group = view.op, view.plan, view.schedule.group
    if plan is None or plan.widened:
        return "there is no window in bytes; copy one with cache_read"
    moves = Point(view).copied(plan)
    rows = window_rows(plan, group)
    if rows is None or any(stride(moves, dim) is None for dim in range(len(op.sizes)) if dim not in plan.outer):
        return (
            f"the rows of a window do not lie at one distance in the copy of read {plan.read}; copy it inside of fewer "
            "loops and without blocks, or leave tensorize out"
        )
    w, taps = products.other(plan.read).read, op.reduction_sizes[-1]
    places = [_constant(view, w, steps) for steps in product(*map(range, op.reduction_sizes))]
    wanted = [row * group + tap for row in range(prod(op.reduction_sizes) // taps) for tap in range(taps)]
    behind = [place.plus(places[0], -1) for place in places]
    if any(each.terms or each.constant != place for each, place in zip(behind, wanted, strict=True)):
        return f"the {taps} taps of a row are not packed in rows of {group} in read {w}; pack them so with cache_read"
    row = group * -(-taps // group)
    if any(each % row for each in [*places[0].terms.values(), places[0].constant, prod(view.operands[w].shape)]):
        return f"rows of taps are no whole groups of {row} in read {w}; pack them so with cache_read"
    return None


def _constant(view: TileView, w: int, steps: Sequence[int]) -> Linear:
    """Return the flat index of a tap in the constant."""
    parallel: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(view.op.rank)]
    here = view.operands[w].position([*parallel, *map(AffineConstantExpr, steps)])
    return linear(here, ranges(view.op.sizes))
