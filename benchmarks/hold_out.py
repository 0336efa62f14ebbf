"""Networks that no decision was made for, beside the four of MLPerf Tiny: instructions, RAM and flash on boards.

    python -m benchmarks.hold_out [wake resnet mcunet mobilenet …] [--boards m4 m55] [--at-most 1.3]

A wake word (depthwise convolutions along time), a larger ResNet with 31 dead filters, inverted residuals with windows
of 3, 5 and 7 and a float input as MCUNet has them (all three int8 TFLite), and a MobileNetV2 that onnxruntime quantised
(QDQ). Multiply-adds are those of live channels, weights are random. `ratio` is the number of instructions for a
multiply-add, over that of the network of MLPerf Tiny with most of them on the same board. The exit code is 1 if a ratio
is above `--at-most`, or a network differs from its engine.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from benchmarks.mcu import MODELS, NETWORKS
from benchmarks.networks.quantised import SIGNED, inverted, static
from s2s import api
from s2s.frontends.tflite.writer import NONE, RELU6, SAME, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.inspection import inspect_model

SPREAD = 35.0
"""The standard deviation of weights in steps."""
CLIPPED, LINEAR = (6 / 255, -128), (8 / 255, 0)
"""Scale and zero point of tensors behind a ReLU6, and of others."""


class Tensor(NamedTuple):
    """A tensor of a network under construction."""

    name: str
    shape: tuple[int, ...]
    scale: float
    zero_point: int


class Network:
    """Builds an int8 network of TFLite with random weights."""

    def __init__(self, shape: tuple[int, ...], *, floats: bool = False) -> None:
        self.draw = np.random.default_rng(0)
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []
        self.floats = floats
        self.input = self._tensor(shape, LINEAR)
        self.inputs, self.shape = [self.input.name], shape
        if floats:
            self.tensors.append(TensorSpec("floats", shape, "FLOAT32"))
            self.operators.append(OperatorSpec("QUANTIZE", ["floats"], self.inputs, "QuantizeOptions"))
            self.inputs = ["floats"]

    def _tensor(self, shape: tuple[int, ...], quantisation: tuple[float, int]) -> Tensor:
        name = f"t{len(self.tensors)}"
        self.tensors.append(TensorSpec(name, shape, "INT8", scale=quantisation[0], zero_point=quantisation[1]))
        return Tensor(name, shape, *quantisation)

    def _weights(self, x: Tensor, shape: tuple[int, ...], fan_in: int, axis: int, dead: int) -> tuple[str, str]:
        outputs = shape[axis]
        values = np.clip(np.rint(self.draw.standard_normal(shape) * SPREAD), -127, 127).astype(np.int8)
        bias = self.draw.integers(-200, 200, outputs).astype(np.int32)
        if dead:
            values[self.draw.permutation(outputs)[:dead]] = 0
        scale = float(np.sqrt(2 / fan_in) / SPREAD)
        names = f"w{len(self.tensors)}", f"b{len(self.tensors)}"
        zeros = [0] * outputs
        self.tensors += [
            TensorSpec(names[0], shape, data=values, scale=[scale] * outputs, zero_point=zeros, axis=axis),
            TensorSpec(names[1], (outputs,), data=bias, scale=[scale * x.scale] * outputs, zero_point=zeros),
        ]
        return names

    def _window(
        self, x: Tensor, kind: str, weights: tuple[str, str], channels: int, stride: int, clips: bool
    ) -> Tensor:
        high, wide = (-(-size // (stride if size > 1 else 1)) for size in x.shape[1:3])
        y = self._tensor((1, high, wide, channels), CLIPPED if clips else LINEAR)
        fields: dict[str, Any] = {"padding": SAME, "stride_h": stride, "stride_w": stride, "dilation_h_factor": 1}
        fields |= {"dilation_w_factor": 1, "fused_activation_function": RELU6 if clips else NONE}
        fields |= {"depth_multiplier": 1} if kind == "DepthwiseConv2DOptions" else {}
        operator = "DEPTHWISE_CONV_2D" if kind == "DepthwiseConv2DOptions" else "CONV_2D"
        self.operators.append(OperatorSpec(operator, [x.name, *weights], [y.name], kind, fields))
        return y

    def conv(
        self,
        x: Tensor,
        channels: int,
        side: tuple[int, int] = (1, 1),
        stride: int = 1,
        *,
        clips: bool = True,
        dead: int = 0,
    ) -> Tensor:
        """A convolution."""
        shape = channels, *side, x.shape[3]
        weights = self._weights(x, shape, side[0] * side[1] * x.shape[3], 0, dead)
        return self._window(x, "Conv2DOptions", weights, channels, stride, clips)

    def depthwise(self, x: Tensor, side: tuple[int, int], stride: int = 1) -> Tensor:
        """A depthwise convolution."""
        shape = 1, *side, x.shape[3]
        return self._window(
            x, "DepthwiseConv2DOptions", self._weights(x, shape, side[0] * side[1], 3, 0), x.shape[3], stride, True
        )

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        """A sum of two tensors."""
        y = self._tensor(a.shape, LINEAR)
        self.operators.append(OperatorSpec("ADD", [a.name, b.name], [y.name], "AddOptions"))
        return y

    def classes(self, x: Tensor, count: int) -> bytes:
        """The file: a mean over the image, a dense layer and a softmax."""
        mean = self._tensor((1, x.shape[3]), (x.scale, x.zero_point))
        axes = TensorSpec("axes", (2,), data=np.array([1, 2], np.int32))
        self.tensors.append(axes)
        self.operators.append(OperatorSpec("MEAN", [x.name, "axes"], [mean.name], "ReducerOptions"))
        weights = self._weights(x, (count, x.shape[3]), x.shape[3], 0, 0)
        scores, y = self._tensor((1, count), LINEAR), self._tensor((1, count), (1 / 256, -128))
        self.operators.append(
            OperatorSpec("FULLY_CONNECTED", [mean.name, *weights], [scores.name], "FullyConnectedOptions")
        )
        self.operators.append(OperatorSpec("SOFTMAX", [scores.name], [y.name], "SoftmaxOptions", {"beta": 1.0}))
        return model([GraphSpec(self.tensors, self.operators, self.inputs, [y.name])])


def wake() -> bytes:
    """A wake word: depthwise convolutions along time."""
    net = Network((1, 96, 1, 40))
    x = net.conv(net.input, 64, (5, 1), 2)
    for side in (9, 13, 17, 21):
        x = net.conv(net.depthwise(x, (side, 1)), 64)
    return net.classes(x, 2)


def resnet() -> bytes:
    """A ResNet with dead filters, and with more and wider layers than ResNet-8 of MLPerf Tiny."""
    net = Network((1, 32, 32, 3))
    x = net.conv(net.input, 24, (3, 3))
    for channels, stride, dead in ((24, 1, 0), (48, 2, 6), (48, 1, 5), (96, 2, 10), (96, 1, 10)):
        y = net.conv(net.conv(x, channels, (3, 3), stride, dead=dead), channels, (3, 3), clips=False)
        x = net.add(y, x if stride == 1 else net.conv(x, channels, (1, 1), stride, clips=False))
    return net.classes(x, 10)


def mcunet() -> bytes:
    """Inverted residuals with windows of 3, 5 and 7 on a float input."""
    net = Network((1, 64, 64, 3), floats=True)
    x = net.conv(net.depthwise(net.conv(net.input, 16, (3, 3), 2), (3, 3)), 8, clips=False)
    blocks = (16, 3, 7, 2), (16, 4, 3, 1), (24, 5, 5, 2), (24, 4, 7, 1), (40, 6, 5, 2), (40, 5, 3, 1), (160, 3, 7, 2)
    for channels, expand, side, stride in blocks:
        y = net.depthwise(net.conv(x, expand * x.shape[3]), (side, side), stride)
        y = net.conv(y, channels, clips=False)
        x = net.add(y, x) if y.shape == x.shape else y
    return net.classes(x, 10)


def mobilenet() -> Any:
    """Inverted residuals in QDQ form."""
    return static(inverted, SIGNED, SIGNED, per_channel=True)


HELD_OUT: Mapping[str, Callable[[], Any]] = {make.__name__: make for make in (wake, resnet, mcunet, mobilenet)}


class Figures(NamedTuple):
    """What a network takes on a board."""

    live: int
    instructions: int
    ram: int
    flash: int
    passed: bool

    @property
    def cost(self) -> float:
        """Instructions for a live multiply-add."""
        return self.instructions / self.live


def measured(network: Any, board: str, golden: Any = None, **options: Any) -> Figures:
    """Compile a network and run it on a board."""
    artifact = api.compile(network, name="net", target=f"cortex-{board}", **options)
    removed, work = artifact.info.removed_channels, inspect_model(network).multiply_adds or 0
    run = artifact.verify_on(f"qemu:{board}", **({} if golden is None else {"golden": golden})).as_dict()
    return Figures(
        work - (removed.work if removed else 0), run["instructions"], run["ram_bytes"], run["flash_bytes"],
        run["passed"],
    )  # fmt: skip


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=list(HELD_OUT))
    parser.add_argument("--boards", nargs="*", default=["m4", "m55"])
    parser.add_argument("--at-most", type=float, default=1.3)
    options = parser.parse_args()
    good = True
    for board in options.boards:
        most = max(show(name, board, 0.0).cost for name in NETWORKS)
        for name in options.networks:
            figures = show(name, board, most)
            good &= figures.passed and figures.cost <= options.at_most * most
    return 0 if good else 1


def show(name: str, board: str, most: float) -> Figures:
    """Print the figures of a network."""
    if name in NETWORKS:
        file = NETWORKS[name].model
        figures = measured(MODELS / f"{file}.tflite", board, MODELS / f"{file}_golden.npz")
    else:
        figures = measured(HELD_OUT[name](), board)
    ratio, verdict = f"{figures.cost / most:5.2f}" if most else "", "passed" if figures.passed else "DIFFERS"
    print(
        f"{board:4} {name:10} {figures.live:12,} live multiply-adds {figures.instructions:12,} instructions "
        f"{figures.cost:6.3f} each {ratio:6} {figures.ram:8,} RAM {figures.flash:9,} flash {verdict}",
        flush=True,
    )
    return figures


if __name__ == "__main__":
    sys.exit(main())
