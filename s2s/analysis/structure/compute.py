"""Answer structural questions about one `tensor.compute`: names, shapes, positions, body operations."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from s2s.dialects import tensor
from s2s.types.affine import at_dims, flat_index, linear, ranges, simplify
from s2s.types.dtypes import as_tensor_type

DIM_NAMES = "dims"
"""Discardable attribute of a computation: names of the dimensions of its domain, separated by blanks."""
LETTERS = "ijklmnop"
"""The names of dimensions without names, in order."""


def dim_names(op: tensor.ComputeOp) -> list[str]:
    """Return names for the dimensions of `op`: the names in its attribute, or letters in order."""
    named = op.attributes.get(DIM_NAMES)
    if isinstance(named, StringAttr) and len(named.data.split()) == len(op.sizes):
        return named.data.split()
    count = len(op.reduction_sizes)
    reduction = [f"r{n}" if count > 1 else "r" for n in range(count)]
    return [*(LETTERS[n % len(LETTERS)] for n in range(op.rank)), *reduction]


def names_of(op: tensor.Computation | tensor.ScatterOp) -> list[str]:
    """Return names for the dimensions of `op`; for a transform, names of tile and window dimensions follow."""
    if isinstance(op, tensor.ComputeOp):
        return dim_names(op)
    if isinstance(op, tensor.ScatterOp):
        return [LETTERS[dim % len(LETTERS)] for dim in range(len(op.sizes))]
    named = op.attributes.get(DIM_NAMES)
    given = named.data.split() if isinstance(named, StringAttr) else []
    own = given if len(given) == op.rank else [f"p{n}" for n in range(op.rank)]
    return [*own, "i", "j", "k", "l"]


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a tensor value."""
    return as_tensor_type(value.type).get_shape()


def slots(
    values: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]
) -> list[tuple[SSAValue, tensor.AccessAttr]]:
    """Pair operands with their accesses."""
    return list(zip(values, accesses, strict=True))


def position(value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]) -> AffineExpr:
    """Return the row-major position that an access without divisors reads, over a domain of `sizes`."""
    return simplify(flat_index(access.map.data.results, shape_of(value)), ranges(sizes))


def own_position(sizes: Sequence[int]) -> AffineExpr:
    """Return the row-major position of a point in a domain of `sizes`."""
    dims: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(sizes))]
    return simplify(flat_index(dims, sizes), ranges(sizes))


def reads_in_place(value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]) -> bool:
    """Return whether each point reads exactly the element at its own position."""
    if any(divisor > 1 for divisor in access.division):
        return False
    there, here = position(value, access, sizes), own_position(sizes)
    bound = ranges(sizes)
    return linear(there, bound) == linear(here, bound)


def body_ops(op: tensor.ComputeOp) -> list[Operation]:
    """Return the operations of both regions, without terminators."""
    regions: list[Region] = [op.apply] if op.reduce is None else [op.reduce, op.apply]
    return [inner for region in regions for inner in region.block.ops if not isinstance(inner, tensor.YieldOp)]


def moves_only(op: tensor.ComputeOp) -> bool:
    """Return whether the computation only moves elements, so that recomputing it costs nothing."""
    return op.reduce is None and all(isinstance(inner, tensor.InBoundsOp) for inner in body_ops(op))


def composed(outer: AffineMap, inner: AffineMap, sizes: Sequence[int]) -> AffineMap:
    """Compose two maps: apply `inner`, then `outer`, over a domain of `sizes`."""
    bound = ranges(sizes)
    results = tuple(simplify(at_dims(expr, inner.results), bound) for expr in outer.results)
    return AffineMap(inner.num_dims, 0, results)
