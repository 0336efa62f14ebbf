"""Random numbers of programs: their distributions, other ones in each run, and sizes of the run."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s import api
from s2s.types.dtypes import Array

SHAPE = (40, 50)
Function = Callable[[Tensor], Tensor]

DRAWN: dict[str, tuple[Function, float, float]] = {
    "rand_like": (torch.rand_like, 0.5, 1 / 12),
    "rand": (lambda x: torch.rand(SHAPE) + 0 * x, 0.5, 1 / 12),
    "randn_like": (torch.randn_like, 0, 1),
    "randn": (lambda x: torch.randn(SHAPE) + 0 * x, 0, 1),
    "randint": (lambda x: torch.randint(3, 7, SHAPE) + 0 * x, 4.5, 1.25),
    "randint_like": (lambda x: torch.randint_like(x, 2, 5), 3, 2 / 3),
    "randperm": (lambda x: torch.randperm(SHAPE[1]) + 0 * x, 24.5, (50**2 - 1) / 12),
    "bernoulli": (lambda x: torch.bernoulli(0 * x + 0.75), 0.75, 3 / 16),
    "bernoulli_ with p": (lambda x: x.clone().bernoulli_(0.25), 0.25, 3 / 16),
    "bernoulli_ with a tensor": (lambda x: x.clone().bernoulli_(0 * x + 0.25), 0.25, 3 / 16),
    "multinomial": (lambda x: torch.multinomial(torch.arange(3.0) + 0 * x[:, :3], 50, True) + 0 * x, 5 / 3, 2 / 9),
    "uniform_": (lambda x: x.clone().uniform_(-1, 2), 0.5, 9 / 12),
    "normal_": (lambda x: x.clone().normal_(3, 0.5), 3, 0.25),
    "exponential_": (lambda x: x.clone().exponential_(2.0), 0.5, 0.25),
    "normal of tensors": (lambda x: torch.normal(0 * x + 1, 0 * x + 2), 1, 4),
    "normal of a mean": (lambda x: torch.normal(0 * x + 1, 2.0), 1, 4),
    "normal of a deviation": (lambda x: torch.normal(1.0, 0 * x + 2), 1, 4),
}
"""Functions that draw, with the mean and the variance of their numbers."""


class Drawing(nn.Module):
    """A function that draws."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        """The function."""
        return self.function(x)


def runs(function: Function, inputs: Sequence[Tensor], varying: bool = False) -> list[Array]:
    """The outputs of runs in a row."""
    sizes = ({1: torch.export.Dim("n", min=2, max=SHAPE[1])},) if varying else None
    exported = torch.export.export(
        Drawing(function), (torch.ones(SHAPE[0], 20 if varying else 50),), dynamic_shapes=sizes
    )
    artifact = api.compile(exported, target="c", name="net")
    names = [port.name for port in artifact.info.inputs]
    return [next(iter(artifact.run(dict(zip(names, [x.numpy()], strict=False))).values())) for x in inputs]


@pytest.mark.parametrize("name", DRAWN)
def test_numbers_have_their_distribution_and_differ_from_run_to_run(name: str):
    function, mean, variance = DRAWN[name]
    first, second = runs(function, [torch.ones(SHAPE)] * 2)
    assert not np.array_equal(first, second)
    expected = function(torch.ones(SHAPE))
    for found in (first, second):
        assert (found.dtype, found.shape) == (expected.numpy().dtype, tuple(expected.shape))
        assert abs(found.mean() - mean) < 5 * np.sqrt(variance / found.size)
        assert abs(found.var() / variance - 1) < 0.2


def test_two_calls_draw_other_numbers():
    (found,) = runs(lambda x: torch.randn_like(x) - torch.randn_like(x), [torch.ones(SHAPE)])
    assert abs(found.var() / 2 - 1) < 0.2


def test_noise_of_a_size_of_the_run():
    inputs = [torch.ones(SHAPE[0], size) for size in (2, 50, 7)]
    for x, found in zip(inputs, runs(lambda x: x + torch.randn_like(x), inputs, varying=True), strict=True):
        assert found.shape == tuple(x.shape)
        assert abs(found.mean() - 1) < 5 / np.sqrt(found.size)
        assert abs(found.var() - 1) < 0.6
