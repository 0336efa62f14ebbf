# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Decompositions of fused layers against torch."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support.torch_calls import Calls

ATEN: Any = torch.ops.aten
BATCH, LENGTH, FEATURES, HEADS = 2, 5, 8, 2
CAUSAL = torch.ones(LENGTH, LENGTH).triu(1).bool()
MASKS = {
    "none": (None, None),
    "of queries": (CAUSAL, 0),
    "of queries, in floats": (torch.zeros(LENGTH, LENGTH).masked_fill(CAUSAL, float("-inf")), 0),
    "of keys": (torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool(), 1),
    "of both": (CAUSAL.expand(BATCH, HEADS, LENGTH, LENGTH).contiguous(), 2),
}


def imported_and_run(module: nn.Module, x: Tensor) -> list[Array]:
    imported = frontend.import_model(frontend.load_model(frontend.export(module, [x])))
    return run_graph(imported.module, [x.numpy()], imported.weights)


@pytest.mark.sample(2)
@pytest.mark.parametrize("mask", MASKS)
def test_an_encoder_layer_gives_what_torch_gives(mask: str):
    torch.manual_seed(1)
    norms = [torch.randn(FEATURES) for _ in range(4)]
    forward = [torch.randn(shape) * 0.3 for shape in [(16, FEATURES), (16,), (FEATURES, 16), (FEATURES,)]]
    projections = [(3 * FEATURES, FEATURES), (3 * FEATURES,), (FEATURES, FEATURES), (FEATURES,)]
    weights = [torch.randn(shape) * 0.3 for shape in projections]

    def layers(x: Tensor) -> list[Tensor]:
        return [
            ATEN._transformer_encoder_layer_fwd(
                x, FEATURES, HEADS, *weights, gelu, norm_first, 1e-5, *norms, *forward, *MASKS[mask]
            )
            for gelu in (False, True)
            for norm_first in (False, True)
        ]

    x = torch.randn(BATCH, LENGTH, FEATURES)
    for found, wanted in zip(imported_and_run(Calls(layers), x), layers(x), strict=True):
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=3e-6)


def test_the_encoder_layer_of_torch_calls_what_is_decomposed():
    """Else the decomposition is of no use any more."""
    called: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: Any) -> Any:
        called.extend(str(node.target) for node in graph.graph.nodes)
        return graph

    torch.compiler.reset()
    with torch.no_grad():
        layer = nn.TransformerEncoderLayer(FEATURES, HEADS, 16, batch_first=True).eval()
        compiled: Any = torch.compile(layer, backend=backend)
        compiled(torch.randn(BATCH, LENGTH, FEATURES))
    assert any("_transformer_encoder_layer_fwd" in name for name in called)
