"""Random tensor expressions agree with numpy; `s2s fuzz --format te` runs more. `S2S_FUZZ_SEED` draws others."""

import os
from pathlib import Path

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.fuzz.campaign import Plan, Tally, run
from s2s.fuzz.check import Failure
from s2s.fuzz.reduce import Failing
from s2s.fuzz.reproducer import replay, write
from s2s.fuzz.variants import Variant
from s2s.tvm import te
from s2s.tvm.fuzz.draw import draw_program
from s2s.tvm.fuzz.formulas import FORMULAS
from s2s.tvm.fuzz.model import ExpressionModel
from s2s.tvm.fuzz.program import DIRECTIVES, DirectiveSpec, FormulaSpec, Program
from s2s.types.dtypes import Array

PLAN = Plan(models=32, seed=int(os.environ.get("S2S_FUZZ_SEED", "1")), variants=1, nodes=8, thorough=4, format="te")

BLOCKS = Program(
    {"x": (12, 1)},
    (
        FormulaSpec("a", "relu", ("x",)),
        FormulaSpec("b", "flipped", ("a",)),
        FormulaSpec("c", "window", ("b",)),
        FormulaSpec("d", "column sums", ("c",)),
    ),
    (DirectiveSpec("a", "compute_at", (0,), at="b"),),
    ("d",),
)
"""`a` is computed in the blocks of `b`, which `c` reads whole: `b` takes no memory of `a`, which has room for one."""

PADDED = Program(
    {"x": (3, 5)},
    (FormulaSpec("a", "padded", ("x",)), FormulaSpec("b", "window", ("a",)), FormulaSpec("c", "row maxima", ("a",))),
    (DirectiveSpec("a", "compute_inline"),),
    ("b", "c"),
)
"""Points outside of `x` add 2 to sums, and 2 to a choice of the largest."""

SPREAD = Program(
    {"x": (17,)},
    (FormulaSpec("a", "spread", ("x",)), FormulaSpec("b", "window", ("a",)), FormulaSpec("c", "window", ("b",))),
    (DirectiveSpec("a", "compute_at", (3, 0, 1), factor=2, at="b"),),
    ("c",),
)
"""`a` reads its index, and is computed in the blocks of `b`: candidates of its schedule are told of a first block."""


def computed(program: Program, given: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """What the C computes, and what numpy does."""
    schedule, arguments = program.scheduled()
    function = te.build(schedule, arguments, target="c")
    found = {name: np.zeros(program.run({"x": given})[name].shape, np.float32) for name in program.outputs}
    function(given, *found.values())
    return found, program.run({"x": given})


def test_random_expressions_agree_with_numpy() -> None:
    total = Tally()
    for tally in run(PLAN):
        total.add(tally)
    assert [failing.failure.describe() for failing in total.failures] == [], f"seed {PLAN.seed}"
    assert total.models + sum(total.refused.values()) >= PLAN.models
    assert sum(total.refused.values()) < PLAN.models / 2
    assert total.kinds["te"] == total.models


def test_each_formula_and_directive_is_drawn() -> None:
    counts = sum((draw_program(f"{seed}", "", 8).counts for seed in range(120)), start=Tally().operators)
    assert set(counts) == {*FORMULAS, *DIRECTIVES}


@pytest.mark.parametrize("program", [BLOCKS, PADDED], ids=["blocks", "padded"])
def test_what_random_expressions_found_is_right(program: Program) -> None:
    (shape,) = program.inputs.values()
    given = np.random.default_rng(0).integers(-9, -1, shape).astype(np.float32)
    found, expected = computed(program, given)
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_a_stage_inside_of_one_of_its_readers_is_refused() -> None:
    program = Program(
        {"x": (4, 5)},
        (FormulaSpec("a", "window", ("x",)), *(FormulaSpec(name, "row maxima", ("a",)) for name in "bc")),
        (DirectiveSpec("a", "compute_at", (0,), at="c"),),
        ("b", "c"),
    )
    schedule, arguments = program.scheduled()
    with pytest.raises(InputError, match="a is computed inside of another stage; compute it at a loop around all"):
        te.build(schedule, arguments, target="c")


def test_a_failing_program_is_replayed_from_its_file(tmp_path: Path) -> None:
    variant = Variant(target="c", compiler="gcc", optimise="-O0", chosen={"schedule": "reference"})
    failing = Failing(ExpressionModel(BLOCKS), {"x": np.ones((12, 1), np.float32)}, Failure("wrong", "x", variant))
    path = write(failing, tmp_path)
    assert " " not in path.name
    assert replay(path) == []


def test_candidates_of_a_block_whose_index_is_read_are_told(tmp_path: Path) -> None:
    variant = Variant(target="c", compiler="gcc", optimise="-O0", chosen={"schedule": "reference", "explain": True})
    failing = Failing(ExpressionModel(SPREAD), {"x": np.ones(17, np.float32)}, Failure("bug", "x", variant))
    assert replay(write(failing, tmp_path)) == []


def test_a_smaller_program_keeps_directives_of_what_is_left() -> None:
    assert BLOCKS.needed(["b"]).directives == BLOCKS.directives
    assert BLOCKS.without(0, (12, 1)).directives == ()
