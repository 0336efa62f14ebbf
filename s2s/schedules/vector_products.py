"""Schedules of quantised networks for cores with 128-bit integer vectors (Arm MVE).

A vector holds the sums of four channels. A row of a convolution or of a fully connected layer is multiplied by four
rows of constants at a time. The row is read in place if it is contiguous and its zero point is 0; else it is copied to
scratch, with padding set to the zero point, whose contribution is folded into the initial value of the sum. Everything
else on 8-bit integers, such as a depthwise convolution or rows of one number, is vectorized along its channels. Sums
that are rescaled in floats, as ONNX does, stay in vectors too.

Depthwise convolutions with large windows are done one channel at a time: its plane is copied to scratch with padding,
and each row of taps is one product of vectors, whose constants neighbouring results share. Channels as lanes take an
instruction for four products, however, and no copy; so windows with short rows are left to them.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, f32, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine.strides import moves, reduces_contiguously
from s2s.analysis.structure.dot_groups import window
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.roles import Roles, axis_of_taps, constant_axes, dims_of_read, packed_by_taps, roles_of
from s2s.dialects import loop, tensor
from s2s.schedules.directives import CacheRead, RawBytes, Reorder, Tensorize, Vectorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic
from s2s.types.affine import linear, ranges
from s2s.types.dtypes import as_tensor_type
from s2s.types.hints import isa

LANES = 4
"""Lanes of the vectors."""
PIXELS = 2
"""Points of a tile along a second dimension, which share loads."""
ROWS_OF_GROUP = 4
"""Points of a tile whose rows are a single group of steps."""
MAX_WINDOW = 25
"""Reductions are unrolled up to this number of steps."""

MAX_TRANSPOSED = 8
"""Neighbouring results of a tile whose vectors run along another dimension, at most."""
POINTS = 4
"""Neighbouring results of a tile of whole windows."""
MAX_ROWS = 16
"""Rows of a window that are written out at most."""
TAP, LANE_RESULT = 0.95, 3.0
"""Instructions for a tap and for a result where channels are lanes."""
ROW, RESULT = 2.0, 5.5
"""Instructions for a row and for a result of whole windows."""
COPIED, COPIED_ROW = 0.4, 16.0
"""Instructions for an element and for a row of the copy. All are counted on QEMU."""

LANE_OPS = (
    arith.AddiOp,
    arith.ConstantOp,
    arith.ExtSIOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MuliOp,
    arith.ShRSIOp,
    arith.SubiOp,
    arith.TruncIOp,
    tensor.InBoundsOp,
    tensor.RescaleOp,
    tensor.SaturateOp,
    tensor.YieldOp,
)
"""Operations that exist on vectors of integers."""
FLOAT_OPS = (
    arith.AddfOp,
    arith.DivfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MulfOp,
    arith.SIToFPOp,
    arith.SubfOp,
    tensor.QuantizeOp,
)
"""Operations that vectors of floats have, too."""


def vector_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """Return a schedule for `op` if `target` has such vectors and `op` can use them; else None."""
    by_rows = [each for each in target.intrinsics_of("dot_rows") if each.x == "i8" and LANES in each.lanes]
    if not (by_rows or target.integer_lanes == LANES) or not _is_in_lanes(op):
        return None
    roles = roles_of(op, constants)
    roles = None if roles is not None and (roles.w_offset or roles.w_unsigned) else roles
    if roles is not None and not roles.both and len(roles.w_only) == 1 and prod(op.reduction_sizes) > 1:
        return _rows(op, roles, by_rows, target.intrinsics_of("dot_group"))
    if roles is not None and roles.both and not roles.w_only and (windows := _whole_windows(op, target, roles)):
        return windows
    return (_lanes(op, roles) or _transposed(op)) if target.integer_lanes == LANES else None


def _is_in_lanes(op: tensor.ComputeOp) -> bool:
    """Return whether `op` computes with integers, and every operation of it exists on four lanes of 32 bits."""
    elements = {as_tensor_type(value.type).element_type for value in [*op.reads, *op.epilogue]}
    results = {as_tensor_type(value.type).element_type for value in op.res}
    regions = [op.apply, *([op.reduce] if op.reduce is not None else [])]
    bodies = [inner for region in regions for inner in region.block.ops]
    if op.tables or not op.rank or not elements <= {i8, i32, f32} or not results <= {i8, f32}:
        return False
    if (elements | results) == {f32}:
        return False
    return all(_has_lanes(inner) for inner in bodies)


def _has_lanes(op: Operation) -> bool:
    match op:
        case tensor.RescaleOp():
            return op.rounding.data in loop.LANE_ROUNDINGS
        case arith.ExtSIOp():
            return op.input.type == i8 and op.result.type == i32
        case arith.TruncIOp():
            return op.input.type == i32 and (_is_clamped(op.input) or _is_stored(op.result))
        case arith.ShRSIOp():
            return isinstance(op.rhs.owner, arith.ConstantOp)
        case _:
            floats = isinstance(op, (*FLOAT_OPS, arith.ConstantOp))
            types = (i8, i32, f32) if floats else (i8, i32)
            known = isinstance(op, (*LANE_OPS, *FLOAT_OPS))
            return known and all(each.type in types or isinstance(op, tensor.InBoundsOp) for each in op.results)


def _is_stored(value: SSAValue) -> bool:
    return all(isinstance(use.operation, tensor.YieldOp) for use in value.uses)


def _is_clamped(value: SSAValue) -> bool:
    """Return whether `value` is clamped to a byte, so that truncation does not change it."""
    upper = value.owner
    lower = upper.lhs.owner if isinstance(upper, arith.MinSIOp) else None
    return (
        isinstance(upper, arith.MinSIOp)
        and isinstance(lower, arith.MaxSIOp)
        and -128 <= _constant(lower.rhs) <= _constant(upper.rhs) <= 127
    )


def _constant(value: SSAValue) -> int:
    """Return the constant that `value` is; a value far out of range if it is none."""
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isa(op.value, IntegerAttr) else 2**40


def _rows(
    op: tensor.ComputeOp, roles: Roles, intrinsics: Sequence[Intrinsic], of_groups: Sequence[Intrinsic]
) -> tensor.ScheduleAttr | None:
    """Schedule one row by four rows of constants; read the row in place if its steps are whole groups of an
    intrinsic, and keep the constants of one group for several pixels."""
    channel = roles.w_only[0]
    axes = constant_axes(op, roles.w, channel)
    products = product_sum(op)
    if axes is None or products is None or op.sizes[channel] % LANES or not _is_last(op, channel):
        return None
    own, reduced = axes
    steps = prod(op.reduction_sizes)
    in_place = reduces_contiguously(op, roles.x) and products.factor_of(roles.x).offset == 0
    whole = [each for each in intrinsics if in_place and steps % each.group == 0 and _is_aligned(op, roles.x, each)]
    if not intrinsics:
        return None
    intrinsic = whole[0] if whole else intrinsics[0]
    in_place, group = bool(whole), intrinsic.group
    tile = [1] * len(op.sizes)
    tile[channel] = LANES
    if in_place and _adds_constants_alone(op, channel):
        for dim in [dim for dim in roles.x_only if op.sizes[dim] % PIXELS == 0][-1:]:
            tile[dim] = PIXELS
            if alone := [each for each in of_groups if each.group == steps]:
                intrinsic, tile[dim] = alone[0], ROWS_OF_GROUP if op.sizes[dim] % ROWS_OF_GROUP == 0 else PIXELS
    order = [*(dim for dim in range(op.rank) if dim != channel), channel, *range(op.rank, len(op.sizes))]
    packed = [tensor.PackedAxis((own,), LANES), tensor.PackedAxis(reduced, group)]
    packed += [tensor.PackedAxis((own,), 1, LANES), tensor.PackedAxis(reduced, 1, group)]
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Vectorize.of(channel, LANES),
            Reorder.of(order),
            CacheRead.packed(roles.w, packed),
            None if in_place else CacheRead.of(roles.x, order[op.rank - 2] if op.rank > 1 else None, widened=False),
            Tensorize.of(intrinsic),
        ]
    )


def _adds_constants_alone(op: tensor.ComputeOp, channel: int) -> bool:
    """Return whether what the epilogue reads depends on the channel alone, so that the points of a tile share it."""
    used = {dim for access in op.epilogue_accesses for expr in access.map.data.results for dim in expr.used_dims()}
    return used <= {channel}


def _is_aligned(op: tensor.ComputeOp, read: int, intrinsic: Intrinsic) -> bool:
    """Return whether each row of a read begins at an address that the loads of an intrinsic accept."""
    steps = [moves(op, dim).reads[read] for dim in range(op.rank) if op.sizes[dim] > 1]
    return intrinsic.align == 1 or all(step is not None and step % intrinsic.align == 0 for step in steps)


def _is_last(op: tensor.ComputeOp, dim: int) -> bool:
    """Return whether `dim` is contiguous in the result."""
    return all(op.sizes[after] == 1 for after in range(dim + 1, op.rank))


def _lanes(op: tensor.ComputeOp, roles: Roles | None) -> tensor.ScheduleAttr | None:
    """Schedule vectors along the last dimension, along which every operand is contiguous or invariant."""
    lane = next((dim for dim in reversed(range(op.rank)) if op.sizes[dim] > 1), None)
    if lane is None or op.sizes[lane] % LANES:
        return None
    along = moves(op, lane)
    packs: list[CacheRead] = []
    for number, move in enumerate(along.reads):
        if roles is not None and number == roles.w and roles.both == (lane,) and move not in (0, 1):
            axes = constant_axes(op, number, lane)
            if axes is None:
                return None
            own, reduced = axes
            packed = [tensor.PackedAxis((own,), LANES), *(tensor.PackedAxis((axis,)) for axis in reduced)]
            packs.append(CacheRead.packed(number, [*packed, tensor.PackedAxis((own,), 1, LANES)]))
        elif move not in (0, 1):
            return None
    if any(move not in (0, 1) for move in along.epilogue):
        return None
    is_window = prod(op.reduction_sizes) <= MAX_WINDOW
    tile = [1] * op.rank + [size if is_window else 1 for size in op.reduction_sizes]
    tile[lane] = LANES
    pixels = [dim for dim in roles.x_only if dim != lane] if roles is not None else []
    for dim in pixels[-1:]:
        tile[dim] = min(PIXELS, op.sizes[dim])
    order = [*(dim for dim in range(op.rank) if dim != lane), lane, *range(op.rank, len(op.sizes))]
    raw = None if roles is None or not packs or not _has_zero_point(op, roles.x) else RawBytes.of(roles.x)
    return tensor.ScheduleAttr.of([*register_tile(op, tile), Vectorize.of(lane, LANES), Reorder.of(order), *packs, raw])


def _transposed(op: tensor.ComputeOp) -> tensor.ScheduleAttr | None:
    """Schedule vectors along the dimension in which all that is read is contiguous, and the result is not: bytes made
    of channels that lie first, for readers of channels that lie last. Neighbouring results are a tile. None for what
    only moves, which takes more instructions in lanes."""
    last, lane = op.rank - 1, op.rank - 2
    if op.reduction_sizes or op.rank < 2 or op.sizes[lane] % LANES or op.sizes[last] > MAX_TRANSPOSED:
        return None
    if all(isinstance(inner, arith.ConstantOp | tensor.YieldOp) for inner in op.apply.block.ops):
        return None
    along = moves(op, lane)
    steps = {*along.reads, *along.epilogue}
    if not {1} <= steps <= {0, 1}:
        return None
    tile = [1] * op.rank
    tile[lane], tile[last] = LANES, op.sizes[last]
    return tensor.ScheduleAttr.of([*register_tile(op, tile), Vectorize.of(lane, LANES)])


def _has_zero_point(op: tensor.ComputeOp, read: int) -> bool:
    """Return whether something is taken off the bytes of a read before they are multiplied."""
    products = product_sum(op)
    return products is not None and products.factor_of(read).offset != 0


def _whole_windows(op: tensor.ComputeOp, target: Target, roles: Roles) -> tensor.ScheduleAttr | None:
    """Return a schedule of whole windows if it takes fewer instructions than channels as lanes; else None."""
    taps, inner = op.reduction_sizes[-1], list(roles.x_only)
    by_taps = sorted(target.intrinsics_of("dot_window"), key=lambda choice: choice.group)
    if not by_taps or not inner or not _taps_are_neighbours(op, roles) or len(roles.both) != 1:
        return None
    intrinsic = next((choice for choice in by_taps if choice.group >= taps), by_taps[-1])
    groups = -(-taps // intrinsic.group)
    rows = prod(op.reduction_sizes[:-1]) * groups
    outer = [dim for dim in range(op.rank) if dim not in inner]
    if rows > MAX_ROWS or (groups > 1 and rows > groups) or not _windows_pay(op, roles, outer, rows):
        return None
    return _schedule_of_windows(op, roles, outer, intrinsic, groups)


def _taps_are_neighbours(op: tensor.ComputeOp, roles: Roles) -> bool:
    """Return whether all reductions move through a depthwise convolution's input, and the last one through neighbours
    in both factors."""
    moving, taps = dims_of_read(op, roles.x), len(op.sizes) - 1
    if any(dim not in moving for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1) or op.sizes[taps] < 2:
        return False
    if axis_of_taps(op, roles.w) is None:
        return False
    results = op.read_accesses[roles.x].map.data.results
    along = [expr for expr in results if taps in expr.used_dims()]
    wide = [expr for expr in results if set(expr.used_dims()) - {*roles.both}]
    box = ranges(op.sizes)
    if len(along) != 1 or along[0] is not wide[-1] or linear(along[0], box).terms.get(AffineDimExpr(taps)) != 1:
        return False
    return all(isinstance(atom, AffineDimExpr) for expr in results for atom in linear(expr, box).terms)


def _windows_pay(op: tensor.ComputeOp, roles: Roles, outer: Sequence[int], rows: int) -> bool:
    """Return whether whole windows take fewer instructions than lanes. Padding is stored once for all channels."""
    inside = as_tensor_type(op.reads[roles.x].type).get_shape()
    window_of_all = window(op, roles.x, op.sizes, tuple(outer))
    extents = [min(each) for each in zip(window_of_all, inside, strict=True) if min(each) > 1]
    results, taps = prod(op.sizes[dim] for dim in roles.x_only), prod(op.reduction_sizes)
    copy = COPIED * prod(extents) + COPIED_ROW * prod(extents[:-1])
    return copy + results * (ROW * rows + RESULT) < results * (TAP * taps + LANE_RESULT)


def _schedule_of_windows(
    op: tensor.ComputeOp, roles: Roles, outer: Sequence[int], intrinsic: Intrinsic, groups: int
) -> tensor.ScheduleAttr:
    inner = list(roles.x_only)
    order = [*outer, *inner, *range(op.rank, len(op.sizes))]
    axis = axis_of_taps(op, roles.w)
    packed = [] if axis is None else packed_by_taps(op, roles.w, axis, groups * intrinsic.group)
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
