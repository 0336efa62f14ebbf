"""Schedules of sums of products of 8-bit integers on scalar cores: convolutions, depthwise and fully connected layers.

A core without wide vectors spends its time on loads and sign extension, not on multiplication. So each activation is
extended to 16 bits once, into scratch, for all output channels that read it; the reduction then runs over rows without
padding or guards. Cores with a dual 16-bit multiply-add (SMLAD) get groups of four, with constants packed to match.
"""

from collections.abc import Sequence
from math import inf, prod
from typing import Literal

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine.strides import reduces_contiguously
from s2s.analysis.structure.dot_groups import groups_of_taps, window
from s2s.analysis.structure.roles import Roles, axis_of_taps, constant_axes, dims_of_read, packed_by_taps, roles_of
from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Tile, Unroll, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic
from s2s.types.affine import linear, ranges

Aim = Literal["time", "size"]

GROUP = 4
"""Steps of a dot product: the bytes of a word."""
STEPS = 8
"""The unroll factor of a reduction, one load of eight constants. With 16 and 32 the convolutions of MLPerf Tiny take up
to 4 % fewer instructions and up to 2 % more flash; `s2s tune` tries both."""
LONG_SUM, LONGER_SUM = 128, 256
"""Steps of a reduction from which on two channels share the pixels of a register tile, and the C compiler unrolls."""
TRIPLE, TRIPLE_STEPS = 3, 16
"""Pixels of a tile by two channels where rows are whole multiples, and steps written out. Elsewhere the remaining
pixels need a second copy of the loop body, which takes too much flash."""
SHORT_STEPS = 16
"""Steps of a short sum that are written out where flash does not count."""
SHARED_SUM, SHARED_STEPS = 48, 32
"""Steps of a sum from which on two channels share three pixels, and which are written out."""
QUAD, QUAD_SUM, QUAD_STEPS = 4, 16, 32
"""For time, points of a tile by two channels whose sums fit the registers where constants are in pairs of bytes, the
steps of a sum from which on two channels share them, and the steps that are written out."""
SQUARE_GROUPS = 9
"""Groups of four steps, for two pixels by two channels, that are written out at most."""
SQUARE_PASSES, ROW_PASSES = 18, 4
"""Passes that the C compiler unrolls at most with `-O3`: of such groups where flash counts, and of eight steps for a
row of pixels. With `-Os` they cost no flash."""
COLUMN, NARROW = 8, 4
"""Channels whose accumulators, with two words of constants and one of a pixel in two forms, fit the registers of an
Armv7-M core; and half of them, for small code, below which a tile is rather filled up with zeros."""
LONG_COLUMN, COLUMN_STEPS = 4096, 16
"""The number of products from which on the reduction of one pixel is unrolled, and by how much; for size by `STEPS`."""
PLAIN_CHANNELS, PLAIN_STEPS, PLAIN_COLUMN, PLAIN_COLUMN_STEPS = 4, 4, 8, 16
"""Without dual multiply-adds: channels of a register tile, unroll factor of the reduction, and both for one pixel."""
MAX_WINDOW = 25
"""Depthwise convolutions are unrolled over their window up to this number of taps, and over a row of larger ones."""
MAX_GROUPS = 32
"""Groups of a window's taps that are written out at most where pairs of taps are multiplied."""
IN_PLACE, BY_PAIRS, COPIED, COPIED_ROW = 2.7, 1.2, 2.5, 15.0
"""Instructions for a tap of a large window that is read in place, and by pairs from a copy; for an element of the copy,
and for a row of it. Counted on QEMU."""
MANY_RESULTS = 64
"""Results of a channel from which on a copy pays for windows that are larger and step by several elements: with a step
of one, neighbouring results share most of what they read anyway."""
MAX_ROW, ROW_OF_GROUPS = 6, 4
"""Neighbouring results of a depthwise convolution whose accumulators, with one row of constants and one group of the
window, fit the registers of an Armv7-M core; and of one whose rows have several groups."""
MANY_PLANES = 8
"""With at least this many channels, the 16-bit copy of one channel's plane is small beside the tensor. With fewer, only
the rows under the window are copied, once for each output row."""
MAX_PIXELS = 5
"""Pixels whose accumulators, with one constant and one activation, fit the thirteen registers of an Armv7-M core."""
REMAINDER_COST = 1.1
"""The relative cost of a second copy of the loop body for the remaining pixels."""


