"""Schedules of batches of matrix products of 16 bits, as Winograd's algorithm on integers has them.

    m[f][t][o] = sum over i of v[f][t][i] * w[f][o][i]          for each factor f of a tile

Vectors run along the output channels `o`. Two neighbouring `i` of a tile `t` are broadcast against two constants in
each lane, which one instruction multiplies and adds (VPMADDWD). A core without vectors multiplies two pairs in a word
each (SMLAD): both factors are loaded as they lie, and a register tile of tiles by output channels shares the loads.
"""

from math import ceil

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.roles import Roles, wide_roles_of
from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Vectorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic

VECTORS = 2
"""Vectors of output channels in a register tile."""
SPARE = 2
"""Registers for a broadcast pair and for a product."""
PAIR_ROWS, PAIR_CHANNELS = 2, 2
"""Tiles and output channels whose sums, with two words of each channel and of one tile, fit the thirteen registers of
an Armv7-M core."""
PAIR_STEPS = 16
"""Steps of such sums that are written out, at most."""


def wide_intrinsic(target: Target) -> Intrinsic | None:
    """Return the instruction of `target` that adds products of numbers of 16 bits to each lane, or to one sum where
    there are no vectors; None without."""
    known = target.intrinsics_of("dot_lanes" if target.lanes > 1 else "dot")
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
    if lanes == 1:
        return _in_words(op, roles, channel, intrinsic)
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


def _in_words(op: tensor.ComputeOp, roles: Roles, channel: int, intrinsic: Intrinsic) -> tensor.ScheduleAttr:
    """Schedule sums of pairs in words, without vectors. The factor of a tile is innermost, so that both operands move
    with the loop: the compiler would keep the address of each word of one that stays in a register, or spill it."""
    step = op.rank
    tile = [1] * len(op.sizes)
    tile[channel] = PAIR_CHANNELS if op.sizes[channel] % PAIR_CHANNELS == 0 else 1
    tile[step] = max(
        each for each in range(intrinsic.group, PAIR_STEPS + 1, intrinsic.group) if op.sizes[step] % each == 0
    )
    for dim in roles.x_only:
        tile[dim] = min(PAIR_ROWS, op.sizes[dim])
    order = [*roles.x_only, channel, *roles.both]
    idle = [dim for dim in range(op.rank) if dim not in order]
    return tensor.ScheduleAttr.of(
        [*register_tile(op, tile), Reorder.of([*idle, *order, step]), Tensorize.of(intrinsic)]
    )
