"""What quantisation to 8 bits costs small networks, which are trained here on scikit-learn's digits.

    python -m benchmarks.quantisers

Prints the accuracy of floats, of plain 8 bits and of refined ones (`s2s quantize`) in the emitted C, and the signal to
quantisation noise ratio of the output. A network with bad ranges computes the same as the one it is made of: factors
are taken out of the channels in front of an activation and put into the weights behind it, so that one scale no longer
fits all channels.
"""
# torch and scikit-learn are partly untyped.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import io
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from s2s import api
from s2s.quantization import Quantized
from s2s.types.dtypes import Array

HELD_OUT, CALIBRATION, EPOCHS, BATCH = 360, 200, 12, 64
SPREAD = 100.0
"""By how much the ranges of a network with bad ones differ at most, as a factor either way."""


def images() -> tuple[torch.Tensor, torch.Tensor]:
    """The digits as images of 16 x 16, in an order without meaning, and their classes."""
    from sklearn.datasets import load_digits

    digits: Any = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    pixels = torch.from_numpy(digits.images[order].astype(np.float32) / 16)[:, None]
    return nn.functional.interpolate(pixels, scale_factor=2), torch.from_numpy(digits.target[order])


def separable(inputs: int, outputs: int, stride: int, activation: type[nn.Module]) -> list[nn.Module]:
    """A depthwise and a pointwise convolution."""
    return [
        *(nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False), nn.BatchNorm2d(inputs), activation()),
        *(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), activation()),
    ]


def mobile(activation: type[nn.Module]) -> nn.Sequential:
    """A network like MobileNet."""
    first = [nn.Conv2d(1, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), activation()]
    rest = [separable(16, 32, 2, activation), separable(32, 48, 2, activation), separable(48, 64, 1, activation)]
    last = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    return nn.Sequential(*first, *(layer for block in rest for layer in block), *last)


def plain() -> nn.Sequential:
    """Convolutions with pools, and dense layers."""
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10)),
    )


def trained(make: Callable[[], nn.Sequential], x: torch.Tensor, y: torch.Tensor) -> nn.Sequential:
    """Make and train a network, and return it with its batch norms."""
    torch.manual_seed(0)
    network = make()
    optimiser = torch.optim.AdamW(network.parameters(), 4e-3)
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(x)).split(BATCH):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(x[chosen]), y[chosen]).backward()
            optimiser.step()
    return network.eval()


def with_bad_ranges(network: nn.Sequential) -> nn.Sequential:
    """Take factors out of the channels in front of each depthwise convolution, and put them behind it."""
    random = np.random.default_rng(1)
    layers: list[Any] = list(network)
    with torch.no_grad():
        for norm, behind in zip(layers, layers[2:], strict=False):
            if isinstance(norm, nn.BatchNorm2d) and isinstance(behind, nn.Conv2d) and behind.groups > 1:
                powers = random.uniform(-1, 1, behind.in_channels)
                factor = torch.from_numpy(SPREAD**powers).float()
                norm.weight.div_(factor)
                norm.bias.div_(factor)
                behind.weight.mul_(factor.reshape(-1, 1, 1, 1))
    return network


def exported(network: nn.Sequential) -> bytes:
    """The ONNX file of a network."""
    file: Any = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(network, (torch.zeros(1, 1, 16, 16),), file, input_names=["image"], dynamo=False)
    return file.getvalue()


def networks(x: torch.Tensor, y: torch.Tensor) -> Iterator[tuple[str, bytes]]:
    """The networks by name."""
    yield "convolutions and pools", exported(trained(plain, x, y))
    yield "MobileNet-like, ReLU6", exported(trained(partial(mobile, nn.ReLU6), x, y))
    network = trained(partial(mobile, nn.ReLU), x, y)
    yield "MobileNet-like, ReLU", exported(network)
    yield f"the same, ranges up to {SPREAD:g} times apart", exported(with_bad_ranges(network))


def accuracy(model: Any, x: Array, y: Array) -> float:
    """The share of images that the emitted C classifies rightly."""
    with api.compile(model, target="c", requantise="fixed") as artifact:
        [name] = [port.name for port in artifact.info.inputs]
        classes = [next(iter(artifact.run({name: image[None]}).values())).argmax() for image in x]
    return float((np.array(classes) == y).mean())


def main() -> None:
    """Train, quantise and print the table."""
    x, y = images()
    seen, held = slice(HELD_OUT, None), slice(0, HELD_OUT)
    calibration = {"image": x[HELD_OUT : HELD_OUT + CALIBRATION].numpy()}
    table = Table(
        "network", "floats", "8 bits", "refined", "output", "refined by", title=f"{HELD_OUT} digits never seen"
    )
    for name, model in networks(x[seen], y[seen]):
        quantised: list[Quantized] = [api.quantize(model, calibration, refine=refine) for refine in (False, True)]
        models = [model, *(result.model for result in quantised)]
        right = [accuracy(network, x[held].numpy(), y[held].numpy()) for network in models]
        noise = " -> ".join(f"{result.layers[-1].sqnr:.1f}" for result in quantised)
        steps = "; ".join(quantised[1].refinements)
        table.add_row(name, *(f"{share:.1%}" for share in right), f"{noise} dB", steps)
    Console(highlight=False, width=160).print(table)


if __name__ == "__main__":
    main()