def integer_products(
    op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue], aim: Aim | None = None
) -> tensor.ScheduleAttr | None:
    """Return a schedule for `op` if it is such a sum and `target` has scalar integers only; else None. `aim` is what
    its code spends the other for: more flash for time, or more time for size."""
    if target.word_bits > 32:
        return None
    roles = roles_of(op, constants)
    if roles is None or roles.w_offset or roles.w_unsigned:
        return None
    if not roles.both and len(roles.w_only) == 1:
        return _rows(op, target, roles, aim)
    if roles.both and not roles.w_only:
        return _window(op, target, roles)
    return None


def _rows(op: tensor.ComputeOp, target: Target, roles: Roles, aim: Aim | None) -> tensor.ScheduleAttr | None:
    """Schedule a register tile of several pixels by one channel, on dot products of groups."""
    channel = roles.w_only[0]
    axes = constant_axes(op, roles.w, channel)
    if axes is None:
        return None
    intrinsic = next(iter(target.intrinsics_of("dot")), None)
    if intrinsic is None or prod(op.reduction_sizes) <= GROUP // 2:  # dot products do not pay for half a group
        return _plain_rows(op, roles, axes)
    pixel, count = _pixels(op, roles.x_only)
    if pixel is None and prod(op.reduction_sizes) % GROUP == 0 and reduces_contiguously(op, roles.x):
        return _column(op, roles, axes, intrinsic, aim)
    tile, unroll = _register_block(op, channel, pixel, count, aim)
    own, reduced = axes
    width = tile.get(channel, 1)
    packed = [tensor.PackedAxis((own,), width), tensor.PackedAxis(reduced, GROUP)]
    packed += [tensor.PackedAxis((own,), 1, width)] if width > 1 else []
    packed += [tensor.PackedAxis(reduced, 1, 2), tensor.PackedAxis(reduced, 2, 2)]
    order = _channel_last(op, channel)
    return tensor.ScheduleAttr.of(
        [
            Tile.of(tile),
            unroll,
            Reorder.of(order),
            CacheRead.packed(roles.w, packed),
            _widened(roles.x, order, op.rank - 1),
            Tensorize.of(intrinsic),
        ]
    )


def _register_block(
    op: tensor.ComputeOp, channel: int, pixel: int | None, count: int, aim: Aim | None
) -> tuple[dict[int, int], Unroll | None]:
    """Choose the register tile of dot products and how their reduction is unrolled; `count` pixels of one channel suit
    short reductions.

    Of pixels and channels, four pixels of one channel load least after three pixels of two channels; but in long
    reductions their rows lie too far apart for the offsets of one base register. Tuned on QEMU, ResNet-8's convolutions
    of 288 and 576 steps take 14 % fewer instructions with two pixels of two channels. Two new frames of a stream have
    no more pixels, and one frame has one, which four channels share.
    """
    last, steps, channels = len(op.sizes) - 1, prod(op.reduction_sizes), op.sizes[channel]
    if pixel is None:
        return {channel: _width(channels, aim)}, _steps_of_column(op, aim)
    if channels % 2 == 0 and op.sizes[pixel] == 2 and steps > GROUP:
        return {pixel: 2, channel: 2}, _unrolled_square(last, steps, aim)
    if aim == "time" and channels % 2 == 0 and op.sizes[pixel] >= QUAD and steps >= QUAD_SUM:
        return {pixel: QUAD, channel: 2}, Unroll.of({last: QUAD_STEPS})
    if aim != "size" and channels % 2 == 0 and op.sizes[pixel] >= TRIPLE and SHARED_SUM <= steps < LONG_SUM:
        return {pixel: TRIPLE, channel: 2}, Unroll.of({last: min(steps, SHARED_STEPS)})
    if steps < LONG_SUM:
        return {pixel: count}, Unroll.of({last: STEPS if aim == "size" else SHORT_STEPS})
    if channels % 2 == 0 and op.sizes[pixel] % TRIPLE == 0:
        return {pixel: TRIPLE, channel: 2}, Unroll.of({last: TRIPLE_STEPS})
    if channels % 2 == 0 and steps >= LONGER_SUM:
        return {pixel: 2, channel: 2}, _unrolled_square(last, steps, aim)
    return {pixel: count}, Unroll.of({last: STEPS}, {last: ROW_PASSES})


