# pyright: reportUnknownMemberType=false
"""Adaptive pools: an infinity or NaN changes the cells that hold it, and no others."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as f

from s2s import api
from s2s.frontends import torch as frontend


class Cells(nn.Module):
    """The means and maxima of `rows` x 3 cells."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = rows

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return f.adaptive_avg_pool2d(x, (self.rows, 3)), f.adaptive_max_pool2d(x, (self.rows, 3))


def picture(width: int) -> Tensor:
    """Numbers with infinities in two corners, and NaN between."""
    torch.manual_seed(width)
    x = torch.randn(1, 2, 23, width)
    x[0, 0, 22, width - 1], x[0, 1, 0, 0], x[0, 1, 11, 1] = float("inf"), float("-inf"), float("nan")
    return x


def compare(rows: int, open_axis: bool, widths: tuple[int, ...]) -> None:
    """Compare both pools with torch at each of `widths`."""
    module = Cells(rows).eval()
    dynamic = ({3: Dim("width", min=min(widths), max=max(widths))},) if open_axis else None
    with api.compile(frontend.export(module, [picture(widths[1])], None, dynamic), target="c") as artifact:
        for width in widths if open_axis else widths[1:2]:
            found = artifact.run({"x": picture(width).numpy()}).values()
            for ours, theirs in zip(found, module(picture(width)), strict=True):
                np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [4, 17])
def test_cells_of_constant_size(rows: int):
    """Few cells are slices, many are masks."""
    compare(rows, open_axis=False, widths=(3, 7, 13))


def test_cells_of_varying_size():
    compare(4, open_axis=True, widths=(3, 4, 7, 13))
