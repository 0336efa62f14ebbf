"""Lower scatters: operators that write at indices held in a tensor.

    %y = graph.scatter_elements %x, %i, %u {axis = 0, reduction = "none"} : (tensor<10xf32>, tensor<3xi64>, …)
->
    %y = tensor.compute [10 | 3] reads(%i at …(d1), %u at …(d1)) points(%x at …(d0))
           inits [0.0 : f32, false] reduce { does the update have this index? } apply { select written, acc, x }

A computation writes only its own element, so every element tests all updates that may have its index, and applies
those that do, in order. An update whose index is out of bounds is ignored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i1, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.index import ScatterFamilyOp
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.conversion import widened
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.dtypes import is_unsigned

COMBINE: Mapping[str, Callable[[Scalars, Scalar, Scalar], Scalar]] = {
    "add": lambda s, old, new: old + new,
    "mul": lambda s, old, new: old * new,
    "min": lambda s, old, new: s.minimum(old, new),
    "max": lambda s, old, new: s.maximum(old, new),
}
"""How a scatter combines the old and the new element, except for plain replacement."""


@dataclass(frozen=True)
class Updates:
    """The updates that each element tests."""

    count: Sequence[int]
    """The number of updates, one size per dimension of the reduction."""
    parts: Sequence[Operand]
    """The components of an update's index."""
    axes: Sequence[int]
    """The dimension of the result that each component indexes."""
    value: Operand


class LowerScatterElements(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ScatterElementsOp, rewriter: PatternRewriter) -> None:
        axis = op.axis.value.data
        *indices, update = dims(len(shape_of(op.x)) + 1)
        indices[axis] = update
        count = [shape_of(op.indices)[axis]]
        lower(rewriter, op, Updates(count, [at(op.indices, *indices)], [axis], at(op.updates, *indices)))


class LowerScatterNd(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ScatterNdOp, rewriter: PatternRewriter) -> None:
        rank = len(shape_of(op.x))
        *count, length = shape_of(op.indices)
        d = dims(rank + len(count))
        update = d[rank:]
        parts = [at(op.indices, *update, part) for part in range(length)]
        value = at(op.updates, *update, *d[length:rank])
        lower(rewriter, op, Updates(count or [1], parts, range(length), value))


def lower(rewriter: PatternRewriter, op: ScatterFamilyOp, updates: Updates) -> None:
    """Replace `op` by `x` with the updates stored into, or combined with, its elements."""
    shape, element = op.y.type.get_shape(), widened(op.y.type.element_type)
    whole = at(op.x, *dims(len(shape)))
    if 0 in updates.count:
        return rewriter.replace(op, [], [move(rewriter, op, shape, [whole])])
    combine = COMBINE.get(op.reduction.data)

    def step(s: Scalars, *values: Scalar) -> tuple[Scalar, Scalar]:
        *inputs, found, written = values
        parts, new = inputs[: len(updates.parts)], inputs[len(updates.parts)]
        ours = _is_here(s, updates.axes, parts, shape)
        if combine is not None:
            new = combine(s, s.select(written, found, inputs[-1]), new)
        return s.select(ours, new, found), written | ours

    old = [] if combine is None else [at(op.x, *dims(len(shape)))]
    y = compute(
        rewriter,
        op,
        shape,
        updates.count,
        reads=[*updates.parts, updates.value, *old],
        points=[whole],
        inits=[(0, element), (0, i1)],
        reduce=step,
        apply=lambda s, found, written, x: s.select(written, found, x),
    )
    return rewriter.replace(op, [], [y])


def _is_here(s: Scalars, axes: Sequence[int], parts: Sequence[Scalar], shape: Sequence[int]) -> Scalar:
    """Whether `parts` equal the current element's indices along `axes`; true without parts."""
    here: Scalar | None = None
    for axis, part in zip(axes, parts, strict=True):
        same = s.equal(s.position(axis), _from_the_front(s, part, shape[axis]))
        here = same if here is None else here & same
    return s.constant(1, i1) if here is None else here


def _from_the_front(s: Scalars, index: Scalar, size: int) -> Scalar:
    """Add `size` to a negative `index`."""
    place = s.cast(index, i32)
    return place if is_unsigned(index.element) else s.select(s.less(place, 0), place + size, place)


PATTERNS: tuple[RewritePattern, ...] = (LowerScatterElements(), LowerScatterNd())
