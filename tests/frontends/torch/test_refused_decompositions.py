"""Programs that torch exports and then does not decompose are refused, with its reason."""
# pyright: reportUnknownMemberType=false

import pytest
import torch
from torch import Tensor, nn

from s2s import api
from s2s.errors import UnsupportedError


class Overlapping(nn.Module):
    """Changes windows in place that share elements."""

    def forward(self, x: Tensor) -> Tensor:
        windows = (x + 0).unfold(-1, 2, 1)
        windows[0].neg_()
        return windows


class Whole(nn.Module):
    """Adds half a product to integers in place."""

    def forward(self, x: Tensor) -> Tensor:
        return (x + 0).addcmul_(x, x, value=0.5)


@pytest.mark.parametrize(
    ("module", "x"), [(Overlapping(), torch.ones(3, 4)), (Whole(), torch.ones(3, dtype=torch.int64))]
)
def test_what_torch_does_not_decompose_is_refused(module: nn.Module, x: Tensor):
    program = torch.export.export(module, (x,))
    with pytest.raises(UnsupportedError, match="torch does not decompose it"):
        api.compile(program, target="c")
