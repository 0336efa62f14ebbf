"""Lay the channels of images last, in networks that have them first, with transposes at the borders.

    %a = graph.conv %x, %w {…} : (tensor<1x3x8x8xi8>, …) -> tensor<1x16x8x8xi32>
    %y = graph.reshape %a : (tensor<1x16x8x8xi32>) -> tensor<1x1024xi32>
->
    %t = graph.transpose %x {perm = [0, 2, 3, 1]} : (tensor<1x3x8x8xi8>) -> tensor<1x8x8x3xi8>
    %b = graph.conv %t, %w {layout = "NHWC", …} : (tensor<1x8x8x3xi8>, …) -> tensor<1x8x8x16xi32>
    %a = graph.transpose %b {perm = [0, 3, 1, 2]} : (tensor<1x8x8x16xi32>) -> tensor<1x16x8x8xi32>
    %y = graph.reshape %a : …

Rows of an image then lie one after the other, as line buffers and rows that are pushed want them. Inputs and outputs
keep their layout. Transposes that move nothing, as of a single channel, become reshapes; constants are stored
transposed. Which regions of a network are laid so is a decision (`s2s/decisions/channel_order.py`).

Declined for operators that fix the order of axes; they stand at the borders of a region.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.axis_order import Order, channels_last, data_of, reordered
from s2s.analysis.network.channel_regions import Region, regions
from s2s.analysis.numbers.known_values import known_value
from s2s.decisions.channel_order import LAST, ChannelOrderKind, ImageRegion
from s2s.decisions.chooser import Chooser
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.canonicalize_reshapes import ReshapeOfReshape, TransposeOfTranspose, TransposeOfUnitDimensions
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import tensor_type
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore


@frozen
class LayChannelsLastPass(ModulePass):
    """Lay the channels of regions of `main` last."""

    name = "graph-lay-channels-last"

    target: str = "c"
    by_rows: bool = False
    """Whether the user asks for something that runs images row by row."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = function_named(op, "main")
        if main is None:
            return
        candidates = list(regions(main))
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            subjects = [ImageRegion(op, region.ops, region.moved, region.work, self.by_rows) for region in candidates]
            chosen = [chooser.choose(ChannelOrderKind(), subject) for subject in subjects]
        wanted = [region for region, order in zip(candidates, chosen, strict=True) if order == LAST]
        for region in wanted:
            _Layout(region, weights_of(ctx)).run()
        if wanted:
            rewrite(op, TransposeOfTranspose(), TransposeOfUnitDimensions(), ReshapeOfReshape())


class _Layout:
    """Rewrites the operators of one region."""

    def __init__(self, region: Region, weights: WeightStore) -> None:
        self.region, self.weights = region, weights
        rank = type_of(region.ops[0].results[0]).get_num_dims()
        self.order: Order = channels_last(rank)
        self.back: Order = [self.order.index(axis) for axis in range(rank)]
        self.laid: dict[SSAValue, SSAValue] = {}
        """Tensors that the region reads or computes, with their channels last."""

    def run(self) -> None:
        """Rewrite the region."""
        for op in self.region.ops:
            self._operator(op)
        members = set(self.region.ops)
        for value in self.region.given:
            uses = [use for use in value.uses if use.operation not in members]
            returned = graph.TransposeOp(self.laid[value], perm=self.back)
            returned.y.name_hint = value.name_hint
            assert isinstance(value.owner, Operation)
            copy_provenance(returned, value.owner)
            Rewriter.insert_op(returned, InsertPoint.after(_owner(self.laid[value])))
            for use in uses:
                use.operation.operands[use.index] = returned.y
        for op in reversed(self.region.ops):
            Rewriter.erase_op(op)

    def _operator(self, op: Operation) -> None:
        changed = reordered(op, self.order)
        assert changed is not None
        data = len(data_of(op))
        operands = [self._operand(op, operand) if n < data else operand for n, operand in enumerate(op.operands)]
        turned = type(op).create(
            operands=operands,
            result_types=[self._type(op.results[0])],
            properties={**op.properties, **_stated(changed)},
            attributes=op.attributes,
        )
        turned.results[0].name_hint = op.results[0].name_hint
        Rewriter.insert_op(turned, InsertPoint.before(op))
        self.laid[op.results[0]] = turned.results[0]

    def _type(self, value: SSAValue) -> Attribute:
        type = type_of(value)
        shape = type.get_shape()
        return tensor_type(type.element_type, tuple(shape[axis] for axis in self.order))

    def _operand(self, op: Operation, value: SSAValue) -> SSAValue:
        """Return `value` with its channels last, as `op` reads it."""
        if value in self.laid:
            return self.laid[value]
        if type_of(value).get_num_dims() == 0:
            return value
        operations = self._constant(op, value) or self._transposed(op, value)
        Rewriter.insert_op(operations, InsertPoint.before(op))
        self.laid[value] = operations[-1].results[0]
        return self.laid[value]

    def _constant(self, op: Operation, value: SSAValue) -> list[Operation] | None:
        array = known_value(value, self.weights)
        if array is None:
            return None
        turned = np.transpose(array.reshape(self._raised(array.shape)), self.order)
        return [new_constant(turned, name_for(op, "channels_last"), self.weights)]

    def _transposed(self, op: Operation, value: SSAValue) -> list[Operation]:
        shape = type_of(value).get_shape()
        raised = [graph.ReshapeOp(value, self._raised(shape))] if len(shape) < len(self.order) else []
        turned = graph.TransposeOp(raised[0].y if raised else value, perm=self.order)
        turned.y.name_hint = value.name_hint
        for inserted in (*raised, turned):
            copy_provenance(inserted, op)
        return [*raised, turned]

    def _raised(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return a shape with as many axes as images have."""
        return (*[1] * (len(self.order) - len(shape)), *shape)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _stated(properties: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: attribute for name, attribute in properties.items() if attribute is not None}
