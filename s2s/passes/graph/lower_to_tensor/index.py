"""Lower gathers: operators that read at indices held in a tensor.

    %y = graph.gather %x, %i {axis = 0} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
->
    %y = tensor.compute [3, 4] epilogue(%i at …(d0)) tables(%x) apply { tensor.extract %x[place, d1] }

A negative index counts from the end, unless the operation says that none does. An index out of range is an error in
ONNX, TFLite and torch, which the run function returns (`graph-bound-positions`, `graph-check-indices`). One that the
network computes is clamped to the dimension as well, so that no input makes a kernel read outside its buffers; constant
ones are `in_range` (`graph-canonicalize-gathers`).
"""

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.graph.lower_to_tensor.compute import at, constant_number, dims, move
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.dtypes import is_unsigned, to_numpy
from s2s.types.sizes import REDUCES, Extents, extents_of

INT32_MAX = 2**31 - 1


def _place(s: Scalars, op: graph.GatherFamilyOp, index: Scalar, size: int, name: str) -> Scalar:
    """An index of `op`, counted from the front and clamped to `[0, size)`; in a run the size may be a smaller one,
    `name`."""
    place, end, last = s.cast(index, i32), size, size - 1
    if op.in_range is not None:
        return place
    if name:
        end = s.size(name)
        last = s.maximum(end, 1) - 1
    if is_unsigned(index.element):
        largest = int(np.iinfo(to_numpy(index.element).str).max)
        place = place if largest <= INT32_MAX else s.maximum(place, 0)
        return place if largest < size and not name else s.minimum(place, last)
    if not op.is_nonnegative:
        place = s.select(s.less(place, 0), place + end, place)
    return s.minimum(s.maximum(place, 0), last)


def _names(op: graph.GatherFamilyOp) -> Extents:
    """The sizes that the axes of the table have in a run."""
    return extents_of(op.attributes.get(REDUCES), len(shape_of(op.x)))


class LowerGather(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        axis, shape = op.axis.value.data, op.y.type.get_shape()
        size, end, name = shape_of(op.x)[axis], axis + len(shape_of(op.indices)), _names(op)[axis]
        d = dims(len(shape))
        known = constant_number(op.indices)
        if known is not None and (0 if name or op.is_nonnegative else -size) <= known < size:
            source = at(op.x, *d[:axis], int(known) % size, *d[end:])
            return rewriter.replace(op, [], [move(rewriter, op, shape, [source])])

        def gather(s: Scalars, index: Scalar, x: Scalar) -> Scalar:
            before = [s.index(dim) for dim in range(axis)]
            return s.extract(
                x, [*before, _place(s, op, index, size, name), *(s.index(dim) for dim in range(end, len(shape)))]
            )

        y = move(rewriter, op, shape, [at(op.indices, *d[axis:end])], tables=[op.x], apply=gather)
        return rewriter.replace(op, [], [y])


class LowerGatherElements(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherElementsOp, rewriter: PatternRewriter) -> None:
        axis, shape = op.axis.value.data, op.y.type.get_shape()

        def gather(s: Scalars, index: Scalar, x: Scalar) -> Scalar:
            places = [s.index(dim) for dim in range(len(shape)) if dim != axis]
            places.insert(axis, _place(s, op, index, shape_of(op.x)[axis], _names(op)[axis]))
            return s.extract(x, places)

        y = move(rewriter, op, shape, [at(op.indices, *dims(len(shape)))], tables=[op.x], apply=gather)
        rewriter.replace(op, [], [y])


class LowerGatherNd(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherNdOp, rewriter: PatternRewriter) -> None:
        batch, shape = op.batch_dims.value.data, op.y.type.get_shape()
        *positions, length = shape_of(op.indices)
        part = slice(batch, batch + length)
        sizes, names = shape_of(op.x)[part], _names(op)[part]
        d = dims(len(shape))

        def gather(s: Scalars, *values: Scalar) -> Scalar:
            *indices, x = values
            places = [_place(s, op, *each) for each in zip(indices, sizes, names, strict=True)]
            inner = [s.index(dim) for dim in range(len(positions), len(shape))]
            return s.extract(x, [*(s.index(dim) for dim in range(batch)), *places, *inner])

        epilogue = [at(op.indices, *d[: len(positions)], part) for part in range(length)]
        y = move(rewriter, op, shape, epilogue, tables=[op.x], apply=gather)
        rewriter.replace(op, [], [y])


PATTERNS: tuple[RewritePattern, ...] = (LowerGather(), LowerGatherElements(), LowerGatherNd())
