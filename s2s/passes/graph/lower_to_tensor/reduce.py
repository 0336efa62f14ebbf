"""Lower reductions over axes, arg-reductions and cumulative sums.

    %y = graph.reduce_max %x {axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
->
    %y = tensor.compute [4 | 8] reads(%x at …(d0, d1)) inits [-inf : f32] reduce { arith.maximumf } apply { … }

A cumulative sum reads, for each position, the whole axis at an offset that puts elements not to be added out of bounds:

    %y = graph.cumsum %x {axis = 0} : (tensor<8xf32>) -> tensor<8xf32>
->
    %y = tensor.compute [8 | 8] reads(%x at #tensor.access<affine_map<(d0, d1) -> (d0 + d1 - 7)>, guarded>) …

This is quadratic in the length of the axis, but adds in the order of the definition. The first elements in order are
found by a routine of the runtime:

    %y = graph.top_k %x {count = 5} : (tensor<4x100xf32>) -> tensor<4x5xi32>
->
    %y = tensor.extern "largest_f32"(%x) {numbers = [4, 100, 5], scratch = [tensor<656xui32>]} : …
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan, prod

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, FloatAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.c_syntax.types import element_name
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.dialects.graph.reduce import ArgReduceOp, ReduceOp
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims
from s2s.passes.graph.lower_to_tensor.conversion import Number, limits, number_attribute, widened
from s2s.passes.graph.lower_to_tensor.scalars import GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, Scalar, Scalars
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_float, size_in_bytes, tensor_type, ui32, ui64
from s2s.types.hints import isa
from s2s.types.sizes import FILLS, FILLS_ROWS, REDUCES, VARIES, extents_of

SORTED_DIGITS = 256
"""The values of a digit, each of which the routine for `graph.top_k` counts."""


@frozen
class Fold:
    """The initial value of a reduction, and the step that combines it with an element."""

    start: Callable[[Attribute], Number]
    step: Callable[[Scalars, Scalar, Scalar], Scalar]


SUM = Fold(lambda element: 0, lambda s, x, acc: acc + x)
PRODUCT = Fold(lambda element: 1, lambda s, x, acc: acc * x)
MAXIMUM = Fold(lambda element: limits(element)[0], lambda s, x, acc: s.maximum(acc, x))
MINIMUM = Fold(lambda element: limits(element)[1], lambda s, x, acc: s.minimum(acc, x))

FOLDS: Mapping[type[ReduceOp], Fold] = {
    graph.ReduceSumOp: SUM,
    graph.ReduceProdOp: PRODUCT,
    graph.ReduceMeanOp: SUM,
    graph.ReduceMaxOp: MAXIMUM,
    graph.ReduceMinOp: MINIMUM,
}


def reduced_indices(rank: int, axes: Sequence[int], *, keepdims: bool) -> list[AffineExpr]:
    """The indices of an operand of `rank` over the domain `[dimensions of the result | axes]`."""
    kept = rank if keepdims else rank - len(axes)
    d = dims(kept + len(axes))
    outer = iter(d[:kept])
    inner = dict(zip(sorted(axes), d[kept:], strict=True))
    indices: list[AffineExpr] = []
    for axis in range(rank):
        if axis not in inner:
            indices.append(next(outer))
            continue
        if keepdims:
            next(outer)
        indices.append(inner[axis])
    return indices


def divided(s: Scalars, total: Scalar, count: Scalar | int) -> Scalar:
    """`total / count`; integers are divided towards zero, in a type that holds the count."""
    wide = total.element if is_float(total.element) or size_in_bytes(total.element) >= 4 else i32
    divisor = s.constant(count, wide) if isinstance(count, int) else s.cast(count, wide)
    return s.cast(s.cast(total, wide) / divisor, total.element)


def elements_along(s: Scalars, op: ReduceOp | graph.LayerNormOp, axes: Sequence[int]) -> Scalar | int:
    """Return the number of elements along `axes` of the operand of `op`, which sizes of the run may decide."""
    shape = shape_of(op.x)
    names = extents_of(op.attributes.get(REDUCES), len(shape))
    count: Scalar | int = prod(shape[axis] for axis in axes if not names[axis])
    for axis in axes:
        if names[axis]:
            count = s.size(names[axis]) * count
    return count


class LowerReduce(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReduceOp, rewriter: PatternRewriter) -> None:
        x, axes = shape_of(op.x), sorted(op.axes.get_values())
        sizes = [x[axis] for axis in axes]
        element = widened(op.y.type.element_type)
        fold = FOLDS[type(op)]
        mean = isinstance(op, graph.ReduceMeanOp)
        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            sizes or [1],
            reads=[at(op.x, *reduced_indices(len(x), axes, keepdims=op.keepdims is not None))],
            inits=[(fold.start(element), element)],
            reduce=fold.step,
            apply=lambda s, acc: divided(s, acc, elements_along(s, op, axes)) if mean else acc,
        )
        rewriter.replace(op, [], [y])


class LowerArgReduce(RewritePattern):
    """NaN counts as the extreme; among equal elements the first or the last one is chosen."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ArgReduceOp, rewriter: PatternRewriter) -> None:
        axis, last = op.axis.value.data, op.select_last is not None
        element = widened(type_of(op.x).element_type)
        rank = len(op.y.type.get_shape())
        largest = isinstance(op, graph.ArgmaxOp)
        beyond = {True: (GREATER, GREATER_EQUAL), False: (LESS, LESS_EQUAL)}[largest][last]

        def step(s: Scalars, x: Scalar, best: Scalar, place: Scalar) -> tuple[Scalar, Scalar]:
            better = s.compare(beyond, x, best)
            if is_float(element):
                nan = s.not_equal(x, x)
                better = better | (nan if last else nan & s.equal(best, best))
            return s.select(better, x, best), s.select(better, s.position(rank), place)

        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            [shape_of(op.x)[axis]],
            reads=[at(op.x, *reduced_indices(len(shape_of(op.x)), [axis], keepdims=op.keepdims is not None))],
            inits=[(limits(element)[0 if largest else 1], element), (0, i32)],
            reduce=step,
            apply=lambda s, best, place: s.cast(place, op.y.type.element_type),
        )
        rewriter.replace(op, [], [y])


