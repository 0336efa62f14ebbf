# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false
"""Random programs of PyTorch over `x[1, 3, f(n)]` and `y[1, 3, g(n)]`, exported for bounds of `n`, beside torch."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import torch as frontend
from s2s.types.sizes import SizeRange
from support.random_length_runs import ATOL, RTOL, Outcome

Function = Callable[[Tensor], Tensor]
Size = Callable[[Any], Any]

PAIRS: Mapping[str, tuple[Size, Size, Callable[[Tensor, Tensor], Tensor]]] = {
    "n, n": (lambda n: n, lambda n: n, lambda x, y: x * y),
    "n, n + 1": (lambda n: n, lambda n: n + 1, lambda x, y: x + y[..., 1:]),
    "n, n + 3": (lambda n: n, lambda n: n + 3, lambda x, y: x - y[..., 3:]),
    "n, 2 * n": (lambda n: n, lambda n: 2 * n, lambda x, y: x + y[..., ::2]),
    "4 * n, n + 1": (lambda n: 4 * n, lambda n: n + 1, lambda x, y: x.reshape(1, 3, -1, 4).sum(-1) + y[..., 1:]),
    "3 * n, n": (lambda n: 3 * n, lambda n: n, lambda x, y: x + y.repeat_interleave(3, -1)),
    "3 * n + 2, n": (lambda n: 3 * n + 2, lambda n: n, lambda x, y: x[..., 2:] * torch.cat([y, y, y], -1)),
    "2 * n, n + 2": (lambda n: 2 * n, lambda n: n + 2, lambda x, y: x[..., ::2] - y[..., 2:]),
}
"""Sizes of two inputs, and what makes one tensor of these."""
WEIGHT = torch.tensor([1, -0.5, 2, 0.25, 1, -1, 0.5, 0.75, -2]).reshape(3, 1, 3)

STEPS: Mapping[str, Callable[[Random], Function]] = {
    "relu": lambda random: torch.relu,
    "convolution": lambda random: _conv(random.randint(1, 3), random.randint(0, 1)),
    "maxima": lambda random: _pool(functional.max_pool1d, random.randint(2, 3), random.randint(1, 3)),
    "means": lambda random: _pool(functional.avg_pool1d, random.randint(2, 3), random.randint(1, 2)),
    "softmax": lambda random: lambda x: torch.softmax(x, -1),
    "sums": lambda random: lambda x: torch.cumsum(x, -1),
    "backwards": lambda random: lambda x: torch.flip(x, [-1]),
    "rest": lambda random: _part(random.randint(0, 2), random.randint(1, 3)),
    "first half": lambda random: lambda x: x[..., : x.shape[-1] // 2 + 1],
    "last half": lambda random: lambda x: x[..., x.shape[-1] // 2 :],
    "twice": lambda random: lambda x: torch.cat([x, x], -1),
    "to a multiple": lambda random: _to_multiple(random.randint(2, 5)),
    "edge": lambda random: lambda x: functional.pad(x, (1, 2), mode="replicate"),
    "by the length": lambda random: lambda x: x / x.shape[-1],
    "positions": lambda random: lambda x: x + torch.arange(x.shape[-1]),
    "a mask": lambda random: lambda x: x.masked_fill(torch.arange(x.shape[-1]) > x.shape[-1] // 2, 0.5),
    "without the mean": lambda random: lambda x: x - x.mean(-1, keepdim=True),
    "nearest": lambda random: lambda x: functional.interpolate(x, scale_factor=2.0),
    "linear": lambda random: lambda x: functional.interpolate(x, size=2 * x.shape[-1], mode="linear"),
    "turned": lambda random: lambda x: x.transpose(1, 2).reshape(1, 3, -1),
    "windows": lambda random: _windows(random.randint(2, 3), random.randint(1, 2)),
    "rolled": lambda random: lambda x: torch.roll(x, 1, -1),
    "repeated": lambda random: lambda x: x.repeat_interleave(2, -1),
    "triangle": lambda random: lambda x: x @ torch.tril(torch.ones(x.shape[-1], x.shape[-1])),
    "both ends": lambda random: lambda x: x[..., : x.shape[-1] - 1] + x[..., 1:],
}
"""Steps that keep three rows, by name."""


class Program(NamedTuple):
    """A module, the sizes of its inputs as functions of `n`, the bounds of `n`, and the names of its steps."""

    module: nn.Module
    sizes: tuple[Size, Size]
    steps: tuple[str, ...]
    least: int
    most: int


class _Steps(nn.Module):
    def __init__(self, join: Callable[[Tensor, Tensor], Tensor], steps: list[Function]) -> None:
        super().__init__()
        self.join, self.steps = join, steps

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        value = self.join(x, y)
        for step in self.steps:
            value = step(value)
        return value.neg()


def draw_program(seed: int) -> Program:
    """Return the program and the bounds of a seed."""
    random = Random(seed)
    pair = random.choice(list(PAIRS))
    steps = [random.choice(list(STEPS)) for _ in range(random.randint(1, 3))]
    first, second, join = PAIRS[pair]
    module = _Steps(join, [STEPS[name](random) for name in steps]).eval()
    least = random.randint(2, 14)
    return Program(module, (first, second), (pair, *steps), least, least + random.randint(3, 20))


def outcome_of_program(program: Program, seed: int, count: int) -> Outcome:
    """Compile `program`, and compare its results with torch's at `count` values of n, the least one and the greatest
    one among them. One that torch does not export for these bounds is refused."""
    generator = torch.Generator().manual_seed(seed)
    n = Dim("n", min=program.least, max=program.most)
    shapes = tuple({2: size(n)} for size in program.sizes)
    try:
        exported = frontend.export(program.module, _inputs(program, program.most - 1, generator), None, shapes)
        artifact = api.compile(exported, target="c")
    except (InputError, UnsupportedError) as error:
        return Outcome(refusal=str(error))
    runs = 0
    if "n" not in artifact.info.sizes:
        return Outcome(refusal="torch fixes n in the export")
    with artifact:
        for value in _values(artifact.info.sizes["n"], seed, count):
            inputs = _inputs(program, value, generator)
            with torch.no_grad():
                expected = program.module(*inputs).numpy()
            (actual,) = artifact.run({"x": inputs[0].numpy(), "y": inputs[1].numpy()}).values()
            runs += 1
            if actual.shape != expected.shape or not np.allclose(actual, expected, rtol=RTOL, atol=ATOL):
                return Outcome(runs=runs, difference=f"{actual.shape} for {expected.shape} at n = {value}")
    return Outcome(runs=runs)


def _values(bounds: SizeRange, seed: int, count: int) -> list[int]:
    """Values within the bounds that the export has, where torch may have narrowed the ones that were asked for."""
    drawn = np.random.default_rng(seed).integers(bounds.least, bounds.most + 1, count - 2)
    return sorted({bounds.least, bounds.most, *drawn.tolist()})


def _inputs(program: Program, n: int, generator: torch.Generator) -> list[Tensor]:
    return [torch.randn(1, 3, size(n), generator=generator) for size in program.sizes]


def _conv(stride: int, padding: int) -> Function:
    return lambda x: functional.conv1d(x, WEIGHT, None, stride, padding, groups=3)


def _pool(pool: Callable[..., Tensor], size: int, stride: int) -> Function:
    return lambda x: pool(x, size, stride)


def _part(start: int, step: int) -> Function:
    return lambda x: x[..., start::step]


def _to_multiple(factor: int) -> Function:
    return lambda x: functional.pad(x, (0, -x.shape[-1] % factor))


def _windows(size: int, step: int) -> Function:
    return lambda x: x.unfold(-1, size, step).mean(-1)
