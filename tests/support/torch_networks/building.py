# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""What the networks are built of: a register of their makers, modules and inputs that many of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Made = tuple[nn.Module, tuple[Tensor, ...]]
MAKERS: dict[str, Callable[[], Made]] = {}


def network(function: Callable[[], Made]) -> Callable[[], Made]:
    """Register an architecture; its weights and inputs are the same at each run."""

    def make() -> Made:
        torch.manual_seed(7)
        module, inputs = function()
        return module.eval(), inputs

    MAKERS[function.__name__] = make
    return make


def image(channels: int = 3, size: int = 16, batch: int = 1) -> tuple[Tensor]:
    return (torch.randn(batch, channels, size, size),)


class Forward(nn.Module):
    """A module whose forward is a function of the module and the inputs."""

    def __init__(self, function: Callable[..., Any], **parts: nn.Module | nn.Parameter | Tensor) -> None:
        super().__init__()
        for name, part in parts.items():
            if isinstance(part, Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(self, *inputs)


def conv_bn(inner: int, outer: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    norm = nn.BatchNorm2d(outer)
    norm.running_mean = torch.randn(outer) * 0.1
    norm.running_var = torch.rand(outer) + 0.5
    return nn.Sequential(
        nn.Conv2d(inner, outer, kernel, stride, kernel // 2, groups=groups, bias=False), norm, nn.ReLU()
    )


class Residual(nn.Module):
    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


def head(channels: int, classes: int = 5) -> nn.Sequential:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))
