"""Parallel branches: equal layers of one input, computed as one layer of which each branch takes a slice.

What three passes share: `graph-combine-parallel-convs`, `graph-combine-parallel-dense` and
`graph-combine-parallel-batch-matmuls`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.numbers.known_values import known_value, known_values, per_channel
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import GraphOp, integer, type_of
from s2s.dialects.graph.elementwise import UnaryElementwiseOp
from s2s.passes.graph.constants import name_for, new_constant
from s2s.types.dtypes import AnyTensor, Array, is_float, size_in_bytes, tensor_type
from s2s.types.weights import WeightStore

MIN_BRANCHES = 3
"""The least number of branches to combine, as in TVM."""

_NARROW = 2
"""The bytes of the widest elements that branches may hand on."""
_FOLLOWERS = (UnaryElementwiseOp, graph.CastOp, graph.RescaleOp, graph.AddOp, graph.MulOp)

Layer = TypeVar("Layer", bound=GraphOp)


def parallel_layers(
    module: ModuleOp, kind: type[Layer], key: Callable[[Layer], Hashable | None], least: int
) -> list[list[Layer]]:
    """Layers of one block with equal keys, at least `least` of each; a layer whose key is None cannot be combined."""
    found: dict[tuple[Block | None, Hashable], list[Layer]] = {}
    for op in module.walk():
        if isinstance(op, kind) and (its := key(op)) is not None:
            found.setdefault((op.parent_block(), its), []).append(op)
    return [layers for layers in found.values() if len(layers) >= least]


def joined_type(layers: Sequence[GraphOp], axis: int) -> AnyTensor:
    """The type of the results of `layers`, one after the other along `axis`."""
    shape = list(type_of(layers[0]).get_shape())
    shape[axis] = sum(type_of(op).get_shape()[axis] for op in layers)
    return tensor_type(type_of(layers[0]).element_type, tuple(shape))


def narrowing(op: GraphOp) -> Hashable | None:
    """What integer layers whose sums are combined have in common: how each sum becomes an element of at most 16 bits.

    Where that differs (output zero points, say), or is unknown, it is None: slices of wide sums would take more memory
    than the combined layer saves. Layers of floats have nothing to narrow.
    """
    if is_float(type_of(op).element_type):
        return ()
    steps: list[Hashable] = []
    while size_in_bytes(type_of(op).element_type) > _NARROW:
        reader = _reader(op)
        if reader is None:
            return None
        steps.append((type(reader), _common_properties(reader), type_of(reader).element_type))
        op = reader
    return tuple(steps)


class Combination:
    """Replaces `layers` by one layer in front of `before`; results are joined along `axis`."""

    def __init__(self, layers: Sequence[GraphOp], before: Operation, axis: int, store: WeightStore) -> None:
        self._levels: list[list[GraphOp]] = [list(layers)]
        self._axis, self._store, self._place = axis, store, InsertPoint.before(before)

    def constant(self, array: Array, suffix: str) -> graph.ConstantOp | graph.WeightOp:
        """A constant for the joined layer."""
        made = new_constant(array, name_for(self._levels[-1][0], suffix), self._store)
        Rewriter.insert_op(made, self._place)
        return made

    def replace(self, joined: GraphOp) -> None:
        """Insert the joined layer, and what follows all layers alike; slices of the result replace theirs."""
        self._insert(joined, self._levels[-1])
        while (followers := _followers(self._levels[-1])) is not None:
            after = self._follower(joined, followers)
            if after is None:
                break
            self._levels.append(followers)
            self._insert(after, followers)
            joined = after
        self._slice(joined)
        for op in (op for level in reversed(self._levels) for op in level):
            Rewriter.erase_op(op)

    def _insert(self, made: GraphOp, old: Sequence[GraphOp]) -> None:
        copy_provenance(made, *old)
        Rewriter.insert_op(made, self._place)

    def _follower(self, joined: GraphOp, followers: Sequence[GraphOp]) -> GraphOp | None:
        """The operation on the joined value that stands for `followers`; None if there is none."""
        first = followers[0]
        result = tensor_type(type_of(first).element_type, type_of(joined).get_shape())
        if isinstance(first, UnaryElementwiseOp | graph.CastOp):
            kind = type(first)
            return kind.create(operands=[joined.y], result_types=[result], properties=dict(first.properties))
        if isinstance(first, graph.RescaleOp):
            return self._rescale(joined, followers, result)
        if not isinstance(first, graph.AddOp | graph.MulOp):
            return None
        found = [self._constant_of(op, each) for op, each in zip(self._levels[-1], followers, strict=True)]
        constants = [each for each in found if each is not None]
        if len(constants) < len(found):
            return None
        trailing = [1] * (type_of(joined).get_num_dims() - 1 - self._axis)
        return type(first)(joined.y, self.constant(np.concatenate(constants).reshape(-1, *trailing), "joined").y)

    def _rescale(self, joined: GraphOp, followers: Sequence[GraphOp], result: AnyTensor) -> GraphOp | None:
        """The rescaling of all channels, each by the factor of its branch; None if a factor is not known."""
        parts = [type_of(op).get_shape()[self._axis] for op in self._levels[-1]]
        operands: list[SSAValue] = [joined.y]
        for number, what in ((1, "multiplier"), (2, "shift")):
            found = known_values([op.operands[number] for op in followers], self._store)
            if found is None:
                return None
            spread = [np.broadcast_to(np.ravel(value), (part,)) for value, part in zip(found, parts, strict=True)]
            operands.append(self.constant(np.concatenate(spread), f"joined_{what}").y)
        properties = {**followers[0].properties, "axis": integer(self._axis)}
        return graph.RescaleOp.create(operands=operands, result_types=[result], properties=properties)

    def _constant_of(self, op: GraphOp, follower: GraphOp) -> Array | None:
        """What `follower` combines the result of `op` with, as one value per channel."""
        others = [operand for operand in follower.operands if operand is not op.y]
        value = known_value(others[0], self._store) if len(others) == 1 else None
        shape = type_of(op).get_shape()
        return None if value is None else per_channel(value, len(shape), self._axis, shape[self._axis])

    def _slice(self, joined: GraphOp) -> None:
        """Let slices of the joined result, one after the other, replace the slices of the last level."""
        start = 0
        for op in self._levels[-1]:
            sizes = list(type_of(op).get_shape())
            starts = [0] * len(sizes)
            starts[self._axis] = start
            start += sizes[self._axis]
            part = graph.SliceOp(joined.y, starts=starts, sizes=sizes, strides=[1] * len(sizes))
            copy_provenance(part, op)
            part.y.name_hint = op.y.name_hint
            Rewriter.insert_op(part, self._place)
            op.y.replace_all_uses_with(part.y)


def _followers(ops: Sequence[GraphOp]) -> list[GraphOp] | None:
    """The only readers of the results of `ops`, if they are operations of one kind that differ in operands only."""
    found = [_reader(op) for op in ops]
    readers = [each for each in found if each is not None]
    if len(readers) < len(found):
        return None
    kinds = {(type(each), _common_properties(each), type_of(each).element_type) for each in readers}
    return readers if len(kinds) == 1 and len(set(readers)) == len(readers) else None


def _reader(op: GraphOp) -> GraphOp | None:
    """The only reader of the result of `op`, if it treats each element by itself and keeps the shape."""
    reader = next(iter(op.y.uses)).operation if op.y.has_one_use() else None
    if not isinstance(reader, _FOLLOWERS) or type_of(reader).get_shape() != type_of(op).get_shape():
        return None
    return reader if isinstance(reader, graph.AddOp | graph.MulOp) or reader.operands[0] is op.y else None


def _common_properties(op: GraphOp) -> frozenset[tuple[str, object]]:
    """The properties that combined operations share; a rescaling may have one factor or one for each channel."""
    return frozenset((name, value) for name, value in op.properties.items() if name != "axis")
