"""Architectures written in PyTorch: the C that they become, against torch."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
import torch
from torch import nn

from s2s.artifact import compile_artifact
from s2s.frontends import torch as frontend
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.verify.compare import compare
from support.compiled import quickly_loaded
from support.torch_networks import NETWORKS, Made

BATCH = 5


class Together(nn.Module):
    """Several networks side by side, each with inputs of its own."""

    def __init__(self, made: Sequence[Made]) -> None:
        super().__init__()
        self.parts = nn.ModuleList([module for module, _ in made])
        self.counts = [len(inputs) for _, inputs in made]

    def forward(self, *inputs: torch.Tensor) -> list[object]:
        given = iter(inputs)
        return [part(*islice(given, count)) for part, count in zip(self.parts, self.counts, strict=True)]


def arrays(result: object) -> list[Array]:
    """The tensors of what a module returns."""
    from torch.utils import _pytree as pytree

    return [each.detach().numpy() for each in pytree.tree_leaves(result) if isinstance(each, torch.Tensor)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("first", range(0, len(NETWORKS), BATCH))
def test_c_of_networks_gives_what_torch_gives(first: int):
    """A batch at a time: most of the time of an export, a compilation and a build does not depend on the size."""
    names = list(NETWORKS)[first : first + BATCH]
    made = [NETWORKS[name]() for name in names]
    with torch.no_grad():
        wanted = [
            (name, each) for name, (module, inputs) in zip(names, made, strict=True) for each in arrays(module(*inputs))
        ]
    inputs = [each for _, inputs in made for each in inputs]
    exported = frontend.export(Together(made).eval(), inputs)
    with compile_artifact(exported, CompileOptions(target="c", name="net")) as artifact:
        network = quickly_loaded(artifact)
        given = {port.name: each.numpy() for port, each in zip(network.inputs, inputs, strict=True)}
        found = list(network.run(given).values())
    results = [(name, compare(np.asarray(value), ours)) for (name, value), ours in zip(wanted, found, strict=True)]
    assert [f"{name}: {result.describe()}" for name, result in results if not result.passed] == []


def test_there_are_forty_architectures():
    assert len(NETWORKS) >= 40
