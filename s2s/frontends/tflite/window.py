"""Windows as TFLite states them: a kernel, strides, dilations, and padding by name."""

from collections.abc import Sequence

from s2s.frontends.builder import Scalar, Value
from s2s.frontends.same_padding import depends_on_size, same_padded
from s2s.frontends.tflite.node import Node
from s2s.support.frozen import frozen
from s2s.types.shapes.window import CHANNELS_LAST, SIDES, spatial_shape

SAME, VALID = 0, 1


@frozen
class Geometry:
    """Height and width of everything about a window, before them the depth if there is one."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...] = (1, 1)

    def verify(self, node: Node) -> None:
        """Refuse a window that is empty or does not move."""
        for what, sizes in (("kernel", self.kernel), ("strides", self.strides), ("dilations", self.dilations)):
            if min(sizes) < 1:
                raise node.invalid(f"{what} {list(sizes)} are not positive", "fix the options")

    def pads(self, node: Node, image: Sequence[int]) -> list[int]:
        """`[top, left, bottom, right]`: none, or enough that every stride of `image` has a window, the rest behind.

        Depth, if there is one, comes first on both sides.
        """
        self.verify(node)
        padding = int(node.options.Padding())
        if padding == VALID:
            return [0] * 2 * len(self.kernel)
        if padding != SAME:
            raise node.invalid(f"padding {padding} is neither SAME nor VALID", "fix the options")
        low: list[int] = []
        high: list[int] = []
        for size, kernel, stride, dilation in zip(image, self.kernel, self.strides, self.dilations, strict=True):
            count = -(-size // stride)
            total = max((count - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
            low.append(total // 2)
            high.append(total - total // 2)
        return [*low, *high]

    @property
    def extent(self) -> list[int]:
        """Elements from the first tap to the last."""
        return [(kernel - 1) * dilation + 1 for kernel, dilation in zip(self.kernel, self.dilations, strict=True)]

    def padded(self, node: Node, x: Value, value: Scalar) -> tuple[Value, list[int]]:
        """`x`, and the padding of windows on it. Padding that depends on sizes that vary is part of the result."""
        image = spatial_shape(x.shape, CHANNELS_LAST)
        if not self.centred_at_run_time(node):
            return x, self.pads(node, image)
        return same_padded(x, self.extent, self.strides, SIDES[0], value, CHANNELS_LAST)

    def centred_at_run_time(self, node: Node) -> bool:
        """Whether padding depends on sizes that vary."""
        self.verify(node)
        same = int(node.options.Padding()) == SAME
        return same and node.builder.varies and depends_on_size(self.extent, self.strides)


def strides(node: Node) -> tuple[int, int]:
    """The strides that the options of the operator state, height first."""
    return int(node.options.StrideH()), int(node.options.StrideW())


def dilations(node: Node) -> tuple[int, int]:
    """The dilations that the options of the operator state, height first."""
    return int(node.options.DilationHFactor()), int(node.options.DilationWFactor())
