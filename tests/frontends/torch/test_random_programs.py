"""Random programs under `torch.compile`, many in one process: they give and change what torch gives and changes."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import logging
from functools import partial
from typing import Any

import pytest
import torch

from s2s.torch_backend import compile_graph
from support.torch_networks.random_programs import alike, example

BACKEND = partial(compile_graph, target="c")
COUNT = 6


def check(seed: int) -> None:
    """Compare two programs that are alike, each twice, before and after their weights change in ways unseen."""
    torch.compiler.reset()
    programs, references = alike(seed), alike(seed)
    fast: list[Any] = [torch.compile(each, backend=BACKEND) for each in programs]
    with torch.no_grad():
        for run in range(2):
            for ours, program, reference in zip(fast, programs, references, strict=True):
                given, same = example(seed + run, program.shape), example(seed + run, program.shape)
                torch.testing.assert_close(ours(given), reference(same), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(given, same)
                torch.testing.assert_close(program.state_dict(), reference.state_dict())
            for each in (programs[0], references[0]):
                for parameter in each.parameters():
                    parameter.data.mul_(-1)


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_program_does_what_torch_does(seed: int, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING, "s2s"):
        check(seed)
    assert not [each for each in caplog.records if "run by torch" in each.getMessage()]
