"""Read at constant positions without a look at what stands there: as slices, by rows, and in range.

    %i = graph.constant dense<[1, 3, 5, 7]>
    %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<16x8xf32>, tensor<4xi64>) -> tensor<16x4xf32>
->
    %y = graph.slice %x {starts = [0, 1], sizes = [16, 4], strides = [1, 2]}

    %y = graph.gather_elements %x, %i {axis = 0 : i64}      // %i : 64x32x100, equal along its last axis
->
    %y = graph.gather_nd %x, %at                            // %at : 64x32x2, the row's own index and its neighbour's

    %i = graph.constant dense<[0, 0, 1, -1]> : tensor<4xi64>
    %y = graph.gather %x, %i {axis = 1 : i64}
->
    %at = graph.constant dense<[0, 0, 1, 7]> : tensor<4xui8>
    %y = graph.gather %x, %at {axis = 1 : i64, in_range, nonnegative_indices}

A slice is read with a stride, which kernels vectorise and other passes see through. Indices that are left become the
smallest unsigned type, and kernels neither count negative ones from the end nor clamp them.

Declined for indices that are out of range, and in networks with sizes that vary.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_splat, known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.sizes import sizes_of


class GatherPattern(WeightPattern):
    """A gather at constant positions."""

    def places(self, op: graph.GatherFamilyOp) -> Array | None:
        """Return the constant positions, counted from the front; None where there is nothing to gain, or where one is
        out of range. Coordinates are positions along as many axes."""
        indices = None if op.in_range is not None else known_value(op.indices, self.store)
        if indices is None or indices.size < 2 or is_splat(indices):
            return None
        shape = shape_of(op.x)
        size = np.array([shape[axis] for axis in op.indexed_axes])
        if np.any(indices < (0 if op.is_nonnegative else -size)) or np.any(indices >= size):
            return None
        places = indices.astype(np.int64)
        return np.where(places < 0, places + size, places)

    def constant(self, op: Operation, places: Array) -> graph.ConstantOp | graph.WeightOp:
        """Return positions as constants of the smallest unsigned type."""
        narrow = places.astype(np.min_scalar_type(int(places.max())))
        return new_constant(narrow, name_for(op, "places"), self.store)


class SliceOfProgression(GatherPattern):
    """A gather at positions that are equally far apart."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        places, axis, shape = self.places(op), op.axis.value.data, shape_of(op.x)
        if places is None or places.ndim != 1:
            return
        step = int(places[1] - places[0])
        if not step or np.any(np.diff(places) != step):
            return
        starts, sizes, strides = [0] * len(shape), list(shape), [1] * len(shape)
        starts[axis], sizes[axis], strides[axis] = int(places[0]), len(places), step
        rewriter.replace(op, [graph.SliceOp(op.x, starts=starts, sizes=sizes, strides=strides)])


class GatherOfRows(GatherPattern):
    """A gather of elements whose indices do not change along the last axes: these are read as a whole."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherElementsOp, rewriter: PatternRewriter) -> None:
        places, axis, shape = self.places(op), op.axis.value.data, shape_of(op.x)
        if places is None or places.shape[:axis] != shape[:axis]:
            return
        end = places.ndim
        while end > axis + 1 and places.shape[end - 1] == shape[end - 1] and _is_equal_along(places, end - 1):
            end -= 1
        if end == places.ndim:
            return
        rows = places[(..., *[0] * (places.ndim - end))]
        coordinates = np.stack([rows, *np.indices(rows.shape)[axis + 1 :]], -1)
        at = self.constant(op, coordinates)
        made = graph.GatherNdOp(op.x, at.y, batch_dims=axis, nonnegative_indices=True, in_range=True)
        rewriter.replace(op, [at, made])


class NarrowPlaces(GatherPattern):
    """A gather at any other constant positions."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp | graph.GatherElementsOp, rewriter: PatternRewriter) -> None:
        places = self.places(op)
        if places is None:
            return
        at = self.constant(op, places)
        made = type(op)(op.x, at.y, axis=op.axis.value.data, nonnegative_indices=True, in_range=True)
        rewriter.replace(op, [at, made])


class NarrowCoordinates(GatherPattern):
    """A gather at constant coordinates."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherNdOp, rewriter: PatternRewriter) -> None:
        places = self.places(op)
        if places is None:
            return
        at, batch = self.constant(op, places), op.batch_dims.value.data
        made = graph.GatherNdOp(op.x, at.y, batch_dims=batch, nonnegative_indices=True, in_range=True)
        rewriter.replace(op, [at, made])


def _is_equal_along(places: Array, axis: int) -> bool:
    """Return whether positions do not change along an axis."""
    return bool(np.all(places == places.take([0], axis)))


@frozen
class CanonicalizeGathersPass(ModulePass):
    name = "graph-canonicalize-gathers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not sizes_of(op.attributes):
            store = weights_of(ctx)
            patterns = SliceOfProgression, GatherOfRows, NarrowPlaces, NarrowCoordinates
            rewrite(op, *(pattern(store) for pattern in patterns))