def _unrolled_square(last: int, steps: int, aim: Aim | None) -> Unroll | None:
    """Unroll the reduction of two pixels by two channels: in the C, or for size by the C compiler."""
    groups, most = -(-steps // GROUP), SQUARE_PASSES if aim == "size" else SQUARE_GROUPS
    count = max(each for each in range(1, most + 1) if groups % each == 0 and 2 * each <= groups)
    return Unroll.of({last: GROUP}, {last: count}) if aim == "size" else Unroll.of({last: GROUP * count})


def _steps_of_column(op: tensor.ComputeOp, aim: Aim | None) -> Unroll | None:
    """Unroll the reduction of one pixel."""
    many = STEPS if aim == "size" else COLUMN_STEPS
    return Unroll.of({len(op.sizes) - 1: many if prod(op.sizes) >= LONG_COLUMN else GROUP})


def _width(channels: int, aim: Aim | None) -> int:
    """Return the channels that share one pixel: an even part of all."""
    if channels % COLUMN == 0 and aim != "size":
        return COLUMN
    return max(width for width in range(1, NARROW + 1) if channels % width == 0)


def _widened(read: int, order: Sequence[int], depth: int) -> CacheRead:
    """Return a copy of a read in 16 bits, inside the first `depth` loops of `order`."""
    return CacheRead.of(read, order[depth - 1] if depth else None, widened=True)


def _plain_rows(op: tensor.ComputeOp, roles: Roles, axes: tuple[int, tuple[int, ...]]) -> tensor.ScheduleAttr | None:
    """Schedule a register tile of two pixels by four channels, on single multiply-adds."""
    channel, (own, reduced) = roles.w_only[0], axes
    even = [dim for dim in roles.x_only if op.sizes[dim] % 2 == 0]
    pixel = even[-1] if even else max(roles.x_only, key=lambda dim: op.sizes[dim], default=None)
    if pixel is None:
        return _plain_column(op, roles, axes)
    width = max(width for width in range(1, PLAIN_CHANNELS + 1) if op.sizes[channel] % width == 0)
    tile = [1] * len(op.sizes)
    tile[pixel], tile[channel], tile[-1] = 2, width, PLAIN_STEPS
    packed = [tensor.PackedAxis((own,), width), tensor.PackedAxis(reduced)]
    packed += [tensor.PackedAxis((own,), 1, width)] if width > 1 else []
    order = _channel_last(op, channel)
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Reorder.of(order),
            CacheRead.packed(roles.w, packed),
            _widened(roles.x, order, op.rank - 1),
        ]
    )


def _plain_column(op: tensor.ComputeOp, roles: Roles, axes: tuple[int, tuple[int, ...]]) -> tensor.ScheduleAttr | None:
    """Schedule a register tile of one pixel, read in place, by as many channels as fit the registers."""
    channel, (own, reduced) = roles.w_only[0], axes
    if prod(op.sizes) < LONG_COLUMN or op.sizes[channel] % PLAIN_COLUMN:
        return None
    tile = [1] * len(op.sizes)
    tile[channel], tile[-1] = PLAIN_COLUMN, PLAIN_COLUMN_STEPS
    packed = [tensor.PackedAxis((own,), PLAIN_COLUMN), tensor.PackedAxis(reduced)]
    packed.append(tensor.PackedAxis((own,), 1, PLAIN_COLUMN))
    order = Reorder.of(_channel_last(op, channel))
    return tensor.ScheduleAttr.of([*register_tile(op, tile), order, CacheRead.packed(roles.w, packed)])


