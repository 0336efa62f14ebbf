"""Networks in PyTorch, as large as people run them: the architectures of the tests with widths and depths of use.

Weights are random and seeded; nothing is downloaded.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

Made = tuple[nn.Module, tuple[Tensor, ...]]


class _Residual(nn.Module):
    """A body that is added to its input, or to a projection of it."""

    def __init__(self, body: nn.Module, shortcut: nn.Module | None = None) -> None:
        super().__init__()
        self.body, self.shortcut = body, shortcut if shortcut is not None else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.shortcut(x) + self.body(x)


def _conv(inner: int, outer: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inner, outer, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outer)
    )


def _activated(inner: int, outer: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(_conv(inner, outer, kernel, stride, groups), nn.ReLU6())


def _classifier(channels: int, classes: int = 1000) -> list[nn.Module]:
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]


def _image(size: int, channels: int = 3) -> tuple[Tensor]:
    return (torch.randn(1, channels, size, size),)


def resnet18() -> Made:
    """11.7 M parameters, on 224 x 224 pixels."""

    def block(inner: int, outer: int, stride: int) -> list[nn.Module]:
        body = nn.Sequential(_conv(inner, outer, 3, stride), nn.ReLU(), _conv(outer, outer))
        return [_Residual(body, None if inner == outer else _conv(inner, outer, 1, stride)), nn.ReLU()]

    layers: list[nn.Module] = [_conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    for inner, outer in ((64, 64), (64, 128), (128, 256), (256, 512)):
        layers += [*block(inner, outer, outer // inner), *block(outer, outer, 1)]
    return nn.Sequential(*layers, *_classifier(512)), _image(224)


def mobilenet_v2() -> Made:
    """3.5 M parameters, on 224 x 224 pixels."""
    layers: list[nn.Module] = [_activated(3, 32, stride=2)]
    inner = 32
    for expand, outer, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for number in range(count):
            step, wide = stride if number == 0 else 1, inner * expand
            body = nn.Sequential(
                _activated(inner, wide, 1), _activated(wide, wide, 3, step, wide), _conv(wide, outer, 1)
            )
            layers.append(_Residual(body) if step == 1 and inner == outer else body)
            inner = outer
    return nn.Sequential(*layers, _activated(320, 1280, 1), *_classifier(1280)), _image(224)


class _ChannelsLast(nn.Module):
    """The part of a ConvNeXt block that works on the channels of each pixel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.gelu(self.up(self.norm(x.permute(0, 2, 3, 1))))).permute(0, 3, 1, 2)


def convnext() -> Made:
    """ConvNeXt-Pico: 9 M parameters, on 224 x 224 pixels."""
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 4, 4)]
    for outer, count in ((64, 2), (128, 2), (256, 6), (512, 2)):
        if outer > 64:
            layers.append(nn.Conv2d(outer // 2, outer, 2, 2))
        for _ in range(count):
            depthwise = nn.Conv2d(outer, outer, 7, padding=3, groups=outer)
            layers.append(_Residual(nn.Sequential(depthwise, _ChannelsLast(outer))))
    return nn.Sequential(*layers, *_classifier(512)), _image(224)


class _UNet(nn.Module):
    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        self.down = nn.ModuleList(_double(inner, outer) for inner, outer in [(3, widths[0]), *pairs])
        self.up = nn.ModuleList(nn.ConvTranspose2d(outer, inner, 2, 2) for inner, outer in reversed(pairs))
        self.merge = nn.ModuleList(_double(2 * inner, inner) for inner, _ in reversed(pairs))
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept: list[Tensor] = []
        for number, layer in enumerate(self.down):
            x = layer(functional.max_pool2d(x, 2) if number else x)
            kept.append(x)
        for up, merge, skip in zip(self.up, self.merge, reversed(kept[:-1]), strict=True):
            x = merge(torch.cat([up(x), skip], 1))
        return self.last(x)


def _double(inner: int, outer: int) -> nn.Module:
    return nn.Sequential(_conv(inner, outer), nn.ReLU(), _conv(outer, outer), nn.ReLU())


def unet() -> Made:
    """1.9 M parameters, on 128 x 128 pixels."""
    return _UNet((32, 64, 128, 256)), _image(128)


class _Tokens(nn.Module):
    """Patches of an image as a sequence of tokens."""

    def __init__(self, features: int, size: int, patch: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, features, patch, patch)
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2, features) * 0.02)

    def forward(self, x: Tensor) -> Tensor:
        return self.patches(x).flatten(2).transpose(1, 2) + self.places


