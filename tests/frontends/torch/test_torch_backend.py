"""`torch.compile` with the backend: numbers, graph breaks, parameters that change."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import logging
import tomllib
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from s2s.torch_backend import compile_graph
from support.project import ROOT


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget graphs of other tests."""
    torch.compiler.reset()
    with torch.no_grad():
        yield


def compiled(module: nn.Module) -> Any:
    return torch.compile(module.eval(), backend=partial(compile_graph, target="c"))


def test_the_backend_has_a_name_that_torch_finds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["torch_dynamo_backends"] == {"s2s": "s2s.torch_backend:compile_graph"}


def test_options_are_those_of_compile():
    made = torch.compile(nn.ReLU(), backend=compile_graph, options={"target": "c", "name": "net"})
    assert made(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"options": {"targte": "c"}}, "unknown option 'targte'; give options of s2s.compile"),
        ({"mode": "max-autotune"}, "s2s has no mode 'max-autotune'; leave it out"),
    ],
)
def test_options_that_compile_does_not_have_are_refused(given: dict[str, Any], message: str):
    made: Any = torch.compile(nn.ReLU(), backend=compile_graph, **given)
    with pytest.raises(Exception, match=message):
        made(torch.ones(3))


def test_a_module_gives_what_torch_gives_and_parameters_may_change():
    module = nn.Sequential(nn.Linear(4, 3), nn.Tanh())
    fast, x = compiled(module), torch.randn(2, 4)
    torch.testing.assert_close(fast(x), module(x))
    next(module.parameters()).mul_(2)
    torch.testing.assert_close(fast(x), module(x))


def test_each_graph_around_a_break_is_compiled_and_the_break_is_logged(caplog: pytest.LogCaptureFixture):
    class Breaks(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = x * 2
            torch._dynamo.graph_break()  # pyright: ignore[reportPrivateUsage]
            return y + 1

    module = Breaks()
    with caplog.at_level(logging.WARNING, "s2s"):
        assert compiled(module)(torch.ones(3)).tolist() == [3.0] * 3
    assert any("graph break" in record.getMessage() for record in caplog.records)


def test_a_graph_that_cannot_be_imported_is_run_by_torch_and_logged(caplog: pytest.LogCaptureFixture):
    class Random(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.rand(3) * 0

    with caplog.at_level(logging.WARNING, "s2s"):
        assert compiled(Random())(torch.ones(3)).tolist() == [1.0] * 3
    assert any("a graph is run by torch" in record.getMessage() for record in caplog.records)
