"""The default schedule of any computation: choose a vector dimension, then a register tile, by a small cost model.

The model counts, for one result element, the multiply-adds and loads that a vector along each parallel dimension would
cost. Constants cost nothing extra along a dimension that they can be packed for. The register tile then spends the
target's registers on a second dimension that reuses the loads of the first.
"""

from collections.abc import Sequence
from math import ceil, prod
from typing import NamedTuple

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.affine.strides import Panel, border, interior, moves, packable, vectorizable
from s2s.analysis.structure.extents import special_sizes
from s2s.analysis.structure.folds import folds_of
from s2s.analysis.structure.integer_loops import is_left_to_compilers
from s2s.analysis.structure.lanes import in_lanes
from s2s.dialects import tensor
from s2s.dialects.loop import MIN_LANES
from s2s.schedules.caches import bytes_used, cache_blocks, prefetches
from s2s.schedules.directives import CacheRead, Reorder, Rfactor, Unroll, Vectorize, register_tile
from s2s.schedules.reduction_blocks import BlockedReduction, LongReduction
from s2s.schedules.register_tiles import SCALARS, best_rows, least_work, max_rows, scalars_per_tile, vectors_per_tile
from s2s.schedules.register_transpose import strided_load, strided_store, transposed_dim
from s2s.schedules.vector_pairs import paired_lanes
from s2s.targets import Target
from s2s.types.affine import linear, ranges

COMBINE = 8.0
"""Cost of the horizontal reduction of a vector's lanes."""
MAX_INTERLEAVE = 4
"""The largest distance in bytes between neighbouring lanes that are stored interleaved."""
PARTIAL_SUMS = 4
"""Partial results that are reduced in parallel, to hide the latency of an addition."""

MAX_STEP_OPERATIONS = 6
"""Reduction steps with at most this many operations are bound by the latency of their final addition."""

PASSES = 8
"""Passes of a reduction that the C compiler unrolls together in wide scalar tiles, at most."""


class Choice(NamedTuple):
    """A dimension to vectorize (one lane means scalars), and the constants to pack for it."""

    dim: int
    lanes: int
    panels: tuple[Panel, ...]
    cost: float

    @property
    def partner(self) -> int | None:
        """The outer dimension that indexes the axis of all packed constants together with `dim`, if they agree on
        one."""
        partners = {panel.partner for panel in self.panels}
        return partners.pop() if len(partners) == 1 else None


class Declined(NamedTuple):
    """The reason why a dimension is not vectorized."""

    dim: int | None
    """The dimension; None if the reason holds for all of them."""
    reason: str


def default(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr:
    """Return the cheapest schedule for `op` on `target`; `constants` are the kernel arguments that may be packed."""
    choices = [each for each in candidates(op, target, constants) if isinstance(each, Choice)]
    if not choices:
        return tensor.ScheduleAttr.of()
    return schedule_along(op, target, min(choices, key=lambda choice: choice.cost))


def schedule_along(
    op: tensor.ComputeOp, target: Target, choice: Choice, blocked: BlockedReduction | None = None
) -> tensor.ScheduleAttr:
    """Return the schedule that vectorizes as `choice` says, with a register tile that fits its vectors. It does a long
    reduction as `blocked` says, by default in the fastest way."""
    tile, second = _register_tile(op, target, choice)
    order = _order(op, choice, tile, second)
    packs = _packs(op, choice, tile, order)
    packed = {pack.operand.data for pack in packs}
    vector = choice.dim if choice.lanes > 1 else None
    panel = _panel_dim(op, choice, tile) if packed and choice.lanes > 1 else None
    if blocked is None and (long := LongReduction.of(op, target, tile, order, panel, packed)) is not None:
        blocked = long.ranked()[0]
    blocks = [] if blocked is None else list(blocked.blocks)
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile, blocks or cache_blocks(op, target, tile, order, panel, packed), vector=vector),
            _unroll(op, choice, tile, order),
            Vectorize.of(vector, choice.lanes),
            Reorder.of(order),
            Rfactor.of(choice.dim, _partial_results(op, choice, tile)),
            *(prefetches(op, target, tile, order, panel, packed) if vector is not None else ()),
            *packs,
        ]
    )


