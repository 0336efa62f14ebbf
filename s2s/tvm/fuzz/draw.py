"""Draw a network of tensor expressions from a seed; a directive that is refused is left out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import te
from s2s.tvm.fuzz.formulas import FORMULAS
from s2s.tvm.fuzz.program import DIRECTIVES, DirectiveSpec, FormulaSpec, Program
from s2s.types.dtypes import Array

PATIENCE = 8
"""Formulas that may not fit for each that is taken."""
MAX_ELEMENTS = 1 << 11
MAX_VALUE = 1e5
"""Sums of products of numbers up to this stay exact in floats of 32 bits."""
SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17)
FACTORS = (1, 2, 3, 4, 5, 8, 100)


class DrawnProgram(NamedTuple):
    """A program, its inputs, and how often each entry of the tables was drawn."""

    program: Program
    inputs: dict[str, Array]
    counts: Counter[str]


def draw_program(seed: str, prefix: str, most: int) -> DrawnProgram:
    """The program of a seed, of at most `most` formulas; names of its tensors begin with `prefix`."""
    random = Random(seed)
    rows, columns = random.choice(SIZES), random.choice(SIZES)
    shapes = [(rows, columns), random.choice(((rows, columns), (columns, rows), (columns,)))]
    inputs = {f"{prefix}x{place}": _numbers(random, shape) for place, shape in enumerate(shapes)}
    program = Program({name: value.shape for name, value in inputs.items()}, (), (), ())
    wanted = random.randint(1, most)
    for _ in range(PATIENCE * wanted):
        if len(program.formulas) == wanted:
            break
        program = _with_formula(random, program, inputs, f"{prefix}t{len(program.formulas)}") or program
    names = [spec.name for spec in program.formulas] or [f"{prefix}t0"]
    if not program.formulas:
        program = replace(program, formulas=(FormulaSpec(names[0], "scale", (f"{prefix}x0",)),))
    chosen = [name for name in names[:-1] if random.random() < 0.2]
    program = _with_directives(random, program.needed((*chosen, names[-1])))
    counts = Counter([spec.kind for spec in program.formulas] + [one.kind for one in program.directives])
    return DrawnProgram(program, {name: inputs[name] for name in program.inputs}, counts)


def _numbers(random: Random, shape: tuple[int, ...]) -> Array:
    return np.asarray([random.randint(-3, 3) for _ in range(int(np.prod(shape)))], np.float32).reshape(shape)


def _with_formula(random: Random, program: Program, inputs: Mapping[str, Array], name: str) -> Program | None:
    """The program with another formula; None if it does not fit the tensors that there are."""
    kind = random.choice(sorted(FORMULAS))
    formula, arrays = FORMULAS[kind], program.run(inputs)
    fitting = [one for one, array in arrays.items() if array.ndim and formula.rank in (0, array.ndim)]
    if not fitting:
        return None
    operands = tuple(random.choice(fitting[-4:]) for _ in range(formula.operands))
    if kind != "matmul" and len({arrays[operand].shape for operand in operands}) > 1:
        return None
    try:
        result = formula.compute([arrays[operand] for operand in operands])
    except ValueError:  # the matrices of a product do not fit
        return None
    if not 0 < result.size <= MAX_ELEMENTS or np.abs(result).max() > MAX_VALUE:
        return None
    return replace(program, formulas=(*program.formulas, FormulaSpec(name, kind, operands)))


def _with_directives(random: Random, program: Program) -> Program:
    """The program with directives that its schedule accepts, and that `te.lower` does together."""
    for _ in range(random.randint(0, 2 * len(program.formulas) + 2)):
        longer = replace(program, directives=(*program.directives, _directive(random, program)))
        if is_accepted(longer):
            program = longer
    return program


def _directive(random: Random, program: Program) -> DirectiveSpec:
    spec = random.choice(program.formulas)
    kind = random.choice(DIRECTIVES)
    first = random.randrange(4)
    loops = (first, first + 1) if kind in ("fuse", "tile") else (first, *random.choices(range(4), k=2))
    readers = [one.name for one in program.formulas if spec.name in one.operands]
    stage = spec.operands[0] if kind == "cache_read" else spec.name
    at = spec.name if kind == "cache_read" else random.choice(readers) if kind == "compute_at" and readers else ""
    kind = "unroll" if kind == "compute_at" and not readers else kind
    return DirectiveSpec(stage, kind, loops, random.choice(FACTORS), at)


def is_accepted(program: Program) -> bool:
    """Whether the schedule is refused neither by a directive nor by `te.lower`."""
    try:
        schedule, arguments = program.scheduled()
        te.lower(schedule, arguments, target="c")
    except (InputError, UnsupportedError):
        return False
    return True
