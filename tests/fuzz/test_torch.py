"""Random programs of PyTorch agree with torch; `s2s fuzz --format torch` runs more. `S2S_FUZZ_SEED` draws others."""

import os
from pathlib import Path

import numpy as np
import pytest

from s2s.fuzz.campaign import Plan, Tally, draw, run
from s2s.fuzz.check import Failure
from s2s.fuzz.reduce import Failing
from s2s.fuzz.reproducer import replay, write
from s2s.fuzz.torch.draw import draw_program
from s2s.fuzz.torch.model import TorchModel
from s2s.fuzz.torch.program import Program, StepSpec
from s2s.fuzz.torch.steps import STEPS
from s2s.fuzz.variants import Variant
from s2s.types.dtypes import Array

PLAN = Plan(models=16, seed=int(os.environ.get("S2S_FUZZ_SEED", "1")), variants=1, nodes=8, thorough=4, format="torch")

TWICE = Program(
    {"x": ((2, 3), "float32")},
    (
        StepSpec("a", "tanh", ("x",)),
        StepSpec("row", "row", ("a",), {"axis": 0, "place": 1}),
        StepSpec("twice", "doubled", ("row",)),
        StepSpec("b", "relu", ("a",)),
    ),
    ("b", "row"),
)
"""The second row of `a` is doubled through a view before `a` is read again."""


def values(program: Program, x: Array) -> dict[str, Array]:
    return {name: spread.clean for name, spread in TorchModel(program).evaluate({"x": x}).items()}


def test_random_programs_agree_with_torch() -> None:
    total = Tally()
    for tally in run(PLAN):
        total.add(tally)
    assert [each.failure.describe() for each in total.failures] == [], f"seed {PLAN.seed}"
    assert total.models == PLAN.models
    assert sum(total.refused.values()) < PLAN.models / 4
    assert total.undetermined < total.compared / 4


def test_each_step_is_drawn() -> None:
    counts = sum((draw_program(f"{seed}", "", 8).counts for seed in range(250)), start=Tally().operators)
    assert set(counts) == set(STEPS)


def test_a_seed_draws_the_same_program_again() -> None:
    first, again = draw(PLAN, 3), draw(PLAN, 3)
    assert first.model.serialised() == again.model.serialised()
    assert all(first.inputs[name].tobytes() == value.tobytes() for name, value in again.inputs.items())


def test_what_is_read_later_sees_a_change_through_a_view() -> None:
    x = np.array([[1, -1, 2], [0.5, 3, -2]], np.float32)
    found = values(TWICE, x)
    np.testing.assert_allclose(found["b"], np.maximum(np.tanh(x) * [[1], [2]], 0), rtol=1e-6)
    np.testing.assert_allclose(found["row"], np.tanh(x[1]) * 2, rtol=1e-6)


def test_a_smaller_program_keeps_changes_of_what_it_needs() -> None:
    smaller = TWICE.needed(["b"])
    assert [each.name for each in smaller.steps] == ["a", "row", "twice", "b"]
    for seed in range(30):
        drawn = draw_program(f"smaller/{seed}", "", 8)
        whole = TorchModel(drawn.program).evaluate(drawn.inputs)
        for name in drawn.program.outputs:
            part = TorchModel(drawn.program).pruned([name])
            again = part.evaluate({each: drawn.inputs[each] for each in part.inputs})
            np.testing.assert_array_equal(again[name].clean, whole[name].clean)


def test_a_program_without_a_step_has_an_input_for_it() -> None:
    model = TorchModel(TWICE)
    smaller = model.without(0, model.evaluate({"x": np.ones((2, 3), np.float32)}))
    assert (smaller.inputs, smaller.operators) == (["a"], ["row", "doubled", "relu"])


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_failing_program_is_replayed_from_its_file(rewritten: bool, tmp_path: Path) -> None:
    variant = Variant(target="c", compiler="gcc", optimise="-O0", rewritten=rewritten)
    failing = Failing(TorchModel(TWICE), {"x": np.ones((2, 3), np.float32)}, Failure("wrong", "planted", variant))
    assert replay(write(failing, tmp_path)) == []
