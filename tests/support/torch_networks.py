# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Architectures written in PyTorch, small: each makes a module with seeded weights, and inputs for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

Made = tuple[nn.Module, tuple[Tensor, ...]]
NETWORKS: dict[str, Callable[[], Made]] = {}


def network(function: Callable[[], Made]) -> Callable[[], Made]:
    """Register an architecture; its weights and inputs are the same at each run."""

    def make() -> Made:
        torch.manual_seed(7)
        module, inputs = function()
        return module.eval(), inputs

    NETWORKS[function.__name__] = make
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


@network
def vit() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        tokens = m.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([m.cls.expand(x.shape[0], -1, -1), tokens], 1) + m.positions
        return m.head(m.encoder(tokens)[:, 0])

    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True, norm_first=True)
    return Forward(
        forward,
        patches=nn.Conv2d(3, 16, 4, 4),
        cls=nn.Parameter(torch.randn(1, 1, 16)),
        positions=nn.Parameter(torch.randn(1, 17, 16)),
        encoder=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        head=nn.Linear(16, 5),
    ), image()


class WindowAttention(nn.Module):
    """Shifted windows, as in Swin."""

    def __init__(self, channels: int, window: int, shift: int) -> None:
        super().__init__()
        self.window, self.shift = window, shift
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.bias = nn.Parameter(torch.randn(window**2, window**2))

    def forward(self, x: Tensor) -> Tensor:
        batch, height, width, channels = x.shape
        w = self.window
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = (
            x.view(batch, height // w, w, width // w, w, channels)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(-1, w * w, channels)
        )
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(channels) + self.bias
        x = self.out(scores.softmax(-1) @ v)
        x = (
            x.view(batch, height // w, width // w, w, w, channels)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(batch, height, width, channels)
        )
        return torch.roll(x, (self.shift, self.shift), (1, 2))


@network
def swin() -> Made:
    return nn.Sequential(Residual(WindowAttention(8, 4, 0)), nn.LayerNorm(8), Residual(WindowAttention(8, 4, 2))), (
        torch.randn(1, 8, 8, 8),
    )


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, channels: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.tokens = nn.Sequential(nn.Linear(tokens, 16), nn.GELU(approximate="tanh"), nn.Linear(16, tokens))
        self.channels = nn.Sequential(nn.Linear(channels, 16), nn.GELU(), nn.Linear(16, channels))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.second(x))


@network
def mlp_mixer() -> Made:
    return nn.Sequential(MixerBlock(9, 8), MixerBlock(9, 8)), (torch.randn(2, 9, 8),)


@network
def bert() -> Made:
    def forward(m: Any, tokens: Tensor, kinds: Tensor) -> Tensor:
        x = m.words(tokens) + m.kinds(kinds) + m.places.weight[: tokens.shape[1]]
        padding = tokens == 0
        bias = torch.zeros(tokens.shape[0], 1, 1, tokens.shape[1]).masked_fill(padding[:, None, None, :], -1e4)
        x = m.norm(x)
        q, k, v = (part.view(*tokens.shape, 2, 8).transpose(1, 2) for part in m.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias).transpose(1, 2).flatten(2)
        x = m.norm(x + m.out(y))
        return torch.tanh(m.pooler((x + m.ff(x))[:, 0]))

    return Forward(
        forward,
        words=nn.Embedding(30, 16),
        kinds=nn.Embedding(2, 16),
        places=nn.Embedding(12, 16),
        norm=nn.LayerNorm(16),
        qkv=nn.Linear(16, 48),
        out=nn.Linear(16, 16),
        ff=nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)),
        pooler=nn.Linear(16, 16),
    ), (torch.randint(0, 30, (2, 7)), torch.randint(0, 2, (2, 7)))


class CausalBlock(nn.Module):
    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.ff = nn.Sequential(nn.Linear(channels, 2 * channels), nn.GELU(), nn.Linear(2 * channels, channels))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, channels = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, channels))
        return x + self.ff(self.second(x))


@network
def gpt() -> Made:
    def forward(m: Any, tokens: Tensor) -> Tensor:
        x = m.words(tokens) + m.places(torch.arange(tokens.shape[1]))
        return m.norm(m.blocks(x)) @ m.words.weight.T

    return Forward(
        forward,
        words=nn.Embedding(40, 16),
        places=nn.Embedding(16, 16),
        blocks=nn.Sequential(CausalBlock(16, 2), CausalBlock(16, 2)),
        norm=nn.LayerNorm(16),
    ), (torch.randint(0, 40, (1, 9)),)


