"""Schedules of depthwise convolutions whose windows vectors take row by row (Arm MVE).

One channel at a time: its plane is copied to scratch with padding. Each row of taps is one product of vectors, whose
constants neighbouring results share. Channels as lanes take an instruction for four products, however, and no copy; so
windows with short rows are left to them.
"""

from collections.abc import Sequence
from math import prod

from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.structure.dot_groups import window
from s2s.analysis.structure.roles import Roles, dims_of_read
from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic
from s2s.types.affine import linear, ranges

POINTS = 4
"""Neighbouring results of a tile."""
MAX_ROWS = 16
"""Rows of a window that are written out at most."""
TAP, LANE_RESULT = 0.95, 3.0
"""Instructions for a tap and for a result where channels are lanes."""
ROW, RESULT = 2.0, 8.0
"""Instructions for a row and for a result of whole windows."""
COPIED, COPIED_ROW = 0.4, 20.0
"""Instructions for an element and for a row of the copy. All are counted on QEMU."""


def whole_windows(op: tensor.ComputeOp, target: Target, roles: Roles) -> tensor.ScheduleAttr | None:
    """Return a schedule of whole windows if it takes fewer instructions than channels as lanes; else None."""
    taps, inner = op.reduction_sizes[-1], list(roles.x_only)
    by_taps = sorted(target.intrinsics_of("dot_window"), key=lambda each: each.group)
    if not by_taps or not inner or not taps_are_neighbours(op, roles) or len(roles.both) != 1:
        return None
    intrinsic = next((each for each in by_taps if each.group >= taps), by_taps[-1])
    groups = -(-taps // intrinsic.group)
    rows = prod(op.reduction_sizes[:-1]) * groups
    outer = [dim for dim in range(op.rank) if dim not in inner]
    if rows > MAX_ROWS or (groups > 1 and rows > groups) or not _pays(op, roles, outer, rows):
        return None
    return _schedule(op, roles, outer, intrinsic, groups)


def taps_are_neighbours(op: tensor.ComputeOp, roles: Roles) -> bool:
    """Return whether all reductions move through a depthwise convolution's input, and the last one through neighbours
    in both factors."""
    moving, taps = dims_of_read(op, roles.x), len(op.sizes) - 1
    if any(dim not in moving for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1) or op.sizes[taps] < 2:
        return False
    results, constant = op.read_accesses[roles.x].map.data.results, op.read_accesses[roles.w].map.data.results
    if constant[-1] != AffineDimExpr(taps) or any(taps in expr.used_dims() for expr in constant[:-1]):
        return False
    along = [expr for expr in results if taps in expr.used_dims()]
    wide = [expr for expr in results if set(expr.used_dims()) - {*roles.both}]
    box = ranges(op.sizes)
    if len(along) != 1 or along[0] is not wide[-1] or linear(along[0], box).terms.get(AffineDimExpr(taps)) != 1:
        return False
    return all(isinstance(atom, AffineDimExpr) for expr in results for atom in linear(expr, box).terms)


def _pays(op: tensor.ComputeOp, roles: Roles, outer: Sequence[int], rows: int) -> bool:
    extents = [extent for extent in window(op, roles.x, op.sizes, tuple(outer)) if extent > 1]
    results, taps = prod(op.sizes[dim] for dim in roles.x_only), prod(op.reduction_sizes)
    copy = COPIED * prod(extents) + COPIED_ROW * prod(extents[:-1])
    return copy + results * (ROW * rows + RESULT) < results * (TAP * taps + LANE_RESULT)


def _schedule(
    op: tensor.ComputeOp, roles: Roles, outer: Sequence[int], intrinsic: Intrinsic, groups: int
) -> tensor.ScheduleAttr:
    inner = list(roles.x_only)
    order = [*outer, *inner, *range(op.rank, len(op.sizes))]
    last, block = len(op.read_accesses[roles.w].map.data.results) - 1, groups * intrinsic.group
    packed = [tensor.PackedAxis((axis,)) for axis in range(last)]
    packed += [tensor.PackedAxis((last,), block), tensor.PackedAxis((last,), 1, block)]
    tile = [1] * op.rank + [*op.reduction_sizes]
    tile[inner[-1]] = min(POINTS, op.sizes[inner[-1]])
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Reorder.of(order),
            CacheRead.packed(roles.w, packed),
            CacheRead.of(roles.x, outer[-1] if outer else None, widened=False),
            Tensorize.of(intrinsic),
        ]
    )
