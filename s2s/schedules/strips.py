"""Schedules for vectors whose length is known at run time only (RISC-V V, SVE2): strips along the contiguous dimension.

A strip holds the sums of neighbouring channels; each of a few points adds its products with the same row of constants,
which are packed with the channels innermost, so that strips of any length run over them. Borders and whatever is not
contiguous are loops around. Costs assume the shortest vectors; the form is right for all.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i8, i16, i32
from xdsl.ir import SSAValue

from s2s.analysis.affine.strides import border, moves, reduces_contiguously
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.roles import Roles, constant_axes, roles_of
from s2s.analysis.structure.strips import computes_in_lanes
from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, RawBytes, Reorder, StripMine, Tensorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic
from s2s.types.dtypes import as_tensor_type, size_in_bytes

POINTS = 4
"""Points of a tile, whose sums fill half of the registers."""
FEW_POINTS = 2
"""The same where borders take code of their own."""
STEPS = 4
"""Steps of a reduction that are written out."""
GROUPS_OF_POINT = 4
"""Groups of steps that are written out where a tile has one point."""
MAX_WINDOW = 25
"""Windows of a channel of its own are written out up to this number of taps."""
PLAIN = (arith.ConstantOp, tensor.InBoundsOp, tensor.YieldOp)
"""Operations that compute nothing that differs between lanes."""
MIN_CHANNELS = 4
"""Fewer neighbours than these are not worth a strip."""


def strip_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """Return a schedule in strips for `op` if `target` has such vectors and `op` can use them; else None."""
    lane = _lane(op)
    if not target.scalable_bits or lane is None or why_not_strips(op, target) is not None:
        return None
    roles = roles_of(op, constants)
    roles = None if roles is not None and (roles.w_offset or roles.w_unsigned) else roles
    rows = None
    if roles is not None and roles.w_only == (lane,) and not roles.both:
        rows = _rows(op, lane, roles, target)
    return rows or _lanes(op, lane, roles, constants)


def why_not_strips(op: tensor.ComputeOp, target: Target) -> str | None:
    """Return why `op` does not run in strips; None if it does."""
    lane = _lane(op)
    if lane is None or op.sizes[lane] < MIN_CHANNELS:
        return f"fewer than {MIN_CHANNELS} neighbouring results"
    if border(op, lane):
        return "windows reach over the border along the contiguous dimension"
    along = moves(op, lane)
    if None in (*along.reads, *along.epilogue):
        return "an operand does not move in equal steps"
    floats = {as_tensor_type(value.type).element_type for value in [*op.reads, *op.res]} == {f32}
    if floats and target.lanes * size_in_bytes(f32) * 8 >= target.scalable_bits:
        return "vectors of one length are as long, and whole tiles of floats are in them"
    return None if not op.tables and _has_forms(op) else "computes what has no form in strips"


def _lane(op: tensor.ComputeOp) -> int | None:
    """Return the dimension along which results are neighbours; None where there is one result."""
    return next((dim for dim in reversed(range(op.rank)) if op.sizes[dim] > 1), None)


def _has_forms(op: tensor.ComputeOp) -> bool:
    """Return whether every operation of `op` has a form in strips."""
    elements = {as_tensor_type(value.type).element_type for value in [*op.reads, *op.epilogue]}
    results = {as_tensor_type(value.type).element_type for value in op.res}
    regions = [op.apply, *([op.reduce] if op.reduce is not None else [])]
    if not elements <= {i8, i16, i32, f32} or not results <= {i8, i32, f32}:
        return False
    return all(isinstance(inner, PLAIN) or computes_in_lanes(inner) for each in regions for inner in each.block.ops)


def _rows(op: tensor.ComputeOp, lane: int, roles: Roles, target: Target) -> tensor.ScheduleAttr | None:
    """Schedule the sums of a few points by a strip of channels."""
    axes, products = constant_axes(op, roles.w, lane), product_sum(op)
    if axes is None or products is None:
        return None
    channels, reduced = axes
    order = _lane_last(op, lane)
    tile = [1] * len(op.sizes)
    tile[-1] = STEPS
    for dim in roles.x_only[-1:]:
        tile[dim] = _points(op.sizes[dim])
    intrinsic = next(iter(target.intrinsics_of("dot_strips")), None)
    if intrinsic is not None:
        return _dots(op, lane, roles, axes, tile, intrinsic)
    packed = CacheRead.packed(roles.w, [tensor.PackedAxis(reduced), tensor.PackedAxis((channels,))])
    offset = products.factor_of(roles.x).offset
    copy: CacheRead | RawBytes | None = CacheRead.of(roles.x, order[op.rank - 2] if op.rank > 1 else None, widened=True)
    if reduces_contiguously(op, roles.x):
        copy = RawBytes.of(roles.x) if offset else None
    return tensor.ScheduleAttr.of([*register_tile(op, tile), Reorder.of(order), packed, copy, StripMine.of(lane)])


def _dots(
    op: tensor.ComputeOp,
    lane: int,
    roles: Roles,
    axes: tuple[int, tuple[int, ...]],
    tile: Sequence[int],
    intrinsic: Intrinsic,
) -> tensor.ScheduleAttr:
    """Schedule the sums of a few points by a strip of channels, in groups of steps."""
    channels, reduced = axes
    order, group = _lane_last(op, lane), intrinsic.group
    steps = group * (GROUPS_OF_POINT if prod(tile[: op.rank]) == 1 else 1)
    packed = [tensor.PackedAxis(reduced, group), tensor.PackedAxis((channels,)), tensor.PackedAxis(reduced, 1, group)]
    products = product_sum(op)
    is_first = products is not None and roles.x == int(products.factor_of(1).offset != 0)
    in_place = is_first and prod(op.reduction_sizes) % group == 0 and reduces_contiguously(op, roles.x)
    copy = None if in_place else CacheRead.of(roles.x, order[op.rank - 2] if op.rank > 1 else None, widened=False)
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, [*tile[:-1], steps]),
            Reorder.of(order),
            CacheRead.packed(roles.w, packed),
            copy,
            Tensorize.of(intrinsic),
            StripMine.of(lane),
        ]
    )


def _points(size: int) -> int:
    """Return how many points a tile takes of `size` ones: a divisor if there is one."""
    divisors = [count for count in range(2, POINTS + 1) if size % count == 0]
    return max(divisors, default=min(size, POINTS))


def _lane_last(op: tensor.ComputeOp, lane: int) -> list[int]:
    return [*(dim for dim in range(op.rank) if dim != lane), lane, *range(op.rank, len(op.sizes))]


def _lanes(op: tensor.ComputeOp, lane: int, roles: Roles | None, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr:
    """Schedule strips along a dimension along which operands are contiguous, far apart or invariant."""
    along = moves(op, lane)
    packs: list[CacheRead] = []
    for number, (read, move) in enumerate(zip(op.reads, along.reads, strict=True)):
        axes = constant_axes(op, number, lane) if move not in (0, 1) and op.reduce is not None else None
        if axes is not None and read in constants and read.has_one_use():
            channels, reduced = axes
            packs.append(CacheRead.packed(number, [tensor.PackedAxis(reduced), tensor.PackedAxis((channels,))]))
    is_window = prod(op.reduction_sizes) <= MAX_WINDOW
    tile = [1] * op.rank + [size if is_window else 1 for size in op.reduction_sizes]
    shared = _shared(op, lane)
    if shared is not None:
        few = roles is not None or border(op, shared) > 0
        tile[shared] = min(FEW_POINTS, op.sizes[shared]) if few else _points(op.sizes[shared])
    return tensor.ScheduleAttr.of(
        [*register_tile(op, tile), Reorder.of(_lane_last(op, lane)), *packs, StripMine.of(lane)]
    )


def _shared(op: tensor.ComputeOp, lane: int) -> int | None:
    """Return the last dimension whose points read the same lanes; None without one, and where nothing is summed."""
    if op.reduce is None:
        return None
    row = [number for number, move in enumerate(moves(op, lane).reads) if move != 0]
    dims = [dim for dim in range(op.rank) if dim != lane and op.sizes[dim] > 1]
    shared = [dim for dim in dims if any(moves(op, dim).reads[number] == 0 for number in row)]
    return shared[-1] if shared else None
