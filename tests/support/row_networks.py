"""Random networks of layers that can run row by row, on one image with channels last or first."""

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, f32, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.traits import set_provenance
from s2s.types.dtypes import Array, tensor_type, to_numpy
from s2s.types.shapes.window import CHANNELS_LAST, Layout, channel_axis, image_shape, spatial_axes, spatial_shape

INPUT = "image"
ROWS = 1
"""The axis of the rows, channels last."""
RANK = 4
TAILS = ("none", "mean", "dense")


class RowNetwork:
    """Draws layers, each of which reads one or two of the tensors before."""

    def __init__(self, seed: int, *, element: Attribute, layers: int, layout: Layout = CHANNELS_LAST) -> None:
        self.rng, self.element = np.random.default_rng(seed), element
        self.layout: Layout = layout
        self.rows, self.channel = spatial_axes(layout, RANK)[0], channel_axis(layout, RANK)
        rows, columns, channels = (int(self.rng.integers(low, high)) for low, high in ((6, 20), (4, 9), (1, 4)))
        self.shape = tuple(image_shape(1, channels, (rows, columns), layout))
        x = tensor_type(element, self.shape)
        self.block = Block(arg_types=[x])
        self.values: list[SSAValue] = [self.block.args[0]]
        for number in range(layers):
            self._layer(number)
        output = self._tail(str(self.rng.choice(TAILS)))
        self.block.add_op(ReturnOp(output))
        func = FuncOp("main", ([x], [output.type]), Region(self.block))
        func.arg_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr(INPUT)})])
        func.res_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr("y")})])
        self.module = ModuleOp([func])

    def image(self) -> Array:
        """Draw an input."""
        if self.element == i8:
            return self.rng.integers(-128, 128, self.shape).astype(np.int8)
        return self.rng.normal(size=self.shape).astype(np.float32)

    def _layer(self, number: int) -> None:
        kinds: tuple[Callable[[SSAValue], SSAValue], ...] = (
            self._conv, self._depthwise, self._max_pool, self._avg_pool, self._add, self._pad, self._slice, self._clamp,
            self._concat,
        )  # fmt: skip
        recent = self.values[-3:]
        x = recent[int(self.rng.integers(len(recent)))] if self.rng.random() < 0.3 else self.values[-1]
        weights = np.array([4, 3, 2, 1, 4, 1, 1, 1, 1], float)
        made = kinds[int(self.rng.choice(len(kinds), p=weights / weights.sum()))](x)
        if isinstance(made.owner, Operation):
            set_provenance(made.owner, [f"layer{number}"])
        self.values.append(made)

    def _spatial(self, x: SSAValue) -> list[int]:
        return spatial_shape(type_of(x).get_shape(), self.layout)

    def _channels(self, x: SSAValue) -> int:
        return type_of(x).get_shape()[self.channel]

    def _number(self, value: int) -> int | float:
        return value if self.element == i8 else value / 8

    def _put(self, *ops: Operation) -> SSAValue:
        self.block.add_ops(ops)
        return ops[-1].results[0]

    def _window(self, x: SSAValue) -> tuple[list[int], list[int], list[int], list[int]]:
        """Draw kernel, strides, pads and dilations that fit `x`."""
        sizes = self._spatial(x)
        kernel, strides, low, high, dilations = (list[int]() for _ in range(5))
        for size in sizes:
            taps, dilation = int(self.rng.integers(1, 5)), int(self.rng.integers(1, 3))
            dilation = dilation if (taps - 1) * dilation < size else 1
            taps = min(taps, size)
            kernel.append(taps)
            dilations.append(dilation)
            strides.append(int(self.rng.choice([1, 1, 2, 3])) if size > 3 else 1)
            low.append(int(self.rng.integers(0, taps)))
            high.append(int(self.rng.integers(0, taps)))
        return kernel, strides, [*low, *high], dilations

    def _convolution(self, x: SSAValue, outputs: int, groups: int) -> SSAValue:
        kernel, strides, pads, dilations = self._window(x)
        shape = (outputs, self._channels(x) // groups, *kernel)
        integer = self.element == i8
        values = self.rng.integers(-128, 128, shape) if integer else self.rng.normal(size=shape)
        w = graph.ConstantOp(values.astype(to_numpy(self.element)))
        zero_point = int(self.rng.integers(-128, 128)) if integer else 0
        conv = graph.ConvOp(
            x,
            w.y,
            strides=strides,
            pads=pads,
            dilations=dilations,
            groups=groups,
            layout=self.layout,
            input_zp=zero_point,
        )
        y = self._put(w, conv)
        if not integer:
            return y
        multiplier = graph.ConstantOp(self.rng.integers(2**30, 2**31 - 1, outputs).astype(np.int32))
        shift = graph.ConstantOp(np.full(outputs, -9, np.int8))
        scaled = graph.RescaleOp(y, multiplier.y, shift.y, i8, rounding="double", output_zp=3, axis=self.channel)
        return self._put(multiplier, shift, scaled)

    def _conv(self, x: SSAValue) -> SSAValue:
        return self._convolution(x, int(self.rng.integers(1, 5)), 1)

    def _depthwise(self, x: SSAValue) -> SSAValue:
        channels = self._channels(x)
        return self._convolution(x, channels, channels)

    def _max_pool(self, x: SSAValue) -> SSAValue:
        kernel, strides, pads, dilations = self._window(x)
        return self._put(
            graph.MaxPoolOp(x, kernel=kernel, strides=strides, pads=pads, dilations=dilations, layout=self.layout)
        )

    def _avg_pool(self, x: SSAValue) -> SSAValue:
        kernel, strides, pads, dilations = self._window(x)
        counted = pads if self.rng.random() < 0.5 else [0] * 4
        pool = graph.AvgPoolOp(
            x, kernel=kernel, strides=strides, pads=pads, dilations=dilations, counted_pads=counted, layout=self.layout
        )
        return self._put(pool)

    def _add(self, x: SSAValue) -> SSAValue:
        same = [value for value in self.values if value.type == x.type and value is not x]
        other = same[int(self.rng.integers(len(same)))] if same else x
        if self.element == i8:
            return self._put(graph.MinimumOp(x, other))
        return self._put(graph.AddOp(x, other))

    def _pad(self, x: SSAValue) -> SSAValue:
        low, high = (image_shape(0, 0, list(map(int, self.rng.integers(0, 3, 2))), self.layout) for _ in range(2))
        return self._put(graph.PadOp(x, low=low, high=high, value=self._number(int(self.rng.integers(-5, 5)))))

    def _slice(self, x: SSAValue) -> SSAValue:
        shape = type_of(x).get_shape()
        start, stride = (int(each) for each in self.rng.integers((0, 1), (2, 3)))
        if shape[self.rows] < 6:
            return self._clamp(x)
        size = (shape[self.rows] - start - 1) // stride + 1
        starts, sizes, strides = [0] * RANK, list(shape), [1] * RANK
        starts[self.rows], strides[self.rows] = start, stride
        sizes[self.rows] = size - int(self.rng.integers(0, 2))
        return self._put(graph.SliceOp(x, starts=starts, sizes=sizes, strides=strides))

    def _clamp(self, x: SSAValue) -> SSAValue:
        return self._put(graph.ClampOp(x, min=self._number(-100), max=self._number(90)))

    def _concat(self, x: SSAValue) -> SSAValue:
        same = [value for value in self.values if self._spatial(value) == self._spatial(x)]
        return self._put(graph.ConcatOp([x, same[int(self.rng.integers(len(same)))]], axis=self.channel))

    def _tail(self, kind: str) -> SSAValue:
        last = self.values[-1]
        if len(self.values) == 1:
            return self._clamp(last)
        if kind == "none":
            return last
        shape = type_of(last).get_shape()
        if kind == "mean":
            none, one = [0] * 4, [1, 1]
            pool = graph.AvgPoolOp(
                last,
                kernel=self._spatial(last),
                strides=one,
                pads=none,
                dilations=one,
                counted_pads=none,
                layout=self.layout,
            )
            return self._put(pool)
        flat = graph.ReshapeOp(last, [1, int(np.prod(shape))])
        values = self.rng.integers(-128, 128, (int(np.prod(shape)), 3)).astype(to_numpy(self.element))
        w = graph.ConstantOp(values)
        return self._put(flat, w, graph.MatmulOp(flat.y, w.y))


__all__ = ["INPUT", "ROWS", "RowNetwork", "f32", "i8"]
