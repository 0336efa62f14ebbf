# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Classifiers of images, and a perceptron."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, Residual, conv_bn, head, image, network


@network
def mlp() -> Made:
    return nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 8), nn.ELU(), nn.Linear(8, 4)), (
        torch.randn(3, 12),
    )


@network
def lenet() -> Made:
    return nn.Sequential(
        nn.Conv2d(1, 4, 5),
        nn.Sigmoid(),
        nn.AvgPool2d(2),
        nn.Conv2d(4, 6, 3),
        nn.Sigmoid(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(24, 10),
    ), image(1, 16)


@network
def vgg() -> Made:
    return nn.Sequential(
        conv_bn(3, 8), conv_bn(8, 8), nn.MaxPool2d(2), conv_bn(8, 12), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(192, 5)
    ), image()


@network
def resnet() -> Made:
    def block(channels: int) -> nn.Module:
        return nn.Sequential(
            Residual(nn.Sequential(conv_bn(channels, channels), nn.Conv2d(channels, channels, 3, 1, 1))), nn.ReLU()
        )

    return nn.Sequential(conv_bn(3, 8, stride=2), block(8), conv_bn(8, 12, stride=2), block(12), head(12)), image()


@network
def bottleneck_resnet() -> Made:
    body = nn.Sequential(conv_bn(16, 4, 1), conv_bn(4, 4), nn.Conv2d(4, 16, 1))
    return nn.Sequential(conv_bn(3, 16), Residual(body), nn.ReLU(), head(16)), image(size=8)


@network
def mobilenet_v2() -> Made:
    body = nn.Sequential(conv_bn(8, 24, 1), conv_bn(24, 24, groups=24), nn.Conv2d(24, 8, 1))
    return nn.Sequential(conv_bn(3, 8, stride=2), Residual(body), nn.ReLU6(), head(8)), image()


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(channels, channels // 4, 1), nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        scale = F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))
        return x * F.hardsigmoid(self.up(scale))


@network
def mobilenet_v3() -> Made:
    body = nn.Sequential(
        nn.Conv2d(8, 16, 1),
        nn.Hardswish(),
        nn.Conv2d(16, 16, 5, padding=2, groups=16),
        SqueezeExcite(16),
        nn.Conv2d(16, 8, 1),
    )
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), Residual(body), head(8)), image()


@network
def efficientnet() -> Made:
    body = nn.Sequential(
        nn.Conv2d(8, 16, 1),
        nn.SiLU(),
        nn.Conv2d(16, 16, 3, 1, 1, groups=16),
        nn.SiLU(),
        SqueezeExcite(16),
        nn.Conv2d(16, 8, 1),
    )
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), Residual(body), head(8)), image()


class ShuffleUnit(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.right = nn.Sequential(
            conv_bn(channels // 2, channels // 2, 1), conv_bn(channels // 2, channels // 2, groups=channels // 2)
        )
        self.shuffle = nn.ChannelShuffle(2)

    def forward(self, x: Tensor) -> Tensor:
        left, right = x.chunk(2, 1)
        return self.shuffle(torch.cat([left, self.right(right)], 1))


@network
def shufflenet() -> Made:
    return nn.Sequential(conv_bn(3, 8, stride=2), ShuffleUnit(8), ShuffleUnit(8), head(8)), image()


class Fire(nn.Module):
    def __init__(self, inner: int, squeezed: int, outer: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inner, squeezed, 1)
        self.one, self.three = nn.Conv2d(squeezed, outer, 1), nn.Conv2d(squeezed, outer, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)


@network
def squeezenet() -> Made:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 6), Fire(12, 4, 6), head(12)
    ), image(size=17)


class Dense(nn.Module):
    def __init__(self, inner: int, growth: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(conv_bn(inner + growth * number, growth) for number in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


@network
def densenet() -> Made:
    return nn.Sequential(conv_bn(3, 6), Dense(6, 4, 3), nn.AvgPool2d(2), head(18)), image(size=10)


@network
def inception() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        pooled = F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        return torch.cat([m.one(x), m.three(x), m.five(x), m.pool(pooled)], 1).mean((2, 3))

    return Forward(
        forward,
        one=conv_bn(3, 4, 1),
        three=nn.Sequential(conv_bn(3, 4, 1), conv_bn(4, 6)),
        five=nn.Sequential(conv_bn(3, 2, 1), conv_bn(2, 4, 5)),
        pool=conv_bn(3, 4, 1),
    ), image(size=9)


class ConvNextBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.gamma = nn.Parameter(torch.full((channels,), 0.1))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.gamma * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


@network
def convnext() -> Made:
    return nn.Sequential(nn.Conv2d(3, 8, 4, 4), ConvNextBlock(8), ConvNextBlock(8), head(8)), image(size=28)
