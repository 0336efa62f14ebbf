"""Permute the parallel dimensions of a computation, and with them the layout of its result.

The order of the parallel dimensions is the order of the axes in memory. A tensor inside a kernel may have any order.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from s2s.analysis.structure.compute import DIM_NAMES, dim_names, moves_only, shape_of
from s2s.analysis.structure.renumber import renumber
from s2s.analysis.tile_and_fuse.fused_groups import coordinates
from s2s.dialects import tensor
from s2s.dialects.graph.traits import copy_provenance
from s2s.errors import CompilerBug
from s2s.types.affine import at_dims, ranges, simplify
from s2s.types.sizes import extents_attribute


def permuted(op: tensor.ComputeOp, order: Sequence[int], result_types: Sequence[Attribute]) -> tensor.ComputeOp:
    """`op` with its parallel dimensions permuted by `order`; moves the regions out of `op`."""
    places = [*order, *range(op.rank, len(op.sizes))]
    made = tensor.ComputeOp(
        op.parallel_sizes,
        op.reduction_sizes,
        reads=list(zip(op.reads, op.read_accesses, strict=True)),
        epilogue=list(zip(op.epilogue, op.epilogue_accesses, strict=True)),
        tables=op.tables,
        inits=op.inits.data,
        reduce=None if op.reduce is None else _taken(op.reduce),
        apply=_taken(op.apply),
        result_types=result_types,
    )
    if op.extents is not None:
        made.properties["extents"] = op.extents
    names = dim_names(op)
    renumber(made, tensor.Renumbering.permuting(places, op.sizes, op.rank), [names[dim] for dim in places])
    copy_provenance(made, op)
    for new, old in zip(made.res, op.res, strict=True):
        new.name_hint = old.name_hint
    return made


def _taken(region: Region) -> Region:
    return Region(region.detach_block(region.block))


def reorder(op: tensor.ComputeOp, order: Sequence[int]) -> tensor.ComputeOp:
    """Permute the result of `op`, a tensor inside its kernel, and adapt all readers; return the new computation."""
    (old,) = op.res
    sizes = op.parallel_sizes
    readers = dict.fromkeys(use.operation for use in old.uses)
    made = permuted(op, order, [TensorType(tensor.element_type(old), [sizes[dim] for dim in order])])
    for reader in readers:
        assert isinstance(reader, tensor.ComputeOp)
        accesses = list(reader.accesses)
        for number, value in enumerate([*reader.reads, *reader.epilogue]):
            if value is old:
                domain = reader.sizes if number < len(reader.reads) else reader.parallel_sizes
                accesses[number] = _reordered(old, accesses[number], domain, sizes, order)
        reader.properties["accesses"] = ArrayAttr(accesses)
    Rewriter.replace_op(op, made)
    return made


def _reordered(
    value: SSAValue, access: tensor.AccessAttr, domain: Sequence[int], sizes: Sequence[int], order: Sequence[int]
) -> tensor.AccessAttr:
    point = coordinates(value, access, domain, sizes)
    if point is None:
        raise CompilerBug(f"access {access.map.data} is guarded in another shape, so its order is fixed")
    division = access.division if shape_of(value) == tuple(sizes) else (1,) * len(sizes)
    affine_map = AffineMap(access.map.data.num_dims, 0, tuple(point[dim] for dim in order))
    return tensor.AccessAttr.of(affine_map, guarded=access.is_guarded, divisors=[division[dim] for dim in order])


def order_of_move(producer: tensor.ComputeOp, mover: tensor.ComputeOp) -> list[int] | None:
    """Return the permutation of `producer`'s dimensions that `mover` performs; None if `mover` does anything else."""
    if not moves_only(mover) or len(mover.epilogue) != 1 or mover.tables or len(producer.res) != 1:
        return None
    value, access = mover.epilogue[0], mover.epilogue_accesses[0]
    if value is not producer.res[0] or access.is_guarded or any(divisor > 1 for divisor in access.division):
        return None
    point = coordinates(value, access, mover.parallel_sizes, producer.parallel_sizes)
    if point is None:
        return None
    moved = {expr: dim for dim, expr in enumerate(point) if producer.sizes[dim] > 1}
    wanted = [AffineDimExpr(dim) for dim, size in enumerate(mover.parallel_sizes) if size > 1]
    if set(moved) != set(wanted) or any(mover.sizes[expr.position] != producer.sizes[moved[expr]] for expr in wanted):
        return None
    single = [dim for dim in range(producer.rank) if producer.sizes[dim] == 1]
    return [*single, *(moved[expr] for expr in wanted)]


def absorb_move(producer: tensor.ComputeOp) -> tensor.ComputeOp:
    """Let `producer` write its result in the order of its only reader if that is a transpose, which is then removed."""
    if len(producer.res) != 1 or not producer.res[0].has_one_use():
        return producer
    mover = next(iter(producer.res[0].uses)).operation
    order = order_of_move(producer, mover) if isinstance(mover, tensor.ComputeOp) else None
    if order is None or not isinstance(mover, tensor.ComputeOp):
        return producer
    made = permuted(producer, order, [result.type for result in mover.res])
    copy_provenance(made, mover)
    Rewriter.replace_op(mover, made)
    Rewriter.erase_op(producer)
    return made


def copy_read(op: tensor.ComputeOp, read: int, dims: Sequence[int]) -> tensor.ComputeOp:
    """Copy read number `read` of `op` in the order of `dims`, insert the copy before `op`, and read it instead.

    `dims` are all dimensions of the domain, parallel or reduction, that index the read.
    """
    value, access = op.reads[read], op.read_accesses[read]
    sizes = [op.sizes[dim] for dim in dims]
    into: list[AffineExpr] = [
        AffineDimExpr(dims.index(dim)) if dim in dims else AffineConstantExpr(0) for dim in range(len(op.sizes))
    ]
    source = AffineMap(
        len(dims),
        0,
        tuple(simplify(at_dims(expr, into), ranges(sizes)) for expr in access.map.data.results),
    )
    copy = copy_of(sizes, (value, tensor.AccessAttr.of(source)))
    copy.res[0].name_hint = f"{value.name_hint or 'x'}_copy"
    names = dim_names(op)
    copy.attributes[DIM_NAMES] = StringAttr(" ".join(names[dim] for dim in dims))
    if op.extents is not None:
        copy.properties["extents"] = extents_attribute(op.sizes_at_run_time[dim] for dim in dims)
    copy_provenance(copy, op)
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(copy, op)
    accesses = list(op.accesses)
    accesses[read] = tensor.AccessAttr.of(AffineMap(len(op.sizes), 0, tuple(AffineDimExpr(dim) for dim in dims)))
    op.properties["accesses"] = ArrayAttr(accesses)
    op.operands[read] = copy.res[0]
    return copy


def copy_of(sizes: Sequence[int], source: tuple[SSAValue, tensor.AccessAttr]) -> tensor.ComputeOp:
    """Return a computation over a domain of `sizes` that copies the elements of an access."""
    element = tensor.element_type(source[0])
    block = Block(arg_types=[element])
    block.add_op(tensor.YieldOp(block.args[0]))
    return tensor.ComputeOp(
        sizes, [], epilogue=[source], reduce=None, apply=Region(block), result_types=[TensorType(element, sizes)]
    )