class LlamaBlock(nn.Module):
    def __init__(self, channels: int, heads: int, shared: int) -> None:
        super().__init__()
        self.heads, self.keys, self.size = heads, heads // shared, channels // heads
        self.first, self.second = nn.RMSNorm(channels, 1e-5), nn.RMSNorm(channels, 1e-5)
        self.q, self.out = nn.Linear(channels, channels, bias=False), nn.Linear(channels, channels, bias=False)
        self.kv = nn.Linear(channels, 2 * self.keys * self.size, bias=False)
        self.gate, self.up = (nn.Linear(channels, 24, bias=False) for _ in range(2))
        self.down = nn.Linear(24, channels, bias=False)

    def rotated(self, x: Tensor) -> Tensor:
        half = self.size // 2
        angles = torch.arange(x.shape[-2])[:, None] / 10000 ** (torch.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, channels = x.shape
        y = self.first(x)
        q = self.q(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(batch, length, 2, self.keys, self.size).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, channels))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@network
def llama() -> Made:
    def forward(m: Any, tokens: Tensor) -> dict[str, Tensor]:
        return {"logits": m.norm(m.blocks(m.words(tokens))) @ m.words.weight.T}

    return Forward(
        forward,
        words=nn.Embedding(40, 16),
        blocks=nn.Sequential(LlamaBlock(16, 4, 2), LlamaBlock(16, 4, 2)),
        norm=nn.RMSNorm(16, 1e-5),
    ), (torch.randint(0, 40, (1, 8)),)


@network
def translation_transformer() -> Made:
    module = nn.Transformer(16, 2, 1, 1, 24, batch_first=True)
    return Forward(lambda m, source, target: m.body(source, target), body=module), (
        torch.randn(1, 6, 16),
        torch.randn(1, 4, 16),
    )


@network
def perceiver() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        found, weights = m.attention(m.latents.expand(x.shape[0], -1, -1), x, x)
        return m.head(found.mean(1)) + weights.sum()

    return Forward(
        forward,
        latents=nn.Parameter(torch.randn(1, 4, 8)),
        attention=nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True),
        head=nn.Linear(8, 3),
    ), (torch.randn(2, 10, 6),)


@network
def lstm_classifier() -> Made:
    return Forward(
        lambda m, x: m.head(m.lstm(x)[1][0][-1]), lstm=nn.LSTM(5, 8, 2, batch_first=True), head=nn.Linear(8, 3)
    ), (torch.randn(2, 6, 5),)


@network
def bidirectional_lstm() -> Made:
    return Forward(lambda m, x: m.lstm(x)[0], lstm=nn.LSTM(5, 6, bidirectional=True)), (torch.randn(7, 2, 5),)


@network
def projected_lstm() -> Made:
    return Forward(lambda m, x: m.lstm(x), lstm=nn.LSTM(5, 8, proj_size=3, bias=False)), (torch.randn(4, 1, 5),)


@network
def gru() -> Made:
    return Forward(lambda m, x, h: m.gru(x, h), gru=nn.GRU(4, 8, batch_first=True)), (
        torch.randn(1, 9, 4),
        torch.randn(1, 1, 8),
    )


@network
def elman() -> Made:
    return Forward(lambda m, x: m.rnn(x)[0], rnn=nn.RNN(4, 6, 2, nonlinearity="relu")), (torch.randn(5, 4),)


@network
def crnn() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        y = m.conv(x).flatten(1, 2).permute(2, 0, 1)
        return F.log_softmax(m.head(m.gru(y)[0]), -1)

    return Forward(
        forward, conv=conv_bn(1, 4, stride=2), gru=nn.GRU(16, 6, bidirectional=True), head=nn.Linear(12, 5)
    ), (torch.randn(1, 1, 8, 20),)


class CausalConv(nn.Module):
    def __init__(self, inner: int, outer: int, dilation: int) -> None:
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(inner, outer, 3, dilation=dilation))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.conv(F.pad(x, (self.pad, 0))))


@network
def tcn() -> Made:
    return nn.Sequential(CausalConv(3, 8, 1), CausalConv(8, 8, 2), CausalConv(8, 8, 4), nn.Conv1d(8, 2, 1)), (
        torch.randn(1, 3, 24),
    )


@network
def wavenet() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        skips: list[Tensor] = []
        for layer in m.layers:
            left, right = layer(x).chunk(2, 1)
            y = torch.tanh(left) * torch.sigmoid(right)
            x = x[..., -y.shape[-1] :] + y
            skips.append(y)
        return skips[-1] + sum(skip[..., -x.shape[-1] :] for skip in skips[:-1])

    layers = nn.ModuleList([nn.Conv1d(4, 8, 2), nn.Conv1d(4, 8, 2)])
    return Forward(forward, layers=layers), (torch.randn(1, 4, 16),)


