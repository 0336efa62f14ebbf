"""The operators of `test_operators` through C: two cases of each side by side in one network for every type."""

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from support.compiled import run_c
from support.tflite_cases import GENERATORS, Case, difference, network
from support.tflite_oracle import run_micro

KINDS = sorted({kind for kinds in GENERATORS.values() for kind in kinds})
SEEDS = (100, 101)


def cases_of(kind: str) -> list[Case]:
    return [
        kinds[kind](np.random.default_rng(seed)) for kinds in GENERATORS.values() if kind in kinds for seed in SEEDS
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.replace(" ", "-"))
def test_c_equals_the_reference(kind: str):
    cases = cases_of(kind)
    with compile_artifact(network(cases), CompileOptions(target="c")) as artifact:
        found = run_c(artifact, [value for case in cases for value in case.inputs])
    expected = [run_micro(case.model, case.inputs)[0] for case in cases]
    wrong = {
        f"{number} {case.builtin}": difference(case, got, wanted)
        for number, (case, got, wanted) in enumerate(zip(cases, found, expected, strict=True))
    }
    assert {name: fact for name, fact in wrong.items() if fact} == {}
