"""Constants whose length is a size of the run: what reads them takes the elements of this run, and no further ones."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from s2s import api

MOST = 9


def _row(x: Tensor) -> Tensor:
    return torch.arange(x.shape[1]) * 2 + 1


def _computed(x: Tensor) -> Tensor:
    return (x.sum() + torch.arange(float(MOST)))[: x.shape[1]]


def _zeros(x: Tensor) -> Tensor:
    return torch.zeros(x.shape, dtype=torch.int64)


class _Program(torch.nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        """The function."""
        return self.function(x)


def check(function: Callable[[Tensor], Tensor]) -> None:
    """Compare `function` of `[3, n]` with torch at several sizes, the greatest in the middle."""
    sizes = ({1: torch.export.Dim("n", min=2, max=MOST)},)
    program = torch.export.export(_Program(function), (torch.randn(3, 5),), dynamic_shapes=sizes)
    artifact = api.compile(program, target="c", name="net")
    for size in (2, 5, MOST, 4):
        x = torch.randn(3, size, generator=torch.Generator().manual_seed(size))
        given = {"x": x.numpy()} if artifact.info.inputs else {}
        (found,) = artifact.run(given).values()
        np.testing.assert_allclose(found, function(x).numpy(), rtol=1e-5, atol=1e-5)


SCATTERS: dict[str, Callable[[Tensor], Tensor]] = {
    "updates and places": lambda x: x.scatter_add(1, _zeros(x), torch.ones_like(x)),
    "all": lambda x: torch.zeros_like(x).scatter_add(1, _zeros(x), torch.ones_like(x)),
    "places": lambda x: x.scatter_add(1, _zeros(x), x),
    "mean": lambda x: x.scatter_reduce(1, _zeros(x), x, "mean", include_self=False),
    "rows": lambda x: torch.zeros(2).index_put((_row(x) % 2,), torch.ones(x.shape[1]), accumulate=True) + x.sum(),
}
"""Scatters of which some operands are constants of n columns."""

GUARDED: dict[str, Callable[[Tensor], Tensor]] = {
    "pad": lambda x: functional.pad(_row(x), (1, 2)) + 0 * x.sum().long(),
    "pad computed": lambda x: functional.pad(_computed(x), (1, 2), value=3.0),
    "pad relu": lambda x: functional.pad(torch.relu(_computed(x)), (1, 2)),
    "pad twice": lambda x: functional.pad(functional.pad(_computed(x), (0, 1)), (1, 1), value=5.0),
    "pad of a row": lambda x: functional.pad(_computed(x)[None], (2, 1, 0, 1)),
    "convolution": lambda x: functional.conv1d(_computed(x)[None, None], torch.ones(1, 1, 3), padding=2),
    "pool": lambda x: functional.avg_pool1d(_computed(x)[None, None], 3, 1, 1),
}
"""Operators that ask whether they read behind the end, of rows of which a run takes the first n elements."""


@pytest.mark.parametrize("name", SCATTERS)
def test_a_scatter_of_constants_writes_the_elements_of_this_run(name: str):
    check(SCATTERS[name])


@pytest.mark.parametrize("name", GUARDED)
def test_behind_the_elements_of_this_run_is_padding(name: str):
    check(GUARDED[name])
