"""Remove channels that are constants, that are equal to others, or that nothing reads.

    %w = graph.constant dense<[[[1]], [[0]], [[2]]]> : tensor<3x1x1xf32>
    %b = graph.constant dense<[0.0, 5.0, 0.0]> : tensor<3xf32>
    %y = graph.conv %x, %w, %b : … -> tensor<1x3x8xf32>
    %z = graph.conv %y, %v, %c : (…, tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
->
    %y = graph.conv %x, %w_kept, %b_kept : … -> tensor<1x2x8xf32>
    %z = graph.conv %y, %v_kept, %c_kept : (…, tensor<1x2x1xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>

Channel 1 of `%y` is 5 whatever `%x` is, so what it adds to each sum of `%z` goes into `%c_kept`. Networks that were
pruned by structure, and many that were trained with activations that clip, have such channels. Results of integers do
not change by a bit. Sums of floats round differently, and zeros no longer make NaNs of infinities, so layers of floats
keep their channels with `--exact`.

How many channels a layer keeps is a decision (`s2s/decisions/channels.py`). Declined for channels that an operation
needs that does not treat channels apart (a softmax over them, for one), for a constant in front of a padded layer
unless it is the zero point, and for single channels of a group of a layer.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import region_dce

from s2s.analysis.channels.layers import Layer
from s2s.analysis.channels.needed import Needed
from s2s.analysis.channels.network import ChannelNetwork
from s2s.analysis.channels.removed import layer_figures, note_removed
from s2s.decisions.channels import KEPT, ChannelsKind, LayerChannels
from s2s.decisions.chooser import Chooser
from s2s.dialects import graph
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.interpret.graph.evaluate import meaning_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.narrow_channels import Channels, add_after, narrow_layer, replace_carrier, replace_layer
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type, is_float
from s2s.types.weights import WeightStore


@frozen
class RemoveChannelsPass(ModulePass):
    """Remove channels that readers can do without."""

    name = "graph-remove-channels"

    target: str = "c"
    exact: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store, target = weights_of(ctx), target_of(ctx, self.target)
        functions = [each for each in op.body.block.ops if isinstance(each, FuncOp) and not each.is_declaration]
        found = [Needed(ChannelNetwork(function, store, _evaluate, self.exact)) for function in functions]
        if all(needed.kept.all() for needed in found):
            return
        with Chooser(given_of(ctx), target) as chooser:
            for needed in found:
                _choose(needed, op, chooser)
        before = layer_figures(op, store)
        for needed in found:
            _Narrowing(needed, store).apply()
        region_dce(op.body)
        note_removed(op, before, layer_figures(op, store))


def _evaluate(op: Operation, operands: Sequence[Array]) -> Array | None:
    meaning = meaning_of(type(op))
    if meaning is None:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(meaning(op, *operands))


def _choose(needed: Needed, home: ModuleOp, chooser: Chooser) -> None:
    """Decide for each layer how many channels it keeps, and keep these."""
    for layer, _, outputs in needed.network.readings:
        kept = needed.kept[outputs]
        if kept.all() or layer.groups > 1:
            continue
        op = layer.op
        chooser.choose(
            ChannelsKind(),
            LayerChannels(
                home,
                (op,),
                needed=int(kept.sum()),
                channels=layer.outputs,
                work=multiply_adds(op) // layer.outputs,
                weights=layer.stored.nbytes // layer.outputs,
                integers=not is_float(as_tensor_type(op.y.type).element_type),
            ),
        )
        count = op.attributes.pop(KEPT)
        assert isinstance(count, IntegerAttr)
        needed.keep(outputs[~kept][: count.value.data - int(kept.sum())])


class _Narrowing:
    """Removes the channels of a function that are not needed."""

    def __init__(self, needed: Needed, store: WeightStore) -> None:
        self.needed = needed
        self.store = store
        self.layers: dict[Operation, Layer] = {reading.layer.op: reading.layer for reading in needed.network.readings}
        self.addends: dict[Operation, Array] = {}
        """What additions of constants take up from the products in front of them."""

    def apply(self) -> None:
        """Rewrite every operation that reads or computes fewer channels than before."""
        network = self.needed.network
        kept = {op: self._channels(op) for op in network.order}
        narrower = {op for op in network.order if self._is_narrower(op, kept[op])}
        for op in network.order:
            if op in self.layers and op in narrower:
                self._narrow(self.layers[op], kept[op])
            elif op in narrower or op in self.addends:
                replace_carrier(op, network.carried[op], kept[op], self.store, self.addends.get(op))

    def _channels(self, op: Operation) -> Channels:
        slots, kept = self.needed.network.slots, self.needed.kept
        operands = {n: np.flatnonzero(kept[slots[x]]) for n, x in enumerate(op.operands) if x in slots}
        return Channels(operands, np.flatnonzero(kept[slots[op.results[0]]]))

    def _is_narrower(self, op: Operation, channels: Channels) -> bool:
        slots = self.needed.network.slots
        counts = {op.results[0]: channels.result, **{op.operands[n]: kept for n, kept in channels.operands.items()}}
        return any(kept.size < slots[value].size for value, kept in counts.items())

    def _narrow(self, layer: Layer, channels: Channels) -> None:
        op = layer.op
        narrow = narrow_layer(layer, channels, self.needed.inputs.get(op))
        addition = self._addition(op) if isinstance(op, graph.MatmulOp) and narrow.addend.any() else None
        made = replace_layer(layer, channels, narrow, self.store)
        if addition is not None:
            self.addends[addition] = narrow.addend
        elif isinstance(made, graph.MatmulOp) and narrow.addend.any():
            add_after(made, narrow.addend, self.store)

    def _addition(self, op: graph.MatmulOp) -> graph.AddOp | None:
        """The addition of a constant for each column, if that alone reads the product."""
        [*users] = (use.operation for use in op.y.uses)
        if len(users) != 1 or not isinstance(users[0], graph.AddOp):
            return None
        carried = self.needed.network.carried.get(users[0])
        return users[0] if carried is not None and carried.parameters else None
