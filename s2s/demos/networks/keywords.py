"""A keyword spotter: the four words are tones that rise, fall, stay or jump, in noise, one second at 16 kHz.

A step before the network makes 49 frames of 10 mel bands of a recording, the usual input of keyword spotting.
"""

import numpy as np

from s2s.demos.made import Made
from s2s.demos.networks.fitting import drawn, fitted, network
from s2s.types.dtypes import Array

WORDS = ("rise", "fall", "stay", "jump")
RATE, FRAMES, BANDS, CHANNELS = 16_000, 49, 10, 32
PRE = (f"log-mel:window=40ms,step=20ms,log=natural,bins={BANDS},low=100,high=4000",)
TRAINING, SAMPLES = 320, 8
_LAYERS = f"""
c0 = Conv <strides = [2, 2], pads = [4, 1, 5, 1]> (spectrogram, first) r0 = Relu (c0)
d1 = Conv <group = {CHANNELS}, pads = [1, 1, 1, 1]> (r0, depthwise1) e1 = Relu (d1)
p1 = Conv (e1, pointwise1) r1 = Relu (p1)
d2 = Conv <group = {CHANNELS}, pads = [1, 1, 1, 1]> (r1, depthwise2) e2 = Relu (d2)
p2 = Conv (e2, pointwise2) r2 = Relu (p2)
pooled = AveragePool <kernel_shape = [5, 5], strides = [5, 5]> (r2) features = Flatten (pooled)
"""
_INPUT = f"float[1, 1, {FRAMES}, {BANDS}] spectrogram"


def make() -> Made:
    """Make recordings, fit the network to most, and keep some."""
    random = np.random.default_rng(0)
    labels = np.arange(TRAINING + SAMPLES) % len(WORDS)
    inputs = np.stack([recording(int(label), random) for label in labels])
    layers = drawn(
        random,
        first=(CHANNELS, 1, 10, 4),
        depthwise1=(CHANNELS, 1, 3, 3),
        pointwise1=(CHANNELS, CHANNELS, 1, 1),
        depthwise2=(CHANNELS, 1, 3, 3),
        pointwise2=(CHANNELS, CHANNELS, 1, 1),
    )
    features = network(f"g ({_INPUT}) => (float[1, {CHANNELS * 5}] features) {{ {_LAYERS} }}", layers)
    last, bias = fitted(features, inputs[:TRAINING], labels[:TRAINING], len(WORDS), pre=PRE)
    text = f"keywords ({_INPUT}) => (float[1, 4] scores) {{ {_LAYERS} scores = Gemm (features, last, bias) }}"
    model = network(text, {**layers, "last": last, "bias": bias})
    return Made(model.SerializeToString(), inputs[TRAINING:], labels[TRAINING:].tolist())


def recording(word: int, random: np.random.Generator) -> Array:
    """Return one second of a word, in samples of 16 bits: a tone whose pitch tells the word, in noise."""
    time = np.linspace(0, 1, RATE)
    low = random.uniform(300, 700)
    pitch = (low * (1 + 3 * time), low * (4 - 3 * time), low * np.full(RATE, 2.5), low * np.where(time < 0.5, 1, 4))
    tone = np.sin(2 * np.pi * np.cumsum(pitch[word]) / RATE)
    wave = random.uniform(0.3, 1) * tone + 0.9 * random.standard_normal(RATE)
    return np.clip(np.round(4096 * wave), -32768, 32767).astype(np.int16)


__all__ = ["PRE", "RATE", "WORDS", "make", "recording"]