def _channel_last(op: tensor.ComputeOp, channel: int) -> list[int]:
    """Order the channel loop inside of the pixel loops."""
    return [*(dim for dim in range(op.rank) if dim != channel), channel, *range(op.rank, len(op.sizes))]


def _pixels(op: tensor.ComputeOp, dims: Sequence[int]) -> tuple[int | None, int]:
    """Choose the dimension and the number of pixels of the register tile with the least cost per channel."""
    best: tuple[float, int | None, int] = (inf, None, 1)
    for dim in reversed(dims):
        for count in range(2, min(op.sizes[dim], MAX_PIXELS) + 1):
            passes, rest = divmod(op.sizes[dim], count)
            cost = passes * _pass_cost(op, count)
            if rest:
                cost = REMAINDER_COST * (cost + _pass_cost(op, rest))
            best = min(best, (cost / op.sizes[dim], dim, count), key=lambda choice: choice[0])
    return best[1], best[2]


def _pass_cost(op: tensor.ComputeOp, pixels: int) -> float:
    """Estimate the instructions for one channel of `pixels` pixels. A group of four steps takes a load and two dual
    multiply-adds per pixel, and three instructions to load and extend the constants. Requantisation and loop overhead
    follow."""
    groups = -(-prod(op.reduction_sizes) // GROUP)
    return groups * (3 * pixels + 3 + 4 * GROUP / STEPS) + 9 * pixels + 16


def _column(
    op: tensor.ComputeOp, roles: Roles, axes: tuple[int, tuple[int, ...]], intrinsic: Intrinsic, aim: Aim | None
) -> tensor.ScheduleAttr:
    """Schedule a register tile of one pixel by several channels; the pixel is extended on the fly, as a copy would be
    used once."""
    channel, (own, reduced) = roles.w_only[0], axes
    width = _width(op.sizes[channel], aim)
    if width < NARROW and prod(op.sizes) >= LONG_COLUMN:
        width = NARROW
    packed = [tensor.PackedAxis((own,), width), tensor.PackedAxis(reduced, GROUP), tensor.PackedAxis((own,), 1, width)]
    packed.append(tensor.PackedAxis(reduced, 1, GROUP))
    return tensor.ScheduleAttr.of(
        [
            Tile.of({channel: width}),
            _steps_of_column(op, aim),
            Reorder.of(_channel_last(op, channel)),
            CacheRead.packed(roles.w, packed),
            Tensorize.of(intrinsic),
        ]
    )


def _window(op: tensor.ComputeOp, target: Target, roles: Roles) -> tensor.ScheduleAttr | None:
    """Schedule a depthwise convolution: one channel at a time, its plane copied to 16 bits with padding, the taps
    unrolled. A single short row of results, as of a new frame of a stream, reads the window in place: a copy would hold
    as many rows as the window, and be read once."""
    moving = dims_of_read(op, roles.x)
    if any(dim not in moving for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1):
        return None
    inner = list(roles.x_only)
    outer = [dim for dim in range(op.rank) if dim not in inner]
    pairs = [first for form in ("dot_taps", "dot_next", "dot_two") for first in target.intrinsics_of(form)[:1]]
    by_pairs = len(pairs) == 3 and bool(inner) and _slides_evenly(op, roles, inner[-1])
    is_large = prod(op.reduction_sizes) > MAX_WINDOW
    few = len(inner) > 1 and prod(op.sizes[dim] for dim in outer) < MANY_PLANES
    if by_pairs and is_large and not _copy_for_pairs_pays(op, roles, outer, few):
        by_pairs = False
    if is_large and not by_pairs and (op.reduction_sizes[-1] > MAX_WINDOW or not _copy_pays(op, roles)):
        return None
    rows = [1 if is_large else size for size in op.reduction_sizes[:-1]]
    tile = [*[1] * op.rank, *rows, op.reduction_sizes[-1]]
    if inner:
        tile[inner[-1]] = 2
    order = [*outer, *inner, *range(op.rank, len(op.sizes))]
    if inner and prod(op.sizes[dim] for dim in inner) == op.sizes[inner[-1]] <= MAX_ROW:
        tile[inner[-1]] = op.sizes[inner[-1]]
        return tensor.ScheduleAttr.of([*register_tile(op, tile), Reorder.of(order)])
    copy = _widened(roles.x, order, len(outer) + few)
    if by_pairs:
        taps = GROUP * groups_of_taps(op.sizes[-1])
        axis = axis_of_taps(op, roles.w)
        pack = None if axis is None else CacheRead.packed(roles.w, packed_by_taps(op, roles.w, axis, taps))
        tile[inner[-1]] = _row_of_points(op.sizes[inner[-1]], MAX_ROW if taps == GROUP else ROW_OF_GROUPS)
        used = pairs if taps > GROUP else pairs[:2]
        return tensor.ScheduleAttr.of(
            [*register_tile(op, tile), Reorder.of(order), pack, copy, *map(Tensorize.of, used)]
        )
    return tensor.ScheduleAttr.of([*register_tile(op, tile), Reorder.of(order), copy])


def _copy_pays(op: tensor.ComputeOp, roles: Roles) -> bool:
    """Return whether windows step by several elements along a row, and there are many."""
    if prod(op.sizes[dim] for dim in roles.x_only) < MANY_RESULTS:
        return False
    results, box = op.read_accesses[roles.x].map.data.results, ranges(op.sizes)
    steps = (linear(expr, box).terms.get(AffineDimExpr(roles.x_only[-1])) for expr in results)
    return any(step is not None and step > 1 for step in steps)


def _copy_for_pairs_pays(op: tensor.ComputeOp, roles: Roles, outer: Sequence[int], few: bool) -> bool:
    """Return whether multiplying a large window by pairs of taps saves more than the copy that it reads costs."""
    extents = [extent for extent in window(op, roles.x, op.sizes, tuple(outer)) if extent > 1]
    copied = COPIED * prod(extents) + COPIED_ROW * prod(extents[:-1])
    results, taps = prod(op.sizes[dim] for dim in roles.x_only), prod(op.reduction_sizes)
    repeated = op.reduction_sizes[0] if few else 1
    return repeated * copied < (IN_PLACE - BY_PAIRS) * taps * results


def _row_of_points(size: int, most: int) -> int:
    """Choose the neighbouring results that share a row of constants: the whole row, or an even part of it."""
    return size if size <= most else next((each for each in (most, 4, 2) if size % each == 0), 4)


def _slides_evenly(op: tensor.ComputeOp, roles: Roles, along: int) -> bool:
    """Return whether the rows of a window are groups of taps: side by side in both factors, and padding or an even
    width lets each row of the copy begin at an even position."""
    taps = len(op.sizes) - 1
    results, box = op.read_accesses[roles.x].map.data.results, ranges(op.sizes)
    groups = groups_of_taps(op.sizes[taps]) * prod(op.reduction_sizes[:-1])
    if op.sizes[taps] < 2 or groups > MAX_GROUPS or axis_of_taps(op, roles.w) is None or op.sizes[along] < 2:
        return False
    moving = [expr for expr in results if {taps, along} & set(expr.used_dims())]
    wide = [expr for expr in results if set(expr.used_dims()) - {*roles.both}]
    if len(moving) != 1 or moving[0] is not wide[-1]:
        return False
    terms = linear(moving[0], box).terms
    tap, step = terms.get(AffineDimExpr(taps)), terms.get(AffineDimExpr(along))
    if len(terms) != 2 or tap != 1 or step not in (1, 2):
        return False
    width = (op.sizes[along] - 1) * step + op.sizes[taps]
    return width % 2 == 0 or op.read_accesses[roles.x].is_guarded
