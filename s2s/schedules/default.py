"""The default schedule of any computation: choose a vector dimension, then a register tile, from a small cost model.

The model counts, for one result element, the multiply-adds and loads that a vector along each parallel dimension would
cost. Constants cost nothing extra along a dimension they can be packed for. The register tile then spends the target's
registers on a second dimension that reuses what the first loads.
"""

from dataclasses import dataclass
from math import ceil, prod

from xdsl.ir import SSAValue

from s2s.dialects import tensor
from s2s.schedules.strides import Moves, border, moves, packable, vectorizable
from s2s.targets import Target

STRIDED_LOAD = 4.0
"""Cost of a lane-by-lane load against a contiguous one, per vector."""
STRIDED_STORE = 12.0
"""Cost of a lane-by-lane store against one multiply-add."""


@dataclass(frozen=True)
class Choice:
    """A vector dimension (None: scalars), its lanes, and the constants to pack along it."""

    dim: int
    lanes: int
    packs: tuple[int, ...]
    cost: float


def default(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr:
    """A schedule for `op` on `target`; `constants` are the arguments of its kernel whose layout may be chosen."""
    if op.rank == 0:
        return tensor.ScheduleAttr.of([1] * len(op.sizes), list(range(len(op.sizes))))
    choice = _choose_dim(op, target, constants)
    tile = [1] * len(op.sizes)
    second = _second_dim(op, choice)
    width, height = _register_tile(op, target, choice, second)
    tile[choice.dim] = width
    if second is not None:
        tile[second] = height
    packs = [_pack(op, number, choice.dim, width) for number in choice.packs] if width > 1 else []
    return tensor.ScheduleAttr.of(
        tile,
        _order(op, choice, second),
        vector=choice.dim if choice.lanes > 1 else None,
        lanes=choice.lanes,
        packs=packs,
    )


def _choose_dim(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> Choice:
    """The parallel dimension that is cheapest to run through in vectors, or in scalars where none is."""
    candidates = [_scalar_choice(op, constants)]
    if target.lanes > 1 and vectorizable(op):
        for dim in range(op.rank):
            if op.sizes[dim] >= 2:
                candidates += _vector_choice(op, dim, target.lanes, constants)
    return min(candidates, key=lambda choice: choice.cost)


def _scalar_choice(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> Choice:
    steps = prod(op.reduction_sizes)
    dims = range(op.rank)
    best = max(dims, key=lambda dim: (bool(packable(op, dim, constants)), op.sizes[dim] - border(op, dim) > 1, dim))
    return Choice(best, 1, tuple(packable(op, best, constants)), 2.0 * steps + 4.0)


def _vector_choice(op: tensor.ComputeOp, dim: int, lanes: int, constants: frozenset[SSAValue]) -> list[Choice]:
    along = moves(op, dim)
    packs = packable(op, dim, constants)
    if None in along.reads or None in along.points:
        return []
    steps, size, edge = prod(op.reduction_sizes), op.sizes[dim], border(op, dim)
    strided = sum(move not in (0, 1) for number, move in enumerate(along.reads) if number not in packs)
    ends = STRIDED_LOAD * sum(move not in (0, 1) for move in along.points) + STRIDED_STORE * (along.result != 1)
    vector = steps * (1.0 + STRIDED_LOAD * strided) + 4.0 + ends
    cost = (ceil((size - edge) / lanes) * vector + edge * (2.0 * steps + 4.0)) / size
    return [Choice(dim, lanes, tuple(packs), cost)]


def _second_dim(op: tensor.ComputeOp, choice: Choice) -> int | None:
    """A dimension along which some operand of the reduction stays where it is, so that a tile reuses it."""
    if op.reduce is None:
        return None
    useful: list[tuple[int, int]] = []
    for dim in range(op.rank):
        along: Moves = moves(op, dim)
        interior = op.sizes[dim] - border(op, dim)
        if dim != choice.dim and interior > 1 and (0 in along.reads or op.rank == 2):
            useful.append((interior if 0 in along.reads else 1, dim))
    return max(useful)[1] if useful else None


def _register_tile(op: tensor.ComputeOp, target: Target, choice: Choice, second: int | None) -> tuple[int, int]:
    """Elements along the chosen dimension, and along the second one."""
    lanes, size = choice.lanes, op.sizes[choice.dim] - border(op, choice.dim)
    vectors = ceil(size / lanes)
    if op.reduce is None:
        return (lanes if lanes > 1 else 1), 1
    budget = target.registers * 3 // 4
    if second is None:
        wide = min(vectors, 8 if lanes > 1 else 4)
        return max(1, wide * lanes), 1
    wide = min(vectors, 2 if lanes > 1 else 4)
    extent = op.sizes[second] - border(op, second)
    most = max(1, min(extent, budget // wide, 14))
    height = min(range(1, most + 1), key=lambda tall: (ceil(extent / tall) * (tall * wide + wide + tall), -tall))
    return max(1, wide * lanes), height


def _order(op: tensor.ComputeOp, choice: Choice, second: int | None) -> list[int]:
    """The domain's own order, but a packed panel stays outside the dimension that reuses it."""
    order = list(range(len(op.sizes)))
    if second is not None and choice.packs and second < choice.dim:
        order.remove(choice.dim)
        order.insert(order.index(second), choice.dim)
    return order


def _pack(op: tensor.ComputeOp, number: int, dim: int, width: int) -> tensor.PackAttr:
    """Panels of `width` elements along `dim`, the other axes in between."""
    results = op.read_accesses[number].map.data.results
    axis = next(axis for axis, expr in enumerate(results) if dim in expr.used_dims())
    others = [tensor.PackedAxis(other) for other in range(len(results)) if other != axis]
    return tensor.PackAttr.of(
        number, [tensor.PackedAxis(axis, "floordiv", width), *others, tensor.PackedAxis(axis, "mod", width)]
    )
