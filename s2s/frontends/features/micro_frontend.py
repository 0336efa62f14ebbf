"""`micro-frontend`: the features of TFLite-Micro's audio frontend, in integers, bit for bit.

A frame is windowed, scaled up to 16 bits and transformed in fixed point; the energies of its spectrum are added up in
mel bands, whose square roots lose an estimate of the noise, are amplified by what the noise leaves room for (PCAN), and
become logarithms. The tables are made in single precision, where the reference does so. `shift` and `scale` are the
reference's defaults: a step of the logarithm is 1 / 64.
"""

from typing import ClassVar, Literal

import numpy as np

from s2s.frontends.bands import band_sums
from s2s.frontends.builder import Value
from s2s.frontends.features.frames import over_frames
from s2s.frontends.features.micro_tables import bands, gains, window_table
from s2s.frontends.features.parameters import Seconds
from s2s.frontends.features.step import F32, I16, PreStep, Shape, States
from s2s.frontends.formulas import cast, clamp, pad, reshape
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.micro.filters import less_noise, logarithms, root_to_nearest, with_gain
from s2s.frontends.tflite.micro.spectrum import auto_scaled, energies, fixed_spectrum, windowed
from s2s.support.frozen import frozen

WINDOW_BITS, FILTER_BITS, NOISE_BITS, SMOOTHING_BITS, SNR_BITS, GAIN_BITS, LOG_SCALE = 12, 12, 14, 10, 12, 21, 64
MAX_LENGTH = 2**14
"""The most samples of a window."""


@frozen(kw_only=True)
class MicroFrontend(PreStep):
    """The features of each frame, `[frames, bins]`; the estimate of the noise begins anew in each run, or is kept."""

    name: ClassVar[str] = "micro-frontend"
    dtype: ClassVar[np.dtype[np.generic]] = I16
    rate: int = 16000
    window: Seconds = 0.03
    step: Seconds = 0.02
    bins: int = 40
    low: float = 125.0
    """The lowest frequency in hertz."""
    high: float = 7500.0
    even: float = 0.025
    """By how much the noise of even channels follows the signal."""
    odd: float = 0.06
    least: float = 0.05
    """The share of the signal that stays at least."""
    pcan: Literal["yes", "no"] = "yes"
    strength: float = 0.95
    offset: float = 80.0
    noise: Literal["run", "kept"] = "run"
    """Whether the estimate of the noise begins with zeros in each run, or stays for the next one."""
    to: Literal["features", "int8"] = "features"
    """`int8`: as the example micro_speech passes them to its network, `(256 * x + 333) / 666 - 128`, limited."""

    @property
    def length(self) -> int:
        """The samples of a window."""
        return round(self.window * 1000) * self.rate // 1000

    @property
    def hop(self) -> int:
        """The samples from one window to the next."""
        return round(self.step * 1000) * self.rate // 1000

    @property
    def fft(self) -> int:
        """The numbers of a transform: the power of two that holds a window."""
        return 1 << max(self.length - 1, 3).bit_length()

    @property
    def correction(self) -> int:
        """The bits by which the scales of a transform and of the filters differ."""
        return self.fft.bit_length() - 1 - FILTER_BITS // 2

    def check(self) -> None:
        self.require_positive(rate=self.rate, window=self.length, step=self.hop, bins=self.bins)
        if self.length > MAX_LENGTH or self.correction < 0 or self.bins > MAX_LENGTH // 16:
            raise self.invalid(
                f"takes {self.length} samples to {self.bins} bins", f"give 33 to {MAX_LENGTH}, and fewer bins"
            )
        if not 0 <= self.low < self.high <= self.rate / 2:
            raise self.invalid(f"reaches from {self.low:g} to {self.high:g} Hz", f"stay in 0 to {self.rate / 2:g}")
        if not all(0 <= share <= 1 for share in (self.even, self.odd, self.least)):
            raise self.invalid("has a share outside of 0 to 1", "give even=, odd= and least= from 0 to 1")

    def taken(self, wanted: Shape) -> Shape:
        return (self.length + (self._frames(wanted) - 1) * self.hop,)

    def _frames(self, wanted: Shape) -> int:
        count = int(np.prod(wanted))
        if count % self.bins:
            raise self.invalid(f"gives {self.bins} numbers a frame, and {list(wanted)} are wanted", "give bins=")
        return count // self.bins

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        zeros = x.builder.constant(np.zeros(self.bins, np.uint32))
        kept = states.begin("noise", (self.bins,), np.dtype(np.uint32)) if self.noise == "kept" else None
        noise = zeros if kept is None else kept[1]
        frames = self._frames(wanted)
        (after,), y = over_frames(x, self.length, self.hop, frames, self._frame, [noise], self.name)
        if kept is not None:
            states.keep(kept[0], after)
        if self.to == "features":
            return cast(y, F32)
        scaled = (cast(y, I32) * 256 + 333) / 666 - 128
        return cast(clamp(scaled, -128, 127), np.dtype(np.int8))

    def _frame(self, frame: Value, carried: list[Value]) -> tuple[list[Value], Value]:
        """Return the estimate of the noise behind a frame, and its features."""
        constant = frame.builder.constant
        window = constant(window_table(self.length, WINDOW_BITS))
        scaled, bits = auto_scaled(windowed(frame, window, WINDOW_BITS))
        spectrum = fixed_spectrum(pad(scaled, [0], [self.fft - self.length]), self.fft)
        energy = energies(reshape(spectrum, [self.fft // 2 + 1, 2]))
        table = bands(self.rate, self.fft // 2 + 1, self.bins, self.low, self.high, FILTER_BITS)
        if table is None:
            raise self.invalid(f"its bands reach beyond {self.fft // 2} frequencies", "give a lower high=")
        sums = band_sums(cast(energy, np.dtype(np.uint64)), *table, self.bins)
        signal = root_to_nearest(sums, bits)
        one = 2**NOISE_BITS
        pair = (int(np.float32(self.even) * one), int(np.float32(self.odd) * one))
        least = int(np.float32(self.least) * one)
        signal, noise = less_noise(
            signal,
            carried[0],
            pair,
            (one - pair[0], one - pair[1]),
            least,
            smoothing_bits=SMOOTHING_BITS,
            bits=NOISE_BITS,
            is_clamped=False,
        )
        if self.pcan == "yes":
            gain = gains(self.strength, self.offset, GAIN_BITS, SMOOTHING_BITS - self.correction)
            signal = with_gain(signal, noise, constant(gain), GAIN_BITS - self.correction - SNR_BITS)
        return [noise], logarithms(signal * 2**self.correction, LOG_SCALE)
