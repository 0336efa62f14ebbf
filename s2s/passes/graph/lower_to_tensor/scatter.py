"""Lower scatters: operators that write at indices held in a tensor.

    %y = graph.scatter_elements %x, %i, %u {axis = 0, reduction = "add"} : (tensor<10xf32>, tensor<3xi64>, …)
->
    %base = tensor.compute [10] epilogue(%x at …(d0)) apply { yield %x }
    %y = tensor.scatter [3] base(%base at …(0)) axes [0] parts(%i at …(d0)) epilogue(%u at …(d0))
           place { the index, counted from the front } apply { yield %old + %u }

The updates replace elements of a copy one after the other. A negative index counts from the end; with
`nonnegative_indices` none does, and `place` yields the index as it is. An update whose index is out of range, an error
that the run function returns (`graph-bound-positions`, `graph-check-indices`), is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import GraphOp
from s2s.passes.graph.lower_to_tensor.compute import Operand, access_of, at, dims, move, region_arguments, write_region
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.dtypes import is_unsigned
from s2s.types.sizes import REDUCES, extents_of

COMBINE: Mapping[str, Callable[[Scalars, Scalar, Scalar], Scalar]] = {
    "none": lambda s, old, new: new,
    "add": lambda s, old, new: old + new,
    "mul": lambda s, old, new: old * new,
    "min": lambda s, old, new: s.minimum(old, new),
    "max": lambda s, old, new: s.maximum(old, new),
}
"""How a scatter combines the old and the new element."""


class Updates(NamedTuple):
    """The updates of a scatter, over a domain of `sizes`."""

    sizes: Sequence[int]
    into: Operand
    """The element that an update replaces, with 0 along the axes that have an index."""
    axes: Sequence[int]
    parts: Sequence[Operand]
    """The index along each of `axes`."""
    value: Operand
    wrap: bool = True
    """Whether a negative index counts from the end."""


class LowerScatterElements(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ScatterElementsOp, rewriter: PatternRewriter) -> None:
        axis, sizes = op.axis.value.data, shape_of(op.indices)
        d = dims(len(sizes))
        into = [0 if dim == axis else index for dim, index in enumerate(d)]
        wrap = not op.is_nonnegative
        updates = Updates(sizes, at(op.x, *into), [axis], [at(op.indices, *d)], at(op.updates, *d), wrap)
        replace_by_scatter(rewriter, op, op.reduction.data, updates)


class LowerScatterNd(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ScatterNdOp, rewriter: PatternRewriter) -> None:
        *count, length = shape_of(op.indices)
        rest = shape_of(op.x)[length:]
        d = dims(len(count) + len(rest))
        update, inner = d[: len(count)], d[len(count) :]
        parts = [at(op.indices, *update, part) for part in range(length)]
        into = at(op.x, *[0] * length, *inner)
        value, wrap = at(op.updates, *update, *inner), not op.is_nonnegative
        updates = Updates([*count, *rest], into, range(length), parts, value, wrap)
        replace_by_scatter(rewriter, op, op.reduction.data, updates)


def replace_by_scatter(rewriter: PatternRewriter, op: GraphOp, reduction: str, updates: Updates) -> None:
    """Replace `op` by a copy of the operand that is updated, and the updates of it."""
    shape, element = op.y.type.get_shape(), op.y.type.element_type
    base = move(rewriter, op, shape, [at(updates.into.value, *dims(len(shape)))])
    if 0 in updates.sizes:
        return rewriter.replace(op, [], [base])
    base.name_hint = "base"
    combine, sizes = COMBINE[reduction], updates.sizes or [1]
    (old,), _ = region_arguments([updates.into._replace(value=base)], sizes)
    parts, part_accesses = region_arguments(updates.parts, sizes)
    epilogue, epilogue_accesses = region_arguments([updates.value], sizes)
    names = extents_of(op.attributes.get(REDUCES), len(shape))
    limits = [(shape[axis], names[axis]) for axis in updates.axes]

    def place(s: Scalars, *indices: Scalar) -> tuple[Scalar, ...]:
        if not updates.wrap:
            return tuple(s.cast(s.cast(index, i32), IndexType()) for index in indices)
        return tuple(_from_the_front(s, index, *limit) for index, limit in zip(indices, limits, strict=True))

    made = tensor.ScatterOp(
        sizes,
        (base, access_of(updates.into, sizes)),
        list(updates.axes),
        parts=part_accesses,
        epilogue=epilogue_accesses,
        place=write_region(parts, place, [IndexType()] * len(limits), widen=False),
        apply=write_region([old._replace(name="old"), *epilogue], combine, [element], widen=True),
    )
    graph.copy_provenance(made, op)
    return rewriter.replace(op, made)


def _from_the_front(s: Scalars, index: Scalar, size: int, name: str) -> Scalar:
    """Add `size`, or in a run the size `name`, to a negative `index`."""
    place = s.cast(index, i32)
    if not is_unsigned(index.element):
        place = s.select(s.less(place, 0), place + (s.size(name) if name else size), place)
    return s.cast(place, IndexType())


PATTERNS: tuple[RewritePattern, ...] = (LowerScatterElements(), LowerScatterNd())
