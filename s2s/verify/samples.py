"""Samples of users as inputs of a network: `s2s verify --data`."""

from pathlib import Path

from s2s.compilation import Compilation
from s2s.data.sets import read_samples
from s2s.data.specs import InputSpec
from s2s.frontends.features.registry import rate_of
from s2s.stages.read import Read
from s2s.types.dtypes import Array, to_numpy

MAX_SAMPLES = 16
"""Samples that are run at most, evenly spread."""


def sampled(compilation: Compilation, source: Path) -> tuple[list[list[Array]], str]:
    """Return some samples of a source, each as the inputs of a network in order, and words for where they are from."""
    ports, steps = compilation.facts(Read).inputs, compilation.options.pre
    specs = [
        InputSpec(port.name, to_numpy(port.element), tuple(port.shape), rate_of(port.name, len(ports), steps))
        for port in ports
    ]
    samples = read_samples(source, specs)
    count = min(samples.count, MAX_SAMPLES)
    places = [number * samples.count // count for number in range(count)]
    inputs = [[samples.arrays[port.name][place, ...] for port in ports] for place in places]
    return inputs, f"of the {samples.count} samples of {source}"
