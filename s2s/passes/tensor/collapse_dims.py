"""Collapse two adjacent dimensions into one where every access is linear in the combined index.

    tensor.compute [64, 7, 7 | 64] reads(%x at (o, h, w, i) -> (i, h, w), %w at (o, h, w, i) -> (o, i)) …
->
    tensor.compute [64, 49 | 64] reads(%x at (o, p, i) -> (i, p floordiv 7, p mod 7), %w at (o, p, i) -> (o, i)) …

Longer dimensions tile better, and an elementwise kernel becomes a single loop. The divisions cancel when the access
map is linearised. Dimensions of size one are dropped the same way. The reduction dimensions of a maximum or a minimum,
whose result does not depend on the order, are first sorted by the strides of the operand. Declined where a guard, a
`tensor.index` or a division depends on one of the two dimensions, or where the size of one varies at run time.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass

from s2s.analysis.structure.compute import body_ops, dim_names, shape_of
from s2s.analysis.structure.folds import folds_of
from s2s.analysis.structure.renumber import renumber
from s2s.dialects import tensor
from s2s.types.affine import bounds, coefficient, flat_index, ranges, simplify

ANY_ORDER = ("max", "min")
"""Folds whose result does not depend on the order of the steps, to the last bit."""


def _linear_together(value: SSAValue, access: tensor.AccessAttr, dim: int, sizes: Sequence[int]) -> bool:
    """Return whether the flat index of the read is linear in dimensions `dim` and `dim + 1` taken as one."""
    if access.is_guarded and any(
        {dim, dim + 1} & simplify(expr, ranges(sizes)).used_dims() and not _always_hits(expr, size, sizes)
        for expr, size in zip(access.map.data.results, shape_of(value), strict=True)
    ):
        return False
    position = flat_index(access.map.data.results, shape_of(value))
    outer, inner = (coefficient(position, d, ranges(sizes)) for d in (dim, dim + 1))
    return outer is not None and inner is not None and outer == inner * sizes[dim + 1]


def _always_hits(expr: AffineExpr, size: int, sizes: Sequence[int]) -> bool:
    low, high = bounds(expr, ranges(sizes))
    return low >= 0 and high < size


def _may_collapse(op: tensor.ComputeOp, dim: int) -> bool:
    if dim + 1 == op.rank:
        return False
    if any(isinstance(inner, tensor.IndexOp) and inner.dim.value.data in (dim, dim + 1) for inner in body_ops(op)):
        return False
    if 1 in op.sizes[dim : dim + 2]:
        return True
    if any(op.sizes_at_run_time[dim : dim + 2]):
        return False
    if any(access.division != (1,) * len(access.division) for access in op.accesses):
        return False
    operands = list(zip(op.reads, op.read_accesses, [op.sizes] * len(op.reads), strict=True))
    if dim + 1 < op.rank:
        operands += zip(op.epilogue, op.epilogue_accesses, [op.parallel_sizes] * len(op.epilogue), strict=True)
    return all(_linear_together(value, access, dim, sizes) for value, access, sizes in operands)


def _sort_steps(op: tensor.ComputeOp) -> None:
    """Sort the reduction dimensions of a maximum or a minimum by the memory order of its only read."""
    folds = folds_of(op)
    if folds is None or any(fold.kind not in ANY_ORDER for fold in folds) or len(op.reads) != 1:
        return
    if any(isinstance(inner, tensor.IndexOp) for inner in body_ops(op)) or op.read_accesses[0].is_guarded:
        return
    position = flat_index(op.read_accesses[0].map.data.results, shape_of(op.reads[0]))
    steps = {dim: coefficient(position, dim, ranges(op.sizes)) for dim in range(op.rank, len(op.sizes))}
    order = sorted(steps, key=lambda dim: -(steps[dim] or 0))
    if order == list(steps) or None in steps.values():
        return
    places, names = [*range(op.rank), *order], dim_names(op)
    mapping = tensor.Renumbering.permuting(places, op.sizes, op.rank)
    renumber(op, mapping, [names[dim] for dim in places])


def _collapse(op: tensor.ComputeOp, dim: int) -> None:
    """Merge dimensions `dim` and `dim + 1` of `op` in place."""
    names = dim_names(op)
    merged = [name for name, size in zip(names[dim : dim + 2], op.sizes[dim : dim + 2], strict=True) if size > 1]
    mapping = tensor.Renumbering.merging(dim, op.sizes, op.rank)
    renumber(op, mapping, [*names[:dim], "".join(merged) or names[dim], *names[dim + 2 :]])


class CollapseDimsPass(ModulePass):
    name = "tensor-collapse-dims"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, tensor.ComputeOp) and inner.schedule is None:
                _sort_steps(inner)
                for dim in reversed(range(len(inner.sizes) - 1)):
                    if _may_collapse(inner, dim):
                        _collapse(inner, dim)
