"""Convolutions of any parameters, alone or between layers that change the layout of what passes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import onnx
from hypothesis import strategies as st

from benchmarks.networks.builder import Network, Value

CHANNELS = st.integers(1, 20) | st.sampled_from([3, 8, 16, 24, 32, 40, 48])
MAX_WORK = 3_000_000
"""Multiply-adds of one convolution, so that an example takes its time in the compiler."""


@dataclass(frozen=True)
class Convolution:
    """One convolution, its sides, strides, dilations and pads by axis."""

    batch: int
    groups: int
    inputs: int
    outputs: int
    """Channels of one group."""
    image: tuple[int, ...]
    window: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    transposed: bool
    inside: bool
    """Whether it stands between pointwise layers, and not between the caller's buffers."""

    @property
    def result(self) -> tuple[int, ...]:
        """The sides of its result."""
        rank = len(self.image)
        reach = [dilation * (side - 1) + 1 for side, dilation in zip(self.window, self.dilations, strict=True)]
        ends = [self.pads[axis] + self.pads[axis + rank] for axis in range(rank)]
        if self.transposed:
            return tuple(
                (size - 1) * stride + span - end
                for size, stride, span, end in zip(self.image, self.strides, reach, ends, strict=True)
            )
        return tuple(
            (size + end - span) // stride + 1
            for size, stride, span, end in zip(self.image, self.strides, reach, ends, strict=True)
        )

    @property
    def work(self) -> int:
        """Multiply-adds."""
        places = self.image if self.transposed else self.result
        return self.batch * self.groups * self.inputs * self.outputs * prod(places) * prod(self.window)

    def layers(self, net: Network, name: str) -> Value:
        """The convolution, or it and its neighbours."""
        x = net.input(self.batch, self.groups * self.inputs, *self.image, name=name)
        if self.inside:
            x = net.relu(net.conv(x, x.channels))
        first, second = (self.inputs, self.outputs) if self.transposed else (self.outputs, self.inputs)
        y = net.op(
            "ConvTranspose" if self.transposed else "Conv",
            x,
            net.weights(first * self.groups, second, *self.window, fan=self.inputs * prod(self.window)),
            net.weights(self.outputs * self.groups, fan=100),
            strides=list(self.strides),
            dilations=list(self.dilations),
            pads=list(self.pads),
            group=self.groups,
        )
        return net.conv(net.relu(y), 5) if self.inside else y


@st.composite
def convolutions(draw: st.DrawFn) -> Convolution:
    """Any convolution that has a result and is not much work."""
    rank = draw(st.sampled_from([1, 2, 2]))
    kind = draw(st.sampled_from(["whole", "whole", "depthwise", "grouped"]))
    groups = {"whole": 1, "depthwise": draw(CHANNELS), "grouped": draw(st.integers(2, 8))}[kind]
    inputs = 1 if kind == "depthwise" else draw(CHANNELS)
    outputs = draw(st.integers(1, 3)) if kind == "depthwise" else draw(CHANNELS)
    window, strides, dilations, image = (
        tuple(draw(st.integers(1, most)) for _ in range(rank)) for most in (5, 3, 2, 24)
    )
    reach = [dilation * (side - 1) + 1 for side, dilation in zip(window, dilations, strict=True)]
    pads = tuple(draw(st.integers(0, min(3, span - 1))) for _ in range(2) for span in reach)
    shape = (inputs, outputs, image, window, strides, dilations, pads)
    whole = Convolution(draw(st.integers(1, 2)), groups, *shape, draw(st.booleans()), draw(st.booleans()))
    return whole if min(whole.result) > 0 and whole.work <= MAX_WORK else draw(convolutions())


def network(layers: Sequence[Convolution]) -> onnx.ModelProto:
    """A network that computes all of them, each from an input of its own."""
    net = Network("convolutions")
    return net.model(*(layer.layers(net, f"x{number}") for number, layer in enumerate(layers)))
