"""Random networks with planted channels: filters of zeros, biases beyond the reach of a clamp, equal filters, and
channels that no reader multiplies by anything but zero."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import Value, type_of
from s2s.types.dtypes import Array, type_of_array
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST, Layout
from s2s.types.weights import WeightStore

SIDE = 6


class ChannelNetworkBuilder:
    """Builds a network of layers on images, channels first or last, of floats or of quantised integers."""

    def __init__(self, seed: int, *, integers: bool) -> None:
        self.draw = np.random.default_rng(seed)
        self.integers = integers
        self.layout: Layout = CHANNELS_LAST if self.draw.random() < 0.5 else CHANNELS_FIRST
        self.store = WeightStore()
        self.dtype = np.dtype(np.int8 if integers else np.float32)
        self.input = self._image_of(3)
        self.block = Block(arg_types=[type_of_array(self.input)])

    def _image_of(self, channels: int) -> Array:
        shape = (1, SIDE, SIDE, channels) if self.layout == CHANNELS_LAST else (1, channels, SIDE, SIDE)
        if self.integers:
            return self.draw.integers(-128, 128, shape).astype(np.int8)
        return self.draw.standard_normal(shape).astype(np.float32)

    @property
    def module(self) -> ModuleOp:
        """The network so far; its last value is the result."""
        last = self.block.last_op
        assert last is not None
        self.block.add_op(ReturnOp(last.results[0]))
        kind = FunctionType.from_lists([self.block.args[0].type], [last.results[0].type])
        return ModuleOp([FuncOp("main", kind, Region(self.block))])

    def add(self, op: Operation) -> SSAValue:
        """Put an operation at the end."""
        self.block.add_op(op)
        return op.results[0]

    def weight(self, array: Array) -> SSAValue:
        """A constant."""
        name = self.store.add("w", np.asarray(array, order="C"))
        return self.add(graph.WeightOp(name, type_of_array(array), self.store.hash(name)))

    def channels(self, x: Value) -> int:
        """The channels of an image."""
        return type_of(x).get_shape()[3 if self.layout == CHANNELS_LAST else 1]

    @property
    def axis(self) -> int:
        """The axis of channels."""
        return 3 if self.layout == CHANNELS_LAST else 1

    def filters(self, *shape: int) -> Array:
        """Weights with planted rows, the first axis being that of output channels."""
        if self.integers:
            made = self.draw.integers(-9, 10, shape).astype(np.int8)
        else:
            made = self.draw.standard_normal(shape).astype(np.float32)
        for row in range(shape[0]):
            kind = self.draw.random()
            if kind < 0.25:
                made[row] = 0
            elif kind < 0.4 and row:
                made[row] = made[self.draw.integers(row)]
        for column in range(shape[1]):
            if self.draw.random() < 0.2:
                made[:, column] = 0
        return made

    def biases(self, filters: Array) -> Array:
        """Biases, equal for equal filters, some of them so low that an activation clips the channel."""
        wide = 200 if self.integers else 1
        made = (self.draw.standard_normal(filters.shape[0]) * wide).astype(np.int32 if self.integers else np.float32)
        for row in range(filters.shape[0]):
            same = [other for other in range(row) if np.array_equal(filters[other], filters[row])]
            if same:
                made[row] = made[same[0]]
            elif self.draw.random() < 0.15:
                made[row] = -(10**6)
        return made

    def activated(self, sums: SSAValue, axis: int) -> SSAValue:
        """The sums of a layer behind its activation."""
        if not self.integers:
            return self.add(graph.ClampOp(sums, min=0.0, max=6.0 if self.draw.random() < 0.5 else None))
        if self.draw.random() < 0.5:
            count = type_of(sums).get_shape()[axis]
            multiplier = np.full(count, 1 << 30, np.int32) + self.draw.integers(0, 3, count).astype(np.int32)
            scale = self.weight(multiplier), self.weight(np.full(count, -3, np.int8))
            where: int | None = axis
        else:
            scale = self.weight(np.int32(1 << 30) + np.zeros((), np.int32)), self.weight(np.asarray(-3, np.int8))
            where = None
        return self.add(graph.RescaleOp(sums, *scale, i8, rounding="double", output_zp=-128, axis=where))

    def convolution(self, x: SSAValue) -> SSAValue:
        """A convolution, with or without padding and bias."""
        side = int(self.draw.choice([1, 3]))
        filters = self.filters(int(self.draw.integers(1, 9)), self.channels(x), side, side)
        operands = [x, self.weight(filters)]
        if self.draw.random() < 0.8:
            operands.append(self.weight(self.biases(filters)))
        return self._layer(graph.ConvOp, operands, pads=[side // 2] * 4, groups=1)

    def depthwise(self, x: SSAValue) -> SSAValue:
        """A layer of one channel a group, or two outputs a group."""
        count, many = self.channels(x), int(self.draw.integers(1, 3))
        filters = self.filters(count * many, 1, 3, 3)
        operands = [x, self.weight(filters), self.weight(self.biases(filters))]
        return self._layer(graph.ConvOp, operands, pads=[1] * 4, groups=count)

    def transposed(self, x: SSAValue) -> SSAValue:
        """A transposed convolution."""
        filters = self.filters(int(self.draw.integers(1, 6)), self.channels(x), 3, 3)
        operands = [x, self.weight(filters.swapaxes(0, 1)), self.weight(self.biases(filters))]
        return self._layer(graph.ConvTransposeOp, operands, pads=[1] * 4, groups=1, output_padding=[0, 0])

    def _layer(self, kind: Callable[..., Operation], operands: Sequence[SSAValue], **more: object) -> SSAValue:
        zero_point = int(self.draw.choice([0, -128])) if self.integers else 0
        more |= {"strides": [1, 1], "dilations": [1, 1], "input_zp": zero_point}
        sums = self.add(kind(*operands, layout=self.layout, **more))
        return self.activated(sums, self.axis)

    def residual(self, x: SSAValue) -> SSAValue:
        """A sum, a product or a maximum with a layer of as many channels."""
        filters = self.filters(self.channels(x), self.channels(x), 1, 1)
        operands = [x, self.weight(filters), self.weight(self.biases(filters))]
        y = self._layer(graph.ConvOp, operands, pads=[0] * 4, groups=1)
        kinds = [graph.MaximumOp, graph.MinimumOp] if self.integers else [graph.AddOp, graph.MulOp, graph.MaximumOp]
        return self.add(kinds[int(self.draw.integers(len(kinds)))](x, y))

    def joined(self, x: SSAValue) -> SSAValue:
        """A concatenation of channels with a layer, or with the input of the network."""
        other = self.convolution(x) if self.draw.random() < 0.7 else self.block.args[0]
        return self.add(graph.ConcatOp([x, other], axis=self.axis))

    def part(self, x: SSAValue) -> SSAValue:
        """Some of the channels."""
        shape = list(type_of(x).get_shape())
        start = int(self.draw.integers(shape[self.axis]))
        shape[self.axis] = int(self.draw.integers(1, shape[self.axis] - start + 1))
        starts = [start if axis == self.axis else 0 for axis in range(4)]
        return self.add(graph.SliceOp(x, starts=starts, sizes=shape, strides=[1] * 4))

    def padded(self, x: SSAValue) -> SSAValue:
        """More channels, of one number."""
        low, high = ([n if axis == self.axis else 0 for axis in range(4)] for n in self.draw.integers(0, 3, 2).tolist())
        return self.add(graph.PadOp(x, low=low, high=high, value=3 if self.integers else 0.5))

    def shuffled(self, x: SSAValue) -> SSAValue:
        """Channels in another order, some twice."""
        count = self.channels(x)
        return self.add(graph.GatherOp(x, self.weight(self.draw.integers(0, count, count)), axis=self.axis))

    def pooled(self, x: SSAValue) -> SSAValue:
        """A pool over windows."""
        kernel, ones, pads = [3, 3], [1, 1], [1] * 4
        if self.draw.random() < 0.5:
            return self.add(
                graph.MaxPoolOp(x, kernel=kernel, strides=ones, pads=pads, dilations=ones, layout=self.layout)
            )
        counted = [int(self.draw.integers(2))] * 4
        return self.add(
            graph.AvgPoolOp(
                x,
                kernel=kernel,
                strides=ones,
                pads=pads,
                dilations=ones,
                counted_pads=counted,
                layout=self.layout,
            )
        )

    def looked_up(self, x: SSAValue) -> SSAValue:
        """A function of integers as a table, of floats as it is."""
        if not self.integers:
            return self.add(graph.SigmoidOp(x))
        return self.add(graph.TableOp(x, self.weight(self.draw.integers(-128, 128, 256).astype(np.int8))))

    def dense(self, x: SSAValue) -> SSAValue:
        """A matrix product with the flattened image, with or without a bias."""
        size = int(np.prod(type_of(x).get_shape()))
        flat = self.add(graph.ReshapeOp(x, [1, size]))
        filters = self.filters(4, size)
        transposed = bool(self.draw.random() < 0.5)
        b = self.weight(filters if transposed else filters.T)
        y = self.add(graph.MatmulOp(flat, b, transpose_b=transposed, a_zp=-128 if self.integers else 0))
        return y if self.draw.random() < 0.3 else self.add(graph.AddOp(y, self.weight(self.biases(filters))))


def channel_network(seed: int, *, integers: bool) -> tuple[ModuleOp, WeightStore, Array]:
    """A random network with planted channels, its weights, and an input."""
    builder = ChannelNetworkBuilder(seed, integers=integers)
    steps = [
        builder.convolution,
        builder.depthwise,
        builder.transposed,
        builder.residual,
        builder.joined,
        builder.part,
        builder.padded,
        builder.shuffled,
        builder.pooled,
        builder.looked_up,
    ]
    value = builder.convolution(builder.block.args[0])
    for _ in range(int(builder.draw.integers(1, 8))):
        value = steps[int(builder.draw.integers(len(steps)))](value)
    value = builder.dense(value) if builder.draw.random() < 0.5 else builder.convolution(value)
    return builder.module, builder.store, builder.input