@network
def keyword_spotter() -> Made:
    return nn.Sequential(
        nn.Conv2d(1, 8, (10, 4), 2, (4, 1)),
        nn.ReLU(),
        conv_bn(8, 8, groups=8),
        conv_bn(8, 8, 1),
        nn.Dropout(0.4),
        head(8, 12),
    ), (torch.randn(1, 1, 49, 10),)


@network
def graph_convolution() -> Made:
    def forward(m: Any, x: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        messages = m.first(x)[source]
        degree = torch.zeros(x.shape[0]).index_add(0, target, torch.ones(edges.shape[1])).clamp(min=1)
        found = torch.zeros(x.shape[0], messages.shape[1]).index_add(0, target, messages)
        return m.second(F.relu(found / degree[:, None]))

    return Forward(forward, first=nn.Linear(4, 8), second=nn.Linear(8, 3)), (
        torch.randn(6, 4),
        torch.randint(0, 6, (2, 12)),
    )


@network
def graph_attention() -> Made:
    def forward(m: Any, x: Tensor, edges: Tensor) -> Tensor:
        h = m.project(x)
        scores = F.leaky_relu(m.score(torch.cat([h[edges[0]], h[edges[1]]], 1)), 0.2).exp()
        index = edges[1][:, None]
        total = torch.zeros(6, 1).scatter_add(0, index, scores)
        weights = scores / total[edges[1]]
        return torch.zeros(6, 8).scatter_add(0, index.expand(-1, 8), weights * h[edges[0]])

    return Forward(forward, project=nn.Linear(4, 8), score=nn.Linear(16, 1)), (
        torch.randn(6, 4),
        torch.randint(0, 6, (2, 10)),
    )


@network
def mixture_of_experts() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        values, places = m.gate(x).topk(2, -1)
        weights = torch.zeros(x.shape[0], 4).scatter(1, places, values.softmax(-1))
        experts = torch.stack([expert(x) for expert in m.experts], 1)
        return torch.einsum("te,teo->to", weights, experts)

    def expert() -> nn.Module:
        return nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 6))

    return Forward(forward, gate=nn.Linear(6, 4), experts=nn.ModuleList(expert() for _ in range(4))), (
        torch.randn(5, 6),
    )


@network
def diffusion_step() -> Made:
    def forward(m: Any, x: Tensor, t: Tensor) -> Tensor:
        angles = t[:, None] * torch.exp(torch.arange(4) * -1.5)
        time = m.time(torch.cat([angles.sin(), angles.cos()], 1))[:, :, None, None]
        down = F.silu(m.norm(m.down(x)) + time)
        noise = m.up(F.interpolate(down, scale_factor=2, mode="nearest"))
        return (x - 0.1 * noise) / math.sqrt(0.9)

    return Forward(
        forward,
        down=nn.Conv2d(3, 8, 3, 2, 1),
        norm=nn.GroupNorm(2, 8),
        time=nn.Linear(8, 8),
        up=nn.Conv2d(8, 3, 3, padding=1),
    ), (torch.randn(1, 3, 8, 8), torch.tensor([3.0]))


