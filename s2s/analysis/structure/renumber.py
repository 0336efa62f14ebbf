"""Renumber the dimensions of a computation: its domain, accesses, indices, names and schedule together."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr
from xdsl.rewriter import Rewriter

from s2s.analysis.structure.compute import DIM_NAMES, body_ops
from s2s.dialects import tensor
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.sizes import Extents, extents_attribute


def renumber(op: tensor.ComputeOp, mapping: tensor.Renumbering, names: Sequence[str]) -> None:
    """Rewrite `op` in place over the new dimensions of `mapping`, which get the names `names`."""
    extents = op.sizes_at_run_time
    for inner in list(body_ops(op)):
        if isinstance(inner, tensor.IndexOp):
            _renumber_index(inner, mapping)
    reads = len(op.reads)
    accesses = [mapping.access(access, parallel=number >= reads) for number, access in enumerate(op.accesses)]
    op.properties["domain"] = tensor.integers(mapping.sizes)
    op.properties["parallel"] = IntegerAttr(mapping.rank, 64)
    op.properties["accesses"] = ArrayAttr(accesses)
    op.attributes[DIM_NAMES] = StringAttr(" ".join(names))
    if op.extents is not None:
        op.properties["extents"] = extents_attribute(_renumbered(extents, mapping, _kernel_of(op)))
    if op.schedule is not None:
        op.properties["schedule"] = op.schedule.renumbered(mapping)


def _renumbered(extents: Extents, mapping: tensor.Renumbering, kernel: str) -> Extents:
    """Return the extents of the new dimensions; a dimension of varying size is never merged or split."""
    found = [""] * len(mapping.sizes)
    for dim, name in enumerate(extents):
        if name and len(mapping.dims(dim)) != 1:
            raise UnsupportedError(
                f"{kernel}: a dimension of varying size {name} would be split into blocks; give it a constant size"
            )
        if name:
            found[mapping.dims(dim)[0]] = name
    return tuple(found)


def _kernel_of(op: tensor.ComputeOp) -> str:
    kernel = op.parent_op()
    return kernel.sym_name.data if isinstance(kernel, FuncOp) else op.name


def _renumber_index(op: tensor.IndexOp, mapping: tensor.Renumbering) -> None:
    """Give the new number of a dimension to the index that a region reads; a constant for a removed dimension."""
    dim = op.dim.value.data
    new = mapping.old[dim]
    if isinstance(new, AffineConstantExpr):
        Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(new.value, IndexType())))
    elif isinstance(new, AffineDimExpr):
        op.properties["dim"] = IntegerAttr(new.position, i64)
    else:
        raise CompilerBug(f"a region asks for index {dim}, which becomes {new}; leave its dimension whole")