class LowerTopK(RewritePattern):
    """The routine has forms for few element types; what is narrower is widened for it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TopKOp, rewriter: PatternRewriter) -> None:
        *outer, size = shape_of(op.x)
        rows, count = prod(outer), op.count.value.data
        wide = _compared_as(type_of(op.x).element_type)
        x = _compared(rewriter, op, wide)
        order = "largest" if op.smallest is None else "smallest"
        key = ui64 if size_in_bytes(wide) == 8 else ui32
        scratch = tensor_type(key, (4 * size + SORTED_DIGITS,))
        made = tensor.ExternOp(f"{order}_{element_name(wide)}", [x], [rows, size, count], [op.y.type], [scratch])
        graph.copy_provenance(made, op)
        state_fills(made, op, [_last_of_all(wide, smallest=op.smallest is not None)])
        rewriter.replace(op, made)


class LowerRowOrder(RewritePattern):
    """As for the elements of a row, the routine has forms for few element types."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.RowOrderOp, rewriter: PatternRewriter) -> None:
        rows, size = shape_of(op.x)
        wide = _compared_as(type_of(op.x).element_type)
        x = _compared(rewriter, op, wide)
        scratch = tensor_type(i32, (rows,))
        made = tensor.ExternOp(f"row_order_{element_name(wide)}", [x], [rows, size], [op.y.type], [scratch])
        graph.copy_provenance(made, op)
        state_fills(made, op, [_last_of_all(wide, smallest=True)])
        if FILLS in made.attributes:
            made.attributes[FILLS_ROWS] = UnitAttr()
        rewriter.replace(op, made)


def _compared(rewriter: PatternRewriter, op: graph.TopKOp | graph.RowOrderOp, wide: Attribute) -> SSAValue:
    """The elements that `op` compares, as `wide`."""
    if type_of(op.x).element_type == wide:
        return op.x
    shape = shape_of(op.x)
    whole = at(op.x, *dims(len(shape)))
    return compute(rewriter, op, shape, epilogue=[whole], element=wide, apply=lambda s, each: s.cast(each, wide))


def state_fills(made: tensor.ExternOp, op: GraphOp, fills: Sequence[Attribute]) -> None:
    """State what elements behind the end of operands have to be, where sizes of `op`, which `made` replaces, vary."""
    if REDUCES in op.attributes:
        made.attributes[FILLS] = ArrayAttr(fills)
    if VARIES in op.attributes:
        made.attributes[VARIES] = op.attributes[VARIES]


def _last_of_all(element: Attribute, *, smallest: bool) -> Attribute:
    """Return the number that a selection takes after all others: NaN counts as larger than every number."""
    if isa(element, AnyFloat):
        return FloatAttr(nan if smallest else -inf, element)
    least, most = limits(element)
    return number_attribute(most if smallest else least, element)


def _compared_as(element: Attribute) -> Attribute:
    """The element type in which the routines compare elements: one of 32 or 64 bits that holds all values."""
    if is_float(element):
        return widened(element)
    if size_in_bytes(element) < 4:
        return i32
    return i64 if element == ui32 else element


class LowerCumsum(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CumsumOp, rewriter: PatternRewriter) -> None:
        axis, shape = op.axis.value.data, op.y.type.get_shape()
        *indices, back = dims(len(shape) + 1)
        behind = back - (shape[axis] - 1) - (0 if op.exclusive is None else 1)
        indices[axis] = indices[axis] + behind if op.reverse is None else indices[axis] - behind
        element = widened(op.y.type.element_type)
        y = compute(
            rewriter,
            op,
            shape,
            [shape[axis]],
            reads=[at(op.x, *indices)],
            inits=[(0, element)],
            reduce=SUM.step,
            apply=lambda s, acc: acc,
        )
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerReduce(), LowerArgReduce(), LowerTopK(), LowerRowOrder(), LowerCumsum())
