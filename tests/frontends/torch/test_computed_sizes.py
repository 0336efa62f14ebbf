# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""Results of PyTorch programs whose size depends on the data, against torch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from s2s import api
from s2s.errors import InputError
from s2s.frontends import torch as frontend

FUNCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "rows by a mask": lambda x: x[x[:, 0] > 0],
    "sum over a mask": lambda x: x[x > 0].sum(),
    "elements put back": lambda x: x.masked_scatter(x > 0, x[x > 0] * 2),
    "a column put back": lambda x: x.masked_scatter(x > 0, x[x > 0].reshape(-1, 1) * 2),
    "elements filled in": lambda x: x.index_put((x > 0,), torch.tensor(2.0)),
    "rows at places filled in": lambda x: x.index_put((torch.nonzero(x[:, 0] > 0).squeeze(1),), torch.ones(7)),
    "elements at places": lambda x: x[torch.nonzero(x > 0, as_tuple=True)],
    "rows in order": lambda x: torch.sort(x[x[:, 0] > 0], dim=0)[0],
    "places in sorted rows": lambda x: torch.searchsorted(torch.sort(x[x > 0])[0], x[0]),
    "rows between zeros": lambda x: functional.pad(x[x[:, 0] > 0], (0, 0, 1, 2)),
    "rows repeated": lambda x: torch.repeat_interleave(x[x[:, 0] > 0], 2, dim=0),
    "rows of rows": lambda x: (lambda y: y[y[:, 1] > 0])(x[x[:, 0] > 0]),
    "mean over a mask": lambda x: x[x > 0].sum() / x[x > 0].numel(),
    "places": lambda x: torch.nonzero(x > 0),
    "distinct": lambda x: torch.unique(x.round().long(), return_inverse=True, return_counts=True),
    "distinct of a mask": lambda x: torch.unique(x[x > 0].round(), return_inverse=True, return_counts=True),
    "distinct rows of a mask": lambda x: torch.unique(x[x[:, 0] > 0].round(), dim=0, return_counts=True),
}


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def exported(function: Callable[[Tensor], Any]) -> Any:
    torch.manual_seed(3)
    return frontend.export(Wrapped(function).eval(), [torch.randn(5, 7)])


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_have_the_size_and_the_values_of_torch(name: str):
    program = exported(FUNCTIONS[name])
    with api.compile(program, target="c") as artifact:
        for shift in (-9, -1, 0, 9):
            x = torch.randn(5, 7) + shift
            with torch.no_grad():
                found = program.module()(x)
            wanted = found if isinstance(found, tuple) else (found,)
            for ours, theirs in zip(artifact.run({"x": x.numpy()}).values(), wanted, strict=True):
                assert ours.shape == tuple(theirs.shape)
                np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-5)


def test_a_size_has_the_name_of_its_node_and_takes_a_bound():
    with api.compile(exported(FUNCTIONS["places"]), target="c", dims={"nonzero": (0, 4)}) as artifact:
        assert artifact.info.outputs[0].shape == (4, 2)
        x = np.full((5, 7), -1, np.float32)
        x[3, 2] = 1
        np.testing.assert_array_equal(artifact.run({"x": x}).popitem()[1], [[3, 2]])
        with pytest.raises(InputError, match=r"is not in its bounds, --dim nonzero=0\.\.4; give other inputs"):
            artifact.run({"x": np.ones((5, 7), np.float32)})
