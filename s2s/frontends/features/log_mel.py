"""`log-mel`: the logarithms of energies in bands that are equally wide on the mel scale."""

from typing import ClassVar, Literal

import numpy as np

from s2s.frontends.bands import band_sums
from s2s.frontends.builder import Value
from s2s.frontends.features.mel import Norm, Scale, mel_filters
from s2s.frontends.features.spectrum import MAX_SIZE, Spectrum
from s2s.frontends.features.step import as_array
from s2s.frontends.formulas import reshape
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class LogMel(Spectrum):
    """The logarithms of `bins` weighted sums of each spectrum: `[frames, bins]`."""

    name: ClassVar[str] = "log-mel"
    log: Literal["none", "db", "natural"] = "db"
    bins: int = 40
    low: float = 0
    """The lowest frequency in hertz."""
    high: float | None = None
    """The highest frequency; by default half the rate."""
    mel: Scale = "slaney"
    """The mel scale of Slaney (librosa's default), or of HTK (torchaudio's)."""
    norm: Norm = "slaney"
    """Whether bands have the same area (librosa's default) or the same height (torchaudio's)."""

    @property
    def columns(self) -> int:
        return self.bins

    @property
    def top(self) -> float:
        """The highest frequency in hertz."""
        return self.rate / 2 if self.high is None else self.high

    def check(self) -> None:
        super().check()
        self.require_positive(bins=self.bins)
        if self.bins > MAX_SIZE // 16:
            raise self.invalid(f"has {self.bins} bins", f"give at most {MAX_SIZE // 16}")
        if not 0 <= self.low < self.top <= self.rate / 2:
            raise self.invalid(f"reaches from {self.low:g} to {self.top:g} Hz", f"stay in 0 to {self.rate / 2:g}")

    def of_frame(self, frame: Value) -> Value:
        filters = mel_filters(self.rate, self.size, self.bins, self.low, self.top, self.mel, self.norm)
        bands, frequencies = np.nonzero(filters.T)
        spectrum = reshape(super().of_frame(frame), [len(filters)])
        factors = as_array(filters.T[bands, frequencies])
        return reshape(band_sums(spectrum, frequencies, bands, factors, self.bins), [1, self.bins])
