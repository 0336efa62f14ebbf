"""Networks of the graph level through the whole compiler, and the C they become, run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact, compile_artifact
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.targets.flags import STANDARD
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from s2s.verify.build import LoadedNetwork
from s2s.verify.compare import compare

QUICK = "-O1"
"""Tests compile more C than they run."""


def compiled(module: ModuleOp, store: WeightStore | None = None, **options: Any) -> Artifact:
    """A module compiled to C, not built yet."""
    store = WeightStore() if store is None else store
    params = {name: store.get(name) for name in store.names()}
    return compile_artifact(GraphModel(module, params, "net"), CompileOptions(**options))


def quick_flags(artifact: Artifact, *flags: str) -> tuple[str, ...]:
    """The flags of a quick build of the network, and `flags`."""
    return (*STANDARD, QUICK, *artifact.info.target.cflags, *flags)


def quickly_loaded(artifact: Artifact) -> LoadedNetwork:
    """The network built quickly; it stays built so."""
    return artifact.loaded(flags=quick_flags(artifact))


def run_c(artifact: Artifact, inputs: Sequence[Array]) -> list[Array]:
    """What the C gives for inputs in order, built quickly."""
    network = quickly_loaded(artifact)
    names = [port.name for port in network.inputs]
    return list(network.run(dict(zip(names, inputs, strict=True))).values())


def differences(
    artifact: Artifact,
    module: ModuleOp,
    inputs: Sequence[Array],
    labels: Sequence[str],
    store: WeightStore | None = None,
) -> dict[str, str]:
    """How the outputs of the C differ from what the operations mean, by the labels of the outputs that do."""
    with np.errstate(all="ignore"):
        expected = run_graph(module, inputs, WeightStore() if store is None else store)
    found = run_c(artifact, inputs)
    results = {label: compare(wanted, value) for label, wanted, value in zip(labels, expected, found, strict=True)}
    return {label: result.describe() for label, result in results.items() if not result.passed}
