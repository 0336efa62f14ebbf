"""Lower operators that depend on sizes that are known at run time.

    %y = graph.dynamic_slice %x {starts = [8, 0], begins = ["N - 1", ""], …} : (tensor<9x4xf32>) -> tensor<1x4xf32>
->
    %y = tensor.compute [1, 4] tables(%x) apply { tensor.extract %x[d0 + size "N - 1", d1] }

A slice that begins where a constant says is an access map.
"""

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.sizes import REDUCES, extents_of


class LowerDynamicSlice(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DynamicSliceOp, rewriter: PatternRewriter) -> None:
        starts, strides, shape = op.starts.get_values(), op.strides.get_values(), shape_of(op.y)
        begins, bounds = (extents_of(names, len(shape)) for names in (op.begins, op.attributes.get(REDUCES)))
        if not any(begins):
            d = dims(len(shape))
            places = [place * stride + start for place, start, stride in zip(d, starts, strides, strict=True)]
            return rewriter.replace(op, [], [move(rewriter, op, shape, [at(op.x, *places)])])

        def read(s: Scalars, x: Scalar) -> Scalar:
            places = list[Scalar]()
            for axis, (begin, bound) in enumerate(zip(begins, bounds, strict=True)):
                place = s.position(axis) * strides[axis]
                place = place + (s.size(begin) if begin else starts[axis])
                last = s.size(bound) - 1 if bound else shape_of(op.x)[axis] - 1
                places.append(s.maximum(s.minimum(place, last), 0))
            return s.extract(x, places)

        return rewriter.replace(op, [], [move(rewriter, op, shape, [], tables=[op.x], apply=read)])


class LowerSizeValues(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SizeValuesOp, rewriter: PatternRewriter) -> None:
        element, values = op.y.type.element_type, op.values.get_values()
        names = extents_of(op.names, len(values))

        def number(s: Scalars, place: int) -> Scalar:
            return s.cast(s.size(names[place]), element) if names[place] else _constant(s, values[place], element)

        def chosen(s: Scalars) -> Scalar:
            found = number(s, len(values) - 1)
            for place in range(len(values) - 2, -1, -1):
                found = s.select(s.equal(s.cast(s.index(0), i32), place), number(s, place), found)
            return found

        rewriter.replace(op, [], [compute(rewriter, op, shape_of(op.y), apply=chosen, widen=False)])


def _constant(s: Scalars, value: int, element: Attribute) -> Scalar:
    return s.cast(s.constant(value, i32), element)


PATTERNS: tuple[RewritePattern, ...] = (LowerDynamicSlice(), LowerSizeValues())
