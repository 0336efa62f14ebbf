"""Store activations between kernels in blocks of channels, as wide as the target's vectors.

    %a = graph.call @conv(%x, %w) : … -> tensor<1x64x56x56xf32>
    @conv: tensor.compute [1, 64, 56, 56 | 64, 3, 3]
             reads(%x at (n, o, h, w, i, r, s) -> (n, i, h + r - 1, w + s - 1), …)
->
    %a = graph.call @conv(%x, %w) {blocked = array<i64: 1, 4, 56, 56, 16>} : … -> tensor<1x4x56x56x16xf32>
    @conv: tensor.compute [1, 4, 56, 56, 16 | 4, 16, 3, 3]
             reads(%x at (n, o, h, w, p, j, q, r, s) -> (n, j, h + r - 1, w + s - 1, q), …)

The layout is NCHW[n]c. The pass knows no operators: changing a layout only changes access maps. It composes a
consumer's maps with (block, lane); it splits and permutes a producer's domain, so that results are still written in
row-major order; and it splits a dimension that runs over blocks. Vectors then run along the lanes of a block, in
convolutions, pools and elementwise kernels alike, and neighbouring pixels are contiguous.

Where the channels are no multiple of the block size and a partly filled block needs fewer vectors, the last block is
padded: 24 channels take two blocks of 16, not three of 8. Kernels compute the padding, from constants that the host
pads with zeros, and no kernel reads it except to compute such padding again; the attribute `channels` of the call
counts the real channels.

The windows of a stream, which are states of the network, are blocked as results are: a new frame is then as many
neighbours as there are channels, and kernels read the window in place.

For bytes, a block holds all channels (NHWC) where the target multiplies groups of neighbouring bytes. On scalar cores
(SMLAD of Cortex-M) bytes are all that is blocked, and sums of integers run along the channels in their innermost loop.

A tensor is blocked if it passes between kernels only, has rank 4 and more than one pixel; with rank 3, and on scalar
cores, if a convolution shows that the second dimension, not the last one, holds channels; and only if every kernel that
accesses it, and every other tensor at the same position of a shared kernel, can be blocked too. Declined for targets
without such vectors or products, for the network's inputs and outputs, around kernels whose regions use `tensor.index`,
and where a kernel shows that channels come last already: it slides a window along the second dimension, or reduces the
last one alone. Layouts are decisions (`s2s/decisions/layout.py`).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import INIT, text
from s2s.analysis.network.stream_windows import StreamWindow
from s2s.analysis.structure.compute import shape_of
from s2s.decisions.channel_blocks import CHANNEL, channel_constants, results_of
from s2s.decisions.channel_layouts import slots_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.given import Given
from s2s.decisions.layout import LayoutKind, Layouts
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import integer
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.tensor.block_kernel import BlockKernel, blocked_type
from s2s.passes.tensor.remade_weights import remake_weight
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.weights import WeightStore

BLOCKED = "blocked"
"""Discardable attribute of a call: the shape `[N, C / b, H, W, b]` of its result, if it is blocked."""
CHANNELS = "channels"
"""Discardable attribute of a call: the channels of its blocked result, if they do not fill the last block."""


def block_channels(module: ModuleOp, target: Target, weights: WeightStore, given: Given) -> None:
    """Decide the layouts of the tensors between kernels, and rewrite kernels and calls for the blocked ones."""
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
            BlockKernel(func, mine, in_order=target.lanes == 1).run()
    for window in decision.windows:
        if window.argument in chosen:
            _block_window(window, decision.block_of(window.argument), weights)
    for value in chosen:
        if not isinstance(value.owner, graph.CallOp):
            continue
        new_type = blocked_type(value.type, decision.block_of(value))
        value.owner.attributes[BLOCKED] = tensor.integers(new_type.get_shape())
        if decision.is_padded(value):
            value.owner.attributes[CHANNELS] = IntegerAttr(shape_of(value)[CHANNEL], i64)
        Rewriter.replace_value_with_new_type(value, new_type)
    for window in decision.windows:
        window.func.update_function_type()


def _block_window(window: StreamWindow, block: int, weights: WeightStore) -> None:
    """Keep the state of a stream in blocks of channels, what it begins with too."""
    new_type = blocked_type(window.argument.type, block)
    before, after = shape_of(window.argument), new_type.get_shape()
    attributes = list(window.func.arg_attrs or ())
    given = attributes[window.argument.index]
    if (name := text(given, INIT)) is not None:
        split = np.array(weights.get(name)).reshape(before[0], before[1] // block, block, *before[2:])
        values = np.asarray(np.moveaxis(split, 2, -1), order="C").reshape(after)
        attributes[window.argument.index] = DictionaryAttr(
            {**given.data, INIT: StringAttr(weights.add(f"{name}_blocked", values))}
        )
        window.func.arg_attrs = ArrayAttr(attributes)
    for value in window.values[:2]:
        Rewriter.replace_value_with_new_type(value, new_type)
    window.op.by = integer(window.op.by.value.data * block)
    window.op.slack = integer(0)


def _fill_up(func: FuncOp, blocks: Mapping[int, int], calls: Sequence[graph.CallOp], weights: WeightStore) -> None:
    """Pad the constants of `func` with zeros along the channels of its padded results."""
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
    """Extend constant `argument` of a kernel to `extent` along `axis`, with zeros at the end, in all `calls`."""
    old = as_tensor_type(argument.type)
    shape = tuple(extent if number == axis else size for number, size in enumerate(old.get_shape()))
    new_type = tensor_type(old.element_type, shape)
    ends = [(0, new - size) for new, size in zip(shape, old.get_shape(), strict=True)]
    remake_weight(argument, new_type, lambda values: np.pad(values, ends), calls, weights, suffix="filled")


@frozen
class BlockChannelsPass(ModulePass):
    name = "tensor-block-channels"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes > 1 or target.multiplies_bytes:
            block_channels(op, target, weights_of(ctx), given_of(ctx))
