"""Clip the bounds of a reduction to the range in which the guards of its reads hold, so that no test remains inside."""

from collections.abc import Sequence

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds
from s2s.analysis.affine.pieces import Piece
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.emitter import Bounds
from s2s.types.affine import Range, at_dims, linear


def clip(
    op: tensor.ComputeOp,
    dim: int,
    guards: Sequence[Constraint],
    box: Sequence[Range],
    dims: Sequence[AffineExpr],
    pieces: Sequence[Piece],
) -> tuple[Bounds, set[Constraint]]:
    """Return the bounds of reduction `dim` within which the undecided guards that depend only on it hold, and these
    guards.

    The other dimensions are at `dims`, inside `box`; the bounds must be the same for all points of a tile of `pieces`.
    """
    lower: list[AffineExpr] = []
    upper: list[AffineExpr] = []
    clipped: set[Constraint] = set()
    for constraint in guards:
        if constraint.modulus or constraint.holds(box) is not Holds.MAYBE:
            continue
        form = linear(constraint.expr, box)
        reductions = {d for atom in form.terms for d in atom.used_dims() if d >= op.rank}
        factor = form.terms.get(AffineDimExpr(dim), 0)
        if reductions != {dim} or factor == 0 or _in_tile(op, constraint, pieces):
            continue
        rest = form.plus(linear(AffineDimExpr(dim), [(0, 1)] * (dim + 1)), -factor).to_expr()
        here = at_dims(rest, dims)
        if factor > 0:
            lower.append((here * -1).ceil_div(factor) if factor > 1 else here * -1)
        else:
            upper.append((here + 1).ceil_div(-factor) if factor < -1 else here + 1)
        clipped.add(constraint)
    return Bounds(0, op.sizes[dim], 1, tuple(lower), tuple(upper)), clipped


def _in_tile(op: tensor.ComputeOp, constraint: Constraint, pieces: Sequence[Piece]) -> bool:
    """Return whether `constraint` may differ between points of the tile."""
    return any(pieces[d].tile > 1 for d in constraint.expr.used_dims() if d < op.rank)
