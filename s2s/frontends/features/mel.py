"""Mel filter banks: triangles whose centres are equally far apart on the mel scale.

The definitions are published with librosa (Slaney's scale, linear below 1 kHz, and HTK's) and torchaudio (HTK's).
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scale = Literal["slaney", "htk"]
Norm = Literal["slaney", "none"]
Reals = NDArray[np.float64]

_LINEAR_STEP, _KNEE = 200 / 3, 1000.0
"""Hertz of a mel of Slaney's scale below its knee, and the knee."""
_LOG_STEP = np.log(6.4) / 27


def _mels(hertz: Reals, scale: Scale) -> Reals:
    if scale == "htk":
        return 2595 * np.log10(1 + hertz / 700)
    above = _KNEE / _LINEAR_STEP + np.log(np.maximum(hertz, _KNEE) / _KNEE) / _LOG_STEP
    return np.where(hertz < _KNEE, hertz / _LINEAR_STEP, above)


def _hertz(mels: Reals, scale: Scale) -> Reals:
    if scale == "htk":
        return 700 * (10 ** (mels / 2595) - 1)
    knee = _KNEE / _LINEAR_STEP
    return np.where(mels < knee, mels * _LINEAR_STEP, _KNEE * np.exp(_LOG_STEP * (np.maximum(mels, knee) - knee)))


def mel_filters(rate: int, fft: int, bins: int, low: float, high: float, scale: Scale, norm: Norm) -> Reals:
    """Return the weights `[fft // 2 + 1, bins]` of the spectrum in each bin."""
    frequencies = np.linspace(0, rate / 2, fft // 2 + 1)
    ends = _mels(np.array([low, high]), scale)
    between = ends[0] + (ends[1] - ends[0]) * (np.arange(bins + 2) / (bins + 1))
    edges = _hertz(between, scale)
    rising = (frequencies[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies[:, None]) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(rising, falling))
    return weights * (2 / (edges[2:] - edges[:-2])) if norm == "slaney" else weights


def cosines(bins: int, coefficients: int) -> Reals:
    """Return the orthonormal cosine transform (DCT-II) `[bins, coefficients]`."""
    angles = np.pi * np.outer(np.arange(bins) + 0.5, np.arange(coefficients)) / bins
    factors = np.full(coefficients, np.sqrt(2 / bins))
    factors[0] = np.sqrt(1 / bins)
    return np.cos(angles) * factors
