"""A sliding window of convolution and pooling, which ONNX and PyTorch state alike."""

from collections.abc import Sequence
from typing import NamedTuple


class Window(NamedTuple):
    """A window over the spatial dimensions, as `graph.conv` and the pools want it."""

    kernel: list[int]
    strides: list[int]
    low: list[int]
    high: list[int]
    dilations: list[int]
    side: str = ""
    """Where an odd element of padding goes if it depends on sizes that may vary, `upper` or `lower`; else empty."""

    @property
    def pads(self) -> list[int]:
        """Padding before, then after the dimensions."""
        return [*self.low, *self.high]

    @property
    def extent(self) -> list[int]:
        """Elements from the first tap to the last."""
        return [(size - 1) * dilation + 1 for size, dilation in zip(self.kernel, self.dilations, strict=True)]


def round_up(window: Window, spatial: Sequence[int], *, varies: bool = False) -> Window:
    """`window` with the padding at the far side that makes the output size round up.

    A last window that would start beyond the input and its padding before it is left out. If sizes vary, the padding
    is so much that it does at every size: `stride - 1` elements, but no window begins behind the input.
    """
    high: list[int] = []
    for size, low, after, extent, stride in zip(
        spatial, window.low, window.high, window.extent, window.strides, strict=True
    ):
        if varies:
            high.append(max(after, min(after + stride - 1, extent - 1)))
            continue
        count = -(-(size + low + after - extent) // stride) + 1
        if (count - 1) * stride >= size + low:
            count -= 1
        high.append(max(after, (count - 1) * stride + extent - size - low))
    return window._replace(high=high)
