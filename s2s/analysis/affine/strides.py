"""How the operands of a computation move along each dimension, as heuristics want to know it."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from s2s.analysis.structure.compute import body_ops, shape_of
from s2s.dialects import loop, tensor
from s2s.types.affine import bounds, flat_index, is_dim, linear, ranges, simplify

VECTOR_OPS = (
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.NegfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.ConstantOp,
    math.AbsFOp,
    math.CosOp,
    math.ErfOp,
    math.ExpOp,
    math.LogOp,
    math.SinOp,
    math.SqrtOp,
    math.TanhOp,
)
"""Scalar operations that exist on vectors of float32 too."""


@dataclass(frozen=True)
class Moves:
    """Elements that each operand and result moves per step of a dimension; None where that is not constant."""

    reads: tuple[int | None, ...]
    points: tuple[int | None, ...]
    result: int


def moves(op: tensor.ComputeOp, dim: int) -> Moves:
    """The moves along `dim`; a reduction does not move points or results."""
    reads = tuple(_move(value, access, dim, op.sizes) for value, access in zip(op.reads, op.read_accesses, strict=True))
    points = tuple(
        _move(value, access, dim, op.parallel_sizes) for value, access in zip(op.points, op.point_accesses, strict=True)
    )
    return Moves(reads, points, prod(op.parallel_sizes[dim + 1 :]))


def _move(value: SSAValue, access: tensor.AccessAttr, dim: int, sizes: tuple[int, ...]) -> int | None:
    if any(divisor > 1 for divisor in access.division):
        return None
    return _coefficients(access.map.data, tuple(shape_of(value)), sizes).get(dim, 0)


@lru_cache(4096)
def _coefficients(position: AffineMap, shape: tuple[int, ...], sizes: tuple[int, ...]) -> dict[int, int | None]:
    """How far the position in a tensor of `shape` moves per step of each dimension that it depends on."""
    form = linear(flat_index(position.results, shape), ranges(sizes))
    found: dict[int, int | None] = {atom.position: factor for atom, factor in form.terms.items() if is_dim(atom)}
    divided = {dim for atom in form.terms if not is_dim(atom) for dim in atom.used_dims()}
    return found | dict.fromkeys(divided)


def vectorizable(op: tensor.ComputeOp) -> bool:
    """Whether all of `op` can run in vectors of float32."""
    elements = [tensor.element_type(value) for value in [*op.reads, *op.points, *op.res]]
    if op.tables or not all(isinstance(element, Float32Type) for element in elements):
        return False
    return all(isinstance(inner, (*VECTOR_OPS, tensor.InBoundsOp)) or _picks(inner) for inner in body_ops(op))


def computes_floats(op: tensor.ComputeOp) -> bool:
    """Whether all that `op` reads and writes are floats of 32 bits."""
    return all(isinstance(tensor.element_type(value), Float32Type) for value in [*op.reads, *op.points, *op.res])


def _picks(inner: Operation) -> bool:
    """Whether an operation chooses between floats by bounds or by a comparison of floats, or is such a comparison."""
    if isinstance(inner, arith.SelectOp):
        by_bounds = isinstance(inner.cond.owner, tensor.InBoundsOp)
        return isinstance(inner.result.type, Float32Type) and (by_bounds or chooses_by_lane(inner))
    return isinstance(inner, arith.CmpfOp) and all(
        isinstance(use.operation, arith.SelectOp) and use.index == 0 for use in inner.result.uses
    )


def chooses_by_lane(select: arith.SelectOp) -> bool:
    """Whether vectors can make the comparison that `select` chooses by, each lane for itself."""
    test = select.cond.owner
    return (
        isinstance(test, arith.CmpfOp)
        and isinstance(test.lhs.type, Float32Type)
        and predicate_of(test) in loop.COMPARISONS
    )


def predicate_of(test: arith.CmpfOp) -> str:
    """The name of the predicate of a comparison."""
    return arith.CMPF_COMPARISON_OPERATIONS[test.predicate.value.data]


def border(op: tensor.ComputeOp, dim: int) -> int:
    """Positions of parallel dimension `dim` at which some read may miss its operand."""
    size = op.sizes[dim]
    low, high = 0, size
    for value, access in zip(op.reads, op.read_accesses, strict=True):
        if not access.is_guarded:
            continue
        for expr, extent, divisor in zip(access.map.data.results, shape_of(value), access.division, strict=True):
            if dim not in simplify(expr, ranges(op.sizes)).used_dims():
                continue
            if divisor > 1:
                return size
            box = ranges(op.sizes)
            while low < high and bounds(expr, [*box[:dim], (low, low), *box[dim + 1 :]])[0] < 0:
                low += 1
            while high > low and bounds(expr, [*box[:dim], (high - 1, high - 1), *box[dim + 1 :]])[1] >= extent:
                high -= 1
    return size - (high - low)


WINDOW = 7
"""The longest reduction that is written out at a border: the side of a window, not a depth."""


def fixable(op: tensor.ComputeOp, dim: int) -> bool:
    """Whether the borders of parallel dimension `dim` can be decided while code is written: only short reductions and
    `dim` itself answer its guards, and nothing but reads has any."""
    if any(access.is_guarded for access in op.point_accesses):
        return False
    for access in op.read_accesses:
        if not access.is_guarded:
            continue
        for expr, divisor in zip(access.map.data.results, access.division, strict=True):
            used = simplify(expr, ranges(op.sizes)).used_dims()
            if dim not in used:
                continue
            others = used - {dim}
            if divisor > 1 or any(other < op.rank or op.sizes[other] > WINDOW for other in others):
                return False
    return True


def interior(op: tensor.ComputeOp, dim: int) -> int:
    """Positions of `dim` that a register tile may cover: all, where borders can be fixed tiles, else those inside."""
    return op.sizes[dim] if fixable(op, dim) else op.sizes[dim] - border(op, dim)


@dataclass(frozen=True)
class Panel:
    """A constant read that can be packed along a dimension: the axis it indexes, with the help of `partner` or alone.

    With a partner the axis is indexed by `partner * size + dim`: together they walk through it.
    """

    operand: int
    axis: int
    partner: int | None


def packable(op: tensor.ComputeOp, dim: int, constants: frozenset[SSAValue]) -> list[Panel]:
    """The reads whose layout may follow a schedule that runs in vectors along parallel dimension `dim`."""
    found: list[Panel] = []
    for number, (value, access) in enumerate(zip(op.reads, op.read_accesses, strict=True)):
        axes = [axis for axis, expr in enumerate(access.map.data.results) if dim in expr.used_dims()]
        if value not in constants or access.is_guarded or not value.has_one_use() or len(axes) != 1:
            continue
        form = linear(access.map.data.results[axes[0]], ranges(op.sizes))
        others = {atom: factor for atom, factor in form.terms.items() if atom != AffineDimExpr(dim)}
        if form.terms.get(AffineDimExpr(dim)) != 1 or form.constant:
            continue
        if not others:
            found.append(Panel(number, axes[0], None))
        elif len(others) == 1:
            ((atom, factor),) = others.items()
            if isinstance(atom, AffineDimExpr) and factor == op.sizes[dim] and atom.position < op.rank:
                found.append(Panel(number, axes[0], atom.position))
    return found
