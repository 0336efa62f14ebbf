"""Split layers whose weights are large into blocks of output channels, so that weights can be copied block by block.

    %a = graph.conv %x, %w … : … -> tensor<1x8x4x4xi32>
    %y = graph.rescale %a, %m, %s {axis = 1} … : … -> tensor<1x8x4x4xi8>
->                                                              for two blocks
    %a1 = graph.conv %x, %w1 … : … -> tensor<1x4x4x4xi32>
    %y1 = graph.rescale %a1, %m1, %s1 {axis = 1} … : … -> tensor<1x4x4x4xi8>
    %a2, %y2 likewise
    %y = graph.concat %y1, %y2 {axis = 1}

How many blocks is a decision (`s2s/decisions/weight_blocks.py`). Elementwise operators behind the layer are split with
it as far as their other operands are constants. Declined for layers with groups, for products with stacks of matrices,
and where weights are not constant.
"""

from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of
from s2s.analysis.numbers.known_values import is_known, known_value
from s2s.decisions.chooser import Chooser
from s2s.decisions.weight_blocks import StreamedLayer, WeightBlocksKind
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.dialects.graph.base import type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes
from s2s.types.shapes.window import channel_axis
from s2s.types.weights import WeightStore


@frozen
class SplitStreamedLayersPass(ModulePass):
    """Split the layers of `main`."""

    name = "graph-split-streamed-layers"

    room: int = 0
    """Bytes of the memory that weights are copied to."""
    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for layer in list(main_of(op).body.block.ops):
                axis = _channels(layer)
                if axis is None:
                    continue
                channels = type_of(layer.results[0]).get_shape()[axis]
                subject = StreamedLayer(op, (layer,), channels, _bytes(layer.operands[1]), self.room)
                count = chooser.choose(WeightBlocksKind(), subject)
                if count > 1:
                    _Split(layer, axis, count, weights_of(ctx)).run()


def _channels(op: Operation) -> int | None:
    """Return the axis of the output channels of a layer that can be split."""
    match op:
        case graph.ConvOp() if op.groups.value.data == 1 and is_known(op.w) and (op.b is None or is_known(op.b)):
            return channel_axis(op.data_layout, type_of(op.y).get_num_dims())
        case graph.MatmulOp() if is_known(op.b) and type_of(op.b).get_num_dims() == len(("k", "n")):
            return type_of(op.y).get_num_dims() - 1
        case _:
            return None


class _Split:
    """Splits a layer and the elementwise operators behind it."""

    def __init__(self, layer: Operation, axis: int, count: int, weights: WeightStore) -> None:
        self.layer, self.axis, self.count, self.weights = layer, axis, count, weights
        self.channels = type_of(layer.results[0]).get_shape()[axis]
        self.chain = self._chain()

    def _chain(self) -> list[Operation]:
        """Return the layer and the operators that are split with it, up to the narrowest result, which is joined."""
        found = [self.layer]
        while (op := _only_reader(found[-1])) is not None and self._is_split_with(op, found[-1].results[0]):
            found.append(op)
        sizes = [_bytes(op.results[0]) for op in found]
        narrowest = max(place for place, size in enumerate(sizes) if size == min(sizes))
        return found[: narrowest + 1]

    def _is_split_with(self, op: Operation, value: SSAValue) -> bool:
        if fusion_kind(op) > FusionKind.BROADCAST or len(op.results) != 1:
            return False
        same = type_of(op.results[0]).get_shape() == type_of(value).get_shape()
        return same and all(operand is value or is_known(operand) for operand in op.operands)

    def run(self) -> None:
        last = self.chain[-1]
        parts = [self._part(number) for number in range(self.count)]
        joined = graph.ConcatOp(parts, axis=self.axis)
        joined.y.name_hint = last.results[0].name_hint
        copy_provenance(joined, *self.chain)
        Rewriter.insert_op(joined, InsertPoint.before(last))
        given = [operand.owner for op in self.chain for operand in op.operands if is_known(operand)]
        Rewriter.replace_op(last, [], [joined.y])
        for op in reversed(self.chain[:-1]):
            Rewriter.erase_op(op)
        for constant in dict.fromkeys(given):
            if isinstance(constant, Operation) and not any(result.uses for result in constant.results):
                Rewriter.erase_op(constant)

    def _part(self, number: int) -> SSAValue:
        """Insert the operators of one block, and return its result."""
        made: dict[SSAValue, SSAValue] = {}
        for op in self.chain:
            part = type(op).create(
                operands=[
                    made[operand] if operand in made else self._operand(op, place, operand, number)
                    for place, operand in enumerate(op.operands)
                ],
                result_types=[self._type(op.results[0])],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
            part.results[0].name_hint = op.results[0].name_hint
            Rewriter.insert_op(part, InsertPoint.before(self.chain[-1]))
            made[op.results[0]] = part.results[0]
        return made[self.chain[-1].results[0]]

    def _type(self, value: SSAValue) -> TensorType:
        type = type_of(value)
        shape = list(type.get_shape())
        shape[self.axis] //= self.count
        return TensorType(type.element_type, shape)

    def _operand(self, op: Operation, place: int, operand: SSAValue, number: int) -> SSAValue:
        """Return the part of an operand that a block reads: all of it, or a slice of its channels."""
        axis = self._sliced(op, place)
        array = known_value(operand, self.weights)
        if axis is None or array is None:
            return operand
        size = self.channels // self.count
        piece = np.take(array, range(number * size, (number + 1) * size), axis)
        owner = operand.owner
        assert isinstance(owner, Operation)
        name = owner.weight_name.data if isinstance(owner, graph.WeightOp) else name_for(op, "constant")
        made = new_constant(piece, f"{name}_block{number + 1}", self.weights)
        copy_provenance(made, owner)
        Rewriter.insert_op(made, InsertPoint.before(self.chain[-1]))
        return made.y

    def _sliced(self, op: Operation, place: int) -> int | None:
        """Return the axis of the channels in a constant operand; None if it has one element for all of them."""
        match op:
            case graph.ConvOp():
                return None if place == 0 else 0
            case graph.MatmulOp():
                return None if place == 0 else (0 if op.transpose_b else 1)
            case graph.BatchNormOp():
                return 0 if place and self.axis == 1 else None
            case graph.RescaleOp():
                return 0 if op.axis is not None and op.axis.value.data == self.axis else None
            case _:
                return self._broadcast(op.operands[place])

    def _broadcast(self, operand: SSAValue) -> int | None:
        """Return the axis that numpy's broadcasting aligns with the channels."""
        shape = type_of(operand).get_shape()
        axis = self.axis - (type_of(self.layer.results[0]).get_num_dims() - len(shape))
        return axis if axis >= 0 and shape[axis] == self.channels else None


def _bytes(value: SSAValue) -> int:
    type = type_of(value)
    return prod(type.get_shape()) * size_in_bytes(type.element_type)


def _only_reader(op: Operation) -> Operation | None:
    """Return the operator that alone reads the result of `op`."""
    uses = list(op.results[0].uses)
    readers = {use.operation for use in uses}
    return next(iter(readers)) if len(readers) == 1 and len(uses) == 1 else None