@network
def center_detector() -> Made:
    def forward(m: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        features = m.body(x)
        heat = torch.sigmoid(m.heat(features))
        heat = torch.where(F.max_pool2d(heat, 3, 1, 1) == heat, heat, torch.zeros_like(heat))
        scores, places = heat.flatten(1).topk(5)
        width = features.shape[-1]
        plane = features.shape[-2] * width
        classes, cell = places // plane, places % plane
        boxes = m.boxes(features).flatten(2).gather(2, cell[:, None].expand(-1, 4, -1))
        centers = torch.stack([cell % width, cell // width], 1).float()
        return scores, classes, torch.cat([centers - boxes[:, :2], centers + boxes[:, 2:]], 1)

    return Forward(forward, body=conv_bn(3, 8, stride=2), heat=nn.Conv2d(8, 2, 1), boxes=nn.Conv2d(8, 4, 1)), image()


class Suppress(nn.Module):
    """Detection with suppression of boxes that overlap a better one, all pairs at once."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.out = conv_bn(3, 8, stride=4), nn.Conv2d(8, 5, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found = self.out(self.body(x)).flatten(2)[0].T
        scores, order = found[:, 4].sort(descending=True)
        boxes = found[order, :4]
        low, high = boxes[:, :2] - boxes[:, 2:].exp(), boxes[:, :2] + boxes[:, 2:].exp()
        edges = torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)
        shared = edges.clamp(min=0).prod(-1)
        area = (high - low).prod(-1)
        overlap = shared / (area[:, None] + area - shared)
        beaten = torch.triu(overlap, 1).amax(0) > 0.5
        return torch.where(beaten, 0.0, scores), torch.cat([low, high], 1)


@network
def detection_with_suppression() -> Made:
    return Suppress(), image()


@network
def yolo_head() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        y = m.out(m.body(x))
        batch, _, height, width = y.shape
        y = y.view(batch, 2, 6, height, width).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack([columns, rows], -1)
        xy = (y[..., :2].sigmoid() * 2 - 0.5 + grid) * 8
        wh = (y[..., 2:4].sigmoid() * 2) ** 2 * m.anchors[:, None, None]
        return torch.cat([xy, wh, y[..., 4:].sigmoid()], -1).flatten(1, 3)

    return Forward(
        forward,
        body=conv_bn(3, 8, stride=4),
        out=nn.Conv2d(8, 12, 1),
        anchors=torch.tensor([[10.0, 13.0], [33.0, 23.0]]),
    ), image()


@network
def siamese() -> Made:
    return Forward(
        lambda m, a, b: F.cosine_similarity(m.body(a), m.body(b)), body=nn.Sequential(conv_bn(1, 4), head(4, 6))
    ), (
        torch.randn(1, 1, 8, 8),
        torch.randn(1, 1, 8, 8),
    )


@network
def pointnet() -> Made:
    return Forward(
        lambda m, x: m.head(m.body(x).amax(-1)),
        body=nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 12, 1)),
        head=nn.Linear(12, 4),
    ), (torch.randn(2, 3, 20),)


@network
def recommender() -> Made:
    def forward(m: Any, user: Tensor, item: Tensor, dense: Tensor) -> Tensor:
        features = torch.stack([m.users(user), m.items(item), m.bottom(dense)], 1)
        rows, columns = torch.tril_indices(3, 3, -1)
        crossed = torch.bmm(features, features.transpose(1, 2))[:, rows, columns]
        return torch.sigmoid(m.top(torch.cat([features[:, 2], crossed], 1)))

    return Forward(
        forward,
        users=nn.Embedding(20, 6),
        items=nn.Embedding(30, 6),
        bottom=nn.Sequential(nn.Linear(4, 6), nn.ReLU()),
        top=nn.Linear(9, 1),
    ), (torch.randint(0, 20, (3,)), torch.randint(0, 30, (3,)), torch.randn(3, 4))


@network
def radiance_field() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        waves = x[..., None] * 2.0 ** torch.arange(4)
        y = m.body(torch.cat([waves.sin(), waves.cos()], -1).flatten(1))
        colour, density = y.split([3, 1], -1)
        alpha = 1 - torch.exp(-F.softplus(density) * 0.1)
        through = torch.cumsum(torch.log(1 - alpha + 1e-6), 0).exp()
        return (through * alpha * colour.sigmoid()).sum(0)

    return Forward(forward, body=nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4))), (torch.randn(10, 3),)


@network
def neural_ode() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        for _ in range(3):
            k1 = m.field(x)
            k2 = m.field(x + 0.05 * k1)
            x = x + 0.1 * (k1 + k2) / 2
        return x

    return Forward(forward, field=nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 4))), (torch.randn(2, 4),)


@network
def state_space() -> Made:
    """A diagonal linear recurrence as a convolution with its kernel, as in S4."""

    def forward(m: Any, x: Tensor) -> Tensor:
        steps = torch.arange(x.shape[-1])
        kernel = (m.c * torch.exp(-F.softplus(m.a)[..., None] * steps).transpose(1, 2)).sum(-1)
        y = F.conv1d(F.pad(x, (x.shape[-1] - 1, 0)), kernel.flip(-1)[:, None], groups=4)
        return F.gelu(y + m.d[:, None] * x)

    return Forward(
        forward,
        a=nn.Parameter(torch.randn(4, 3)),
        c=nn.Parameter(torch.randn(4, 1, 3)),
        d=nn.Parameter(torch.randn(4)),
    ), (torch.randn(1, 4, 12),)


@network
def low_rank_adapter() -> Made:
    return Forward(
        lambda m, x: m.base(x) + 0.5 * m.up(m.down(x)),
        base=nn.Linear(8, 8),
        down=nn.Linear(8, 2, bias=False),
        up=nn.Linear(2, 8, bias=False),
    ), (torch.randn(2, 8),)


@network
def spatial_transformer() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        theta = m.where(x).view(-1, 2, 3) * 0.2 + torch.eye(2, 3)
        return F.grid_sample(x, F.affine_grid(theta, list(x.shape), align_corners=False), align_corners=False)

    return Forward(forward, where=nn.Sequential(conv_bn(1, 4, stride=2), head(4, 6))), image(1, 8)


@network
def bilinear_fusion() -> Made:
    return Forward(lambda m, a, b: m.fuse(a, b), fuse=nn.Bilinear(4, 5, 3)), (torch.randn(2, 4), torch.randn(2, 5))
