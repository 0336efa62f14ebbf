"""Schedules of sums of products of bytes on machines that add four of them in each lane of a vector.

Vectors run along the channels of the result. A convolution broadcasts four neighbouring bytes of a pixel against four
constants in each lane; a depthwise convolution takes columns, the bytes of its rows under each other. The image is
copied with its padding, so that no tile asks where the border is, and with 128 added where the machine wants unsigned
bytes; a row of a fully connected layer is read where it lies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.dot_groups import run_of, strides, window
from s2s.analysis.structure.lanes import results_in_lanes
from s2s.dialects import loop, tensor
from s2s.schedules.directives import CacheRead, Reorder, Tensorize, Vectorize, register_tile
from s2s.schedules.integer_products import Roles, roles_of
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic
from s2s.types.affine import linear, ranges

GROUP = loop.GROUP
MOST_PIXELS = 14
"""Pixels of a tile: more would write more code than they save loads."""
MOST_VECTORS = 4
"""Vectors of channels beside several pixels."""
ROW_VECTORS = 8
"""Vectors of channels of a single pixel, whose sums must not wait for each other."""
LARGEST_WINDOW = 49
"""Taps of a depthwise convolution that are written out."""


def byte_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """A schedule for `op` if `target` has such products and `op` is made of them; else None."""
    intrinsic = next((each for each in target.intrinsics_of("dot_lanes") if target.lanes in each.lanes), None)
    if intrinsic is None or not results_in_lanes(op):
        return None
    roles = roles_of(op, constants)
    if roles is None or len(roles.both) + len(roles.w_only) != 1 or (roles.both and _taps(op) > LARGEST_WINDOW):
        return None
    return _Choice(op, target, roles, intrinsic).schedule()


def _taps(op: tensor.ComputeOp) -> int:
    return prod(op.reduction_sizes)


@dataclass(frozen=True)
class _Choice:
    op: tensor.ComputeOp
    target: Target
    roles: Roles
    intrinsic: Intrinsic

    @property
    def channel(self) -> int:
        """The dimension of the vectors."""
        return (*self.roles.both, *self.roles.w_only)[0]

    @property
    def lanes(self) -> int:
        """As many as the channels fill, at least half of a vector."""
        lanes = self.target.lanes
        while lanes // 2 in self.intrinsic.lanes and self.op.sizes[self.channel] <= lanes // 2:
            lanes //= 2
        return lanes

    def schedule(self) -> tensor.ScheduleAttr | None:
        """The whole schedule; None where the bytes lie in no groups."""
        op, roles = self.op, self.roles
        stage = self._stage()
        extents = shape_of(op.reads[roles.x]) if stage is None else window(op, roles.x, self._outer(stage))
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
            tile[run[-1]] = GROUP
        return tensor.ScheduleAttr.of(
            [
                *register_tile(op, tile),
                Vectorize.of(self.channel, self.lanes),
                Reorder.of([*self._parallel(), *order]),
                CacheRead.packed(roles.w, self._packed(axes, order, run, tile[self.channel])),
                None if stage is None else self._cached(stage),
                Tensorize.of(self.intrinsic),
            ]
        )

    def _cached(self, depth: int) -> CacheRead:
        outer = self._outer(depth)
        return CacheRead.of(self.roles.x, outer[-1] if outer else None, widened=False)

    # loops

    def _parallel(self) -> list[int]:
        """Channels outside of the pixels that share their constants, but inside of the rows of a large image."""
        dims = [dim for dim in range(self.op.rank) if dim != self.channel]
        outer = self._rows_outside()
        return [*dims[:outer], self.channel, *dims[outer:]]

    def _rows_outside(self) -> int:
        """How many of the other dimensions, from the first, are loops around the copy of a large image."""
        dims = [dim for dim in range(self.op.rank) if dim != self.channel]
        if prod(window(self.op, self.roles.x, ())) * 2 <= max(self.target.l1_bytes, 1):
            return 0
        moving = [dim for dim in dims if dim in self.roles.x_only]
        return dims.index(moving[-2]) + 1 if len(moving) > 1 else (1 if moving and dims[0] == moving[0] else 0)

    def _outer(self, depth: int) -> Sequence[int]:
        return self._parallel()[:depth]

    def _stage(self) -> int | None:
        """Inside how many loops the image is copied; None where it is read in place."""
        read = self.roles.x
        is_guarded = self.op.read_accesses[read].is_guarded
        if not is_guarded and (self.intrinsic.x == "i8" or not self._has_pixels) and self._fills_groups():
            return None
        return self._rows_outside()

    def _fills_groups(self) -> bool:
        """Whether groups of bytes that lie in place are full: what is behind them need not exist."""
        if self.roles.both:
            return self.op.sizes[self.channel] % self.lanes == 0
        _, run = self._reductions(strides(self.op, self.roles.x, shape_of(self.op.reads[self.roles.x])))
        return prod(self.op.sizes[dim] for dim in run) % GROUP == 0

    @property
    def _has_pixels(self) -> bool:
        return any(self.op.sizes[dim] > 1 for dim in self.roles.x_only)

    def _reductions(self, moves: Mapping[int, int]) -> tuple[list[int], tuple[int, ...]]:
        """The reductions, neighbours last; of a depthwise convolution, the taps of a column."""
        op = self.op
        dims = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
        idle = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] == 1]
        if self.roles.both:
            dims.sort(key=lambda dim: moves.get(dim, 0))
        else:
            dims.sort(key=lambda dim: -moves.get(dim, 0))
        order = [*idle, *dims]
        return order, run_of(op, order, moves)

    # tiles

    def _tile(self) -> list[int]:
        """Vectors and pixels whose sums stay in registers, with what they are made from."""
        op = self.op
        tile = [1] * len(op.sizes)
        vectors = ceil(op.sizes[self.channel] / self.lanes)
        pixels = [dim for dim in self.roles.x_only if op.sizes[dim] > 1]
        inside = [dim for dim in pixels if dim in self._parallel()[self._rows_outside() :]] or pixels[-1:]
        if not inside:
            tile[self.channel] = self.lanes * min(vectors, ROW_VECTORS)
            return tile
        wide, pixel = _wide(vectors), max(inside, key=lambda dim: (op.sizes[dim], dim))
        more = 1 if self.roles.w_offset else 0  # sums of what meets constants with a zero point
        room = (self.target.registers - 2 - wide) // (wide + more)
        if self.roles.both:  # neighbours in the last dimension share columns
            wide, pixel, room = 1, inside[-1], (self.target.registers - 8) // (3 + more)
        most = max(1, min(op.sizes[pixel], room, MOST_PIXELS))
        tile[self.channel] = self.lanes * wide
        tile[pixel] = min(range(1, most + 1), key=lambda tall: (self._cost(pixel, tall, wide), -tall))
        return tile

    def _cost(self, pixel: int, tall: int, wide: int) -> float:
        """Loads and products of all tiles along `pixel`, for one group."""
        return ceil(self.op.sizes[pixel] / tall) * (tall * wide + wide + tall)

    def _packed(
        self, axes: dict[int, tuple[int, ...]], order: Sequence[int], run: Sequence[int], width: int
    ) -> list[tensor.PackedAxis]:
        """Blocks of channels, then the reductions in their order, the groups of a run side by side for all lanes."""
        (own,) = axes[self.channel]
        size = self.op.sizes[self.channel]
        panel = width if size % width == 0 else self.lanes
        groups = tuple(axis for dim in run for axis in axes[dim])
        around = [axis for dim in order if dim not in run and dim in axes for axis in axes[dim]]
        return [
            tensor.PackedAxis((own,), panel),
            *(tensor.PackedAxis((axis,)) for axis in (*axes[-1], *around)),
            tensor.PackedAxis(groups, GROUP),
            tensor.PackedAxis((own,), 1, panel),
            tensor.PackedAxis(groups, 1, GROUP),
        ]


def _wide(vectors: int) -> int:
    """The largest number of vectors that divides all there are, so that tiles are full."""
    return max(wide for wide in range(1, MOST_VECTORS + 1) if vectors % wide == 0)


def _constant_axes(op: tensor.ComputeOp, read: int, channel: int) -> dict[int, tuple[int, ...]] | None:
    """The axis of a constant that each dimension indexes, and behind -1 those that none does."""
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
