"""Compute the memory strides of a computation's operands along each dimension of its domain, for schedule
heuristics."""

from functools import lru_cache
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from s2s.analysis.structure.compute import body_ops, shape_of
from s2s.dialects import loop, tensor
from s2s.types.affine import bounds, flat_index, is_dim, linear, ranges, simplify

FUNCTIONS = (
    math.AcosOp,
    math.AcoshOp,
    math.AsinOp,
    math.AsinhOp,
    math.AtanOp,
    math.AtanhOp,
    math.CosOp,
    math.CoshOp,
    math.ErfOp,
    math.ExpOp,
    math.LogOp,
    math.SinOp,
    math.SinhOp,
    math.TanOp,
    math.TanhOp,
    tensor.ExpNonpositiveOp,
)
"""Functions whose vector forms are chains of ten operations and more."""

VECTOR_OPS = (
    *FUNCTIONS,
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.NegfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.ConstantOp,
    math.AbsFOp,
    math.SqrtOp,
)
"""Scalar operations that also exist on vectors of float32."""


class Moves(NamedTuple):
    """The strides of all operands and results of a computation along one dimension, in elements; None where a stride is
    not constant."""

    reads: tuple[int | None, ...]
    epilogue: tuple[int | None, ...]
    result: int


def moves(op: tensor.ComputeOp, dim: int) -> Moves:
    """Return the strides along `dim`; epilogue operands and results have stride 0 along a reduction."""
    reads = tuple(_move(value, access, dim, op.sizes) for value, access in zip(op.reads, op.read_accesses, strict=True))
    epilogue = tuple(
        _move(value, access, dim, op.parallel_sizes)
        for value, access in zip(op.epilogue, op.epilogue_accesses, strict=True)
    )
    return Moves(reads, epilogue, prod(op.parallel_sizes[dim + 1 :]))


def reduces_contiguously(op: tensor.ComputeOp, read: int) -> bool:
    """Return whether the steps of the reduction are contiguous in a read and never in the padding."""
    if op.read_accesses[read].is_guarded:
        return False
    step = 1
    for dim in reversed(range(op.rank, len(op.sizes))):
        if op.sizes[dim] > 1 and moves(op, dim).reads[read] != step:
            return False
        step *= op.sizes[dim]
    return True


def _move(value: SSAValue, access: tensor.AccessAttr, dim: int, sizes: tuple[int, ...]) -> int | None:
    if any(divisor > 1 for divisor in access.division):
        return None
    return _coefficients(access.map.data, tuple(shape_of(value)), sizes).get(dim, 0)


@lru_cache(4096)
def _coefficients(position: AffineMap, shape: tuple[int, ...], sizes: tuple[int, ...]) -> dict[int, int | None]:
    """Return the stride of a flat position in a tensor of `shape` along each dimension that it depends on. For the
    access `(i, j) -> (i, j + 1)` of a `[4, 10]` tensor that is `{i: 10, j: 1}`."""
    form = linear(flat_index(position.results, shape), ranges(sizes))
    found: dict[int, int | None] = {atom.position: factor for atom, factor in form.terms.items() if is_dim(atom)}
    divided = {dim for atom in form.terms if not is_dim(atom) for dim in atom.used_dims()}
    return found | dict.fromkeys(divided)


def vectorizable(op: tensor.ComputeOp) -> bool:
    """Return whether every operation of `op` exists on vectors of float32."""
    elements = [tensor.element_type(value) for value in [*op.reads, *op.epilogue, *op.res]]
    if op.tables or not all(isinstance(element, Float32Type) for element in elements):
        return False
    return all(isinstance(inner, (*VECTOR_OPS, tensor.InBoundsOp)) or _picks(inner) for inner in body_ops(op))


def computes_floats(op: tensor.ComputeOp) -> bool:
    """Return whether `op` reads and writes float32 elements only."""
    return all(isinstance(tensor.element_type(value), Float32Type) for value in [*op.reads, *op.epilogue, *op.res])


def _picks(inner: Operation) -> bool:
    """Return whether an operation clamps, selects or compares float32 values."""
    if isinstance(inner, arith.SelectOp):
        by_bounds = isinstance(inner.cond.owner, tensor.InBoundsOp)
        return isinstance(inner.result.type, Float32Type) and (by_bounds or chooses_by_lane(inner))
    return isinstance(inner, arith.CmpfOp) and all(
        isinstance(use.operation, arith.SelectOp) and use.index == 0 for use in inner.result.uses
    )


def chooses_by_lane(select: arith.SelectOp) -> bool:
    """Return whether the condition of `select` is a comparison that vectors can make lane by lane."""
    test = select.cond.owner
    return (
        isinstance(test, arith.CmpfOp)
        and isinstance(test.lhs.type, Float32Type)
        and predicate_of(test) in loop.COMPARISONS
    )


def predicate_of(test: arith.CmpfOp) -> str:
    """Return the name of the predicate of a comparison."""
    return arith.CMPF_COMPARISON_OPERATIONS[test.predicate.value.data]


def border(op: tensor.ComputeOp, dim: int) -> int:
    """Return how many positions of parallel dimension `dim` may read outside of an operand. A guarded read at `i + r -
    1` of 16 elements, with `r < 3`, gives 2: positions 0 and 15."""
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
"""Reductions up to this length are unrolled at a border: the side of a convolution window, not its depth."""


def fixable(op: tensor.ComputeOp, dim: int) -> bool:
    """Return whether the code generator can decide the guards at the borders of parallel dimension `dim`: only reads
    have guards, and these depend on `dim` and on reductions of at most `WINDOW` steps."""
    if any(access.is_guarded for access in op.epilogue_accesses):
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
    """Return how many positions of `dim` register tiles may cover: all if the borders are `fixable`, else the positions
    that need no guard."""
    return op.sizes[dim] if fixable(op, dim) else op.sizes[dim] - border(op, dim)


class Panel(NamedTuple):
    """A constant read that can be packed into panels along a dimension, and the axis that this dimension indexes.

    With a partner, `partner * size + dim` indexes the axis.
    """

    operand: int
    axis: int
    partner: int | None


def packable(op: tensor.ComputeOp, dim: int, constants: frozenset[SSAValue]) -> list[Panel]:
    """Return the constant reads that can be packed for a schedule that vectorizes parallel dimension `dim`."""
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
