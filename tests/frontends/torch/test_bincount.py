# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
"""`torch.bincount`: as long as the greatest element says, within a bound; without one it is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import torch as frontend


class Counts(nn.Module):
    """A function of a tensor, and of others, as a module."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: Tensor) -> Tensor:
        return self.function(*tensors)


def whole(most: int, seed: int, dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.randint(0, most, (20,), generator=torch.Generator().manual_seed(seed)).to(dtype)


def exported(function: Callable[..., Tensor], *tensors: Tensor) -> Any:
    return frontend.export(Counts(function).eval(), list(tensors))


def check(artifact: api.Artifact, function: Callable[..., Tensor], *tensors: Tensor) -> None:
    names = [port.name for port in artifact.info.inputs]
    (found,) = artifact.run({name: each.numpy() for name, each in zip(names, tensors, strict=True)}).values()
    expected = function(*tensors).numpy()
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("least", [0, 5])
def test_a_bound_of_the_user_is_the_room(least: int):
    def function(x: Tensor) -> Tensor:
        return torch.bincount(x, minlength=least)

    with api.compile(exported(function, whole(9, 0)), target="c", dims={"bincount": (least, 16)}) as artifact:
        for most in (1, 2, 9, 16):
            check(artifact, function, whole(most, most))
        for wrong in (whole(9, 0) + 16, whole(9, 0) - 9):  # behind the bound, and negative, which torch refuses, too
            with pytest.raises(InputError, match=r"not in its bounds, --dim bincount="):
                artifact.run({artifact.info.inputs[0].name: wrong.numpy()})


def test_bytes_need_no_bound():
    def function(x: Tensor) -> Tensor:
        return torch.bincount(x, minlength=5)

    with api.compile(exported(function, whole(9, 0, torch.uint8)), target="c") as artifact:
        for most in (1, 9, 256):
            check(artifact, function, whole(most, most, torch.uint8))


def test_weights_are_summed():
    tensors = whole(9, 0, torch.uint8), torch.linspace(0, 1, 20)
    with api.compile(exported(torch.bincount, *tensors), target="c") as artifact:
        check(artifact, torch.bincount, *tensors)


def test_without_a_bound_it_says_how_to_give_one():
    program = exported(lambda x: torch.bincount(x, minlength=5), whole(9, 0))
    with pytest.raises(UnsupportedError, match=r"one more; bound it, as in --dim bincount=5\.\.64"):
        api.compile(program, target="c")
