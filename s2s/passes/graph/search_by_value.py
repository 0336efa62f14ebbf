"""Replace a search for the position of an extreme by its value, and the first position that holds it.

    %y = graph.argmax %x {axis = 1} : (tensor<4x100xf32>) -> tensor<4xi64>
->
    %m = graph.reduce_max %x {axes = [1], keepdims} : (tensor<4x100xf32>) -> tensor<4x1xf32>
    %p = graph.select(%x == %m, [0, 1, …, 99], graph.select(%x is NaN, [0, 1, …, 99], inf))
    %y = graph.cast(graph.reduce_min %p {axes = [1]})

Both reductions are vectorized, along whichever dimension is contiguous; a search that carries value and position from
element to element is not. Where NaN is the extreme, nothing equals it, and its first position is found by itself.

Declined for targets without vectors, for other types than float32, where floats cannot count the positions, and for so
few elements that three kernels cost more than one.
"""

from math import inf, prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.reduce import ArgReduceOp
from s2s.passes.context import target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore

MAX_POSITIONS = 2**24
"""Positions that float32 tells apart."""
MIN_VECTORS = 32
"""Fewer vectors than this are searched faster element by element."""


class SearchByValue(WeightPattern):
    """A search among enough floats."""

    def __init__(self, store: WeightStore, lanes: int) -> None:
        super().__init__(store)
        self._least = MIN_VECTORS * lanes

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ArgReduceOp, rewriter: PatternRewriter) -> None:
        shape, axis = shape_of(op.x), op.axis.value.data
        if not isinstance(type_of(op.x).element_type, Float32Type) or prod(shape) < self._least:
            return
        if not 1 < shape[axis] <= MAX_POSITIONS:
            return
        keepdims, last = op.keepdims is not None, op.select_last is not None
        reduce = graph.ReduceMaxOp if isinstance(op, graph.ArgmaxOp) else graph.ReduceMinOp
        beside = [size if dim == axis else 1 for dim, size in enumerate(shape)]
        positions = new_constant(
            np.arange(shape[axis], dtype=np.float32).reshape(beside), name_for(op, "positions"), self.store
        )
        none = graph.ConstantOp(np.array(-inf if last else inf, np.float32))
        extreme = reduce(op.x, axes=[axis], keepdims=True)
        equal, unknown = graph.EqualOp(op.x, extreme.y), graph.IsNanOp(op.x)
        otherwise = graph.SelectOp(unknown.y, positions.y, none.y)
        found = graph.SelectOp(equal.y, positions.y, otherwise.y)
        place = (graph.ReduceMaxOp if last else graph.ReduceMinOp)(found.y, axes=[axis], keepdims=keepdims)
        result = graph.CastOp(place.y, element_type=op.y.type.element_type)
        made = [extreme, equal, unknown, otherwise, found, place, result]
        for each in made:
            copy_provenance(each, op)
        rewriter.replace(op, [positions, none, *made], [result.y])


@frozen
class SearchByValuePass(ModulePass):
    name = "graph-search-by-value"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = target_of(ctx, self.target).lanes
        if lanes > 1:
            rewrite(op, SearchByValue(weights_of(ctx), lanes))
