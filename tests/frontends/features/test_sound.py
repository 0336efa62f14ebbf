"""Spectra, mel bands and MFCC against librosa, and against their published definitions in double precision.

HTK's mel scale with triangles of height one is torchaudio's definition, and that is compared in double precision.
"""

import math
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.frontends.features import pre
from s2s.types.dtypes import Array
from support.steps import RATE, clips, runs, stepped

DECIBELS, COEFFICIENTS = 2e-3, 2e-2
"""The largest differences in floats: of decibels within 80 of the loudest, and of their cosine transforms."""


def spectra(samples: Array, size: int, length: int, hop: int, padding: str) -> Array:
    """Energies `[frames, size / 2 + 1]` of windows, in double precision."""
    x = samples / 32768
    if padding != "none":
        x = np.pad(x, size // 2, mode="reflect" if padding == "reflect" else "constant")
    window = np.zeros(size)
    start = (size - length) // 2
    window[start : start + length] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    count = 1 + (len(x) - size) // hop
    return np.stack([np.abs(np.fft.rfft(window * x[n * hop : n * hop + size])) ** 2 for n in range(count)])


def htk_filters(size: int, bins: int) -> Array:
    """Triangles of height one between centres on HTK's scale, one loop for each weight."""
    top = 2595 * math.log10(1 + RATE / 2 / 700)
    edges = [700 * (10 ** (top * number / (bins + 1) / 2595) - 1) for number in range(bins + 2)]
    filters = np.zeros((size // 2 + 1, bins))
    for line in range(size // 2 + 1):
        hertz = line * RATE / size
        for band in range(bins):
            low, middle, high = edges[band : band + 3]
            if low < hertz <= middle:
                filters[line, band] = (hertz - low) / (middle - low)
            elif middle < hertz < high:
                filters[line, band] = (high - hertz) / (high - middle)
    return filters


def decibels(x: Array) -> Array:
    y = 10 * np.log10(np.maximum(x, 1e-10))
    return np.maximum(y, y.max() - 80)


def largest_difference(shape: tuple[int, int], step: pre.Spectrum, right: Any) -> float:
    artifact = stepped({"x": (1, *shape)}, [step])
    (count,) = step.taken(shape)
    found = runs(artifact, [{"x": clip[:count]} for clip in clips()])
    values = [np.asarray(each["x_out"]).reshape(shape) for each in found]
    return max(float(np.abs(a - right(clip[:count])).max()) for a, clip in zip(values, clips(), strict=True))


@pytest.mark.parametrize("padding", ["none", "zeros", "reflect"])
def test_mel_bands_of_htk_are_in_decibels(padding: Any) -> None:
    def right(samples: Array) -> Array:
        return decibels(spectra(samples, 512, 400, 160, padding) @ htk_filters(512, 40))

    frames = 97 if padding == "none" else 101
    step = pre.LogMel(window=0.025, step=0.01, fft=512, mel="htk", norm="none", range=80, padding=padding, samples=RATE)
    assert largest_difference((frames, 40), step, right) < DECIBELS


def test_mfcc_are_the_cosine_transform_of_decibels() -> None:
    def right(samples: Array) -> Array:
        mel = decibels(spectra(samples, 480, 480, 320, "none") @ htk_filters(480, 40))
        angles = np.pi * np.outer(np.arange(40) + 0.5, np.arange(13)) / 40
        cosines: Array = np.cos(angles) * np.sqrt(np.array([1 / 40] + [2 / 40] * 12))
        return mel @ cosines

    step = pre.Mfcc(coefficients=13, mel="htk", norm="none", range=80)
    assert largest_difference((49, 13), step, right) < COEFFICIENTS


def test_natural_logarithms_are_of_energies_above_silence() -> None:
    def right(samples: Array) -> Array:
        return np.log(spectra(samples, 400, 400, 160, "reflect") @ htk_filters(400, 20) + 1e-6)

    step = pre.LogMel(
        window=0.025, step=0.01, bins=20, mel="htk", norm="none", log="natural", padding="reflect", samples=RATE
    )
    assert largest_difference((101, 20), step, right) < 5e-3


def test_magnitudes_are_roots_of_energies() -> None:
    def right(samples: Array) -> Array:
        return np.sqrt(spectra(samples, 256, 256, 512, "none"))

    step = pre.Spectrum(window=0.016, step=0.032, power=1)
    assert largest_difference((31, 129), step, right) < 1e-3


def test_bands_equal_librosa() -> None:
    librosa = pytest.importorskip("librosa", exc_type=ImportError)

    def right(samples: Array) -> Array:
        energies = librosa.feature.melspectrogram(
            y=(samples / 32768).astype(np.float32), sr=RATE, n_fft=512, hop_length=160, n_mels=40
        )
        return librosa.power_to_db(energies).T

    step = pre.LogMel(window=0.032, step=0.01, padding="zeros", range=80, samples=RATE)
    assert largest_difference((101, 40), step, right) < DECIBELS


def test_mfcc_equal_librosa() -> None:
    librosa = pytest.importorskip("librosa", exc_type=ImportError)

    def right(samples: Array) -> Array:
        y = (samples / 32768).astype(np.float32)
        return librosa.feature.mfcc(
            y=y, sr=RATE, n_mfcc=13, n_fft=512, win_length=480, hop_length=320, n_mels=40, center=False
        ).T

    step = pre.Mfcc(fft=512, coefficients=13, range=80)
    assert largest_difference((49, 13), step, right) < COEFFICIENTS


def test_bins_may_stand_before_frames() -> None:
    plain, turned = (pre.LogMel(bins=8, order=order) for order in ("frames", "bins"))
    samples = {"x": clips()[0][: plain.taken((10, 8))[0]]}
    (a,), (b,) = (runs(stepped({"x": (10, 8)}, [step]), [samples]) for step in (plain, turned))
    assert np.array_equal(a["x_out"].T, b["x_out"].reshape(8, 10))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("mfcc:coefficients=0", "takes 0 of 40 coefficients; give 1 to bins="),
        ("mfcc:window=0ms", "window is 0; give more than 0"),
        ("log-mel:high=9000", "reaches from 0 to 9000 Hz; stay in 0 to 8000"),
        ("log-mel:bins=11", "gives 11 numbers a frame, and [1, 490] are wanted"),
        ("mfcc:samples=100", "100 samples make 0 frames, and 49 of 10 are wanted; give samples=15840"),
        ("spectrum:fft=100", "transforms 100 numbers; give 480 to 65536"),
        ("spectrum:power=3", "power is 3; give 1 or 2"),
        ("log-mel:range=80,log=natural", "range is 80 with log=natural; give 0 or more, and log=db"),
    ],
)
def test_what_does_not_fit_is_refused(step: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        stepped({"x": (1, 490)}, [step])
    assert message in str(error.value)
