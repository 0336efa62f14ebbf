"""Follow the channels of a network through its operations: which tensors have them, what bounds them, which are equal,
and which are kept or removed together.

Every output channel of a layer is a *slot*. An operation that hands channels on gives its result the slots of its
operand; slots that two operands of an addition have for one channel are linked, and so are the inputs and outputs of
one group of a layer: all linked slots are kept, or none. What an operation needs that does not know of channels, or a
result of the network, is pinned.

    %a = graph.conv %x, %u   slots 0 1        %y = graph.add %a, %b    slots 0 1, linked with 2 3
    %b = graph.conv %x, %v   slots 2 3        func.return %y           pins 0 1
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.channels.carried import ABSENT, Carried, carried, shape_of
from s2s.analysis.channels.elementwise import Evaluate
from s2s.analysis.channels.equal import Classes, carried_classes, layer_classes
from s2s.analysis.channels.intervals import Interval
from s2s.analysis.channels.layers import Layer, layer_of
from s2s.analysis.channels.ranges import carried_range, layer_range, range_of
from s2s.dialects import graph
from s2s.types.dtypes import Array, as_tensor_type, is_float
from s2s.types.weights import WeightStore


class Reading(NamedTuple):
    """A layer, and the slots of the channels that it reads and computes."""

    layer: Layer
    inputs: Array | None
    """None where the tensor that it reads has no channels that can be removed."""
    outputs: Array


class ChannelNetwork:
    """The channels of the tensors of one function."""

    def __init__(self, function: FuncOp, store: WeightStore, evaluate: Evaluate, exact: bool) -> None:
        """`exact` leaves layers of floats as they are, whose sums may round differently with fewer terms, and whose
        zeros do not absorb infinities."""
        self.store = store
        self.evaluate = evaluate
        self.exact = exact
        self.axes: dict[SSAValue, int] = {}
        self.slots: dict[SSAValue, Array] = {}
        self.ranges: dict[SSAValue, Interval] = {}
        self.classes: dict[SSAValue, Classes] = {}
        self.readings: list[Reading] = []
        self.carried: dict[Operation, Carried] = {}
        self.order: list[Operation] = []
        """Layers, and operations that hand channels on."""
        self.links: list[tuple[Array, Array]] = []
        self.pinned: list[Array] = []
        self.count = 0
        for op in function.body.block.ops:
            self._add(op)

    def _add(self, op: Operation) -> None:
        layer = layer_of(op, self.store)
        if layer is not None and not (self.exact and is_float(as_tensor_type(layer.op.y.type).element_type)):
            self._add_layer(layer)
            return
        found = carried(op, self.axes, self.store)
        if found is not None:
            self._add_carried(op, found)
            return
        for operand in _read_by(op):
            self._pin(operand)

    def _add_layer(self, layer: Layer) -> None:
        inputs = self.slots.get(layer.x)
        if inputs is not None and self.axes[layer.x] != layer.op.in_axis:
            self._pin(layer.x)
            inputs = None
        outputs = self._fresh(layer.outputs)
        self.order.append(layer.op)
        y = layer.op.y
        self.axes[y], self.slots[y] = layer.op.out_axis, outputs
        known = inputs is not None
        self.ranges[y] = layer_range(layer, range_of(layer.x, self.ranges if known else {}))
        self.classes[y] = layer_classes(layer, self.classes.get(layer.x) if known else None)
        self.readings.append(Reading(layer, inputs, outputs))
        if layer.groups > 1:
            self._link_groups(layer, inputs, outputs)

    def _link_groups(self, layer: Layer, inputs: Array | None, outputs: Array) -> None:
        """Keep a group as a whole; all groups, where the channels that they read stay."""
        if inputs is None:
            self.pinned.append(outputs)
            return
        groups = self._fresh(layer.groups)
        for members in (inputs, outputs):
            self.links.append((members, np.repeat(groups, members.size // layer.groups)))

    def _add_carried(self, op: Operation, found: Carried) -> None:
        y = op.results[0]
        slots = np.full(shape_of(y)[found.axis], ABSENT)
        for number, source in found.sources.items():
            given = np.where(source == ABSENT, ABSENT, self.slots[op.operands[number]][np.maximum(source, 0)])
            both = (slots != ABSENT) & (given != ABSENT)
            if both.any():
                self.links.append((slots[both], given[both]))
            slots = np.where(slots == ABSENT, given, slots)
        new = slots == ABSENT
        slots[new] = self._fresh(int(new.sum()))
        self.order.append(op)
        self.carried[op] = found
        self.axes[y], self.slots[y] = found.axis, slots
        self.ranges[y] = carried_range(op, found, self.ranges, self.store, self.evaluate)
        self.classes[y] = carried_classes(op, found, self.classes, self.store)
        self._pin_foreign(op, found, slots, new)

    def _pin_foreign(self, op: Operation, found: Carried, slots: Array, new: Array) -> None:
        """Pin what an operation reads apart from the channels that it hands on, and the channels of its result that
        come from an operand without any."""
        for number, operand in enumerate(op.operands):
            if number not in found.sources:
                self._pin(operand)
        if isinstance(op, graph.ConcatOp):
            self.pinned.append(slots[new])

    def _pin(self, value: SSAValue) -> None:
        if value in self.slots:
            self.pinned.append(self.slots[value])

    def _fresh(self, count: int) -> Array:
        self.count += count
        return np.arange(self.count - count, self.count)


def _read_by(op: Operation) -> Iterator[SSAValue]:
    """The operands of `op` and of what is inside it."""
    for inner in op.walk():
        yield from inner.operands
