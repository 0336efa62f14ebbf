# pyright: reportUnknownMemberType=false
"""Draw a program of torch from a seed; a step that torch refuses is drawn again."""

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
import torch

from s2s.fuzz.torch.program import Program, StepSpec
from s2s.fuzz.torch.steps import CHANGES, COMPUTED, STEPS, VIEWS
from s2s.types.dtypes import Array

PATIENCE = 6
"""Steps that may be refused for each that is taken."""
MAX_ELEMENTS = 400
MAX_VALUE = 1e4
MAX_INPUTS = 3
OUTPUTS = 0.3
"""The share of steps whose results are outputs, beside the last one."""


class DrawnProgram(NamedTuple):
    """A program, its inputs, and how often each entry of the table was drawn."""

    program: Program
    inputs: dict[str, Array]
    counts: Counter[str]


def draw_program(seed: str, prefix: str, steps: int) -> DrawnProgram:
    """The program of a seed, of about `steps` steps at most; names of its tensors begin with `prefix`."""
    random = Random(seed)
    shape = tuple(random.randint(1, 4) for _ in range(random.randint(1, 3)))
    shapes = [shape, *(random.choice((shape, shape[1:] or shape)) for _ in range(random.randrange(MAX_INPUTS)))]
    inputs = {f"{prefix}x{place}": _numbers(random, dims) for place, dims in enumerate(shapes)}
    program = Program({name: (value.shape, str(value.dtype)) for name, value in inputs.items()}, (), ())
    counts, wanted = Counter[str](), random.randint(1, steps)
    for _ in range(PATIENCE * wanted):
        if len(program.steps) == wanted:
            break
        drawn = _with_step(random, program, inputs, f"{prefix}t{len(program.steps)}")
        if drawn is not None:
            program = drawn
            counts[program.steps[-1].kind] += 1
    return DrawnProgram(_with_outputs(random, program), inputs, counts)


def _numbers(random: Random, shape: tuple[int, ...]) -> Array:
    count = int(np.prod(shape))
    return np.asarray([random.randint(-16, 16) / 8 for _ in range(count)], np.float32).reshape(shape)


def _with_step(random: Random, program: Program, inputs: Mapping[str, Array], name: str) -> Program | None:
    """The program with another step; None if torch refuses it, or if it changes an input or elements that overlap."""
    table = random.choice((COMPUTED, COMPUTED, VIEWS, CHANGES))
    kind = random.choice(sorted(table))
    tensors = program.run(as_tensors(inputs))
    recent = list(tensors)[-4:]
    operands = tuple(random.choice(recent) for _ in range(STEPS[kind].operands))
    try:
        settings = STEPS[kind].draw(random, [tensors[operand] for operand in operands])
        longer = replace(program, steps=(*program.steps, StepSpec(name, kind, operands, settings)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of elements that are changed although several places share them
            tensors = longer.run(as_tensors(inputs))
    except (ValueError, IndexError, RuntimeError, Warning):
        return None
    result = tensors[name]
    if kind in CHANGES and (longer.owners()[name] in inputs or _overlaps(result)):
        return None
    fits = 0 < result.numel() <= MAX_ELEMENTS and bool(torch.isfinite(result).all()) and result.abs().max() < MAX_VALUE
    return longer if fits else None


def _overlaps(x: torch.Tensor) -> bool:
    """Whether elements share memory, as in overlapping windows: eager torch changes them, `torch.export` refuses."""
    places = sum((x.size(axis) - 1) * x.stride(axis) for axis in range(x.dim())) + 1
    numbers: list[int] = torch.arange(places).as_strided(x.shape, x.stride()).flatten().tolist()  # pyright: ignore[reportUnknownVariableType]
    return len(set(numbers)) < len(numbers)


def _with_outputs(random: Random, program: Program) -> Program:
    names = [step.name for step in program.steps] or list(program.inputs)
    chosen = [name for name in names if random.random() < OUTPUTS]
    return program.needed(tuple(dict.fromkeys([*chosen, names[-1]])))


def as_tensors(inputs: Mapping[str, Array]) -> dict[str, torch.Tensor]:
    """Tensors with copies of the numbers."""
    return {name: torch.from_numpy(value.copy()) for name, value in inputs.items()}


__all__ = ["DrawnProgram", "as_tensors", "draw_program"]
