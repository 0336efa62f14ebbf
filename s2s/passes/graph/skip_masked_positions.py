"""Let attentions skip the keys behind the last position: a cache holds more than a run has written.

    %later = graph.greater %places, %position          // [0, 1, …, 511] > [17]
    %s = graph.matmul %q, %keys {transpose_b} : …          // [heads, queries, 512]
    %m = graph.minimum %s, (graph.select %later, -1e30, inf)
    %p = graph.softmax %m {axis = 2} : …
    %o = graph.matmul %p, %values : …
->
    module attributes {sizes = {positions = array<i64: 1, 512>}, counted_sizes = {positions = ["position", 1 : i64]}}
    %s = graph.matmul %q, %keys {transpose_b, limits = ["", "", "positions"]} : …

What the mask keeps out has the weight 0, so that scores, softmax and weighted sum need only the positions up to that of
the last query. Their number is a size of the run, computed from the input `position`: the sizes of all operations from
the first product to the second one follow, as those of dimensions that vary (`graph-propagate-sizes`). A mask that only
such attentions read is limited too.

Declined where the position is computed otherwise than as an input plus constants from 0 on, where a masked score is
above -1e30, and for networks with dimensions of varying size.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import NAME, STATE, main_of, text
from s2s.analysis.numbers.known_values import known_value, splat_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.canonicalize_attention import LOWEST
from s2s.passes.graph.fuse_attention import Attention, attention_of
from s2s.support.frozen import frozen
from s2s.types.sizes import (
    COUNTED,
    LIMITS,
    SIZES,
    CountedSize,
    SizeRange,
    counted_attribute,
    extents_attribute,
    sizes_attribute,
    sizes_of,
)
from s2s.types.weights import WeightStore

SIZE = "positions"
"""The name of the size, or its beginning where there are several."""


class Mask(NamedTuple):
    """The operations that keep later positions out of an attention."""

    select: graph.SelectOp
    compare: graph.CompareOp
    positions: SSAValue
    """The positions of the queries."""


class SkipMaskedPositions:
    """Limits the attentions of `main`."""

    def __init__(self, module: ModuleOp, weights: WeightStore) -> None:
        self.module, self.weights, self.main = module, weights, main_of(module)
        self.sizes: dict[str, SizeRange] = {}
        self.counted: dict[str, CountedSize] = {}

    def run(self) -> None:
        """Mark the products of all attentions, and state the sizes."""
        masks: dict[Mask, list[Attention]] = {}
        for op in list(self.main.body.block.ops):
            attention = attention_of(op, queries=1) if isinstance(op, graph.MatmulOp) else None
            mask = None if attention is None else self._mask(attention)
            if attention is not None and mask is not None:
                masks.setdefault(mask, []).append(attention)
        for mask, attentions in masks.items():
            name = self._size(mask, shape_of(mask.compare.y)[-1])
            if name is not None:
                self._limit(mask, attentions, name)
        if self.sizes:
            self.module.attributes[SIZES] = sizes_attribute(self.sizes)
            self.module.attributes[COUNTED] = counted_attribute(self.counted)

    def _limit(self, mask: Mask, attentions: Sequence[Attention], name: str) -> None:
        members = {op for attention in attentions for op in attention.ops}
        for attention in attentions:
            _mark(attention.scores, name)
        if all(use.operation in members for use in mask.select.y.uses) and mask.select not in members:
            _mark(mask.select, name)
            members.add(mask.select)
        if all(use.operation in members for use in mask.compare.y.uses):
            _mark(mask.compare, name)

    def _mask(self, attention: Attention) -> Mask | None:
        """Return the mask of `attention` that keeps later positions out; None if it has none."""
        chain: set[SSAValue] = {result for op in attention.ops for result in op.results}
        for op in attention.between:
            select = self._select(op, chain)
            found = None if select is None else self._later(*select)
            if found is not None and shape_of(found.compare.y)[-1] == shape_of(attention.scores.y)[-1]:
                return found
        return None

    def _select(self, op: Operation, chain: set[SSAValue]) -> tuple[graph.SelectOp, bool] | None:
        """Return the selection of a mask that `op` puts on the scores in `chain`, and whether its condition is true for
        what is kept out; None if it is no such operation."""
        match op:
            case graph.SelectOp():
                select, kept = op, op.b if op.b in chain else op.a
            case graph.MinimumOp() | graph.AddOp():
                (other,) = [each for each in (op.a, op.b) if each not in chain] or [None]
                if other is None or not isinstance(other.owner, graph.SelectOp):
                    return None
                select, neutral = other.owner, np.inf if isinstance(op, graph.MinimumOp) else 0.0
                values = [splat_value(each, self.weights) for each in (select.a, select.b)]
                if neutral not in values:
                    return None
                kept = select.a if values[0] == neutral else select.b
            case _:
                return None
        low = splat_value(select.a if kept is select.b else select.b, self.weights)
        return (select, kept is select.b) if low is not None and low <= LOWEST else None

    def _later(self, select: graph.SelectOp, is_out: bool) -> Mask | None:
        """Return the mask of `select`, whose condition is true for masked places if `is_out`; None unless these are the
        places behind the queries' own."""
        compare = select.cond.owner
        match compare:
            case graph.GreaterOp(a=places, b=positions) | graph.LessOp(b=places, a=positions) if is_out:
                pass
            case graph.LessEqualOp(a=places, b=positions) | graph.GreaterEqualOp(b=places, a=positions) if not is_out:
                pass
            case _:
                return None
        known = known_value(places, self.weights)
        if known is None or known.size != known.shape[-1] or shape_of(positions)[-1:] != (1,):
            return None
        is_counted = np.array_equal(known.reshape(-1), np.arange(known.size))
        return Mask(select, compare, positions) if is_counted else None

    def _size(self, mask: Mask, length: int) -> str | None:
        """Return the name of the size that counts the positions of `mask`; None if no input tells it."""
        value, last = mask.positions, 0
        while not isinstance(value, BlockArgument):
            match value.owner:
                case graph.ReshapeOp(x=value):
                    pass
                case graph.AddOp(a=a, b=b):
                    value, offsets = (
                        (a, known_value(b, self.weights))
                        if known_value(a, self.weights) is None
                        else (
                            b,
                            known_value(a, self.weights),
                        )
                    )
                    if offsets is None or offsets.min() < 0:
                        return None
                    last += int(offsets.max())
                case _:
                    return None
        port = self._input(value)
        if port is None or not 0 < last + 1 < length:
            return None
        counted, bounds = CountedSize(port, last + 1), SizeRange(last + 1, length)
        for name in self.sizes:
            if (self.counted[name], self.sizes[name]) == (counted, bounds):
                return name
        name = SIZE if not self.sizes else f"{SIZE}{len(self.sizes) + 1}"
        self.sizes[name], self.counted[name] = bounds, counted
        return name

    def _input(self, value: BlockArgument) -> str | None:
        """Return the name of the input of one integer that `value` is; None if it is none."""
        type, attributes = type_of(value), self.main.arg_attrs
        if value.owner is not self.main.body.block or type.element_type not in (i32, i64) or type.element_count() != 1:
            return None
        if attributes is None or STATE in attributes.data[value.index].data:
            return None
        return text(attributes.data[value.index], NAME)


def _mark(op: GraphOp, name: str) -> None:
    """Say that nobody reads the result of `op` behind size `name` of its last axis."""
    op.attributes[LIMITS] = extents_attribute([*[""] * (len(shape_of(op.y)) - 1), name])


@frozen
class SkipMaskedPositionsPass(ModulePass):
    name = "graph-skip-masked-positions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not sizes_of(op.attributes):
            SkipMaskedPositions(op, weights_of(ctx)).run()
