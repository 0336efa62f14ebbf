# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
"""The table of steps: what each computes, and how its settings are drawn for the operands that there are."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from s2s.support.frozen import frozen

Settings = Mapping[str, Any]
"""What a step is told beside its operands, as JSON holds it."""
Compute = Callable[[Sequence[Tensor], Settings], Tensor]
Draw = Callable[[Random, Sequence[Tensor]], Settings]


def _nothing(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {}


@frozen
class Step:
    """An entry of the table."""

    compute: Compute
    draw: Draw = _nothing
    """Draws the settings. Raises `ValueError` or an error of torch where there are none for the operands."""
    operands: int = 1
    rounds: bool = True
    """Whether it computes new floats; views, moves and changes by exact numbers round nothing."""


def _axis(random: Random, operands: Sequence[Tensor]) -> Settings:
    rank = operands[0].dim()
    return {"axis": random.randrange(-rank, rank)}


def _place(random: Random, operands: Sequence[Tensor]) -> Settings:
    axis = int(_axis(random, operands)["axis"])
    size = int(operands[0].shape[axis])
    return {"axis": axis, "place": random.randrange(-size, size)}


def _part(random: Random, operands: Sequence[Tensor]) -> Settings:
    axis = int(_axis(random, operands)["axis"])
    size = int(operands[0].shape[axis])
    first = random.randrange(size)
    return {"axis": axis, "start": first, "stop": random.randint(first + 1, size + 1), "step": random.choice((1, 1, 2))}


def _two_axes(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {"axes": [_axis(random, operands)["axis"] for _ in range(2)]}


def _shape(random: Random, operands: Sequence[Tensor]) -> Settings:
    size = operands[0].numel()
    first = random.choice([part for part in range(1, size + 1) if size % part == 0])
    return {"shape": random.choice(([first, -1], [-1], [-1, first], [1, first, -1]))}


def _seed(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {"seed": random.randrange(1 << 16), "size": random.randint(1, 4)}


def _number(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {"number": random.choice((-2, -1, 0, 0.5, 1, 3))}


def _number_at(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {**_place(random, operands), **_number(random, operands)}


def _pads(random: Random, operands: Sequence[Tensor]) -> Settings:
    return {"pads": [random.randint(-1, 2), random.randint(0, 2)]}


def constant(like: Tensor, settings: Settings, *shape: int) -> Tensor:
    """Numbers in the type of `like` that follow from the seed in `settings`, multiples of an eighth."""
    random = Random(f"{settings['seed']}/{shape}")
    count = 1
    for size in shape:
        count *= size
    numbers = [random.randint(-12, 12) / 8 for _ in range(count)]
    return torch.tensor(numbers, dtype=like.dtype).reshape(shape)


def _part_of(x: Tensor, settings: Settings) -> Tensor:
    where: list[Any] = [slice(None)] * x.dim()
    where[settings["axis"]] = slice(settings["start"], settings["stop"], settings["step"])
    return x[tuple(where)]


def _convolved(x: Tensor, settings: Settings) -> Tensor:
    weight = constant(x, settings, settings["size"], int(x.shape[-2]), min(3, int(x.shape[-1])))
    return functional.conv1d(x, weight, padding=1)


def _gathered(x: Tensor, settings: Settings) -> Tensor:
    axis = int(settings["axis"])
    size = x.size(axis)
    places: list[int] = [place % size for place in (settings["place"], 0, settings["place"] + 1)]
    return x.index_select(axis, torch.tensor(places))


def _moved_over(x: Tensor) -> Tensor:
    """Change `x` by a part of its own, through a copy."""
    x[..., 1:] = x[..., :-1].clone()
    return x


def _filled(x: Tensor, settings: Settings) -> Tensor:
    x.select(settings["axis"], settings["place"]).fill_(settings["number"])
    return x


def _added_to_row(x: Tensor, other: Tensor, settings: Settings) -> Tensor:
    x.select(settings["axis"], settings["place"]).add_(other.sum())
    return x


def _written(x: Tensor, settings: Settings) -> Tensor:
    places = torch.tensor([settings["place"] % x.shape[settings["axis"]]])
    return x.index_fill_(settings["axis"], places, settings["number"])


COMPUTED: Mapping[str, Step] = {
    "add": Step(lambda x, _: x[0] + x[1], operands=2),
    "subtract": Step(lambda x, _: x[0] - x[1], operands=2),
    "multiply": Step(lambda x, _: x[0] * x[1], operands=2),
    "divide": Step(lambda x, _: x[0] / (x[1] * x[1] + 1), operands=2),
    "maximum": Step(lambda x, _: torch.maximum(x[0], x[1]), operands=2),
    "where": Step(lambda x, s: torch.where(x[0] > s["number"], x[1], x[0]), _number, operands=2),
    "matmul": Step(lambda x, _: x[0] @ x[1].transpose(-1, -2), operands=2),
    "scale": Step(lambda x, s: s["number"] - x[0] * 1.5, _number),
    "tanh": Step(lambda x, _: torch.tanh(x[0])),
    "silu": Step(lambda x, _: functional.silu(x[0])),
    "gelu": Step(lambda x, _: functional.gelu(x[0])),
    "relu": Step(lambda x, _: torch.relu(x[0]), rounds=False),
    "clamp": Step(lambda x, s: x[0].clamp(-1, s["number"]), _number, rounds=False),
    "softmax": Step(lambda x, s: x[0].softmax(s["axis"]), _axis),
    "mean": Step(lambda x, s: x[0].mean(s["axis"], keepdim=True), _axis),
    "sum": Step(lambda x, s: x[0].sum(s["axis"]), _axis),
    "amax": Step(lambda x, s: x[0].amax(s["axis"], keepdim=True), _axis, rounds=False),
    "cumsum": Step(lambda x, s: x[0].cumsum(s["axis"]), _axis),
    "sorted": Step(lambda x, s: x[0].sort(s["axis"]).values, _axis, rounds=False),
    "linear": Step(lambda x, s: functional.linear(x[0], constant(x[0], s, s["size"], x[0].shape[-1])), _seed),
    "convolution": Step(lambda x, s: _convolved(x[0], s), _seed),
    "norm": Step(lambda x, _: functional.layer_norm(x[0], x[0].shape[-1:])),
    "clone": Step(lambda x, _: x[0].clone(), rounds=False),
    "join": Step(lambda x, s: torch.cat([x[0], x[1]], s["axis"]), _axis, operands=2, rounds=False),
    "stack": Step(lambda x, _: torch.stack([x[0], x[1]], 1), operands=2, rounds=False),
    "flip": Step(lambda x, s: x[0].flip(s["axis"]), _axis, rounds=False),
    "roll": Step(lambda x, s: x[0].roll(s["place"], s["axis"]), _place, rounds=False),
    "gather": Step(lambda x, s: _gathered(x[0], s), _place, rounds=False),
    "pad": Step(lambda x, s: functional.pad(x[0], s["pads"], value=0.5), _pads, rounds=False),
    "edge": Step(lambda x, s: functional.pad(x[0], [abs(pad) for pad in s["pads"]], "replicate"), _pads, rounds=False),
    "repeat": Step(lambda x, s: x[0].repeat_interleave(2, s["axis"]), _axis, rounds=False),
}
VIEWS: Mapping[str, Step] = {
    "row": Step(lambda x, s: x[0].select(s["axis"], s["place"]), _place, rounds=False),
    "part": Step(lambda x, s: _part_of(x[0], s), _part, rounds=False),
    "transposed": Step(lambda x, s: x[0].transpose(*s["axes"]), _two_axes, rounds=False),
    "reshaped": Step(lambda x, s: x[0].reshape(s["shape"]), _shape, rounds=False),
    "wider": Step(lambda x, s: x[0].unsqueeze(s["axis"]), _axis, rounds=False),
    "expanded": Step(lambda x, _: x[0].expand(2, *x[0].shape), rounds=False),
    "diagonal": Step(lambda x, s: x[0].diagonal(0, *s["axes"]), _two_axes, rounds=False),
    "windows": Step(lambda x, s: x[0].unfold(s["axis"], 2, 1), _axis, rounds=False),
    "last chunk": Step(lambda x, s: x[0].chunk(2, s["axis"])[-1], _axis, rounds=False),
}
CHANGES: Mapping[str, Step] = {
    "doubled": Step(lambda x, _: x[0].mul_(2), rounds=False),
    "added to": Step(lambda x, _: x[0].add_(x[1]), operands=2),
    "copied into": Step(lambda x, _: x[0].copy_(x[1]), operands=2, rounds=False),
    "rectified": Step(lambda x, _: x[0].relu_(), rounds=False),
    "filled": Step(lambda x, s: _filled(x[0], s), _number_at, rounds=False),
    "written": Step(lambda x, s: _written(x[0], s), _number_at, rounds=False),
    "row added to": Step(lambda x, s: _added_to_row(x[0], x[1], s), _place, operands=2),
    "moved over itself": Step(lambda x, _: _moved_over(x[0]), rounds=False),
    "masked": Step(lambda x, s: x[0].masked_fill_(x[0] > 1, s["number"]), _number, rounds=False),
}
STEPS: Mapping[str, Step] = {**COMPUTED, **VIEWS, **CHANGES}


__all__ = ["CHANGES", "COMPUTED", "STEPS", "VIEWS", "Settings", "Step", "constant"]
