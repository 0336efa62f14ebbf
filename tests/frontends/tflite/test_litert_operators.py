"""The operators that TFLite-Micro does not have, against the reference kernels of LiteRT: integers to the bit."""

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.frontends.tflite import import_model
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph.run import run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.litert_cases import LITERT_GENERATORS
from support.tflite_case import Case, network
from support.tflite_cases import difference, further_difference

CASES = 14
"""Of every operator and type; the seeds are their numbers."""
PAIRS = [(builtin, kind) for builtin, kinds in LITERT_GENERATORS.items() for kind in kinds]


OPTIMIZED = ("LOCAL_RESPONSE_NORMALIZATION", "SEGMENT_SUM", "STABLEHLO_AND", "STABLEHLO_SHIFT_LEFT")
"""The reference kernel leaves the last neighbour out, which neither TensorFlow nor the optimised one does; the others
have no reference kernel."""


def expected_of(case: Case) -> list[Array]:
    return run_litert(case.model, case.inputs, optimized=case.builtin in OPTIMIZED)


def case_of(builtin: str, kind: str, seed: int) -> Case:
    return LITERT_GENERATORS[builtin][kind](np.random.default_rng(seed))


@pytest.mark.parametrize(("builtin", "kind"), PAIRS, ids=lambda each: each.replace(" ", "-"))
def test_operator_equals_the_reference(builtin: str, kind: str):
    for seed in range(CASES):
        case = case_of(builtin, kind, seed)
        imported = import_model(case.model)
        found = run_graph(imported.module, case.inputs, imported.weights)
        expected = expected_of(case)
        assert not difference(case, found[0], expected[0]), f"seed {seed}: {difference(case, found[0], expected[0])}"
        assert not (fact := further_difference(case, found[1:], expected[1:])), f"seed {seed}: {fact}"


def test_c_equals_the_reference():
    cases = [case_of(builtin, kind, 100) for builtin, kind in PAIRS]
    with compile_artifact(network(cases), CompileOptions(target="c")) as artifact:
        found = iter(run_c(artifact, [value for case in cases for value in case.inputs]))
    for case in cases:
        expected = expected_of(case)
        assert not difference(case, next(found), expected[0]), case.builtin
        rest = [next(found) for _ in expected[1:]]
        assert not (fact := further_difference(case, rest, expected[1:])), f"{case.builtin}: {fact}"
