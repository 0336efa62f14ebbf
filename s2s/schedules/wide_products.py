"""Schedules of batches of matrix products of 16 bits, as Winograd's algorithm on integers has them.

    m[f][t][o] = sum over i of v[f][t][i] * w[f][o][i]          for each factor f of a tile

Vectors run along the output channels `o`. Two neighbouring `i` of a tile `t` are broadcast against two constants in
each lane, which one instruction multiplies and adds (VPMADDWD).
"""

from math import ceil

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.roles import wide_roles_of
from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Vectorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic

VECTORS = 2
"""Vectors of output channels in a register tile."""
SPARE = 2
"""Registers for a broadcast pair and for a product."""


def wide_intrinsic(target: Target) -> Intrinsic | None:
    """Return the instruction of `target` that adds products of two numbers of 16 bits to each lane; None without."""
    known = target.intrinsics_of("dot_lanes")
    return next((each for each in known if (each.x, each.w) == ("i16", "i16") and target.lanes in each.lanes), None)


def wide_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """Return a schedule for `op` if it is such a batch and `target` has the instruction; else None."""
    intrinsic, roles = wide_intrinsic(target), wide_roles_of(op, constants)
    if intrinsic is None or roles is None or len(op.sizes) != op.rank + 1:
        return None
    if len(roles.both) > 1 or len(roles.w_only) != 1 or len(roles.x_only) > 1:
        return None
    (channel,), step = roles.w_only, op.rank
    axes = _axes(op, roles.w)
    lanes = target.lanes
    if set(axes) != {*roles.both, channel, step} or moves(op, step).reads[roles.x] != 1:
        return None
    if op.sizes[channel] % lanes or op.sizes[step] % intrinsic.group:
        return None
    wide = VECTORS if op.sizes[channel] % (VECTORS * lanes) == 0 else 1
    tile = [1] * len(op.sizes)
    tile[channel], tile[step] = wide * lanes, intrinsic.group
    for dim in roles.x_only:
        tile[dim] = _rows(op.sizes[dim], wide, (target.registers - SPARE - wide) // wide)
    order = [*roles.both, channel, *roles.x_only]
    idle = [dim for dim in range(op.rank) if dim not in order]
    own, group = axes[channel], intrinsic.group
    packed = [
        *(tensor.PackedAxis((axes[dim],)) for dim in roles.both),
        tensor.PackedAxis((own,), tile[channel]),
        tensor.PackedAxis((axes[step],), group),
        tensor.PackedAxis((own,), 1, tile[channel]),
        tensor.PackedAxis((axes[step],), 1, group),
    ]
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Vectorize.of(channel, lanes),
            Reorder.of([*idle, *order, step]),
            CacheRead.packed(roles.w, packed),
            Tensorize.of(intrinsic),
        ]
    )


def _axes(op: tensor.ComputeOp, read: int) -> dict[int, int]:
    """Return the axis of a read that each dimension indexes by itself."""
    results = op.read_accesses[read].map.data.results
    return {expr.position: axis for axis, expr in enumerate(results) if isinstance(expr, AffineDimExpr)}


def _rows(size: int, wide: int, most: int) -> int:
    """Return the rows of a register tile with the fewest loads and products in all tiles."""
    return min(range(1, min(size, most) + 1), key=lambda tall: (ceil(size / tall) * (tall * wide + wide + tall), -tall))