def _unroll(op: tensor.ComputeOp, choice: Choice, tile: Sequence[int], order: Sequence[int]) -> Unroll | None:
    """Return the passes of the innermost reduction to unroll: passes of scalar tiles that are wide because they have
    few rows, where the instructions that count and branch are many beside the others."""
    if op.reduce is None or choice.lanes > 1 or tile[choice.dim] <= SCALARS:
        return None
    inner = order[-1]
    passes = max(each for each in range(1, PASSES + 1) if op.sizes[inner] % each == 0)
    return Unroll.of({}, {inner: passes})


def long_reduction(op: tensor.ComputeOp, target: Target, choice: Choice) -> LongReduction | None:
    """Return the reduction of `op` that `choice` may do in blocks; None if the constants that it packs stay in L2."""
    if choice.lanes == 1 or not choice.panels or not target.l2_bytes:
        return None
    if all(bytes_used(op, panel.operand) <= target.l2_bytes for panel in choice.panels):
        return None
    tile, second = _register_tile(op, target, choice)
    order = _order(op, choice, tile, second)
    packed = {pack.operand.data for pack in _packs(op, choice, tile, order)}
    return LongReduction.of(op, target, tile, order, _panel_dim(op, choice, tile) if packed else None, packed)


def _folds_of_everything(op: tensor.ComputeOp, target: Target) -> list[Choice]:
    """Return the vectorized reductions of a computation with a scalar result."""
    return _fold_choice(op, target.lanes) if target.lanes > 1 and vectorizable(op) else []


def _partial_results(op: tensor.ComputeOp, choice: Choice, tile: Sequence[int]) -> int:
    """Return how many accumulators each result of a vectorized reduction gets, to hide the latency of the addition.
    Steps of many operations need one only, since the CPU overlaps them out of order."""
    if choice.dim < op.rank or op.reduce is None or len(list(op.reduce.block.ops)) > MAX_STEP_OPERATIONS:
        return 1
    parts = PARTIAL_SUMS // prod(tile[: op.rank])
    return parts if op.sizes[choice.dim] >= 2 * parts * choice.lanes else 1


def _panel_dim(op: tensor.ComputeOp, choice: Choice, tile: list[int]) -> int:
    """Return the dimension whose loop moves from panel to panel."""
    whole = choice.partner is not None and tile[choice.dim] >= op.sizes[choice.dim]
    return choice.partner if whole and choice.partner is not None else choice.dim


