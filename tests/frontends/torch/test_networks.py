"""Architectures written in PyTorch: the C that they become, against torch."""

import numpy as np
import pytest
import torch

from s2s.artifact import compile_artifact
from s2s.frontends import torch as frontend
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.verify.compare import compare
from support.compiled import quickly_loaded
from support.torch_networks import NETWORKS


def arrays(result: object) -> list[Array]:
    """The tensors of what a module returns."""
    from torch.utils import _pytree as pytree

    return [each.detach().numpy() for each in pytree.tree_leaves(result) if isinstance(each, torch.Tensor)]


@pytest.mark.parametrize("name", NETWORKS)
def test_c_of_a_network_gives_what_torch_gives(name: str):
    module, inputs = NETWORKS[name]()
    with torch.no_grad():
        wanted = arrays(module(*inputs))
    exported = frontend.export(module, inputs)
    with compile_artifact(exported, CompileOptions(target="c", name="net")) as artifact:
        network = quickly_loaded(artifact)
        given = {port.name: each.numpy() for port, each in zip(network.inputs, inputs, strict=True)}
        found = list(network.run(given).values())
    results = [compare(np.asarray(value), ours) for value, ours in zip(wanted, found, strict=True)]
    assert [result.describe() for result in results if not result.passed] == []


def test_there_are_forty_architectures():
    assert len(NETWORKS) >= 40
