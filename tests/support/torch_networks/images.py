# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Networks from images to images, and other uses of images."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, Residual, conv_bn, head, image, network


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([conv_bn(3, 6), conv_bn(6, 12), conv_bn(12, 16)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(16, 12, 2, 2), nn.ConvTranspose2d(12, 6, 2, 2)])
        self.merge = nn.ModuleList([conv_bn(24, 12), conv_bn(12, 6)])
        self.last = nn.Conv2d(6, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        c = self.merge[0](torch.cat([self.up[0](c), b], 1))
        c = self.merge[1](torch.cat([self.up[1](c), a], 1))
        return self.last(c)


@network
def unet() -> Made:
    return UNet(), image()


@network
def segmentation_head() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        small = m.body(x)
        return F.interpolate(m.classes(small), size=x.shape[-2:], mode="bilinear", align_corners=False)

    return Forward(forward, body=conv_bn(3, 8, stride=2), classes=nn.Conv2d(8, 3, 1)), image(size=15)


@network
def convolutional_autoencoder() -> Made:
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(6, 8, 3, 2, 1),
        nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(8, 6, 3, 2, 1, output_padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(6, 1, 4, 2, 1),
        nn.Sigmoid(),
    ), image(1, 16)


@network
def vae_decoder() -> Made:
    return nn.Sequential(
        nn.Linear(6, 32),
        nn.SELU(),
        nn.Unflatten(1, (2, 4, 4)),
        nn.Upsample(scale_factor=2),
        nn.Conv2d(2, 3, 3, padding=1),
    ), (torch.randn(2, 6),)


@network
def dcgan_generator() -> Made:
    return nn.Sequential(
        nn.ConvTranspose2d(8, 8, 4, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(True),
        nn.ConvTranspose2d(8, 3, 4, 2, 1),
        nn.Tanh(),
    ), (torch.randn(1, 8, 1, 1),)


@network
def super_resolution() -> Made:
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.PReLU(8), nn.Conv2d(8, 9, 3, padding=1), nn.PixelShuffle(3)
    ), image(1, 8)


@network
def style_transfer() -> Made:
    return nn.Sequential(
        nn.ReflectionPad2d(2),
        nn.Conv2d(3, 6, 5),
        nn.InstanceNorm2d(6, affine=True),
        nn.ReLU(),
        nn.ReplicationPad2d(1),
        nn.Conv2d(6, 3, 3),
    ), image(size=12)


@network
def group_norm_resnet() -> Made:
    body = nn.Sequential(nn.GroupNorm(4, 8), nn.Mish(), nn.Conv2d(8, 8, 3, padding=1))
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Residual(body), Residual(body), head(8)), image(size=8)


@network
def attention_cnn() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        x = m.body(x)
        channel = torch.sigmoid(m.fc(x.mean((2, 3))) + m.fc(x.amax((2, 3))))
        x = x * channel[:, :, None, None]
        planes = torch.stack([x.mean(1), x.max(1).values], 1)
        return (x * torch.sigmoid(m.spatial(planes))).mean((2, 3))

    return Forward(forward, body=conv_bn(3, 8), fc=nn.Linear(8, 8), spatial=nn.Conv2d(2, 1, 7, padding=3)), image(
        size=9
    )


@network
def conv3d_video() -> Made:
    return nn.Sequential(
        nn.Conv3d(2, 4, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool3d(2),
        nn.Conv3d(4, 4, (1, 3, 3)),
        nn.AdaptiveAvgPool3d(1),
        nn.Flatten(),
    ), (torch.randn(1, 2, 4, 8, 8),)
