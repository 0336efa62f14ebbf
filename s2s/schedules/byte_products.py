"""Schedules of sums of products of bytes for targets whose vector lanes each add up four of them (VNNI), or two.

Vectors run along the output channels. A convolution broadcasts four neighbouring bytes of a pixel against four
constants in each lane. A depthwise convolution reads columns: the bytes of consecutive rows at one position. The image
is copied with its padding, so that tiles need no guards, and with 128 added where the instruction takes unsigned bytes,
or in 16 bits where it takes pairs of them. A row of a fully connected layer is read in place as bytes.
"""

from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.dot_groups import run_of, strides, window
from s2s.analysis.structure.lanes import results_in_lanes
from s2s.analysis.structure.roles import Roles, roles_of
from s2s.dialects import loop, tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Vectorize, register_tile
from s2s.targets import Target
from s2s.targets.intrinsic import BYTES, Intrinsic
from s2s.types.affine import linear, ranges

MAX_PIXELS = 14
"""Pixels of a register tile: beyond that the code grows more than loads shrink."""
MAX_VECTORS = 4
"""Vectors of channels in a register tile with several pixels, of 32 registers; fewer registers take fewer of them."""
ROW_VECTORS = 8
"""Vectors of channels in a register tile of one pixel: independent accumulators hide the latency of the dot product."""
MAX_WINDOW = 49
"""A depthwise convolution is unrolled over its window up to this number of taps."""


def byte_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """Return a schedule for `op` if `target` has such dot products and `op` is a sum of them; else None."""
    known = [each for each in target.intrinsics_of("dot_lanes") if target.lanes in each.lanes]
    if not known or not results_in_lanes(op):
        return None
    roles = roles_of(op, constants)
    if (
        roles is None
        or roles.w_unsigned
        or len(roles.both) + len(roles.w_only) != 1
        or (roles.both and _taps(op) > MAX_WINDOW)
    ):
        return None
    fit = [each for each in known if each.group == loop.GROUP or not roles.both]  # columns are of bytes
    return _Choice(op, target, roles, fit[0]).schedule() if fit else None


def _taps(op: tensor.ComputeOp) -> int:
    return prod(op.reduction_sizes)