def candidates(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> list[Choice | Declined]:
    """Return all candidates for the vector dimension, and the reasons against the others. A scalar result has
    reductions as its only candidates."""
    if op.rank == 0:
        return [*_folds_of_everything(op, target)]
    scalars = _scalar_choice(op, constants)
    if target.lanes <= 1:
        return [scalars, Declined(None, why_no_strips(op, target) or "the target has no vectors")]
    in_floats = vectorizable(op)
    if not in_floats and (not target.has_byte_lanes or not in_lanes(op)):
        return [scalars, Declined(None, "computes what has no form in vectors")]
    if not in_floats and is_left_to_compilers(op, target.lanes):
        return [scalars, Declined(None, "is a loop of integers that C compilers vectorise, with more lanes")]
    along = [_vector_choice(op, dim, target, constants) for dim in range(op.rank) if op.sizes[dim] >= 2]
    return [scalars, *along, *_fold_choice(op, target.lanes)]


def why_no_strips(op: tensor.ComputeOp, target: Target) -> str | None:
    """Return why `op` does not run in vectors of a length known at run time only; None on targets without them."""
    if not target.scalable_bits:
        return None
    from s2s.schedules.strips import why_not_strips

    return why_not_strips(op, target) or "the vectors of the target are strips"


def _scalar_choice(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> Choice:
    steps = prod(op.reduction_sizes)
    dims = range(op.rank)
    best = max(dims, key=lambda dim: (bool(packable(op, dim, constants)), op.sizes[dim] - border(op, dim) > 1, dim))
    return Choice(best, 1, tuple(packable(op, best, constants)), 2.0 * steps + 4.0)


def _vector_choice(op: tensor.ComputeOp, dim: int, target: Target, constants: frozenset[SSAValue]) -> Choice | Declined:
    lanes = target.lanes
    while lanes > 4 and op.sizes[dim] <= lanes // 2:
        lanes //= 2
    along = moves(op, dim)
    panels = packable(op, dim, constants)
    if any(panel.partner is not None for panel in panels):
        lanes = next((each for each in (lanes, lanes // 2) if each >= 4 and op.sizes[dim] % each == 0), lanes)
        panels = panels if op.sizes[dim] % lanes == 0 else []
    if None in along.reads or None in along.epilogue:
        return Declined(dim, "an operand does not move in equal steps")
    packed = {panel.operand for panel in panels}
    steps, size, edge = prod(op.reduction_sizes), op.sizes[dim], border(op, dim)
    strided = sum(strided_load(op, lanes, move) for number, move in enumerate(along.reads) if number not in packed)
    ends = sum(strided_load(op, lanes, move) for move in along.epilogue) + strided_store(op, dim, lanes)
    vector = steps * (1.0 + strided) + 4.0 + ends
    cost = (ceil((size - edge) / lanes) * vector + edge * (2.0 * steps + 4.0)) / size
    return Choice(dim, paired_lanes(op, dim, lanes, target), tuple(panels), cost)


def _fold_choice(op: tensor.ComputeOp, lanes: int) -> list[Choice]:
    """Return the reductions that can be vectorized: their order is free and their operands are contiguous."""
    guarded = any(access.is_guarded for access in op.read_accesses)
    along = {dim: moves(op, dim).reads for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1}
    if guarded or folds_of(op) is None or any(None in moved for moved in along.values()):
        return []
    choices: list[Choice] = []
    for dim, moved in along.items():
        if op.sizes[dim] < lanes or 1 not in moved or not set(moved) <= {0, 1}:
            continue
        vectors, rest = divmod(op.sizes[dim], lanes)
        shorter, single = divmod(rest, MIN_LANES)
        steps = prod(op.reduction_sizes) // op.sizes[dim] * (vectors + shorter + 2.0 * single)
        choices.append(Choice(dim, lanes, (), steps + COMBINE + 4.0))
    return choices


def _second_dim(op: tensor.ComputeOp, taken: set[int]) -> int | None:
    """Return the largest dimension along which some operand of the reduction is invariant, so that a tile reuses it."""
    useful: list[tuple[int, int]] = []
    for dim in range(op.rank):
        along = moves(op, dim)
        inside = interior(op, dim)
        if dim not in taken and inside > 1 and (0 in along.reads or op.rank == 2):
            useful.append((inside if 0 in along.reads else 1, dim))
    return max(useful)[1] if useful else None


def _register_tile(op: tensor.ComputeOp, target: Target, choice: Choice) -> tuple[list[int], int | None]:
    """Return the register tile of every dimension, and its second dimension."""
    tile = [1] * len(op.sizes)
    lanes = choice.lanes
    if op.reduce is None:
        tile[choice.dim] = lanes
        for dim in _interleaved_dims(op, choice):
            tile[dim] = op.sizes[dim]
        transposed = _transposed_dim(op, choice)
        if transposed is not None:
            tile[transposed] = min(op.sizes[transposed], lanes)
        return tile, None
    if choice.dim >= op.rank:
        tile[choice.dim] = lanes
        second = max(range(op.rank), key=lambda dim: op.sizes[dim], default=None)
        if second is not None:
            tile[second] = min(op.sizes[second], PARTIAL_SUMS)
        return tile, second
    vectors = max(1, ceil((op.sizes[choice.dim] - border(op, choice.dim)) / lanes))
    partner = choice.partner
    taken = {choice.dim} if partner is None else {choice.dim, partner}
    second = _transposed_dim(op, choice)
    if second is None or second in taken or 0 not in moves(op, second).reads:
        second = _second_dim(op, taken)
    rows = 1 if second is None else interior(op, second)
    per_tile = vectors_per_tile(rows, target) if lanes > 1 else scalars_per_tile(op, choice.dim, vectors, rows, target)
    wide = min(vectors, per_tile)
    if partner is not None:
        wide = max(each for each in range(1, wide + 1) if vectors % each == 0)
    tile[choice.dim] = max(1, wide * lanes)
    if partner is not None and vectors == 1 and 0 in moves(op, partner).reads:
        even = [each for each in range(3, per_tile + 1) if op.sizes[partner] % each == 0]
        wide = max(even, default=min(op.sizes[partner], per_tile if second is None else 2))
        tile[partner] = wide
    if second is not None:
        extent = interior(op, second)
        inner = _order(op, choice, tile, second)[-1]
        most = min(extent, max_rows(op, second, inner, wide, lanes, target))
        least = least_work(op, choice.dim, second, target) if lanes > 1 else 1
        tile[second] = best_rows(most, [extent, *special_sizes(op, second)], wide, least)
    return tile, second


def _interleaved_dims(op: tensor.ComputeOp, choice: Choice) -> list[int]:
    """Return the short byte dimension between the lanes of a result, if there is one; its elements are stored
    interleaved."""
    apart = moves(op, choice.dim).result if choice.dim < op.rank else 1
    if (
        choice.lanes == 1
        or not 1 < apart <= MAX_INTERLEAVE
        or any(tensor.element_type(value) != i8 for value in op.res)
    ):
        return []
    return [dim for dim in range(op.rank) if op.sizes[dim] == apart and moves(op, dim).result == 1]


def _transposed_dim(op: tensor.ComputeOp, choice: Choice) -> int | None:
    """Return the dimension along which vectors of results are stored after a transpose in registers; None without
    one."""
    return transposed_dim(op, choice.dim, choice.lanes) if choice.lanes > 1 and choice.dim < op.rank else None


def _order(op: tensor.ComputeOp, choice: Choice, tile: Sequence[int], second: int | None) -> list[int]:
    """Order the loops as in the domain, but put a packed panel outside of the dimension that reuses it.

    Among several reductions, one with contiguous reads comes last; the order of a sum is free within its tolerance.
    In wide tiles of scalars the longest one does, whose passes the C compiler unrolls.
    """
    order = list(range(len(op.sizes)))
    if second is not None and choice.panels and second < choice.dim and choice.partner is None:
        order.remove(choice.dim)
        order.insert(order.index(second), choice.dim)
    if vectorizable(op):
        packed = {panel.operand for panel in choice.panels}
        for dim in range(op.rank, len(op.sizes)):
            along = [move for number, move in enumerate(moves(op, dim).reads) if number not in packed]
            if 1 in along:
                order.remove(dim)
                order.append(dim)
    if choice.lanes == 1 and op.reduce is not None and tile[choice.dim] > SCALARS:
        longest = max(order[op.rank :], key=op.sizes.__getitem__)
        order.remove(longest)
        order.append(longest)
    return order


def _packs(op: tensor.ComputeOp, choice: Choice, tile: list[int], order: list[int]) -> list[CacheRead]:
    """Pack panels as wide as the register tile; the other axes follow in the order of the loops."""
    packs: list[CacheRead] = []
    for panel in choice.panels:
        width = tile[choice.dim]
        if panel.partner is not None and tile[choice.dim] == op.sizes[choice.dim]:
            width *= tile[panel.partner]
        if width == 1:
            continue
        results = op.read_accesses[panel.operand].map.data.results
        inner = [axis for dim in order for axis in _axes(results, dim, op.sizes) if axis.axes != (panel.axis,)]
        missing = [axis for axis in range(len(results)) if axis not in {known.axes[0] for known in inner}]
        inner += [tensor.PackedAxis((axis,)) for axis in missing if axis != panel.axis]
        block, place = tensor.PackedAxis.blocks(panel.axis, width), tensor.PackedAxis.place(panel.axis, width)
        packs.append(CacheRead.packed(panel.operand, [block, *inner, place]))
    return packs


def _axes(results: Sequence[AffineExpr], dim: int, sizes: Sequence[int]) -> list[tensor.PackedAxis]:
    """Return the parts of the axis that `dim` indexes: all of it, its blocks, or the position in a block."""
    found: list[tensor.PackedAxis] = []
    for axis, expr in enumerate(results):
        terms = linear(expr, ranges(sizes)).terms
        own = terms.get(AffineDimExpr(dim))
        if own is None:
            continue
        others = [atom for atom in terms if atom != AffineDimExpr(dim)]
        if not others and own == 1:
            found.append(tensor.PackedAxis((axis,)))
        elif len(others) == 1 and isinstance(others[0], AffineDimExpr):
            other = others[0].position
            if own == sizes[other] and terms[others[0]] == 1:
                found.append(tensor.PackedAxis.blocks(axis, own))
            elif own == 1 and terms[others[0]] == sizes[dim]:
                found.append(tensor.PackedAxis.place(axis, sizes[dim]))
    return found
