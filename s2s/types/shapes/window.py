"""Types of the operators that slide a window over the spatial dimensions of a tensor, channels first or last.

`pads` are `[lo_1, …, lo_n, hi_1, …, hi_n]` as in ONNX. Along one dimension the output has
`(size + lo + hi - ((kernel - 1) * dilation + 1)) / stride + 1` elements, rounded down.
"""

from collections.abc import Sequence
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

from xdsl.dialects.builtin import i64

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.accumulate import Accumulation, require_bias
from s2s.types.shapes.common import (
    ShapeError,
    require_at_least,
    require_length,
    require_number,
    result,
    text,
)

Layout: TypeAlias = Literal["NCHW", "NHWC"]
"""Channels first or channels last, for any number of spatial dimensions. Weights know one layout only."""

CHANNELS_FIRST: Layout = "NCHW"
CHANNELS_LAST: Layout = "NHWC"


def channel_axis(layout: Layout, rank: int) -> int:
    """Return the axis of the channels of a tensor that has `rank` axes."""
    return 1 if layout == CHANNELS_FIRST else rank - 1


def spatial_axes(layout: Layout, rank: int) -> range:
    """Where the spatial dimensions of a tensor of `rank` stand."""
    return range(2, rank) if layout == CHANNELS_FIRST else range(1, rank - 1)


def spatial_shape(shape: Sequence[int], layout: Layout) -> list[int]:
    """The spatial part of `shape`."""
    return [shape[axis] for axis in spatial_axes(layout, len(shape))]


def image_shape(batch: int, channels: int, spatial: Sequence[int], layout: Layout) -> list[int]:
    """A whole shape, put together."""
    return [batch, channels, *spatial] if layout == CHANNELS_FIRST else [batch, *spatial, channels]