class _Mean(nn.Module):
    """The mean over tokens."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(1)


def _encoder(features: int, heads: int, layers: int, norm_first: bool) -> nn.Module:
    layer = nn.TransformerEncoderLayer(
        features, heads, 4 * features, activation="gelu", batch_first=True, norm_first=norm_first
    )
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def vit() -> Made:
    """ViT-Tiny: 5.5 M parameters, 196 tokens of 192 features."""
    return nn.Sequential(
        _Tokens(192, 224, 16), _encoder(192, 4, 12, True), nn.LayerNorm(192), _Mean(), nn.Linear(192, 1000)
    ), _image(224)


class _Words(nn.Module):
    """Words and their places as features."""

    def __init__(self, words: int, places: int, features: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, features), nn.Embedding(places, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.norm(self.words(tokens) + self.places.weight[: tokens.shape[1]])


def bert() -> Made:
    """BERT-Mini: 11 M parameters, 128 tokens of 256 features."""
    return nn.Sequential(
        _Words(30522, 512, 256), _encoder(256, 4, 4, False), _Mean(), nn.Linear(256, 256), nn.Tanh()
    ), (torch.randint(0, 30522, (1, 128)),)


class _Causal(nn.Module):
    """A block of a GPT."""

    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(features), nn.LayerNorm(features)
        self.qkv, self.out = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.ff = nn.Sequential(nn.Linear(features, 4 * features), nn.GELU(), nn.Linear(4 * features, features))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, features = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, features))
        return x + self.ff(self.second(x))


def gpt() -> Made:
    """6 blocks of 384 features: 14 M parameters, 128 tokens."""
    blocks = [_Causal(384, 6) for _ in range(6)]
    return nn.Sequential(_Words(8192, 256, 384), *blocks, nn.LayerNorm(384), nn.Linear(384, 8192, bias=False)), (
        torch.randint(0, 8192, (1, 128)),
    )


class _Transposed(nn.Module):
    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x.transpose(1, 2)).transpose(1, 2)


def mlp_mixer() -> Made:
    """8 blocks of 196 tokens and 256 features: 5 M parameters."""

    def perceptron(size: int, hidden: int) -> nn.Module:
        return nn.Sequential(nn.Linear(size, hidden), nn.GELU(), nn.Linear(hidden, size))

    layers: list[nn.Module] = [_Tokens(256, 224, 16)]
    for _ in range(8):
        layers.append(_Residual(nn.Sequential(nn.LayerNorm(256), _Transposed(perceptron(196, 128)))))
        layers.append(_Residual(nn.Sequential(nn.LayerNorm(256), perceptron(256, 1024))))
    return nn.Sequential(*layers, nn.LayerNorm(256), _Mean(), nn.Linear(256, 1000)), _image(224)


class _CausalConv(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.Conv1d(channels, channels, 3, dilation=dilation)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.conv(functional.pad(x, (self.pad, 0))))


def tcn() -> Made:
    """8 dilated convolutions of 128 channels with residuals: 0.4 M parameters, 500 frames."""
    blocks = [_Residual(_CausalConv(128, 2**number)) for number in range(8)]
    return nn.Sequential(nn.Conv1d(40, 128, 1), *blocks, nn.Conv1d(128, 32, 1)), (torch.randn(1, 40, 500),)


class _Recurrent(nn.Module):
    def __init__(self, layer: nn.Module, features: int, classes: int) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(features, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(x)[0])


def lstm() -> Made:
    """2 layers of 256 units: 0.9 M parameters, 100 frames of 40 features."""
    return _Recurrent(nn.LSTM(40, 256, 2, batch_first=True), 256, 32), (torch.randn(1, 100, 40),)


def gru() -> Made:
    """2 layers of 256 units in both directions: 1.6 M parameters, 100 frames of 40 features."""
    layer = nn.GRU(40, 256, 2, batch_first=True, bidirectional=True)
    return _Recurrent(layer, 512, 32), (torch.randn(1, 100, 40),)


def keyword_spotter() -> Made:
    """DS-CNN: 5 layers of 64 channels, on 49 frames of 10 coefficients."""
    layers = [nn.Conv2d(1, 64, (10, 4), 2, (5, 1)), nn.ReLU()]
    for _ in range(4):
        layers += [_activated(64, 64, groups=64), _activated(64, 64, 1)]
    return nn.Sequential(*layers, *_classifier(64, 12)), (torch.randn(1, 1, 49, 10),)


def super_resolution() -> Made:
    """ESPCN: 64 x 64 pixels to 192 x 192."""
    return nn.Sequential(
        nn.Conv2d(1, 64, 5, padding=2),
        nn.Tanh(),
        nn.Conv2d(64, 32, 3, padding=1),
        nn.Tanh(),
        nn.Conv2d(32, 9, 3, padding=1),
        nn.PixelShuffle(3),
    ), _image(64, 1)


_MAKERS = (
    resnet18,
    mobilenet_v2,
    convnext,
    unet,
    vit,
    bert,
    gpt,
    mlp_mixer,
    tcn,
    lstm,
    gru,
    keyword_spotter,
    super_resolution,
)


def _seeded(maker: Callable[[], Made]) -> Made:
    """The network for inference, with weights and inputs that are the same in each run."""
    torch.manual_seed(7)
    module, inputs = maker()
    return module.eval(), inputs


NETWORKS: Mapping[str, Callable[[], Made]] = {maker.__name__: partial(_seeded, maker) for maker in _MAKERS}
