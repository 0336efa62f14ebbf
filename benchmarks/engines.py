"""Ways of running a model, each as a call on inputs that are in place: the variants of s2s that are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from s2s.api import compile as compile_network
from s2s.data.samples import sample
from s2s.emit.report import Report
from s2s.errors import CompilerBug
from s2s.options import Schedule, Threading
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.bound_run import BoundRun
from s2s.verify.build import LoadedNetwork


@dataclass(frozen=True)
class Variant:
    """How s2s compiles a model."""

    target: str = "host"
    schedule: Schedule = "default"
    threads: int = 1
    threading: Threading = "pthreads"

    def __str__(self) -> str:
        words = [self.target, *([] if self.schedule == "default" else [self.schedule])]
        return " ".join([*words, *([] if self.threads == 1 else [f"{self.threads} {self.threading}"])])


NAIVE = Variant("c", "reference")
"""One plain loop nest for each operator, compiled with -O3: what everything else is held against."""


@dataclass(frozen=True)
class Built:
    """A model that s2s and the C compiler have made a function of."""

    report: Report
    network: LoadedNetwork
    inputs: Mapping[str, Array]
    bound: BoundRun

    def call(self) -> None:
        """Run the network once."""
        if self.bound.call() != 0:
            raise CompilerBug(f"{self.network.name}: the run function reports an error")

    def outputs(self) -> list[Array]:
        """What a run gives, in the order of the model's outputs."""
        self.call()
        return [np.array(output) for output in self.bound.outputs]


def build(path: Path, variant: Variant, inputs: Mapping[str, Array] | None = None) -> Built:
    """Compile, build and load the model at `path`, with made-up inputs unless they are given."""
    artifact = compile_network(
        path,
        target=variant.target,
        schedule=variant.schedule,
        threads=variant.threads,
        threading=variant.threading,
    )
    if inputs is None:
        inputs = {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}
    network = artifact.loaded()
    return Built(artifact.report(), network, dict(inputs), network.bind(inputs))


def relative_difference(expected: Sequence[Array], found: Sequence[Array]) -> float:
    """The largest difference, in units of the largest expected number of its output."""
    worst = 0.0
    for wanted, given in zip(expected, found, strict=True):
        reference = wanted.astype(np.float64)
        scale = np.abs(reference).max(initial=0.0)
        difference = np.abs(reference - given.astype(np.float64)).max(initial=0.0)
        worst = max(worst, float(difference / scale) if scale else float(difference))
    return worst
