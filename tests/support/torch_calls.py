"""Functions of PyTorch as modules, which export takes."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


class Calls(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)
