"""A keyword spotter: the four words are tones that rise, fall, stay or jump, in noise, one second at 16 kHz.

A recording becomes a spectrogram of 49 frames and 10 bands, the usual input of keyword spotting.
"""

import numpy as np

from s2s.demos.made import Made
from s2s.demos.networks.fitting import drawn, fitted, network
from s2s.types.dtypes import Array

WORDS = ("rise", "fall", "stay", "jump")
RATE, FRAMES, WINDOW, STEP, BANDS, CHANNELS = 16_000, 49, 640, 320, 10, 32
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
    inputs = np.stack([spectrogram(recording(int(label), random)) for label in labels])
    layers = drawn(
        random,
        first=(CHANNELS, 1, 10, 4),
        depthwise1=(CHANNELS, 1, 3, 3),
        pointwise1=(CHANNELS, CHANNELS, 1, 1),
        depthwise2=(CHANNELS, 1, 3, 3),
        pointwise2=(CHANNELS, CHANNELS, 1, 1),
    )
    features = network(f"g ({_INPUT}) => (float[1, {CHANNELS * 5}] features) {{ {_LAYERS} }}", layers)
    last, bias = fitted(features, inputs[:TRAINING], labels[:TRAINING], len(WORDS))
    text = f"keywords ({_INPUT}) => (float[1, 4] scores) {{ {_LAYERS} scores = Gemm (features, last, bias) }}"
    model = network(text, {**layers, "last": last, "bias": bias})
    return Made(model.SerializeToString(), inputs[TRAINING:], labels[TRAINING:].tolist())


def recording(word: int, random: np.random.Generator) -> Array:
    """Return one second of a word: a tone whose pitch tells the word, in noise."""
    time = np.linspace(0, 1, RATE)
    low = random.uniform(300, 700)
    pitch = (low * (1 + 3 * time), low * (4 - 3 * time), low * np.full(RATE, 2.5), low * np.where(time < 0.5, 1, 4))
    tone = np.sin(2 * np.pi * np.cumsum(pitch[word]) / RATE)
    return random.uniform(0.3, 1) * tone + 0.9 * random.standard_normal(RATE)


def spectrogram(wave: Array) -> Array:
    """Return the logarithm of the power in bands that widen with the frequency, frame by frame."""
    frames = np.lib.stride_tricks.sliding_window_view(wave, WINDOW)[::STEP]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW))) ** 2
    edges = np.geomspace(6, WINDOW // 4, BANDS + 1).astype(int)
    bands = np.add.reduceat(power[:, : edges[-1]], edges[:-1], axis=1)
    return (np.log10(bands + 1e-3) - 2).astype(np.float32)[None, None]


__all__ = ["WORDS", "make", "recording", "spectrogram"]
