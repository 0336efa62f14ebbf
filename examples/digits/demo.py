"""Compile the digits network to C, build it, classify the images it never saw, and compare with onnxruntime.

make demo          (or: python examples/digits/demo.py [FOLDER])
"""
# onnxruntime has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from rich.console import Console
from rich.table import Table

from s2s import api
from s2s.verify.build import LoadedNetwork

HERE = Path(__file__).parent
MODEL = HERE / "digits.onnx"
Floats = npt.NDArray[np.float32]
Network = Callable[[Floats], Floats]


def classify(network: Network, images: Floats) -> tuple[Floats, float]:
    """The probabilities of each image, and the milliseconds one took."""
    network(images[:1])
    start = time.perf_counter()
    probabilities = np.concatenate([network(images[i : i + 1]) for i in range(len(images))])
    return probabilities, (time.perf_counter() - start) * 1e3 / len(images)


def in_c(library: LoadedNetwork) -> Network:
    """The network in C, as a firmware calls it: memory is set up once."""
    pixels = np.zeros((1, 1, 8, 8), np.float32)
    bound = library.bind({"image": pixels})

    def network(image: Floats) -> Floats:
        pixels[...] = image
        assert bound.call() == 0
        return bound.outputs[0].copy()

    return network


def in_onnxruntime() -> Network:
    """The model in onnxruntime, on one thread."""
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session: Any = onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])
    return lambda image: session.run(None, {"image": image})[0]


def main(tree: Path) -> None:
    """Run the demonstration; the C goes to `tree`."""
    console = Console(highlight=False)
    held_out = np.load(HERE / "held_out.npz")
    images, labels = held_out["images"], held_out["labels"]
    start = time.perf_counter()
    artifact = api.compile(MODEL)
    artifact.write(tree)
    compiled = time.perf_counter() - start
    report = artifact.report(measure=True)
    with api.load(tree) as library:
        found, ms_in_c = classify(in_c(library), images)
    expected, ms_reference = classify(in_onnxruntime(), images)
    right, right_reference = (float((each.argmax(axis=1) == labels).mean()) for each in (found, expected))

    table = Table("", "C of s2s", "onnxruntime", title=f"handwritten digits, {len(images)} images never seen")
    table.add_row("classified right", f"{right:.2%}", f"{right_reference:.2%}")
    table.add_row("milliseconds an image, called from Python", f"{ms_in_c:.4f}", f"{ms_reference:.4f}")
    table.add_row("largest difference of a probability", f"{np.abs(found - expected).max():.2g}")
    table.add_section()
    table.add_row("RAM: arena", f"{report.arena:,} bytes")
    table.add_row("lower bound of the arena", f"{report.arena_lower_bound:,} bytes")
    table.add_row("RAM: stack", f"{report.stack:,} bytes" if report.stack is not None else report.stack_note)
    table.add_row("flash: code and constants", f"{report.flash:,} bytes")
    table.add_row("seconds to compile the network to C", f"{compiled:.2f}")
    console.print(table)
    console.print(f"The C is in {tree}; try: make -C {tree} test")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "digits")
