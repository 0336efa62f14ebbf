"""Keyword spotters frame by frame (`--stream`) beside the whole window: instructions on an emulated board.

    python -m benchmarks.frames [--frames 2 8] [--board qemu:m4] [--target cortex-m4] [NETWORK ...]

Prints for each network the instructions of a run on new frames, and of one on the whole window. `share` is the part of
the multiply-adds that the new frames need, `ratio` the part of the instructions over it: 1.0 where nothing is lost to
copies of frames and to kernels over few elements. Both runs are compared with onnxruntime. `_int8` networks are
quantised by onnxruntime, with a scale for each channel.

With one frame a weight is loaded for one product, and the whole window loads it once for several frames: the TCN takes
1.60 instructions for each multiply-add of the window, and 1.80 of one frame, where one instruction loads two weights.
Exits with 1 if a ratio is above 1.15.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import onnx

from benchmarks.networks.builder import Network, Value
from benchmarks.networks.quantised import SIGNED, static
from s2s import api
from s2s.stages.settle import Settled

GOAL = 1.15
FRAMES = {"ds_cnn": (2, 8), "tcn": (1, 2, 8), "ds_cnn_int8": (2, 8), "tcn_int8": (1, 2, 8)}
"""Frames of a run, from as few as the strides allow."""


def ds_cnn() -> onnx.ModelProto:
    """49 frames of 10 coefficients: a first layer of stride 2 and four depthwise separable ones, not padded in time."""
    net = Network("ds_cnn")
    x = net.relu(net.op("Conv", *_first(net), strides=[2, 2], pads=[0, 1, 0, 1]))
    for _ in range(4):
        x = net.relu(net.conv(x, 64, (3, 3), groups=64, pads=(0, 1, 0, 1)))
        x = net.relu(net.conv(x, 64))
    return net.model(net.classes(x, 12))


def _first(net: Network) -> tuple[Value, Value, Value]:
    return net.input(1, 1, 49, 10), net.weights(64, 1, 10, 4, fan=40), net.weights(64, fan=100)


def tcn() -> onnx.ModelProto:
    """98 frames of 40 coefficients: five dilated convolutions with residuals, of which the last frame is classified."""
    net = Network("tcn")
    x = net.relu(net.conv(net.input(1, 40, 98), 64))
    for dilation in (1, 2, 4, 8, 16):
        y = net.relu(net.conv(x, 64, 3, dilation=dilation, pads=(0, 0)))
        x = net.add(y, _last(net, x, y.shape[2]))
    return net.model(net.linear(net.op("Flatten", _last(net, x, 1)), 12))


def _last(net: Network, x: Value, count: int) -> Value:
    """The last frames of `x`."""
    return net.op("Slice", x, net.integers(x.shape[2] - count), net.integers(x.shape[2]), net.integers(2))


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    "ds_cnn": ds_cnn,
    "tcn": tcn,
    "ds_cnn_int8": partial(static, ds_cnn, SIGNED, SIGNED, per_channel=True),
    "tcn_int8": partial(static, tcn, SIGNED, SIGNED, per_channel=True),
}


COLUMNS = ("frames", 7), ("share", 8), ("instructions", 14), ("of the window", 15), ("ratio", 7)


class Run(NamedTuple):
    """What a run takes."""

    multiply_adds: int
    instructions: int


def measured(model: onnx.ModelProto, target: str, board: str, streams: Mapping[str, tuple[int, int]]) -> Run:
    """Run a network on the board; what it gives is compared."""
    artifact = api.compile(model, target=target, streams=streams)
    found = artifact.verify_on(board)
    if not found.passed:
        raise SystemExit(f"{artifact.name}: wrong on {board}")
    return Run(artifact.compilation.facts(Settled).work, max(found.run.instructions))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), metavar="NETWORK")
    parser.add_argument("--frames", type=int, nargs="*", help="of a run")
    parser.add_argument("--board", default="qemu:m4")
    parser.add_argument("--target", default="cortex-m4")
    arguments = parser.parse_args()
    good = True
    print(" " * 10 + "".join(f"{word:>{width}}" for word, width in COLUMNS))
    for name in arguments.networks:
        model = NETWORKS[name]()
        whole = measured(model, arguments.target, arguments.board, {})
        for frames in arguments.frames or FRAMES[name]:
            run = measured(model, arguments.target, arguments.board, {"x": (2, frames)})
            share = run.multiply_adds / whole.multiply_adds
            ratio = run.instructions / whole.instructions / share
            good &= ratio <= GOAL
            figures = f"{frames:7}{share:8.4f}{run.instructions:14,}{whole.instructions:15,}{ratio:7.2f}"
            print(f"{name:<10}{figures}", flush=True)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
