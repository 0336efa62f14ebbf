"""How convolutions of all kinds fare, one by one: no shape may be much slower than in a library.

    python -m benchmarks.convolutions [PATTERN ...] [--rounds 3] [--at-most 1.05] [--cpu N]

Compiles a network of one convolution for each shape and measures it beside onnxruntime, one thread each, in turns: a
first layer, windows of all sizes, strides, dilations, groups of many widths, depthwise, transposed, one and three
dimensions, channels that fill no vector, and small images. Prints GFLOP/s, their share of the peak, and microseconds
over those of onnxruntime. Patterns choose shapes by their names. Exits with 1 if a shape takes longer than it may.
"""

import argparse
import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.beside import measure
from benchmarks.timing import geometric_mean, pin
from s2s.profiling.machine import this_machine

MAX_DIFFERENCE = 1e-4
PER_STEP = 2
"""Operations of a multiply-add."""


@dataclass(frozen=True)
class Shape:
    """One convolution: `image` is the size of its input, as many dimensions as the window has."""

    name: str
    inputs: int
    outputs: int
    image: tuple[int, ...]
    window: tuple[int, ...]
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    transposed: bool = False

    @property
    def pads(self) -> tuple[int, ...]:
        """As much on both sides as keeps the size at stride 1."""
        return tuple(self.dilation * (side - 1) // 2 for side in self.window)

    @property
    def operations(self) -> int:
        """Multiplications and additions, also on padding."""
        places = prod(self.image) if self.transposed else prod(-(-side // self.stride) for side in self.image)
        other = self.outputs if self.transposed else self.inputs
        each = self.inputs if self.transposed else self.outputs
        return PER_STEP * places * each * other // self.groups * prod(self.window)

    def model(self) -> onnx.ModelProto:
        """A network of this convolution."""
        first, second = (self.inputs, self.outputs) if self.transposed else (self.outputs, self.inputs)
        rng = np.random.default_rng(1)
        weights = rng.standard_normal((first, second // self.groups, *self.window)).astype(np.float32)
        node = helper.make_node(
            "ConvTranspose" if self.transposed else "Conv",
            ["x", "w", "b"],
            ["y"],
            "conv",
            pads=[*self.pads, *self.pads],
            strides=[self.stride] * len(self.window),
            dilations=[self.dilation] * len(self.window),
            group=self.groups,
        )
        constants = {"w": weights / weights[0].size ** 0.5, "b": rng.standard_normal(self.outputs).astype(np.float32)}
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, self.inputs, *self.image])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
        graph = helper.make_graph([node], "conv", [x], [y], stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


SHAPES = (
    Shape("first_3x3_s2", 3, 32, (224, 224), (3, 3), 2),
    Shape("first_7x7_s2", 3, 64, (224, 224), (7, 7), 2),
    Shape("first_3x3_grey", 1, 16, (64, 64), (3, 3)),
    Shape("first_10x4_s2", 1, 64, (49, 10), (10, 4), 2),
    Shape("first_4_channels", 4, 24, (96, 96), (5, 5), 2),
    Shape("plain_3x3", 64, 64, (56, 56), (3, 3)),
    Shape("plain_5x5", 32, 32, (28, 28), (5, 5)),
    Shape("plain_1x7", 64, 64, (17, 17), (1, 7)),
    Shape("plain_7x1", 64, 64, (17, 17), (7, 1)),
    Shape("plain_11x11_s4", 3, 64, (224, 224), (11, 11), 4),
    Shape("strided_3x3", 64, 128, (56, 56), (3, 3), 2),
    Shape("strided_1x1", 64, 128, (56, 56), (1, 1), 2),
    Shape("strided_5x5_s3", 48, 48, (45, 45), (5, 5), 3),
    Shape("dilated_3x3_d2", 64, 64, (28, 28), (3, 3), 1, 2),
    Shape("dilated_3x3_d6", 64, 64, (33, 33), (3, 3), 1, 6),
    Shape("grouped_32x4", 128, 128, (56, 56), (3, 3), groups=32),
    Shape("grouped_32x8", 256, 256, (28, 28), (3, 3), groups=32),
    Shape("grouped_16x16", 256, 256, (14, 14), (3, 3), groups=16),
    Shape("grouped_3x40", 120, 120, (14, 14), (3, 3), groups=3),
    Shape("grouped_1x1_g3", 240, 240, (28, 28), (1, 1), groups=3),
    Shape("grouped_s2_32x4", 128, 128, (56, 56), (3, 3), 2, groups=32),
    Shape("depthwise_3x3", 96, 96, (56, 56), (3, 3), groups=96),
    Shape("depthwise_3x3_s2", 96, 96, (112, 112), (3, 3), 2, groups=96),
    Shape("depthwise_5x5", 240, 240, (28, 28), (5, 5), groups=240),
    Shape("depthwise_7x7", 96, 96, (56, 56), (7, 7), groups=96),
    Shape("depthwise_odd", 100, 100, (31, 31), (3, 3), groups=100),
    Shape("depthwise_small", 960, 960, (7, 7), (3, 3), groups=960),
    Shape("depthwise_times_2", 32, 64, (28, 28), (3, 3), groups=32),
    Shape("transposed_2x2_s2", 64, 32, (28, 28), (2, 2), 2, transposed=True),
    Shape("transposed_3x3_s2", 64, 32, (28, 28), (3, 3), 2, transposed=True),
    Shape("transposed_4x4_s2", 64, 32, (28, 28), (4, 4), 2, transposed=True),
    Shape("transposed_3x3", 32, 32, (28, 28), (3, 3), transposed=True),
    Shape("line_3", 64, 64, (512,), (3,)),
    Shape("line_25_s4", 1, 32, (4096,), (25,), 4),
    Shape("line_depthwise", 128, 128, (256,), (9,), groups=128),
    Shape("volume_3x3x3", 16, 16, (16, 16, 16), (3, 3, 3)),
    Shape("channels_3_to_10", 3, 10, (64, 64), (3, 3)),
    Shape("channels_10_to_24", 10, 24, (40, 40), (3, 3)),
    Shape("channels_24_to_40", 24, 40, (28, 28), (3, 3)),
    Shape("channels_40_to_100", 40, 100, (14, 14), (3, 3)),
    Shape("channels_100_to_3", 100, 3, (64, 64), (3, 3)),
    Shape("channels_100_to_100", 100, 100, (28, 28), (1, 1)),
    Shape("channels_64_to_1", 64, 1, (64, 64), (1, 1)),
    Shape("image_1x1", 256, 256, (1, 1), (1, 1)),
    Shape("image_1x1_3x3", 64, 64, (1, 1), (3, 3)),
    Shape("image_3x3", 256, 256, (3, 3), (3, 3)),
    Shape("image_7x7", 256, 256, (7, 7), (3, 3)),
    Shape("image_5x13", 96, 96, (5, 13), (3, 3)),
)


def chosen(patterns: Sequence[str]) -> list[Shape]:
    """The shapes whose names match."""
    return [shape for shape in SHAPES if any(fnmatch.fnmatch(shape.name, pattern) for pattern in patterns)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("patterns", nargs="*", default=["*"], help="names of shapes, with * and ?")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each engine")
    parser.add_argument("--at-most", type=float, default=1.05, help="times onnxruntime that a shape may take")
    parser.add_argument("--cpu", type=int, default=None, help="the processor to run on")
    arguments = parser.parse_args()
    pin(arguments.cpu)
    top = 1e9 * this_machine().float_gflops
    print(f"{'convolution':<24}{'µs':>10}{'GFLOP/s':>10}{'of peak':>9}{'× ort':>8}{'error':>10}")
    ratios: list[float] = []
    wrong = list[str]()
    for shape in chosen(arguments.patterns):
        row = measure(shape.model(), arguments.rounds, seconds=0.1)
        ratios.append(row.ratio)
        speed = shape.operations / row.ours
        print(
            f"{shape.name:<24}{row.ours * 1e6:10.1f}{speed / 1e9:10.1f}{speed / top:9.0%}{row.ratio:8.2f}"
            f"{row.difference:10.1e}{' slow' if row.ratio > arguments.at_most else ''}",
            flush=True,
        )
        if row.ratio > arguments.at_most or row.difference > MAX_DIFFERENCE:
            wrong.append(shape.name)
    print(f"geometric mean of the ratios: {geometric_mean(ratios):.2f}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
