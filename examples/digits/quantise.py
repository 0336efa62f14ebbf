"""Quantise the digits network to 8 bits, compile it to C, and compare it with the float network on images it never saw.

python examples/digits/quantise.py [FOLDER]
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from s2s import api
from s2s.artifact import Artifact

HERE = Path(__file__).parent
MODEL = HERE / "digits.onnx"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Figures:
    """What is shown of one network."""

    accuracy: float
    weights: int
    arena: int


def classified(artifact: Artifact, images: Floats) -> npt.NDArray[np.int64]:
    """The class of each image, as the network in C finds it."""
    pixels = np.zeros((1, 1, 8, 8), np.float32)
    bound = artifact.loaded().bind({"image": pixels})
    found: list[int] = []
    for image in images:
        pixels[...] = image
        assert bound.call() == 0
        found.append(int(bound.outputs[0].argmax()))
    return np.array(found)


def figures(artifact: Artifact, images: Floats, labels: npt.NDArray[np.int64]) -> Figures:
    """Accuracy and sizes of a compiled network."""
    report = artifact.report()
    return Figures(float((classified(artifact, images) == labels).mean()), report.weights, report.arena)


def show(networks: Mapping[str, Figures], images: int) -> None:
    """Print the figures side by side."""
    table = Table("", *networks, title=f"handwritten digits, {images} images never seen")
    table.add_row("classified right", *(f"{each.accuracy:.2%}" for each in networks.values()))
    table.add_row("bytes of weights", *(f"{each.weights:,}" for each in networks.values()))
    table.add_row("bytes of arena", *(f"{each.arena:,}" for each in networks.values()))
    Console(highlight=False).print(table)


def main(folder: Path) -> None:
    """Quantise, compile three times, compare; the quantised model and its C go to `folder`."""
    held_out = np.load(HERE / "held_out.npz")
    images, labels = held_out["images"], held_out["labels"]
    quantized = api.quantize(MODEL, HERE / "calibration.npz")
    path = quantized.save(folder / "digits_int8.onnx")
    worst = min(quantized.layers, key=lambda layer: layer.sqnr)
    print(f"calibrated on {quantized.samples} images; the noisiest layer is {worst.node}, {worst.sqnr:.1f} dB")
    with (
        api.compile(MODEL, target="c") as real,
        api.compile(path, target="c") as scaled,
        api.compile(path, target="c", requantise="fixed") as fixed,
    ):
        networks = {"float": real, "int8": scaled, "int8, fixed point": fixed}
        show({name: figures(each, images, labels) for name, each in networks.items()}, len(images))
        fixed.write(folder / "digits_int8")
    print(f"The C is in {folder / 'digits_int8'}; try: make -C {folder / 'digits_int8'} test")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
