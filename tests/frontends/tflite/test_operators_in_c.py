"""The operators of `test_operators` through C: two cases of each side by side in one network for every type."""

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.fuzz.tflite.engines import run_micro
from s2s.options import CompileOptions
from support.compiled import run_c
from support.tflite_case import Case, network
from support.tflite_cases import GENERATORS, difference

SEEDS = (100, 101)
CONVERSIONS = "conversions"


def group(kind: str) -> str:
    """The network that cases of `kind` are part of."""
    return CONVERSIONS if " to " in kind else kind


GROUPS = sorted({group(kind) for kinds in GENERATORS.values() for kind in kinds})


def cases_of(name: str) -> list[Case]:
    return [
        make(np.random.default_rng(seed))
        for kinds in GENERATORS.values()
        for kind, make in kinds.items()
        if group(kind) == name
        for seed in SEEDS
    ]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", GROUPS)
def test_c_equals_the_reference(name: str):
    cases = cases_of(name)
    with compile_artifact(network(cases), CompileOptions(target="c")) as artifact:
        found = run_c(artifact, [value for case in cases for value in case.inputs])
    expected = [run_micro(case.model, case.inputs)[0] for case in cases]
    wrong = {
        f"{number} {case.builtin}": difference(case, got, wanted)
        for number, (case, got, wanted) in enumerate(zip(cases, found, expected, strict=True))
    }
    assert {name: fact for name, fact in wrong.items() if fact} == {}
