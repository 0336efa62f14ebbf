"""Lower operators that depend on sizes that are known at run time.

    %y = graph.dynamic_slice %x {starts = [8, 0], begins = ["N - 1", ""], …} : (tensor<9x4xf32>) -> tensor<1x4xf32>
->
    %y = tensor.compute [1, 4] tables(%x) apply { tensor.extract %x[d0 + size "N - 1", d1] }

A slice that begins where a constant says is an access map, with the attribute `cuts` where it ends before its operand.
"""

from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.axis_groups import groups_of_every_run
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims, move
from s2s.passes.graph.lower_to_tensor.scalars import REM, Scalar, Scalars
from s2s.types.shapes.window import SIDES
from s2s.types.sizes import CUTS, REDUCES, SizeTable, extents_of


class LowerDynamicSlice(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DynamicSliceOp, rewriter: PatternRewriter) -> None:
        starts, strides, shape = op.starts.get_values(), op.strides.get_values(), shape_of(op.y)
        begins, bounds = (extents_of(names, len(shape)) for names in (op.begins, op.attributes.get(REDUCES)))
        if not any(begins):
            d = dims(len(shape))
            places = [place * stride + start for place, start, stride in zip(d, starts, strides, strict=True)]
            result = move(rewriter, op, shape, [at(op.x, *places)])
            if extents_of(op.extents, len(shape)) != bounds:
                assert isinstance(result.owner, Operation)
                result.owner.attributes[CUTS] = UnitAttr()
            return rewriter.replace(op, [], [result])

        def read(s: Scalars, x: Scalar) -> Scalar:
            places = list[Scalar]()
            for axis, (begin, bound) in enumerate(zip(begins, bounds, strict=True)):
                place = s.position(axis) * strides[axis]
                place = place + (s.size(begin) if begin else starts[axis])
                last = s.size(bound) - 1 if bound else shape_of(op.x)[axis] - 1
                places.append(s.maximum(s.minimum(place, last), 0))
            return s.extract(x, places)

        return rewriter.replace(op, [], [move(rewriter, op, shape, [], tables=[op.x], apply=read)])


class LowerDynamicReshape(RewritePattern):
    """Each element is read where it lies: the position along merged axes is divided by their sizes of this run."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DynamicReshapeOp, rewriter: PatternRewriter) -> None:
        source, shape = shape_of(op.x), shape_of(op.y)
        before, after = extents_of(op.attributes.get(REDUCES), len(source)), extents_of(op.extents, len(shape))
        module = op.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        groups = groups_of_every_run(source, before, shape, after, SizeTable(module.attributes))

        def read(s: Scalars, x: Scalar) -> Scalar:
            places = [s.constant(0, i32)] * len(source)
            for old, new in groups:
                position = s.constant(0, i32)
                for axis in new:
                    size = s.size(after[axis]) if after[axis] else shape[axis]
                    position = s.position(axis) if axis == new[0] else position * size + s.position(axis)
                for axis in reversed(old[1:]):
                    size = s.size(before[axis]) if before[axis] else source[axis]
                    places[axis] = s.binary(REM, position, size)
                    position = position / size
                if old:
                    size = s.size(before[old[0]]) - 1 if before[old[0]] else source[old[0]] - 1
                    places[old[0]] = s.minimum(position, size)
            return s.extract(x, places)

        rewriter.replace(op, [], [move(rewriter, op, shape, [], tables=[op.x], apply=read)])


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


class LowerSamePad(RewritePattern):
    """Each element is read at its place minus the padding in front, which follows from the size of this run."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SamePadOp, rewriter: PatternRewriter) -> None:
        source = shape_of(op.x)
        names = extents_of(op.attributes.get(REDUCES), len(source))
        value = number(op.value)
        assert value is not None

        def read(s: Scalars, x: Scalar) -> Scalar:
            places, inside = list[Scalar](), list[Scalar]()
            for axis, (extent, stride) in enumerate(zip(op.windows.get_values(), op.strides.get_values(), strict=True)):
                if extent == 1:
                    places.append(s.index(axis))
                    continue
                size = s.size(names[axis]) if names[axis] else s.constant(source[axis], i32)
                place = s.position(axis) - low_at(s, size, extent, stride, op.side.data)
                clamped = s.maximum(s.minimum(place, size - 1), 0)
                places.append(clamped)
                inside.append(s.equal(place, clamped))
            found = s.extract(x, places)
            for condition in inside:
                found = s.select(condition, found, value)
            return found

        rewriter.replace(op, [], [move(rewriter, op, shape_of(op.y), [], tables=[op.x], apply=read)])


def low_at(s: Scalars, size: Scalar, extent: int, stride: int, side: str) -> Scalar:
    """Return the padding in front of centred windows; `same_low` of a size of this run."""
    total = s.maximum((extent - 1) - s.binary(REM, size - 1, stride), 0)
    return total / 2 if side == SIDES[0] else (total + 1) / 2


def _constant(s: Scalars, value: int, element: Attribute) -> Scalar:
    return s.cast(s.constant(value, i32), element)


PATTERNS: tuple[RewritePattern, ...] = (LowerDynamicReshape(), LowerDynamicSlice(), LowerSamePad(), LowerSizeValues())
