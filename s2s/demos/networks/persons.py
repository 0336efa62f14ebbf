"""A network that tells whether a person stands in a picture: head, shoulders and body, drawn, in noise and clutter."""

import numpy as np

from s2s.demos.made import Made
from s2s.demos.networks.fitting import drawn, fitted, network
from s2s.types.dtypes import Array

CLASSES = ("nobody", "a person")
SIDE = 48
TRAINING, SAMPLES = 600, 8
_LAYERS = """
c0 = Conv <strides = [2, 2], pads = [2, 2, 2, 2]> (picture, first) r0 = Relu (c0)
c1 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (r0, second) r1 = Relu (c1)
c2 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (r1, third) r2 = Relu (c2)
pooled = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r2) features = Flatten (pooled)
"""
_INPUT = f"float[1, 1, {SIDE}, {SIDE}] picture"
_FEATURES = 48 * 9


def make() -> Made:
    """Draw pictures, fit the network to most, and keep some."""
    random = np.random.default_rng(0)
    labels = np.arange(TRAINING + SAMPLES) % len(CLASSES)
    inputs = np.stack([picture(bool(label), random) for label in labels])
    layers = drawn(random, first=(12, 1, 5, 5), second=(24, 12, 3, 3), third=(48, 24, 3, 3))
    features = network(f"g ({_INPUT}) => (float[1, {_FEATURES}] features) {{ {_LAYERS} }}", layers)
    last, bias = fitted(features, inputs[:TRAINING], labels[:TRAINING], len(CLASSES))
    text = f"persons ({_INPUT}) => (float[1, 2] scores) {{ {_LAYERS} scores = Gemm (features, last, bias) }}"
    model = network(text, {**layers, "last": last, "bias": bias})
    return Made(model.SerializeToString(), inputs[TRAINING:], labels[TRAINING:].tolist())


def picture(with_person: bool, random: np.random.Generator) -> Array:
    """Return a picture of clutter and noise, with or without a person."""
    image = random.uniform(0.3, 0.6) + 0.05 * random.standard_normal((SIDE, SIDE))
    rows, columns = np.mgrid[:SIDE, :SIDE]
    for _ in range(3):
        top, left = random.integers(0, SIDE - 8, 2)
        height, width = random.integers(3, 14, 2)
        image[top : top + height, left : left + width] += random.uniform(-0.3, 0.3)
    if with_person:
        size, column = random.uniform(6, 9), random.uniform(14, SIDE - 14)
        row, light = random.uniform(10, 16), random.choice((-0.45, 0.45))
        head = ((rows - row) / size) ** 2 + ((columns - column) / (0.8 * size)) ** 2 < 1
        body = (rows > row + size) & (np.abs(columns - column) < np.minimum(rows - row - size + 3, 1.6 * size))
        image[head | body] += light
    return np.clip(image, 0, 1).astype(np.float32)[None, None]


__all__ = ["CLASSES", "make", "picture"]
