"""Replace a pool over large windows by one pool for each dimension.

    %y = graph.max_pool %x {kernel = [7, 7], strides = [2, 2], pads = [3, 3, 3, 3]} : tensor<…x64x64xf32> -> …
->
    %z = graph.max_pool %x {kernel = [7, 1], strides = [2, 1], pads = [3, 0, 3, 0]} : … -> tensor<…x32x64xf32>
    %y = graph.max_pool %z {kernel = [1, 7], strides = [1, 2], pads = [0, 3, 0, 3]} : … -> tensor<…x32x32xf32>

A maximum over a window is the maximum of the maxima of its columns. A mean is the mean of the means of its columns, as
all columns have equally many elements. Here 7 · 2 + 7 elements are combined for each result instead of 49. Whether a
pool is separated is a decision (`s2s/decisions/pool_windows.py`).

Declined for means of integers, which are rounded, and for targets without vectors, which have more time than memory.
"""

from collections.abc import Sequence
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.decisions.chooser import Chooser
from s2s.decisions.pool_windows import INTERMEDIATE, SEPARABLE, SEPARATE, WHOLE, Pool, PoolWindowsKind
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import Value
from s2s.dialects.graph.pool import PoolOp
from s2s.passes.context import given_of, target_of
from s2s.passes.rewrite import rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_float


def _along(values: Sequence[int], axis: int, neutral: int) -> list[int]:
    """`values` with `neutral` for all dimensions but `axis`; they may come twice, as padding does."""
    rank = len(values) // 2 if neutral == 0 else len(values)
    return [value if number % rank == axis else neutral for number, value in enumerate(values)]


def _part(op: PoolOp, x: Value, axis: int) -> PoolOp:
    """The pool of `op` along spatial dimension `axis` alone."""
    kernel, strides, dilations = (_along(each.get_values(), axis, 1) for each in (op.kernel, op.strides, op.dilations))
    pads = _along(op.pads.get_values(), axis, 0)
    if isinstance(op, graph.AvgPoolOp):
        counted = _along(op.counted_pads.get_values(), axis, 0)
        return graph.AvgPoolOp(
            x,
            kernel=kernel,
            strides=strides,
            pads=pads,
            dilations=dilations,
            counted_pads=counted,
            layout=op.data_layout,
        )
    return graph.MaxPoolOp(x, kernel=kernel, strides=strides, pads=pads, dilations=dilations, layout=op.data_layout)


def _parts(op: PoolOp) -> list[PoolOp]:
    """The pools of all dimensions with a window, each on the result of the one before."""
    found: list[PoolOp] = []
    for axis, side in enumerate(op.kernel.get_values()):
        if side > 1 or op.strides.get_values()[axis] > 1:
            found.append(_part(op, found[-1].y if found else op.x, axis))
    return found


def _subject(op: PoolOp, home: ModuleOp) -> Pool | None:
    """The decision about `op`, None where it cannot be separated."""
    if isinstance(op, graph.AvgPoolOp) and not is_float(op.y.type.element_type):
        return None
    if sum(side > 1 for side in op.kernel.get_values()) < 2:
        return None
    parts = _parts(op)
    sizes = [prod(part.y.type.get_shape()) for part in parts]
    steps = sum(size * prod(part.kernel.get_values()) for size, part in zip(sizes, parts, strict=True))
    work = {
        WHOLE: sizes[-1] * prod(op.kernel.get_values()),
        SEPARABLE: steps + INTERMEDIATE * sum(sizes[:-1]),
    }
    for part in reversed(parts):
        part.erase()
    return Pool(home, (op,), work)


class SeparatePool(RewritePattern):
    """A pool that is decided to be separated."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PoolOp, rewriter: PatternRewriter) -> None:
        if SEPARATE not in op.attributes:
            return
        parts = _parts(op)
        for part in parts:
            copy_provenance(part, op)
        rewriter.replace(op, parts, [parts[-1].y])


@frozen
class SeparatePoolsPass(ModulePass):
    name = "graph-separate-pools"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes == 1:
            return
        with Chooser(given_of(ctx), target) as chooser:
            for pool in op.walk():
                subject = _subject(pool, op) if isinstance(pool, graph.MaxPoolOp | graph.AvgPoolOp) else None
                if subject is not None:
                    chooser.choose(PoolWindowsKind(), subject)
        rewrite(op, SeparatePool())
