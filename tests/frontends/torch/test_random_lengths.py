# pyright: reportUnknownMemberType=false
"""Random programs whose inputs have sizes that are formulas of one, at sizes within random bounds, against torch."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional

from s2s import api
from s2s.frontends import torch as frontend
from support.random_programs_of_lengths import PAIRS, draw_program, outcome_of_program

SIZES = 6
"""The number of sizes at which a program is run."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("pair", PAIRS)
def test_a_program_is_right_at_every_size(pair: str):
    program = next(drawn for drawn in map(draw_program, range(3, 10000)) if drawn.steps[0] == pair)
    assert not outcome_of_program(program, 3, SIZES).difference, program.steps


def test_a_size_that_the_program_fixes_although_the_export_opens_it_is_constant():
    assert outcome_of_program(draw_program(90310), 3, SIZES).refusal == "torch fixes n in the export"


class Padded(nn.Module):
    """Rows padded to a multiple of 16, and at both sides by a quarter of their length."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        length = x.shape[-1]
        return (
            functional.pad(x, (0, -length % 16)).relu(),
            functional.pad(x, (length // 4, length // 4), mode=self.mode),
        )


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_pads_follow_from_the_length(mode: str):
    module = Padded(mode).eval()
    program = frontend.export(module, [torch.randn(1, 3, 21)], None, ({2: Dim("length", min=17, max=40)},))
    with api.compile(program, target="c") as artifact:
        for length in (17, 31, 32, 33, 40):
            x = torch.randn(1, 3, length)
            found = artifact.run({"x": x.numpy()}).values()
            for actual, expected in zip(found, module(x), strict=True):
                np.testing.assert_allclose(actual, expected.numpy(), rtol=1e-4, atol=1e-5)
