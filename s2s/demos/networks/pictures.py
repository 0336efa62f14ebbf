"""A network that reads handwritten digits: the one of `examples/digits`, which says how it was trained."""

import io

import numpy as np

from s2s.demos.made import Made
from s2s.support.resources import demo_data

CLASSES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def make() -> Made:
    """Return the network, and an image of each digit that it has not seen."""
    held_out = np.load(io.BytesIO(demo_data("digits.npz")))
    first = [int(np.argmax(held_out["labels"] == label)) for label in range(len(CLASSES))]
    return Made(demo_data("digits.onnx"), held_out["images"][first, None], range(len(CLASSES)))


__all__ = ["CLASSES", "make"]
