# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Operators along axes that `torch.export.Dim` leaves open: one tree for all sizes, against torch at several."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as f

from s2s import api
from s2s.errors import UnsupportedError
from s2s.frontends import torch as frontend
from s2s.frontends.builder import Value
from s2s.frontends.torch import table
from s2s.frontends.torch.node import Node

Function = Callable[[Tensor], Any]


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def program(function: Function, least: int = 2, most: int = 13, step: int = 1) -> Any:
    """`function` of an image whose width is `step` times a size within the bounds."""
    torch.manual_seed(4)
    width = Dim("width", min=least, max=most)
    example = torch.randn(1, 4, 6, 3 * step)
    return frontend.export(Wrapped(function).eval(), [example], None, ({3: step * width if step > 1 else width},))


def compare(exported: Any, widths: tuple[int, ...]) -> None:
    """Compare one tree with torch at each of `widths`."""
    with api.compile(exported, target="c") as artifact:
        for width in widths:
            x = torch.randn(1, 4, 6, width)
            with torch.no_grad():
                found = exported.module()(x)
            wanted = found if isinstance(found, tuple) else (found,)
            for ours, theirs in zip(artifact.run({"x": x.numpy()}).values(), wanted, strict=True):
                assert ours.shape == tuple(theirs.shape)
                np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=2e-5)


OPERATORS: dict[str, Function] = {
    "bilinear": lambda x: f.interpolate(x, scale_factor=1.5, mode="bilinear"),
    "bilinear, aligned corners": lambda x: f.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
    "bilinear to a size": lambda x: f.interpolate(x, size=8, mode="bilinear"),
    "bicubic": lambda x: f.interpolate(x, scale_factor=2, mode="bicubic"),
    "bicubic to a size": lambda x: f.interpolate(x, size=(7, 8), mode="bicubic", align_corners=True),
    "nearest": lambda x: f.interpolate(x, scale_factor=2.5, mode="nearest"),
    "nearest to a size": lambda x: f.interpolate(x, size=8, mode="nearest"),
    "nearest exact": lambda x: f.interpolate(x, size=9, mode="nearest-exact"),
    "variance": lambda x: torch.var_mean(x, (2, 3)),
    "deviation": lambda x: x.std(3, correction=0),
    "roll": lambda x: (x.roll(3, 3), x.roll((-1, 2), (2, 3)), x.roll(5)),
    "mirrored padding": lambda x: f.pad(x, (1, 1, 1, 1), mode="reflect"),
    "repeated border": lambda x: f.pad(x, (2, 1, 1, 2), mode="replicate"),
    "mean of cells": lambda x: (f.adaptive_avg_pool2d(x, 3), f.adaptive_avg_pool2d(x, (None, 1))),
    "maximum of cells": lambda x: (f.adaptive_max_pool2d(x, (4, 3)), f.adaptive_max_pool2d(x, (1, 3))),
    "scatter onto zeros": lambda x: torch.zeros_like(x).scatter(2, (x > 0).long(), x),
    "sums onto zeros": lambda x: torch.zeros(1, 4, 3, x.shape[3]).scatter_add(2, (x > 0).long(), x),
    "diagonal": lambda x: x[:, :, :2].diagonal(0, 2, 3),
    "zeros in front": lambda x: torch.cat([torch.zeros_like(x), x], 3),
    "numbers beside a result": lambda x: (x.exp(), torch.full((x.shape[3], 2), 1.5), torch.arange(x.shape[3])),
    "zeros above": lambda x: torch.cat([torch.zeros_like(x), x], 2),
    "places": lambda x: (x > 0).nonzero(),
    "elements by a mask": lambda x: x[x > 0],
    "elements by a mask that broadcasts": lambda x: torch.masked_select(x, x[:, :1] > 0.5),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_takes_every_size(name: str):
    compare(program(OPERATORS[name]), (2, 3, 7, 8, 12, 13))


ROUNDED_UP: dict[str, Function] = {
    "maximum": lambda x: f.max_pool2d(x, 3, 2, 1, ceil_mode=True),
    "maximum and places": lambda x: f.max_pool2d(x, 2, 2, ceil_mode=True, return_indices=True),
    "mean": lambda x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "mean without padding": lambda x: f.avg_pool2d(x, 2, 2, ceil_mode=True, count_include_pad=False),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ROUNDED_UP)
def test_pools_that_round_up_take_every_even_size(name: str):
    """Torch fixes whether the last window begins in the padding, and so exports even sizes or odd ones."""
    compare(program(ROUNDED_UP[name], step=2), (4, 6, 14, 26))


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_images_are_enlarged_by_tenths(mode: str):
    compare(program(lambda x: f.interpolate(x, scale_factor=1.7, mode=mode), most=40), (2, 7, 10, 33, 40))


def test_a_scale_that_doubles_round_otherwise_is_refused():
    with pytest.raises(UnsupportedError, match=r"scales an axis by 0\.29, which is no fraction with a denominator"):
        api.compile(program(lambda x: f.interpolate(x, scale_factor=(1, 0.29)), most=101, step=2), target="c")


def _baked(node: Node) -> Value:
    """`x` times the root of its width, as a constant."""
    x = node.value("self")
    return x * x.shape[3] ** 0.5


def _times_its_width(node: Node) -> Value:
    x = node.value("self")
    return x * x.shape[3]


@pytest.mark.parametrize("most", [3, 6, 40])
def test_an_importer_that_makes_a_size_a_constant_is_refused(most: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(table.IMPORTERS, ("aten", "relu"), _baked)
    with pytest.raises(UnsupportedError, match=rf"is read for width == {most}, which does not hold at all"):
        api.compile(program(torch.relu, most=most), target="c")


def test_a_size_as_a_factor_is_that_of_the_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(table.IMPORTERS, ("aten", "relu"), _times_its_width)
    exported = program(torch.relu)
    with api.compile(exported, target="c") as artifact:
        for width in (2, 5, 13):
            x = torch.randn(1, 4, 6, width)
            np.testing.assert_array_equal(artifact.run({"x": x.numpy()}).popitem()[1], x.numpy() * width)