class Window(NamedTuple):
    """A sliding window: one entry per spatial dimension, two in `pads`."""

    kernel: Sequence[int]
    strides: Sequence[int]
    pads: Sequence[int]
    dilations: Sequence[int]

    @property
    def rank(self) -> int:
        """Number of spatial dimensions."""
        return len(self.kernel)

    @property
    def low(self) -> Sequence[int]:
        """Padding before each dimension."""
        return self.pads[: self.rank]

    @property
    def high(self) -> Sequence[int]:
        """Padding after each dimension."""
        return self.pads[self.rank :]

    @property
    def extent(self) -> list[int]:
        """Elements from the first tap to the last, both included."""
        return [(size - 1) * dilation + 1 for size, dilation in zip(self.kernel, self.dilations, strict=True)]

    def verify(self, x: AnyTensor) -> None:
        """Refuse a window that does not fit the rank of `x` or has an impossible entry."""
        rank = x.get_num_dims() - 2
        if not 1 <= rank <= 3:
            raise ShapeError(f"x of shape {text(x.get_shape())} has not 1 to 3 spatial dimensions")
        require_length("kernel", self.kernel, rank)
        require_length("strides", self.strides, rank)
        require_length("pads", self.pads, 2 * rank)
        require_length("dilations", self.dilations, rank)
        require_at_least("kernel", self.kernel, 1)
        require_at_least("strides", self.strides, 1)
        require_at_least("pads", self.pads, 0)
        require_at_least("dilations", self.dilations, 1)

    def output(self, spatial: Sequence[int]) -> list[int]:
        """Spatial shape of the output for the spatial shape of the input."""
        sizes: list[int] = []
        for size, low, high, extent, stride in zip(
            spatial, self.low, self.high, self.extent, self.strides, strict=True
        ):
            if size + low + high < extent:
                raise ShapeError(f"kernel spans {extent} elements, more than the padded input {low} + {size} + {high}")
            sizes.append((size + low + high - extent) // stride + 1)
        return sizes


class ConvOperands(NamedTuple):
    """What a convolution takes: tensors, where the channels of `x` and `y` stand, and how products are summed."""

    x: AnyTensor
    w: AnyTensor
    b: AnyTensor | None
    layout: Layout
    accumulation: Accumulation

    @property
    def channels(self) -> int:
        """Channels of `x`."""
        return self.x.get_shape()[channel_axis(self.layout, self.x.get_num_dims())]

    @property
    def spatial(self) -> list[int]:
        """Spatial shape of `x`."""
        return spatial_shape(self.x.get_shape(), self.layout)

    def verify(self, window: Window, groups: int) -> None:
        """Refuse what no convolution takes."""
        if self.w.get_num_dims() != self.x.get_num_dims():
            raise ShapeError(f"x has rank {self.x.get_num_dims()} and w has rank {self.w.get_num_dims()}")
        window.verify(self.x)
        if groups < 1:
            raise ShapeError(f"groups is {groups}, expected at least 1")

    def result(self, out_channels: int, sizes: Sequence[int]) -> AnyTensor:
        """The type of `y`, refused where the bias does not fit it."""
        element = self.accumulation.result(self.x, self.w)
        if self.b is not None:
            require_bias(self.b, element)
            if self.b.get_shape() != (out_channels,):
                raise ShapeError(f"b has shape {text(self.b.get_shape())}, expected [{out_channels}]")
        return result(element, image_shape(self.x.get_shape()[0], out_channels, sizes, self.layout))


def conv(operands: ConvOperands, window: Window, groups: int) -> AnyTensor:
    """`x[N, C, …]`, `w[O, C / groups, k…]`, `b[O]` give `y[N, O, …]`; channels last `x[N, …, C]` and `y[N, …, O]`."""
    operands.verify(window, groups)
    out_channels, group_channels = operands.w.get_shape()[:2]
    if operands.channels != group_channels * groups:
        raise ShapeError(f"x has {operands.channels} channels, w expects {group_channels} in each of {groups} groups")
    if out_channels % groups:
        raise ShapeError(f"{out_channels} output channels do not divide into {groups} groups")
    return operands.result(out_channels, window.output(operands.spatial))


def conv_transpose(operands: ConvOperands, window: Window, groups: int, output_padding: Sequence[int]) -> AnyTensor:
    """`x[N, C, …]`, `w[C, O / groups, k…]`, `b[O]` give `y[N, O, …]`; channels last `x[N, …, C]` and `y[N, …, O]`."""
    operands.verify(window, groups)
    require_length("output_padding", output_padding, window.rank)
    require_at_least("output_padding", output_padding, 0)
    channels, group_outputs = operands.w.get_shape()[:2]
    if operands.channels != channels:
        raise ShapeError(f"x has {operands.channels} channels, w expects {channels}")
    if channels % groups:
        raise ShapeError(f"{channels} input channels do not divide into {groups} groups")
    sizes = [
        (size - 1) * stride + extent + extra - low - high
        for size, stride, extent, extra, low, high in zip(
            operands.spatial, window.strides, window.extent, output_padding, window.low, window.high, strict=True
        )
    ]
    if any(size < 1 for size in sizes):
        raise ShapeError(f"pads {text(window.pads)} leave nothing of the output: {text(sizes)}")
    return operands.result(group_outputs * groups, sizes)


def pool(x: AnyTensor, window: Window, layout: Layout = CHANNELS_FIRST) -> AnyTensor:
    """`x[N, C, …]` gives `y[N, C, …]`; every window holds at least one element of `x`."""
    require_number("x", x)
    window.verify(x)
    for low, high, extent in zip(window.low, window.high, window.extent, strict=True):
        if max(low, high) >= extent:
            raise ShapeError(f"pads {text(window.pads)} reach or exceed the kernel extent {text(window.extent)}")
    shape = x.get_shape()
    spatial = spatial_shape(shape, layout)
    sizes = window.output(spatial)
    for axis, (size, count) in enumerate(zip(spatial, sizes, strict=True)):
        _require_elements(window, axis, size, count)
    return result(x.element_type, image_shape(shape[0], shape[channel_axis(layout, len(shape))], sizes, layout))


def _require_elements(window: Window, axis: int, size: int, count: int) -> None:
    """Refuse a dilated window whose taps all miss the input, as one that lies astride a short input does.

    No window starts behind the input, and none ends before it. So the first tap that is not before the input stands
    at `start mod dilation`, and misses if that is behind it. These numbers repeat.
    """
    dilation, stride = window.dilations[axis], window.strides[axis]
    if size >= dilation:
        return
    for position in range(min(count, dilation // gcd(dilation, stride))):
        if (position * stride - window.low[axis]) % dilation >= size:
            raise ShapeError(f"window {position} along spatial dimension {axis} holds nothing but padding")


def avg_pool(x: AnyTensor, window: Window, counted_pads: Sequence[int], layout: Layout = CHANNELS_FIRST) -> AnyTensor:
    """As `pool`; `counted_pads` is the part of the padding that counts in the divisor."""
    y = pool(x, window, layout)
    require_length("counted_pads", counted_pads, len(window.pads))
    require_at_least("counted_pads", counted_pads, 0)
    if any(counted > pad for counted, pad in zip(counted_pads, window.pads, strict=True)):
        raise ShapeError(f"counted_pads {text(counted_pads)} exceed pads {text(window.pads)}")
    return y


def max_pool_indices(x: AnyTensor, window: Window, storage_order: int, layout: Layout) -> AnyTensor:
    """As `pool`, one `i64` index per output element."""
    if storage_order not in (0, 1):
        raise ShapeError(f"storage_order is {storage_order}, expected 0 (row major) or 1 (column major)")
    if layout != CHANNELS_FIRST:
        raise ShapeError(f"layout is {layout}, but positions are counted with channels first")
    return result(i64, pool(x, window).get_shape())


SIDES = ("upper", "lower")
"""Where an odd element of padding goes: behind the end, or in front."""


def same_low(size: int, extent: int, stride: int, side: str) -> int:
    """Return the padding in front of `size` elements whose windows of `extent` elements start every `stride` elements:
    half of what the last window needs."""
    total = max(0, extent - 1 - (size - 1) % stride)
    return total // 2 if side == SIDES[0] else total - total // 2


def same_pads(spatial: Sequence[int], window: Window, side: str) -> list[int]:
    """Return the padding of centred windows over axes of these sizes; the last elements may be in no window."""
    if side not in SIDES:
        raise ShapeError(f"side is {side}, expected one of {', '.join(SIDES)}")
    axes = list(zip(spatial, window.extent, window.strides, strict=True))
    low = [same_low(size, extent, stride, side) for size, extent, stride in axes]
    return [*low, *(extent - 1 - before for (_, extent, _), before in zip(axes, low, strict=True))]


def same_pad(x: AnyTensor, windows: Sequence[int], strides: Sequence[int], side: str) -> AnyTensor:
    """`x` with `windows - 1` elements more along each axis."""
    for what, values in (("windows", windows), ("strides", strides)):
        require_length(what, values, x.get_num_dims())
        require_at_least(what, values, 1)
    if side not in SIDES:
        raise ShapeError(f"side is {side}, expected one of {', '.join(SIDES)}")
    return result(x.element_type, [size + more - 1 for size, more in zip(x.get_shape(), windows, strict=True)])
