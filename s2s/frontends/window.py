"""A sliding window of convolution and pooling, which ONNX and PyTorch state alike."""

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
