# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Recurrent layers over sequences whose length varies, and follows from another size, against torch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from s2s import api
from s2s.frontends import torch as frontend

MIN_WIDTH, MAX_WIDTH = 8, 32


class Recogniser(nn.Module):
    """Convolutions that divide the width by 4, a recurrent layer over the columns, and scores for each."""

    def __init__(self, layer: Callable[..., Any]) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 3, 3, 1, 1), nn.MaxPool2d(2), nn.Conv2d(3, 4, 3, 1, 1), nn.MaxPool2d(2))
        self.layer = layer(8, 5, bidirectional=True, batch_first=True)
        self.head = nn.Linear(10, 6)

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x).permute(0, 3, 1, 2).flatten(2)
        return self.head(self.layer(y)[0]).log_softmax(-1)


class Steps(nn.Module):
    """A recurrent layer over as many steps as the input has; its last state goes with each."""

    def __init__(self, layer: Callable[..., Any]) -> None:
        super().__init__()
        self.layer = layer(5, 4, num_layers=2)

    def forward(self, x: Tensor) -> Tensor:
        y, state = self.layer(x)
        return y + (state[0] if isinstance(state, tuple) else state)[-1]


WIDTHS: dict[str, tuple[Any, int, int]] = {
    "4 * q": (4 * Dim("q", min=2, max=8), 4, 0),
    "2 * q + 1": (2 * Dim("q", min=4, max=15) + 1, 2, 1),
    "4 * q + 3": (4 * Dim("q", min=2, max=7) + 3, 4, 3),
}


def compare(module: nn.Module, program: Any, inputs: list[Tensor]) -> None:
    with api.compile(program, target="c") as artifact:
        for x in inputs:
            (actual,) = artifact.run({"x": x.numpy()}).values()
            expected = module(x).detach().numpy()
            assert actual.shape == expected.shape
            np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_width_that_follows_from_another_size(width: str):
    torch.manual_seed(3)
    size, step, rest = WIDTHS[width]
    module = Recogniser(nn.LSTM).eval()
    inputs = [torch.randn(1, 1, 8, columns) for columns in range(MIN_WIDTH + rest, MAX_WIDTH, step)]
    program = frontend.export(module, [inputs[1]], dynamic_shapes=({3: size},))
    compare(module, program, inputs)


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_length_stays_a_size(layer: Callable[..., Any]):
    torch.manual_seed(4)
    module = Steps(layer).eval()
    inputs = [torch.randn(steps, 1, 5) for steps in range(2, 12)]
    program = frontend.export(module, [inputs[3]], dynamic_shapes=({0: Dim("steps", min=2, max=11)},))
    compare(module, program, inputs)


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
def test_torch_computes_layers_as_before(layer: Callable[..., Any]):
    module = Steps(layer).eval()
    operator = torch.ops.aten.lstm.input
    kernels, x = dict(operator.py_kernels), torch.randn(5, 1, 5)
    before = module(x)
    frontend.export(module, [x], dynamic_shapes=({0: Dim("steps", min=2, max=11)},))
    torch.testing.assert_close(module(x), before)
    assert operator.py_kernels == kernels
