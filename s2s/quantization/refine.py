"""Refine a quantised network: keep the changes that bring its outputs closer to the network of floats.

Tried are equalised channels (`s2s/quantization/equalize.py`) and corrected biases (`s2s/quantization/bias.py`), alone
and together. Of all candidates the one with the highest signal to noise ratio at the outputs is taken, so none is worse
than the plain one on the samples.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, NamedTuple, Protocol, TypeVar

from s2s.quantization.bias import Integers, correct_biases, inputs_of_layers
from s2s.quantization.channels import Channels
from s2s.quantization.equalize import equalize, watched
from s2s.quantization.network import Network
from s2s.support import progress

Real = TypeVar("Real")
Whole = TypeVar("Whole")


class Format(Protocol[Real, Whole]):
    """How networks of a format are copied, quantised and run on the samples."""

    def copied(self, model: Real) -> Real:
        """A copy whose weights may be replaced."""
        ...

    def quantized(self, real: Real) -> Whole:
        """The network in 8 bits."""
        ...

    def copied_integers(self, model: Whole) -> Whole:
        """A copy whose biases may be replaced."""
        ...

    def network(self, real: Real) -> Network:
        """The layers."""
        ...

    def integers(self, quantized: Whole) -> Integers:
        """The constants."""
        ...

    def observed(self, real: Real, spatial: Mapping[str, bool]) -> Channels:
        """What the channels of some tensors hold."""
        ...

    def output_noise(self, real: Real, quantized: Whole) -> float:
        """The least signal to noise ratio of an output, in decibel."""
        ...


class Candidate(NamedTuple, Generic[Real, Whole]):
    """A quantised network with the network of floats that it was made of."""

    real: Real
    quantized: Whole
    steps: tuple[str, ...] = ()
    """What was done to it, in words."""


def refined(real: Real, format: Format[Real, Whole]) -> Candidate[Real, Whole]:
    """Return the quantised network whose outputs are closest to the outputs of `real`."""
    candidates = _candidates(real, format)
    best = next(candidates)
    highest = format.output_noise(real, best.quantized)
    for candidate in candidates:
        progress.step(f"comparing with the float model: {' and '.join(candidate.steps)}")
        ratio = format.output_noise(real, candidate.quantized)
        if ratio > highest:
            best, highest = candidate, ratio
    return best


def _candidates(real: Real, format: Format[Real, Whole]) -> Iterator[Candidate[Real, Whole]]:
    plain = Candidate(real, format.quantized(real))
    yield plain
    yield from _corrected(plain, format)
    equal = format.copied(real)
    network = format.network(equal)
    tensors = watched(network)
    layers = equalize(network, format.observed(real, tensors)) if tensors else 0
    if layers:
        equalized = Candidate(equal, format.quantized(equal), (f"channels equalised behind {_count(layers)}",))
        yield equalized
        yield from _corrected(equalized, format)


def _corrected(candidate: Candidate[Real, Whole], format: Format[Real, Whole]) -> Iterator[Candidate[Real, Whole]]:
    """Yield the candidate with corrected biases, if a correction is large enough."""
    network = format.network(candidate.real)
    tensors = inputs_of_layers(network)
    quantized = format.copied_integers(candidate.quantized)
    channels = format.observed(candidate.real, tensors) if tensors else Channels({}, {})
    layers = correct_biases(network, format.integers(quantized), channels)
    if layers:
        yield Candidate(candidate.real, quantized, (*candidate.steps, f"biases corrected in {_count(layers)}"))


def _count(layers: int) -> str:
    return f"{layers} layer{'s' if layers > 1 else ''}"
