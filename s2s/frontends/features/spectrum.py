"""`spectrum`: the magnitudes of the Fourier transform of windows of samples."""

from typing import ClassVar, Literal

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.frames import over_frames
from s2s.frontends.features.parameters import Seconds
from s2s.frontends.features.step import F32, I16, PreStep, Shape, States, as_array, reals
from s2s.frontends.formulas import maximum, pad, reshape, take, transpose
from s2s.frontends.fourier import fourier
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

MAX_SIZE = 2**16
"""The most numbers of a transform, and the most bins."""
_SILENCE = {"db": 1e-10, "natural": 1e-6}
"""The energy that stands for silence: as least value in decibels, or added before the natural logarithm."""


@frozen(kw_only=True)
class Spectrum(PreStep):
    """Windows of samples, each multiplied by a window function and transformed: `[frames, fft / 2 + 1]` magnitudes."""

    name: ClassVar[str] = "spectrum"
    rate: int = 16000
    """Samples in a second."""
    window: Seconds = 0.03
    step: Seconds = 0.02
    """The time from the beginning of one window to the next."""
    fft: int | None = None
    """The numbers of a transform, with zeros on both sides of the window; by default the samples of the window."""
    shape: Literal["hann", "hamming", "none"] = "hann"
    """The window function, of the period of the window."""
    power: int = 2
    """The exponent of the magnitudes: 2 for energies, or 1."""
    log: Literal["none", "db", "natural"] = "none"
    """`db`: `10 * log10(max(x, 1e-10))`; `natural`: `log(x + 1e-6)`."""
    range: float = 0
    """With `log=db`: limit what is more decibels than this below the largest result; 0: limit nothing."""
    padding: Literal["none", "zeros", "reflect"] = "none"
    """What stands half a transform before the first and behind the last sample, if anything does."""
    samples: int | None = None
    """The samples of a run; by default as few as the frames need."""
    order: Literal["frames", "bins"] = "frames"
    """Whether the results of a frame, or the results of a bin, stand side by side."""
    input: Literal["int16", "float32"] = "int16"
    """Samples of 16 bits, or floats from -1 to 1."""

    @property
    def columns(self) -> int:
        """The results of a frame."""
        return self.size // 2 + 1

    @property
    def length(self) -> int:
        """The samples of a window."""
        return round(self.window * self.rate)

    @property
    def hop(self) -> int:
        """The samples from one window to the next."""
        return round(self.step * self.rate)

    @property
    def size(self) -> int:
        """The numbers of a transform."""
        return self.length if self.fft is None else self.fft

    @property
    def margin(self) -> int:
        """What is added on either side of the samples."""
        return 0 if self.padding == "none" else self.size // 2

    def check(self) -> None:
        self.require_positive(rate=self.rate, window=self.length, step=self.hop)
        if not 2 <= self.size <= MAX_SIZE or self.size < self.length:
            raise self.invalid(f"transforms {self.size} numbers", f"give {self.length} to {MAX_SIZE} with fft=")
        if self.power not in (1, 2):
            raise self.invalid(f"power is {self.power}", "give 1 or 2")
        if self.range < 0 or (self.range and self.log != "db"):
            raise self.invalid(f"range is {self.range:g} with log={self.log}", "give 0 or more, and log=db")

    def taken_type(self) -> np.dtype[np.generic]:
        return I16 if self.input == "int16" else F32

    def taken(self, wanted: Shape) -> Shape:
        frames = self.frames(wanted)
        least = max(self.size + (frames - 1) * self.hop - 2 * self.margin, 1)
        if self.padding == "reflect":
            least = max(least, self.margin + 1)
        samples = least if self.samples is None else self.samples
        count = (samples + 2 * self.margin - self.size) // self.hop + 1
        if samples < least or count != frames:
            raise self.invalid(
                f"{samples} samples make {max(count, 0)} frames, and {frames} of {self.columns} are wanted",
                f"give samples={least}, or another step=",
            )
        return (samples,)

    def frames(self, wanted: Shape) -> int:
        """Return the frames that make as many elements as `wanted` has."""
        count = int(np.prod(wanted))
        if count % self.columns:
            raise self.invalid(
                f"gives {self.columns} numbers a frame, and {list(wanted)} are wanted, which are no whole frames",
                "choose the numbers of a frame as the network was trained with",
            )
        return count // self.columns

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        y = self.scaled(self.by_frame(x, self.frames(wanted)))
        return transpose(y, [1, 0]) if self.order == "bins" else y

    def by_frame(self, x: Value, frames: int) -> Value:
        """Return the results of each frame before logarithms."""
        if x.rank != 1:
            x = reshape(x, [int(np.prod(x.shape))])
        needed = self.size + (frames - 1) * self.hop
        if self.margin:
            mode = "reflect" if self.padding == "reflect" else "constant"
            x = pad(reals(x) if mode == "reflect" else x, [self.margin], [self.margin], mode)
        window = x.builder.constant(as_array(self.window_function()))

        def spectrum(frame: Value, _: list[Value]) -> tuple[list[Value], Value]:
            y = self.of_frame(reals(frame) * window)
            return [], reshape(y, [y.shape[1]])

        return over_frames(take(x, 0, 0, needed), self.size, self.hop, frames, spectrum, [], self.name)[1]

    def of_frame(self, frame: Value) -> Value:
        """Return the results `[1, n]` of a frame that is multiplied by the window."""
        parts = fourier(reshape(frame, [1, self.size, 1]), self.size, inverse=False, onesided=True)
        energies = emit(graph.ReduceSumOp, parts * parts, axes=[2])
        return energies if self.power == 2 else emit(graph.SqrtOp, energies)

    def window_function(self) -> Array:
        """Return the window function, with zeros on both sides up to the size of the transform."""
        turns = 2 * np.pi * np.arange(self.length) / self.length
        offset = {"hann": 0.5, "hamming": 0.54, "none": 1.0}[self.shape]
        weights = np.zeros(self.size)
        before = (self.size - self.length) // 2
        weights[before : before + self.length] = offset - (1 - offset) * np.cos(turns)
        return weights

    def scaled(self, y: Value) -> Value:
        """Return the logarithms, if they are wanted."""
        if self.log == "natural":
            return emit(graph.LogOp, y + _SILENCE["natural"])
        if self.log == "none":
            return y
        decibels = emit(graph.LogOp, maximum(y, _SILENCE["db"])) * float(10 / np.log(10))
        if not self.range:
            return decibels
        largest = emit(graph.ReduceMaxOp, decibels, axes=[0, 1], keepdims=True)
        return maximum(decibels, largest - self.range)
