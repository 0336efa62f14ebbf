"""Random small programs of torch: elementwise operators, layers, norms, views, changes in place, several outputs."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Step = Callable[[Tensor], Tensor]


def _elementwise(rng: random.Random) -> Step:
    other = rng.uniform(-2, 2)
    return rng.choice(
        [
            lambda x: x * other,
            lambda x: other - x,
            lambda x: torch.where(x > other, x, -x),
            lambda x: x.clamp(-1, 1.5),
            lambda x: torch.maximum(x, x.flip(-1)),
            torch.tanh,
            torch.sigmoid,
            torch.sin,
            functional.gelu,
            functional.silu,
            functional.relu,
            lambda x: x.abs().sqrt(),
            lambda x: x / (1 + x * x),
        ]
    )


def _view(rng: random.Random) -> Step:
    return rng.choice(
        [
            lambda x: x.transpose(-1, -2),
            lambda x: x.flip(-1),
            lambda x: x[..., 1:],
            lambda x: x[..., ::2],
            lambda x: x.reshape(x.shape[0], -1, 1).squeeze(-1).reshape(x.shape),
            lambda x: torch.cat([x, x * 2], -1),
            lambda x: torch.stack(x.unbind(-1), -1),
            lambda x: x.unsqueeze(1).expand(-1, 2, -1, -1).sum(1),
            lambda x: functional.pad(x, (1, 1)),
            lambda x: x.roll(1, -1),
            lambda x: torch.chunk(x, 2, 1)[-1],
        ]
    )


def _reduction(rng: random.Random) -> Step:
    return rng.choice(
        [
            lambda x: x - x.mean(-1, keepdim=True),
            lambda x: x.softmax(-1),
            lambda x: x.cumsum(1),
            lambda x: x / (x.norm(dim=-1, keepdim=True) + 1),
            lambda x: x - x.amax((1, 2), keepdim=True),
            lambda x: x.sort(-1).values,
            lambda x: x.var(-1, keepdim=True, unbiased=False) + x,
        ]
    )


def _in_place(rng: random.Random) -> Step:
    def add(x: Tensor) -> Tensor:
        y = x.clone()
        y.add_(1).mul_(0.5)
        return y

    def row(x: Tensor) -> Tensor:
        y = x * 1
        y[:, 0].mul_(-1)
        y[..., -1] = 3
        return y

    def view(x: Tensor) -> Tensor:
        y = x + 0
        y.transpose(1, 2)[:, 0].zero_()
        return y

    def masked(x: Tensor) -> Tensor:
        y = x * 1
        y.masked_fill_(y > 1, 0.5)
        return y

    return rng.choice([add, row, view, masked])


class Layers(nn.Module):
    """Layers for the shape that a tensor has where they are met first."""

    def __init__(self, rng: random.Random, shape: torch.Size) -> None:
        super().__init__()
        features, channels = shape[-1], shape[1]
        self.kind = rng.choice(["linear", "conv", "norm", "batch", "embedding", "attention"])
        if self.kind == "linear":
            self.layer: nn.Module = nn.Linear(features, rng.randint(2, 6), bias=rng.random() < 0.7)
        elif self.kind == "conv":
            self.layer = nn.Conv1d(channels, rng.randint(2, 5), rng.choice([1, 3]), padding=1)
        elif self.kind == "batch":
            self.layer = nn.BatchNorm1d(channels)
        elif self.kind == "embedding":
            self.layer = nn.Embedding(7, features)
        elif self.kind == "attention":
            self.layer = nn.Linear(features, 3 * features)
        else:
            self.layer = nn.LayerNorm(features)

    def forward(self, x: Tensor) -> Tensor:
        """The layer on the tensor `[batch, channels, features]`."""
        if self.kind == "embedding":
            return x + self.layer((x.abs() * 3).to(torch.int64).clamp(0, 6)[..., 0])
        if self.kind == "attention":
            return functional.scaled_dot_product_attention(*self.layer(x).chunk(3, -1))
        return self.layer(x)


class Program(nn.Module):
    """A chain of steps on a tensor of three axes; some results of them are outputs too."""

    count: Tensor

    def __init__(self, seed: int) -> None:
        super().__init__()
        rng = random.Random(seed)
        torch.manual_seed(seed)
        self.shape = (rng.randint(1, 3), rng.randint(2, 5), rng.randint(3, 6))
        self.steps: list[Step] = []
        self.layers = nn.ModuleList()
        self.outputs: list[int] = []
        self.counts = rng.random() < 0.2
        """Whether a buffer counts the runs."""
        self.changes = rng.random() < 0.2
        """Whether the input is changed in place."""
        self.register_buffer("count", torch.zeros(1))
        x = torch.zeros(self.shape)
        for number in range(rng.randint(2, 7)):
            step = self._drawn(rng, x.shape)
            x = step(x)
            self.steps.append(step)
            if rng.random() < 0.2:
                self.outputs.append(number)
            if min(x.shape) < 1 or x.shape[-1] < 2 or x.shape[1] < 2:
                break
        for buffer in self.layers.buffers():
            if buffer.is_floating_point():
                buffer.uniform_(0.5, 1.5)

    def _drawn(self, rng: random.Random, shape: torch.Size) -> Step:
        if rng.random() < 0.4:
            self.layers.append(Layers(rng, shape).eval())
            return self.layers[-1]
        return rng.choice([_elementwise, _elementwise, _view, _reduction, _in_place])(rng)

    def forward(self, x: Tensor) -> Any:
        """All outputs, or the one there is."""
        if self.counts:
            self.count.add_(1)
            x = x + self.count
        elif self.changes:
            x.mul_(0.5)
        outputs: list[Tensor] = []
        for number, step in enumerate(self.steps):
            x = step(x)
            if number in self.outputs:
                outputs.append(x)
        return (*outputs, x) if outputs else x


def alike(seed: int) -> Sequence[Program]:
    """Two programs with one graph and different weights."""
    first, second = Program(seed).eval(), Program(seed).eval()
    with torch.no_grad():
        for each in second.parameters():
            each.add_(0.25)
    return first, second


def example(seed: int, shape: Sequence[int]) -> Tensor:
    """An input of a program."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))