class _Choice(NamedTuple):
    op: tensor.ComputeOp
    target: Target
    roles: Roles
    intrinsic: Intrinsic

    @property
    def channel(self) -> int:
        """The dimension that is vectorized."""
        return (*self.roles.both, *self.roles.w_only)[0]

    @property
    def lanes(self) -> int:
        """The lanes of the vectors: the target's, halved as long as all channels fit half of them."""
        lanes = self.target.lanes
        while lanes // 2 in self.intrinsic.lanes and self.op.sizes[self.channel] <= lanes // 2:
            lanes //= 2
        return lanes

    def schedule(self) -> tensor.ScheduleAttr | None:
        """Return the schedule; None if the bytes of the image do not form groups of four."""
        op, roles = self.op, self.roles
        copy_depth = self._copy_depth()
        extents = shape_of(op.reads[roles.x])
        if copy_depth is not None:
            extents = window(op, roles.x, op.sizes, self._outer(copy_depth))
        moves = strides(op, roles.x, extents)
        order, run = self._reductions(moves)
        axes = _constant_axes(op, roles.w, self.channel)
        if axes is None or not run or moves.get(self.channel) not in (0, 1):
            return None
        step = moves[run[-1]]
        if not roles.both and step != 1:
            return None
        tile = self._tile()
        for dim in order:
            tile[dim] = op.sizes[dim] if roles.both else 1
        if not roles.both:
            tile[run[-1]] = self.intrinsic.group
        return tensor.ScheduleAttr.of(
            [
                *register_tile(op, tile),
                Vectorize.of(self.channel, self.lanes),
                Reorder.of([*self._parallel(), *order]),
                CacheRead.packed(roles.w, self._packed(axes, order, run, tile[self.channel])),
                None if copy_depth is None else self._cached(copy_depth),
                Tensorize.of(self.intrinsic),
            ]
        )

    def _cached(self, depth: int) -> CacheRead:
        outer = self._outer(depth)
        return CacheRead.of(self.roles.x, outer[-1] if outer else None, widened=self._widens)

    @property
    def _widens(self) -> bool:
        """Whether the image is copied in 16 bits."""
        return self.intrinsic.x == "i16"

    # Loops

    def _parallel(self) -> list[int]:
        """Order the parallel dimensions: rows of a large image, then channels, then the pixels that share constants."""
        dims = [dim for dim in range(self.op.rank) if dim != self.channel]
        outer = self._rows_outside()
        return [*dims[:outer], self.channel, *dims[outer:]]

    def _rows_outside(self) -> int:
        """Return how many of the other dimensions, from the first, are loops around the copy of a large image."""
        dims = [dim for dim in range(self.op.rank) if dim != self.channel]
        image = prod(window(self.op, self.roles.x, self.op.sizes, ())) * BYTES[self.intrinsic.x]
        if image * 2 <= max(self.target.l1_bytes, 1):
            return 0
        moving = [dim for dim in dims if dim in self.roles.x_only]
        return dims.index(moving[-2]) + 1 if len(moving) > 1 else (1 if moving and dims[0] == moving[0] else 0)

    def _outer(self, depth: int) -> Sequence[int]:
        return self._parallel()[:depth]

    def _copy_depth(self) -> int | None:
        """Return how many loops enclose the copy of the image; None if the image is read in place."""
        read = self.roles.x
        is_guarded = self.op.read_accesses[read].is_guarded
        if self._widens:
            return self._rows_outside()
        if not is_guarded and (self.intrinsic.x == "i8" or not self._has_pixels) and self._fills_groups():
            return None
        return self._rows_outside()

    def _fills_groups(self) -> bool:
        """Return whether groups of bytes in place are full, so that no load reaches behind the tensor."""
        if self.roles.both:
            return self.op.sizes[self.channel] % self.lanes == 0
        _, run = self._reductions(strides(self.op, self.roles.x, shape_of(self.op.reads[self.roles.x])))
        return prod(self.op.sizes[dim] for dim in run) % self.intrinsic.group == 0

    @property
    def _has_pixels(self) -> bool:
        return any(self.op.sizes[dim] > 1 for dim in self.roles.x_only)

    def _reductions(self, moves: Mapping[int, int]) -> tuple[list[int], tuple[int, ...]]:
        """Order the reductions, contiguous ones last; for a depthwise convolution, the taps of a column."""
        op = self.op
        dims = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
        idle = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] == 1]
        if self.roles.both:
            dims.sort(key=lambda dim: moves.get(dim, 0))
        else:
            dims.sort(key=lambda dim: -moves.get(dim, 0))
        order = [*idle, *dims]
        return order, run_of(op, order, moves)

    # Tiles

    def _tile(self) -> list[int]:
        """Choose a register tile: vectors and pixels whose accumulators and operands fit the registers."""
        op = self.op
        tile = [1] * len(op.sizes)
        vectors = ceil(op.sizes[self.channel] / self.lanes)
        pixels = [dim for dim in self.roles.x_only if op.sizes[dim] > 1]
        inside = [dim for dim in pixels if dim in self._parallel()[self._rows_outside() :]] or pixels[-1:]
        if not inside:
            tile[self.channel] = self.lanes * min(vectors, ROW_VECTORS)
            return tile
        wide, pixel = self._wide(vectors), max(inside, key=lambda dim: (op.sizes[dim], dim))
        sums = self.roles.w_offset and not self._widens
        more = 1 if sums else 0  # accumulators of the products with the constants' zero point
        room = (self.target.registers - 2 - wide) // (wide + more)
        if self.roles.both:  # pixels that are neighbours in the last dimension share columns
            wide, pixel, room = 1, inside[-1], (self.target.registers - 8) // (3 + more)
        most = max(1, min(op.sizes[pixel], room, MAX_PIXELS))
        tile[self.channel] = self.lanes * wide
        tile[pixel] = min(range(1, most + 1), key=lambda tall: (self._cost(pixel, tall, wide), -tall))
        return tile

    def _cost(self, pixel: int, tall: int, wide: int) -> float:
        """Return the loads and products of all tiles along `pixel`, for one group of four."""
        return ceil(self.op.sizes[pixel] / tall) * (tall * wide + wide + tall)

    def _wide(self, vectors: int) -> int:
        """Return the largest number of vectors in a tile that divides all vectors, so that tiles are full."""
        most = min(MAX_VECTORS, (self.target.registers - 2) // 4)
        return max(wide for wide in range(1, most + 1) if vectors % wide == 0)

    def _packed(
        self, axes: dict[int, tuple[int, ...]], order: Sequence[int], run: Sequence[int], width: int
    ) -> list[tensor.PackedAxis]:
        """Pack constants by blocks of channels, then the reductions in loop order, then one group of four for each
        lane."""
        (own,) = axes[self.channel]
        size = self.op.sizes[self.channel]
        panel = width if size % width == 0 else self.lanes
        groups = tuple(axis for dim in run for axis in axes[dim])
        around = [axis for dim in order if dim not in run and dim in axes for axis in axes[dim]]
        return [
            tensor.PackedAxis((own,), panel),
            *(tensor.PackedAxis((axis,)) for axis in (*axes[-1], *around)),
            tensor.PackedAxis(groups, self.intrinsic.group),
            tensor.PackedAxis((own,), 1, panel),
            tensor.PackedAxis(groups, 1, self.intrinsic.group),
        ]


def _constant_axes(op: tensor.ComputeOp, read: int, channel: int) -> dict[int, tuple[int, ...]] | None:
    """Return the axis of a constant that each dimension indexes; the key -1 holds the axes that no dimension
    indexes."""
    axes: dict[int, tuple[int, ...]] = {-1: ()}
    for axis, expr in enumerate(op.read_accesses[read].map.data.results):
        form = linear(expr, ranges(op.sizes))
        if form.constant or len(form.terms) > 1:
            return None
        if not form.terms:
            axes[-1] = (*axes[-1], axis)
            continue
        ((atom, factor),) = form.terms.items()
        if not isinstance(atom, AffineDimExpr) or factor != 1 or atom.position in axes:
            return None
        axes[atom.position] = (axis,)
    reductions = {dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1}
    return axes if set(axes) == {-1, channel, *reductions} else None
