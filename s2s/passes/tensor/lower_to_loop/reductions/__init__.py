"""The ways to reduce a register tile, one file each.

The directive `tensorize` names an entry of the target's table of intrinsics; the form of this entry says which way its
sums are made. Without an intrinsic, a reduction is done in steps, or folded in vectors and partial accumulators.
"""

from collections.abc import Sequence

from s2s.passes.tensor.lower_to_loop.reductions.dots import DotReduction, PointReduction
from s2s.passes.tensor.lower_to_loop.reductions.folds import FoldReduction
from s2s.passes.tensor.lower_to_loop.reductions.lanes import LaneReduction
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.reductions.rows import RowReduction
from s2s.passes.tensor.lower_to_loop.reductions.steps import StepReduction
from s2s.passes.tensor.lower_to_loop.reductions.windows import WholeWindowReduction, WindowReduction
from s2s.passes.tensor.lower_to_loop.state import NestState

REDUCTIONS: Sequence[type[TileReduction]] = (
    FoldReduction,
    LaneReduction,
    RowReduction,
    WholeWindowReduction,
    WindowReduction,
    PointReduction,
    DotReduction,
    StepReduction,
)
"""Asked in this order; the first that applies is taken, and the last one always does."""


def reduction_of(nest: NestState) -> TileReduction:
    """Return the way to reduce the register tiles of a computation."""
    return next(each for each in REDUCTIONS if each.applies(nest))(nest)


__all__ = ["REDUCTIONS", "TileReduction", "reduction_of"]
