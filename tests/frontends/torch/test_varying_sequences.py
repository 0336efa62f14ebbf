# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""Operators of sequences whose length `torch.export.Dim` leaves open: one tree for all of them, against torch."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as f

from s2s import api
from s2s.frontends import torch as frontend


def _attention(s: Tensor) -> Tensor:
    return f.scaled_dot_product_attention(s, s, s, is_causal=True)


FUNCTIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda s: f.linear(s, torch.ones(3, 8) * 0.1, torch.ones(3)),
    "matrices": lambda s: torch.mm(s[:, 0], s[:, 1].t()) + torch.addmm(s[:, 0, 0], s[:, 0], s[:, 1].t()),
    "batches": lambda s: torch.bmm(s.transpose(0, 1), s.permute(1, 2, 0)),
    "attention": lambda s: _attention(s.transpose(0, 1)),
    "distances": lambda s: torch.cdist(s[:, 0], s[:, 1]),
    "layer norm": lambda s: f.layer_norm(s, (8,)) + f.rms_norm(s, (8,)),
    "batch norm": lambda s: f.batch_norm(s.permute(1, 2, 0), torch.zeros(8), torch.ones(8)),
}


class Sequences(nn.Module):
    """All of `FUNCTIONS` of one sequence; the results have their names."""

    def forward(self, s: Tensor) -> dict[str, Tensor]:
        return {name: function(s) for name, function in FUNCTIONS.items()}


def test_operators_of_sequences_take_every_length():
    torch.manual_seed(5)
    exported = frontend.export(Sequences().eval(), [torch.randn(5, 2, 8)], None, ({0: Dim("length", min=3, max=11)},))
    with api.compile(exported, target="c") as artifact:
        for length in (3, 4, 7, 10, 11):
            s = torch.randn(length, 2, 8)
            with torch.no_grad():
                wanted: dict[str, Tensor] = exported.module()(s)
            for (name, theirs), ours in zip(wanted.items(), artifact.run({"s": s.numpy()}).values(), strict=True):
                assert ours.shape == tuple(theirs.shape), name
                np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=2e-5, err_msg=f"{name}, {length}")
