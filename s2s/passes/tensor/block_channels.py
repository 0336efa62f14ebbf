"""Store activations between kernels in blocks of channels, as wide as the target's vectors.

    %a = graph.call @conv(%x, %w) : … -> tensor<1x64x56x56xf32>
    @conv: tensor.compute [1, 64, 56, 56 | 64, 3, 3]
             reads(%x at (n, o, h, w, i, r, s) -> (n, i, h + r - 1, w + s - 1), …)
->
    %a = graph.call @conv(%x, %w) {blocked = array<i64: 1, 4, 56, 56, 16>} : … -> tensor<1x4x56x56x16xf32>
    @conv: tensor.compute [1, 4, 56, 56, 16 | 4, 16, 3, 3]
             reads(%x at (n, o, h, w, p, j, q, r, s) -> (n, j, h + r - 1, w + s - 1, q), …)

The layout NCHW[n]c of the field, with no knowledge of operators: a layout is a change of access maps. A consumer's maps
are composed with the block and its place; a producer's domain is split and permuted, so that its results still come in
row-major order; a dimension that walks over blocks is split as well. Vectors then run along the place in the block, in
convolutions, pools and elementwise kernels alike, and neighbouring pixels lie side by side.

Channels that do not fill their blocks leave the rest of the last one unused, where fewer vectors are then needed: 24
channels take two blocks of 16, not three of 8. Kernels compute that rest, from constants that are filled up with zeros
on the host, and no kernel reads it but to compute such a rest again; the attribute `channels` of the call counts those
that are real.

Of bytes, a block holds all channels (NHWC), where the target multiplies groups of neighbouring bytes.

A tensor is blocked when it goes from kernel to kernel only, is of rank 4 and has more than one pixel; of rank 3 where a
convolution shows that the second dimension, not the last one, holds channels; and only where every kernel that touches
it, and every other tensor in the same place of a shared kernel, can follow. Declined for
targets without vectors, for the network's inputs and outputs, around kernels whose regions ask for an index, and where
a kernel shows that channels come last already: it slides a window along the second dimension, or reduces the last one
alone. Layouts are decisions (`s2s/decisions/layout.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.structure.compute import shape_of
from s2s.decisions.channel_blocks import CHANNEL, channel_constants, results_of
from s2s.decisions.channel_layouts import slots_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.given import Given
from s2s.decisions.layout import LayoutKind, Layouts
from s2s.dialects import graph, tensor
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.tensor.block_kernel import BlockKernel, blocked_type
from s2s.passes.tensor.remade_weights import remake_weight
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.weights import WeightStore

BLOCKED = "blocked"
"""Discardable attribute of a call: the shape `[N, C / b, H, W, b]` of its result, where that is blocked."""
CHANNELS = "channels"
"""Discardable attribute of a call: the channels of its blocked result, where they do not fill the last block."""


def block_channels(module: ModuleOp, target: Target, weights: WeightStore, given: Given) -> None:
    """Decide the layouts, and block what is to be blocked."""
    layouts, kind = Layouts(module, target), LayoutKind()
    with Chooser(given, target) as chooser:
        for group in layouts.groups():
            chooser.choose(kind, group)
    decision = layouts.found
    chosen = decision.chosen()
    slots_chosen = {slot: decision.block_of(value) for value in chosen for slot in slots_of(value)}
    for name, func in decision.kernels.items():
        mine = {number: block for (kernel, number), block in slots_chosen.items() if kernel == name}
        if mine:
            _fill_up(func, mine, decision.by_kernel[name], weights)
            BlockKernel(func, mine).run()
    for value in chosen:
        assert isinstance(value.owner, graph.CallOp)
        new_type = blocked_type(value.type, decision.block_of(value))
        value.owner.attributes[BLOCKED] = tensor.integers(new_type.get_shape())
        if decision.is_padded(value):
            value.owner.attributes[CHANNELS] = IntegerAttr(shape_of(value)[CHANNEL], i64)
        Rewriter.replace_value_with_new_type(value, new_type)


def _fill_up(func: FuncOp, blocks: Mapping[int, int], calls: Sequence[graph.CallOp], weights: WeightStore) -> None:
    """Fill up the constants of `func` along the channels of its padded results."""
    for number, value in results_of(func):
        block = blocks.get(number, 0)
        channels = shape_of(value)[CHANNEL] if block else 0
        if block and channels % block:
            owner = value.owner
            assert isinstance(owner, tensor.ComputeOp)
            for argument, axis in channel_constants(func, owner, calls) or ():
                _fill_along(argument, axis, -(-channels // block) * block, calls, weights)


def _fill_along(
    argument: BlockArgument, axis: int, extent: int, calls: Sequence[graph.CallOp], weights: WeightStore
) -> None:
    """Make constant `argument` of a kernel `extent` long along `axis`, with zeros at its end, in all `calls`."""
    old = as_tensor_type(argument.type)
    shape = tuple(extent if number == axis else size for number, size in enumerate(old.get_shape()))
    new_type = tensor_type(old.element_type, shape)
    ends = [(0, new - size) for new, size in zip(shape, old.get_shape(), strict=True)]
    remake_weight(argument, new_type, lambda values: np.pad(values, ends), calls, weights, suffix="filled")


@dataclass(frozen=True)
class BlockChannelsPass(ModulePass):
    name = "tensor-block-channels"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes > 1:
            block_channels(op, target, weights_of(ctx), given_of(ctx))
