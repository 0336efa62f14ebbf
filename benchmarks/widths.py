"""What weights of 4 bits in some layers save and cost: the fronts of small networks that are trained here on digits.

    python -m benchmarks.widths [--target cortex-m55] [--network ResNet-8-like]

For each network: classes right in floats, in 8 bits, and in the smallest plan within one point of the 8 bits, with the
flash of both; then each point of the front, compiled and run on the board, beside what was predicted of it. Exits with
1 where a prediction is more than 3 % off.
"""

import argparse
import os
import sys
from functools import partial

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from benchmarks.quantisers import CALIBRATION, HELD_OUT, exported, images, mobile, plain, trained
from s2s.frontends.formats import load_model
from s2s.frontends.onnx import LoadedModel
from s2s.mixed.front import Front, Picked
from s2s.mixed.prices import Builder
from s2s.mixed.search import Bounds
from s2s.options import CompileOptions
from s2s.quantization.accuracy import stacked
from s2s.quantization.metrics import top1
from s2s.quantization.onnx_work import OnnxWork
from s2s.quantization.settings import settings_of
from s2s.quantization.widths import OPSET
from s2s.types.dtypes import Array

POINT = 0.01
"""What the smallest plan may lose beside 8 bits."""
CLOSE = 0.03
"""By what a prediction may be off."""


class Residual(nn.Module):
    """Two convolutions beside a shorter way."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.way = nn.Sequential(
            *(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()),
            *(nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)),
        )
        same = stride == 1 and inputs == outputs
        self.short = nn.Identity() if same else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The sum of both."""
        return nn.functional.relu(self.way(x) + self.short(x))


def residual() -> nn.Sequential:
    """A network like ResNet-8."""
    first = [nn.Conv2d(1, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    blocks = [Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)]
    return nn.Sequential(*first, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


NETWORKS = {
    "convolutions and pools": plain,
    "MobileNet-like, ReLU6": partial(mobile, nn.ReLU6),
    "MobileNet-like, ReLU": partial(mobile, nn.ReLU),
    "ResNet-8-like": residual,
}


def prepared(model: bytes, x: Array, y: Array) -> OnnxWork:
    """Quantise a model on samples that are not held out."""
    calibration = {"image": x[HELD_OUT : HELD_OUT + CALIBRATION]}
    held = {"image": x[:HELD_OUT], "class": y[:HELD_OUT]}
    loaded = load_model(model)
    assert isinstance(loaded, LoadedModel)
    return OnnxWork(loaded, calibration, settings_of(labels="class", test=held), OPSET)


def shown(name: str, work: OnnxWork, picked: Picked, seconds: float) -> tuple[str, ...]:
    """The cells of a network."""
    classified = work.classified
    assert classified is not None
    assert classified.labels is not None
    floats = top1(stacked(work.scores(work.real, classified)), np.asarray(classified.labels))
    whole, small = picked.front[-1], picked.point
    share = small.price.flash / whole.price.flash
    rights = floats, whole.metric or 0.0, small.metric or 0.0
    sizes = f"{whole.price.flash:,}", f"{small.price.flash:,}", f"{share:.2f}"
    cycles = f"{small.price.cycles / whole.price.cycles:.2f}"
    return name, *(f"{right:.1%}" for right in rights), *sizes, cycles, f"{seconds:.0f}"


def main() -> int:
    """Train, quantise, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cortex-m4", help="cortex-m4 by default")
    parser.add_argument("--network", choices=NETWORKS, help="one of the networks; by default all")
    stated = parser.parse_args()
    options = CompileOptions(target=stated.target, requantise="fixed")
    x, y = images()
    networks = Table(*("network", "floats", "8 bits", "mixed", "flash", "mixed", "share", "cycles", "processor s"))
    points = Table(*("network", "layers of 4 bits", "flash built", "predicted", "cycles built", "predicted"))
    worst = 0.0
    for name in [stated.network] if stated.network else NETWORKS:
        model = exported(trained(NETWORKS[name], x[HELD_OUT:], y[HELD_OUT:]))
        begin = sum(os.times()[:4])
        work = prepared(model, x.numpy(), y.numpy())
        builder = Builder(options, next(iter(work.samples)))
        front = Front(work, builder)
        least = (front.points(Bounds())[-1].metric or 0.0) - POINT
        picked = front.pick(Bounds(), least)
        networks.add_row(*shown(name, work, picked, sum(os.times()[:4]) - begin))
        for point in picked.front:
            built = front.built(point.plan)
            pairs = [(built.flash, point.price.flash), (built.cycles, point.price.cycles)]
            worst = max(worst, *(abs(foreseen / real - 1) for real, foreseen in pairs))
            cells = (f"{number:,}" for pair in pairs for number in pair)
            points.add_row(name, f"{len(point.narrow)} of {len(point.plan)}", *cells)
    console = Console(highlight=False, width=160)
    console.print(networks, points, f"predictions are at most {worst:.1%} off, asked {CLOSE:.0%}")
    return int(worst > CLOSE)


if __name__ == "__main__":
    sys.exit(main())
