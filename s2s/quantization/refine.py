"""Refine a quantised network: keep the changes that bring its outputs closer to the network of floats.

Tried are, in order: equalised channels (`s2s/quantization/equalize.py`) with corrected biases
(`s2s/quantization/bias.py`) or without, ranges that cut rare large values off, for one activation after the other
(`s2s/quantization/ranges.py`), and weights that are rounded such that errors make up for each other
(`s2s/quantization/rounding.py`). Each candidate is measured at the outputs, and the best one so far goes on, so none is
worse than the plain one on the samples.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from s2s.quantization.bias import Integers, correct_biases, inputs_of_layers
from s2s.quantization.channels import Channels
from s2s.quantization.equalize import equalize, watched
from s2s.quantization.network import Network, layers_of
from s2s.quantization.ranges import Method, Range, Ranges
from s2s.quantization.rounding import rounded_weights
from s2s.quantization.windows import second_moments
from s2s.support import progress
from s2s.types.dtypes import Array

Real = TypeVar("Real")
Whole = TypeVar("Whole")

CUTS: Sequence[Method] = ("mse", "percentile", "entropy")
ALIKE = 0.02
"""Ranges that differ by less than this part are not tried both."""
GAIN = 0.05
"""Decibel that a range has to bring at the outputs."""
MEASURED = 64
"""Samples that candidates are measured on at most, evenly spread."""


class Format(Protocol[Real, Whole]):
    """How networks of a format are copied, quantised and run on the samples."""

    def copied(self, model: Real) -> Real:
        """A copy whose weights may be replaced."""
        ...

    def quantized(self, real: Real) -> Whole:
        """The network in 8 bits."""
        ...

    def copied_integers(self, model: Whole) -> Whole:
        """A copy whose constants may be replaced."""
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

    def values(self, real: Real, names: Sequence[str]) -> Iterator[Mapping[str, Array]]:
        """The values of some tensors in each of the samples that candidates are measured on."""
        ...

    def ranges(self, real: Real, quantized: Whole) -> Mapping[str, Range]:
        """The ranges of activations by name, where they may be replaced."""
        ...

    def with_range(self, real: Real, quantized: Whole, tensor: str, chosen: Range) -> Whole:
        """A copy in which an activation has another range."""
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


class _Best(Generic[Real, Whole]):
    """The best candidate so far."""

    def __init__(self, real: Real, first: Candidate[Real, Whole], format: Format[Real, Whole]) -> None:
        self._real, self._format = real, format
        self.candidate = first
        self.ratio = format.output_noise(real, first.quantized)

    def offer(self, candidate: Candidate[Real, Whole], gain: float = 0.0) -> bool:
        """Take a candidate that is better by more than `gain` decibel; return whether it is."""
        progress.step(f"comparing with the float model: {' and '.join(candidate.steps)}")
        ratio = self._format.output_noise(self._real, candidate.quantized)
        if ratio <= self.ratio + gain:
            return False
        self.candidate, self.ratio = candidate, ratio
        return True


def spread_places(samples: int, count: int) -> list[int]:
    """Return the numbers of at most `count` samples, evenly spread."""
    count = min(count, samples)
    return [number * samples // count for number in range(count)]


def refined(real: Real, format: Format[Real, Whole]) -> Candidate[Real, Whole]:
    """Return the quantised network whose outputs are closest to the outputs of `real`."""
    candidates = _equalized(real, format)
    best = _Best(real, next(candidates), format)
    for candidate in candidates:
        best.offer(candidate)
    _cut_ranges(best, format)
    if (candidate := _rounded(best.candidate, format)) is not None:
        best.offer(candidate)
        for corrected in _corrected(candidate, format):
            best.offer(corrected)
    return best.candidate


def _equalized(real: Real, format: Format[Real, Whole]) -> Iterator[Candidate[Real, Whole]]:
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
        before = [step for step in candidate.steps if not step.startswith("biases")]
        yield Candidate(candidate.real, quantized, (*before, f"biases corrected in {_count(layers)}"))


def _cut_ranges(best: _Best[Real, Whole], format: Format[Real, Whole]) -> None:
    """Try narrower ranges for one activation after the other."""
    held = format.ranges(best.candidate.real, best.candidate.quantized)
    seen = Ranges(keep=True)
    for values in format.values(best.candidate.real, list(held)):
        for name, value in values.items():
            if name in held:
                seen.add(name, value)
    before, cut = best.candidate.steps, 0
    for name, present in held.items():
        width, tried = present.high - present.low, [present]
        taken = False
        for method in CUTS:
            chosen = seen.by(method, name).inside(present)
            if any(_distance(chosen, other) <= ALIKE * width for other in tried):
                continue
            tried.append(chosen)
            quantized = format.with_range(best.candidate.real, best.candidate.quantized, name, chosen)
            steps = (*before, f"ranges of {cut + 1} activation{'s' if cut else ''} cut")
            taken |= best.offer(Candidate(best.candidate.real, quantized, steps), GAIN)
        cut += taken


def _distance(one: Range, other: Range) -> float:
    return max(abs(one.low - other.low), abs(one.high - other.high))


def _rounded(candidate: Candidate[Real, Whole], format: Format[Real, Whole]) -> Candidate[Real, Whole] | None:
    """The candidate with weights that are rounded together; None where no layer changes."""
    network = format.network(candidate.real)
    quantized = format.copied_integers(candidate.quantized)
    integers = format.integers(quantized)
    held = {layer.name: next(iter(integers.of(layer)), None) for layer in layers_of(network)}
    layers = [layer for layer in layers_of(network) if held[layer.name] is not None]
    if not layers:
        return None
    shapes = [(layer, network.constant(layer.weights).shape) for layer in layers]
    progress.step("rounding weights")
    moments = second_moments(shapes, format.values(candidate.real, list({layer.input for layer in layers})))
    changed = 0
    for layer in layers:
        constant = held[layer.name]
        assert constant is not None
        name, before, scale = constant
        after = rounded_weights(layer, network.constant(layer.weights) / scale, moments[layer.name], -127, 127)
        integers.replace(name, after)
        changed += bool((after != before).any())
    return Candidate(candidate.real, quantized, (*candidate.steps, f"weights rounded together in {_count(changed)}"))


def _count(layers: int) -> str:
    return f"{layers} layer{'s' if layers > 1 else ''}"
